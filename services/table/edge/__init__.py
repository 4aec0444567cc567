"""The table's calls and messages on the wire."""
