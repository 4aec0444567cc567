"""What puts cardroom up in a cluster: manifests, and what checks them against the code."""
