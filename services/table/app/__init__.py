"""What a table does, without a wire or a store."""
