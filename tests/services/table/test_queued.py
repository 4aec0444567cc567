"""What becomes of a claim that was queued: one public event says it, to the claimant as to everybody (PF-20, BB-14).

Two seats claim one discard, and only one of them can have it. Both are told QUEUED, whoever answers first; the event
after the question names who got the tile and for what.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from cardroom.mahjong.v1 import action_pb2
from cardroom.table.v1 import table_pb2

from tests.fakes.clock import FakeClock
from tests.services.table.arranged import deals, hands
from tests.services.table.rig import Player, Pods, action_of, eventually, new_table_id, playing, to_act
from tests.services.table.test_clocks import asked, discarded, stands_still

FLOOR_MS = 500
TILE = 13
"""Five dots."""
JUNK = tuple(range(18, 27))
"""Three sequences of bamboo."""


@dataclass(frozen=True, slots=True)
class Rivals:
    """Two claims of one discard.

    Attributes:
        lower, higher: seat and kind of each claim.
        event: kind of the event that says the higher one has happened.
    """

    variant: str
    hands: Sequence[Sequence[int]]
    lower: tuple[int, str]
    higher: tuple[int, str]
    event: str


RIVALS = {
    "a win before a pung": Rivals(
        "bloody4",
        ((TILE,), (TILE, TILE, *JUNK), (9, 10, 11, 12, 14, 18, 19, 20, 21, 22, 23, 25, 25), ()),
        (1, "pung"),
        (2, "win"),
        "won",
    ),
    "a pung before a chow": Rivals(
        "shanghai", ((TILE,), (11, 12, *JUNK), (TILE, TILE), ()), (1, "chow"), (2, "pung"), "melded"
    ),
}


@pytest.mark.parametrize("lower_first", [True, False])
@pytest.mark.parametrize("name", RIVALS)
async def test_one_event_tells_both_claimants_what_became_of_their_claims_pf_20(
    pods: Pods, fake_clock: FakeClock, monkeypatch: pytest.MonkeyPatch, name: str, lower_first: bool
) -> None:
    rivals = RIVALS[name]
    deals(monkeypatch, hands(*rivals.hands))
    pod = await pods.start(clock=fake_clock)
    seated = await pod.create(
        new_table_id(), variant=rivals.variant, claim_floor_min_ms=FLOOR_MS, claim_floor_max_ms=FLOOR_MS
    )
    players = await playing(seated)
    await discarded(await to_act(players), TILE, players)
    order = (rivals.lower, rivals.higher) if lower_first else (rivals.higher, rivals.lower)
    for seat, kind in order:
        claimant = players[seat]
        decision = await asked(claimant)
        response = await claimant.act(_option(claimant, kind), decision)
        assert response.outcome == table_pb2.ACT_OUTCOME_QUEUED
        assert response.seq == claimant.last_seq, "the number of the question"
        await eventually(lambda claimant=claimant: _answered(claimant))  # type: ignore[misc]
        await stands_still(players)  # neither answer is an event: not even the last one, before the floor has passed
    question = response.seq
    fake_clock.advance(ms=FLOOR_MS + 20)
    for player in players:
        message = await player.until("event", rivals.event)
        assert message.seq == question + 1, "nothing stands between the question and what became of it"
        assert _takers(message) == [rivals.higher[0]], "each claimant finds his own seat there, or another's"
    await to_act(players)  # the deal has gone on
    for player in players:
        kinds = [kind for kind, message in zip(player.kinds(), player.messages, strict=True) if message.seq > question]
        assert kinds.count(rivals.event) == 1
        assert not {"melded", "won", "konged"} - {rivals.event} & set(kinds)
    lower = players[rivals.lower[0]]
    assert lower.prompt is None or lower.prompt.decision_id != f"{question}-{lower.seat}", "his claim is closed"


def _option(player: Player, kind: str) -> action_pb2.Action:
    assert player.prompt is not None
    action = next(
        action for option in player.prompt.options if (action := action_of(option)).WhichOneof("kind") == kind
    )
    assert isinstance(action, action_pb2.Action)
    return action


def _answered(player: Player) -> bool:
    return player.prompt is not None and player.prompt.answered


def _takers(message: table_pb2.WatchResponse) -> list[int]:
    """Seats that the event gives the tile to."""
    move = message.event.mahjong
    return [winner.seat for winner in move.won.winners] if move.HasField("won") else [move.melded.seat]
