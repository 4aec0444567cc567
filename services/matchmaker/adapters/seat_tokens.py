"""Signs seat tokens with the seat key."""

from services.matchmaker.ports import SeatToken
from serving.runtime import Clock
from serving.tokens import Minter


class SignedSeatTokens:
    """The port `SeatTokens`: role seat, subject the player, claims table_id and seat."""

    def __init__(self, minter: Minter, clock: Clock, *, life_seconds: int) -> None:
        self._minter = minter
        self._clock = clock
        self._life_seconds = life_seconds

    def mint(self, player_id: str, table_id: str, seat: int) -> SeatToken:
        """A fresh token for one seat."""
        expiry_ms = self._clock.now_ms() + self._life_seconds * 1000
        token = self._minter.mint("seat", player_id, self._life_seconds, table_id=table_id, seat=seat)
        return SeatToken(token, expiry_ms)
