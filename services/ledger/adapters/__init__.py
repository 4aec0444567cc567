"""The ledger's store: Redis, one script a settlement."""
