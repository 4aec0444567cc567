"""Signs seat tokens with the seat key."""

from services.matchmaker.ports import SeatToken
from serving.runtime import Clock
from serving.tokens import Minter


class SignedSeatTokens:
    """The port `SeatTokens`: subject the player, claims table_id and, for a seat, seat and
    generation.
    """

    def __init__(self, minter: Minter, clock: Clock, *, life_seconds: int) -> None:
        self._minter = minter
        self._clock = clock
        self._life_seconds = life_seconds

    def mint(self, player_id: str, table_id: str, seat: int, generation: int) -> SeatToken:
        """A fresh token for one seat."""
        return self._minted("seat", player_id, table_id=table_id, seat=seat, generation=generation)

    def mint_spectator(self, player_id: str, table_id: str) -> SeatToken:
        """A fresh token to watch a table."""
        return self._minted("spectator", player_id, table_id=table_id)

    def _minted(self, role: str, player_id: str, **claims: object) -> SeatToken:
        expiry_ms = self._clock.now_ms() + self._life_seconds * 1000
        return SeatToken(self._minter.mint(role, player_id, self._life_seconds, **claims), expiry_ms)
