"""The ledger's calls on the wire."""
