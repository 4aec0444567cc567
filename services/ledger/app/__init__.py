"""What the ledger does: its values, their checks and its use cases."""
