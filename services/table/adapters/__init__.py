"""What stands behind the ports of a table."""
