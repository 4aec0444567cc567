"""Hands a second through `ScoreWins`, one server process, against the same service with an independent evaluator.

Two processes serve, in turns; this one streams the same hands to each. Where the evaluator cannot be built there is
nothing to compare with and no row is made.
"""

import asyncio
import itertools
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from cardroom.scoring.v1 import columns_pb2, scoring_pb2
from cardroom.scoring.v1.scoring_pb2_grpc import ScoringServiceStub

from bench.null_unary import cpu_seconds
from bench.row import RUNS, Row, interleaved
from deploy.build.reference import NotInstalled, environment
from games.mahjong.hand import Situation, WinningHand
from games.mahjong.tiles import FLOWERS
from serving.channels import connect
from tests.sim.dazhong.hands import hands
from wire.mahjong import MELD_KINDS, WIN_BYS

NAMES = ("score_batch_hands_s",)
PEER = "the same service with PyMahjongGB 1.4.0"
HAND_COUNT = 4_096
MESSAGE_HANDS = 256
SEED = 1998
SECONDS = 2.0
STREAMS = 2
"""Streams at once, so that the server never waits for this process."""
UNDER_WAY = 2
"""Messages of a stream that are sent and not answered: gRPC itself would let thousands through."""
READY_LIMIT_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Side:
    """A serving process, and where."""

    pid: int
    address: str


@asynccontextmanager
async def serving(side: str, variables: Mapping[str, str]) -> AsyncIterator[Side]:
    """One side's service, for the length of the block."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.score_batch_side", side),
        env=variables,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None and process.stdin is not None
    try:
        async with asyncio.timeout(READY_LIMIT_SECONDS):
            address = (await process.stdout.readline()).decode().strip()
        assert address, f"the service of {side} did not start"
        yield Side(process.pid, address)
    finally:
        process.stdin.close()
        await process.wait()


def columns(some: Sequence[WinningHand]) -> columns_pb2.HandColumns:
    """Hands as columns."""
    return columns_pb2.HandColumns(
        tile_counts=[len(hand.concealed) for hand in some],
        tiles=[tile for hand in some for tile in hand.concealed],
        win_tiles=[hand.tile for hand in some],
        bys=[WIN_BYS[hand.by] for hand in some],
        meld_counts=[len(hand.melds) for hand in some],
        meld_kinds=[MELD_KINDS[meld.kind] for hand in some for meld in hand.melds],
        meld_tiles=[meld.tile for hand in some for meld in hand.melds],
        flowers=[sum(1 << (flower - FLOWERS.start) for flower in hand.flowers) for hand in some],
        situations=[sum(1 << place for place, one in enumerate(Situation) if one in hand.situations) for hand in some],
        seat_winds=[hand.seat_wind or 0 for hand in some],
        round_winds=[hand.round_wind or 0 for hand in some],
    )


def messages() -> list[scoring_pb2.ScoreWinsRequest]:
    """What is streamed, over and over."""
    asked = list(hands(SEED, HAND_COUNT))
    return [
        scoring_pb2.ScoreWinsRequest(
            ruleset=scoring_pb2.Ruleset(variant="dazhong"), hands=columns(asked[start : start + MESSAGE_HANDS])
        )
        for start in range(0, HAND_COUNT, MESSAGE_HANDS)
    ]


async def rate(side: Side, asked: Sequence[scoring_pb2.ScoreWinsRequest]) -> float:
    """Hands that a side answers a second."""
    async with connect(side.address) as channel:
        await channel.channel_ready()
        stub: Any = ScoringServiceStub(channel)
        began = time.perf_counter()
        streams = [_stream(stub, asked, began + SECONDS) for _ in range(STREAMS)]
        count = sum(await asyncio.gather(*streams))
        return count / (time.perf_counter() - began)


async def _stream(stub: Any, asked: Sequence[scoring_pb2.ScoreWinsRequest], ends: float) -> int:
    """Hands answered on one stream, on which so many messages are under way at once."""
    call = stub.ScoreWins()
    count = 0
    for message in asked[:UNDER_WAY]:
        await call.write(message)
    for message in itertools.cycle(asked):
        wins = (await call.read()).wins
        assert columns_pb2.HAND_OUTCOME_ERROR not in wins.outcomes, wins.errors
        count += len(wins.outcomes)
        if time.perf_counter() >= ends:
            break
        await call.write(message)
    call.cancel()
    return count


async def measure() -> list[Row]:
    """The row; none where there is no evaluator."""
    try:
        theirs = environment()
    except NotInstalled as reason:
        print(f"bench: {NAMES[0]}: not measured: {reason}", file=sys.stderr)
        return []
    asked = messages()
    async with serving("ours", os.environ) as ours, serving("reference", theirs) as peer:
        for side in (ours, peer):
            await rate(side, asked[:1])
        before = cpu_seconds(ours.pid), cpu_seconds(peer.pid)
        value, peer_value = await interleaved(lambda: rate(ours, asked), lambda: rate(peer, asked))
        spent = cpu_seconds(ours.pid) - before[0], cpu_seconds(peer.pid) - before[1]
    note = (
        f"streams of {MESSAGE_HANDS} hands a message, {STREAMS} streams; processor seconds of the servers "
        f"{spent[0]:.1f} and {spent[1]:.1f}; asked: ratio >= 0.7"
    )
    return [Row(NAMES[0], value, "hands/s", PEER, peer_value, RUNS, note=note)]
