"""The record of the deal that is played: what scoring is asked about before money moves."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from services.table.model import state as folding
from services.table.model.events import DealStarted, Move, PaymentsDue, TableEvent
from services.table.model.play import GameEvent, GameState
from services.table.model.state import TableState


@dataclass(frozen=True, slots=True)
class Ground:
    """What a settlement is asked for: the event, its place in the record, and the deal just before it."""

    index: int
    event: GameEvent
    before: GameState


@dataclass(slots=True)
class DealRecord:
    """The deal's own events as stored, and the ground of each settlement by asset and number."""

    entries: list[bytes] = field(default_factory=list)
    grounds: dict[tuple[str, int], Ground] = field(default_factory=dict)
    _last: tuple[GameEvent, TableState | None] | None = None

    def follow(self, state: TableState, entries: Sequence[tuple[TableEvent, bytes]]) -> None:
        """More entries, each with its bytes. `state`: the table just before the first of them."""
        grounds = any(isinstance(event, PaymentsDue) for event, _ in entries)
        for event, data in entries:
            self.take(state if grounds else None, event, data)
            if grounds:
                state = folding.evolve(state, event)

    def take(self, before: TableState | None, event: TableEvent, data: bytes) -> None:
        """One more entry; `before`: the table just before it, if it may be the ground of a settlement."""
        match event:
            case DealStarted():
                self.entries, self.grounds, self._last = [], {}, None
            case Move(game_event):
                self.entries.append(data)
                self._last = (game_event, before)
            case PaymentsDue(settlement_seq=seq, asset=asset):
                self._note(asset, seq)
            case _:
                pass

    def _note(self, asset: str, seq: int) -> None:
        if self._last is None or self._last[1] is None or self._last[1].deal is None:
            return
        event, before = self._last
        assert before is not None
        assert before.deal is not None
        self.grounds[asset, seq] = Ground(len(self.entries) - 1, event, before.deal.game)
