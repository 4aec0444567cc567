"""The rules. Nothing in here knows of clocks, chance, files or networks."""
