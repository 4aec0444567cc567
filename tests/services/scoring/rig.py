"""A scoring service in this process, on a real socket, and records of deals to ask it about."""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
from cardroom.mahjong.v1 import event_pb2
from cardroom.scoring.v1 import scoring_pb2_grpc

from games.catalog import variant_of, variants_of
from games.mahjong.events import PRIVATE_EVENTS
from games.mahjong.script import Arranged, play
from games.mahjong.tiles import parse
from games.mahjong.variant import Variant
from refusals import Refusal
from services.scoring.main import build
from services.scoring.settings import ScoringSettings
from serving.channels import connect
from serving.refusing import refusal_of
from serving.runtime import Clock, Runtime, make_runtime
from serving.server import RunningServer, start_server
from wire.mahjong import event_to_proto

CASES = Path(__file__).parents[2] / "contract" / "cases"
Stub = scoring_pb2_grpc.ScoringServiceStub


@asynccontextmanager
async def running_scoring(keys: Path, *, anonymous: bool = True) -> AsyncIterator[Any]:
    """A stub of the service, which takes callers without a token where `anonymous`; nobody has a quota."""
    async with serving_scoring(keys, anonymous_allowed=anonymous) as served, connect(served.address) as channel:
        yield Stub(channel)


@dataclass(frozen=True, slots=True)
class Served:
    """A running service: where it listens, and its insides."""

    address: str
    runtime: Runtime
    server: RunningServer


@asynccontextmanager
async def serving_scoring(keys: Path, clock: Clock | None = None, port: int = 0, **given: Any) -> AsyncIterator[Served]:
    """The service on a free port, with some settings otherwise; without quotas unless they are given."""
    quotas = {"anonymous_hands_per_second": 0, "quota_hands_per_second": 0}
    fields: dict[str, Any] = {"metrics_port": 0, "jwks_file": keys / "jwks.json", "log_level": "error"} | quotas | given
    settings = ScoringSettings(**fields)
    runtime = make_runtime("scoring", settings, clock=clock)
    server = await start_server("scoring", settings, await build(runtime), runtime, port=port)
    try:
        yield Served(f"127.0.0.1:{server.port}", runtime, server)
    finally:
        await server.stop()


async def refused(call: Any) -> Refusal:
    """The refusal a call ends with; fails if it is answered, or refused without a reason."""
    try:
        answer = await call
    except grpc.RpcError as error:
        refusal = refusal_of(error)
        if refusal is None:
            raise
        return refusal
    raise AssertionError(f"answered: {answer}")


@dataclass(frozen=True, slots=True)
class DealCase:
    """A case of a deal that is played to its end, with the record it leaves."""

    row: dict[str, Any]
    record: tuple[event_pb2.Event, ...]

    @property
    def balances(self) -> list[int]:
        """Balances before."""
        return list(self.row["balances"])


def read_rows(pattern: str) -> Iterator[dict[str, Any]]:
    """The cases of the tree's files whose names fit."""
    files = sorted(CASES.glob(pattern))
    assert files, pattern
    for file in files:
        for line in file.read_text("utf-8").splitlines():
            yield json.loads(line)


def played_deals() -> list[DealCase]:
    """Every deal of the mahjong family among the cases that comes to its end."""
    known = variants_of(Variant)
    rows = (row for row in read_rows("*_deal.jsonl") if row["variant"] in known and "moves" in row["expect"])
    deals = [DealCase(row, _record(row)) for row in rows]
    return [deal for deal in deals if deal.record[-1].HasField("ended")]


def _record(row: dict[str, Any]) -> tuple[event_pb2.Event, ...]:
    options = dict(row.get("options", {}))
    stake, escape_penalty = options.pop("stake", 1), options.pop("escape_penalty", 0)
    rules = variant_of(row["variant"]).ruleset(options, stake, escape_penalty)
    hands = tuple(parse(hand) for hand in row["hands"])
    draws, replacements = parse(row["draws"]), parse(row.get("replacements", ""))
    arranged = Arranged(row["dealer"], hands, draws, replacements, draws_in_row=int(row.get("doubled") or 0))
    played = play(rules, arranged, row["actions"])
    assert played.refusal is None, row["id"]
    return tuple(event_to_proto(event) for event in played.events if not isinstance(event, PRIVATE_EVENTS))


RICH_RECORD = next(deal.record for deal in played_deals() if deal.row["id"] == "own-bb4-deal-69")
"""Wins, split rain of two kongs, a ready check."""
