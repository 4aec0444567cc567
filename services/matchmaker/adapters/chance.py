"""Randomness from the operating system."""

import random
import uuid
from collections.abc import Sequence


class SystemChance:
    """Seats and ids nobody can foresee."""

    def __init__(self) -> None:
        self._random = random.SystemRandom()

    def permutation(self, count: int) -> tuple[int, ...]:
        """0..count-1 in random order."""
        return tuple(self._random.sample(range(count), count))

    def pick(self, weights: Sequence[int]) -> int:
        """An index, as likely as its weight."""
        return self._random.choices(range(len(weights)), weights)[0]

    def new_id(self) -> str:
        """A random UUID."""
        return str(uuid.uuid4())
