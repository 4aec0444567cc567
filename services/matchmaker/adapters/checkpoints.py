"""The checkpoints of a matchmaker in service: none."""

from services.matchmaker.ports import MatchStep


class NoCheckpoints:
    """Goes on after every step."""

    async def reached(self, step: MatchStep) -> None:
        """Nothing happens."""
