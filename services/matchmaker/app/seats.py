"""Seats: where a player sits, with a token for it, and how a table lets him go."""

from collections.abc import Sequence
from dataclasses import dataclass

from refusals import Reason, Refusal
from services.matchmaker.ports import Pod, Pods, SeatTaken, SeatToken, SeatTokens, TicketStore

PLAYER_COUNT_MAX = 16
"""Players a call names at most; no game seats more."""


@dataclass(frozen=True, slots=True)
class SeatGiven:
    """A seat as its player gets it: where to connect and with which token."""

    taken: SeatTaken
    pod: str
    authority: str
    token: SeatToken


class Seats:
    """The use cases around a seat."""

    def __init__(self, *, tickets: TicketStore, pods: Pods, tokens: SeatTokens) -> None:
        self._tickets = tickets
        self._pods = pods
        self._tokens = tokens

    async def of(self, player_id: str) -> SeatGiven:
        """The player's seat with a fresh token, on whatever device he asks. Raises Refusal NO_SEAT."""
        seat = await self.find(player_id)
        if seat is None:
            raise Refusal(Reason.NO_SEAT)
        return seat

    async def find(self, player_id: str) -> SeatGiven | None:
        """As `of`, but None where he has none."""
        taken = await self._tickets.seat_of(player_id)
        if taken is None:
            return None
        pod, authority = _where(taken, await self._pods.live())
        return SeatGiven(taken, pod, authority, self._tokens.mint(player_id, taken.table_id, taken.seat))

    async def release(self, table_id: str, epoch: int, player_ids: Sequence[str], *, requeue: bool) -> tuple[str, ...]:
        """Frees players of a table, or puts them in front of the queue they came from (PF-13); idempotent.

        Returns: those who held a seat of the table until now.
        Raises: Refusal FENCED: a newer owner of the table has spoken before; INVALID_FIELD.
        """
        if not table_id:
            raise Refusal(Reason.INVALID_FIELD, field="table_id", detail="is missing")
        if not 1 <= len(player_ids) <= PLAYER_COUNT_MAX:
            raise Refusal(Reason.INVALID_FIELD, field="player_ids", detail=f"must be 1 to {PLAYER_COUNT_MAX}")
        released = await self._tickets.release(table_id, epoch, player_ids, requeue=requeue)
        if released.fenced:
            raise Refusal(Reason.FENCED)
        return released.player_ids


def _where(taken: SeatTaken, live: Sequence[Pod]) -> tuple[str, str]:
    """Pod and authority to connect to.

    A pod that came back under its name may have another address: its card counts. If it is gone for good any live pod
    will do: it answers NOT_OWNER with the owner's endpoint, or adopts the table.
    """
    own = [pod for pod in live if pod.pod == taken.pod] or list(live[:1])
    return (own[0].pod, own[0].authority) if own else (taken.pod, taken.authority)
