"""Two deals that differ only in who could claim look the same to every viewer under fixed timing (PF-20, PF-40)."""

import random
from collections.abc import Sequence
from typing import Any

import pytest

from games.kernel import Seat
from games.mahjong.actions import Discard, Pass
from games.mahjong.game import GAME
from games.mahjong.state import State
from games.mahjong.wall import tiles_in_order
from services.table.edge.events import room_from_proto
from services.table.model import clocks as clocking
from services.table.model import flow, play
from services.table.model import state as folding
from services.table.model.clocks import Clocks
from services.table.model.events import Arrived, Created, Move, Ready, TableEvent
from services.table.model.flow import Draft
from services.table.model.play import Rest
from services.table.model.redaction import redact
from tests.services.table.rig import room

PLAYERS = ("ann", "ben", "cho", "dan")
TURNS = 10
PAIRS = 40
FIXED, NATURAL = 2, 1
VIEWERS: tuple[Seat | None, ...] = (0, 1, 2, 3, None)

Seen = tuple[tuple[Any, ...], ...]


def kind(event: TableEvent | None) -> str:
    """What a viewer is told it is; empty where he may know nothing."""
    if event is None:
        return ""
    return type(event.event if isinstance(event, Move) else event).__name__


def played(wall: Sequence[int], timing: int, *, answering: bool, monkeypatch: pytest.MonkeyPatch) -> tuple[Seen, int]:
    """Some turns in which everybody discards what he drew and claims nothing.

    Returns: for each viewer (seq, kind) of all entries, and every clock that was started; how many could have claimed.
    """

    def arranged(state: Any, **_: object) -> Any:
        return GAME.open(state, tuple(wall), (1,) * GAME.dice_count(state.ruleset))

    monkeypatch.setattr(play, "opening", arranged)
    made = Created(room_from_proto(room(claim_timing=timing)), PLAYERS, "m-1", 0)
    draft = Draft(folding.created("t-1", made), lambda: 0)
    for seat in range(4):
        draft.put(Arrived(seat))
    for seat in range(4):
        draft.put(Ready(seat, b""))
    flow.start_deal(draft, (100,) * 4, b"s" * 32)
    clocks: Clocks = ()
    told: list[tuple[Any, ...]] = []
    could = 0
    for _ in range(TURNS):
        game = _game(draft)
        clocks = clocking.following(draft.state, clocks, 0, draft.floor_ms)
        told.append(tuple((clock.name, clock.opened, clock.granted_ms) for clock in clocks))
        _discard(draft, game)
        clocks = clocking.following(draft.state, clocks, 0, draft.floor_ms)
        told.append(tuple((clock.name, clock.opened, clock.granted_ms) for clock in clocks))
        if draft.state.rest is Rest.QUESTION:
            asked = sorted(play.awaiting(_game(draft)))
            could += len(asked)
            for seat in asked if answering else ():
                deal = draft.state.deal
                assert deal is not None
                flow.act(draft, seat, flow.decision_id(deal.opened_seq, seat), Pass(seat))
        if draft.state.rest is Rest.QUESTION:
            draft.play(play.closing(_game(draft)))
    seen = tuple(
        tuple((seq, kind(redact(event, viewer))) for seq, event in enumerate(draft.events, 2)) for viewer in VIEWERS
    )
    return (*seen, tuple(told)), could


def _game(draft: Draft) -> State:
    assert draft.state.deal is not None
    game = draft.state.deal.game
    assert isinstance(game, State)
    return game


def _discard(draft: Draft, game: State) -> None:
    seat = game.turn
    assert draft.state.deal is not None
    drawn = None if game.draw is None else game.draw.tile
    tile = game.hands[seat][-1] if drawn is None else drawn
    flow.act(draft, seat, flow.decision_id(draft.state.deal.opened_seq, seat), Discard(seat, tile))


def walls(seed: int) -> tuple[list[int], list[int]]:
    """Two walls of the same tiles: what one seat holds in the first, another holds in the second."""
    chance = random.Random(seed)
    wall = list(tiles_in_order(play.rules_of(room_from_proto(room()))))  # type: ignore[arg-type]  # a mahjong ruleset
    chance.shuffle(wall)
    other = wall.copy()
    chance.shuffle(other)
    return wall, other


@pytest.mark.parametrize("answering", [True, False])
def test_who_could_claim_shows_in_no_number_kind_or_clock_pf_20_pf_40(
    answering: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    differed = 0
    for seed in range(PAIRS):
        first, second = (played(wall, FIXED, answering=answering, monkeypatch=monkeypatch) for wall in walls(seed))
        assert first[0] == second[0], seed
        differed += first[1] != second[1]
    assert differed > PAIRS // 2, "the deals do not differ in who could claim"


def test_an_answer_that_takes_a_number_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check sees a planted leak: answers as entries of the public log."""
    monkeypatch.setattr(play, "is_private", lambda event: False)
    assert _differs(FIXED, monkeypatch)


def test_a_window_that_closes_when_nobody_can_claim_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check sees what natural timing reveals, which is why fair rooms have the fixed one (PF-20)."""
    assert _differs(NATURAL, monkeypatch)


def _differs(timing: int, monkeypatch: pytest.MonkeyPatch) -> bool:
    return any(
        played(first, timing, answering=True, monkeypatch=monkeypatch)[0]
        != played(second, timing, answering=True, monkeypatch=monkeypatch)[0]
        for first, second in map(walls, range(PAIRS))
    )
