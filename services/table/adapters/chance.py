"""Chance from the operating system."""

import secrets

from services.table.model.shuffle import SEED_BYTES


class SystemEntropy:
    """`Entropy` of the machine."""

    def seed(self) -> bytes:
        """See `Entropy`."""
        return secrets.token_bytes(SEED_BYTES)

    def between(self, least: int, most: int) -> int:
        """See `Entropy`."""
        return least + secrets.randbelow(max(0, most - least) + 1)
