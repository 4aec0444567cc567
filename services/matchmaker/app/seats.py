"""Seats: where a player sits, with a token for it, and how a table lets him go."""

from collections.abc import Sequence
from dataclasses import dataclass

from refusals import Reason, Refusal
from services.matchmaker.ports import Pod, Pods, Room, SeatTaken, SeatToken, SeatTokens, TicketStore

PLAYER_COUNT_MAX = 16
"""Players a call names at most; no game seats more."""


@dataclass(frozen=True, slots=True)
class SeatGiven:
    """A seat as its player gets it: where to connect and with which token."""

    taken: SeatTaken
    pod: str
    authority: str
    token: SeatToken


@dataclass(frozen=True, slots=True)
class SpectatorAdmitted:
    """A spectator's place: the table's room, where to connect and with which token."""

    table_id: str
    room: Room
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
        seat = await self.find(player_id, renews=True)
        if seat is None:
            raise Refusal(Reason.NO_SEAT)
        return seat

    async def find(self, player_id: str, *, renews: bool = False) -> SeatGiven | None:
        """As `of`, but None where he has none; the token is of a new generation only if it `renews`."""
        taken = await self._tickets.seat_of(player_id, renews=renews)
        if taken is None:
            return None
        pod, authority = _where(taken.pod, taken.authority, await self._pods.live())
        token = self._tokens.mint(player_id, taken.table_id, taken.seat, taken.generation)
        return SeatGiven(taken, pod, authority, token)

    async def watched(self, player_id: str, table_id: str) -> SpectatorAdmitted:
        """A place among the spectators of a table.

        Raises: Refusal TABLE_UNKNOWN: it seats nobody; SPECTATORS_NOT_ALLOWED: its room does not want them.
        """
        table = await self._tickets.open_table(table_id)
        if table is None:
            raise Refusal(Reason.TABLE_UNKNOWN)
        if not table.room.spectators_allowed:
            raise Refusal(Reason.SPECTATORS_NOT_ALLOWED)
        pod, authority = _where(table.pod, table.authority, await self._pods.live())
        return SpectatorAdmitted(table_id, table.room, pod, authority, self._tokens.mint_spectator(player_id, table_id))

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


def _where(pod: str, authority: str, live: Sequence[Pod]) -> tuple[str, str]:
    """Pod and authority to connect to, for a table that was made on a pod.

    A pod that came back under its name may have another address: its card counts. If it is gone for good any live pod
    will do: it answers NOT_OWNER with the owner's endpoint, or adopts the table.
    """
    own = [card for card in live if card.pod == pod] or list(live[:1])
    return (own[0].pod, own[0].authority) if own else (pod, authority)
