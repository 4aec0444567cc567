"""Places in the work, where nothing happens."""


class NoCheckpoints:
    """`Checkpoints` that pass."""

    def reach(self, name: str) -> None:
        """See `Checkpoints`."""
