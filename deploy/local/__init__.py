"""What `make run` starts: stores and services on this machine, and a demonstration."""
