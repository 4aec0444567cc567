"""The `cardroom` command."""
