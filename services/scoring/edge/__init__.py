"""The service's calls on the wire."""
