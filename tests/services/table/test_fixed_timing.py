"""Under fixed timing two deals that differ only in who could claim look the same on every stream (PF-20, PF-40).

`test_claims_hidden` proves it of the model; here it is what comes over the sockets, on a clock the test moves.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import pytest
from cardroom.table.v1 import room_pb2

from games.mahjong.wall import tiles_in_order
from services.table.edge.events import room_from_proto
from services.table.model import play
from tests.fakes.clock import FakeClock
from tests.services.table.arranged import deals
from tests.services.table.logs import PASS
from tests.services.table.rig import Player, Pods, RunningPod, eventually, new_table_id, playing, room

FIXED, NATURAL = room_pb2.CLAIM_TIMING_FIXED, room_pb2.CLAIM_TIMING_NATURAL
LIMIT_MS = 3_000
TURNS = 8
LOGGED = ("event", "hidden")
PAIRS = 3


@dataclass
class Sight:
    """A part of a deal as its viewers saw it.

    Attributes:
        seen: for each viewer, the seats and then a spectator, number and kind of every entry after the tiles are dealt.
        before_limit: the table's last number just before each window's limit.
        claimable: in each window, how many were asked.
    """

    seen: list[list[tuple[int, str]]] = field(default_factory=list)
    before_limit: list[int] = field(default_factory=list)
    claimable: list[int] = field(default_factory=list)


def walls(seed: int) -> tuple[list[int], list[int]]:
    """Two walls of the same tiles: what one seat holds in the first, another holds in the second."""
    chance = random.Random(seed)
    wall = list(tiles_in_order(play.rules_of(room_from_proto(room()))))  # type: ignore[arg-type]  # a mahjong ruleset
    chance.shuffle(wall)
    other = wall.copy()
    chance.shuffle(other)
    return wall, other


async def sight(
    pod: RunningPod, clock: FakeClock, timing: "room_pb2.ClaimTiming.ValueType", *, answering: bool
) -> Sight:
    """Some turns in which everybody discards, and who could claim passes, or says nothing."""
    seated = await pod.create(
        new_table_id(), claim_timing=timing, claim_limit_ms=LIMIT_MS, spectators_allowed=True, spectator_delay_ms=0
    )
    players = await playing(seated)
    guest = seated.spectator()
    guest.open()
    await guest.until("snapshot")
    viewers = [*players, guest]
    shown = Sight()
    for turn in range(TURNS):
        await _discards(players[turn % 4], viewers)
        await _claims(pod, players, shown, answering=answering)
        clock.advance(ms=LIMIT_MS - 20)
        shown.before_limit.append((await players[0].snapshot()).seq)
        clock.advance(ms=40)
        for viewer in viewers:
            await viewer.until("event", "drawn")
    shown.seen = [_since_dealt(viewer) for viewer in viewers]
    return shown


def _since_dealt(viewer: Player) -> list[tuple[int, str]]:
    """Number and kind of every entry that came after the tiles were dealt, at which a spectator's stream begins."""
    rows = [(message.seq, kind) for message, kind in zip(viewer.messages, viewer.kinds(), strict=True)]
    entries = [row for row, message in zip(rows, viewer.messages, strict=True) if message.WhichOneof("kind") in LOGGED]
    dealt = [place for place, (_, kind) in enumerate(entries, 1) if kind == "dealt"]
    return entries[sum(dealt) :]


async def _discards(player: Player, viewers: Sequence[Player]) -> None:
    """He discards the last tile he is offered to discard, and all have seen it."""
    await eventually(partial(_may_discard, player))
    prompt = player.prompt
    assert prompt is not None
    options = [option.mahjong for option in prompt.options if option.mahjong.HasField("discard")]
    await player.act(options[-1], prompt.decision_id)
    for viewer in viewers:
        await viewer.until("event", "discarded")


def _may_discard(player: Player) -> bool:
    prompt = player.prompt
    return prompt is not None and any(option.mahjong.HasField("discard") for option in prompt.options)


async def _claims(pod: RunningPod, players: Sequence[Player], shown: Sight, *, answering: bool) -> None:
    deal = pod.component.pod.tables[players[0].table_id].current.state.deal
    assert deal is not None
    asked = sorted(play.awaiting(deal.game)) if play.rest_of(deal.game) is play.Rest.QUESTION else []
    shown.claimable.append(len(asked))
    for seat in asked if answering else ():
        await players[seat].act(PASS, f"{deal.opened_seq}-{seat}")


async def pair(
    pods: Pods,
    clock: FakeClock,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
    timing: "room_pb2.ClaimTiming.ValueType",
    *,
    answering: bool,
) -> list[Sight]:
    """The same turns with either wall."""
    pod = await pods.start(clock=clock, pod_lease_ms=3_600_000)
    sights = []
    for wall in walls(seed):
        deals(monkeypatch, lambda _, wall=wall: wall)  # type: ignore[misc]
        sights.append(await sight(pod, clock, timing, answering=answering))
    return sights


@pytest.mark.parametrize("answering", [True, False])
@pytest.mark.parametrize("seed", range(PAIRS))
async def test_every_stream_is_the_same_whoever_could_claim_pf_20_pf_40(
    pods: Pods, fake_clock: FakeClock, monkeypatch: pytest.MonkeyPatch, seed: int, answering: bool
) -> None:
    first, second = await pair(pods, fake_clock, monkeypatch, seed, FIXED, answering=answering)
    assert first.claimable != second.claimable, "the deals do not differ in who could claim"
    assert len(first.seen) == 5
    assert [len(entries) for entries in first.seen] == [2 * TURNS] * 5, "a discard and a draw in each turn"
    assert first.seen == second.seen
    assert first.before_limit == second.before_limit


async def test_the_windows_of_natural_timing_are_seen_to_differ(
    pods: Pods, fake_clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check can fail: where nobody could claim, the next tile is drawn before the limit."""
    first, second = await pair(pods, fake_clock, monkeypatch, 0, NATURAL, answering=False)
    assert first.before_limit != second.before_limit
