"""The table as values: what it is, what may happen to it, what a viewer may know. Pure, like the games."""
