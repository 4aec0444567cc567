"""Which rules a simulation exercised, variant by variant: rows a predicate each."""
