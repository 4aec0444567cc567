"""What real processes log while deals are played: one correlation id through all four, and no hidden tile (PF-40)."""

import asyncio
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from cardroom_client import Player
from clients.load.bot_player import BotPlayer
from tests.faults.machine import Machine

pytestmark = pytest.mark.asyncio(loop_scope="module")

LEASE_MS = 1_000
TRACE = "from-the-client.1"
_LIMIT_SECONDS = 120

TEXTS = {
    "at", "authority", "code", "correlation_id", "deal_id", "duty", "error", "event", "level", "library", "match_id",
    "method", "outcome", "pod", "reason", "role", "room_id", "service", "subject", "table_id", "why", "cause",
}  # fmt: skip
NUMBERS = {"epoch", "generation", "ms", "port", "seq", "orderly", "compiled"}
LISTS = {"room_ids", "where"}
"""What lines at info and above may say. A field that is not here is judged before it is logged."""

_TILES = re.compile(
    r"(?<![A-Za-z0-9-])(?:(?:[1-9]+[mpsf])+|[ESWNCFP]{2,}|[SHDC](?:[3-9TJQKA2])(?:\s|$))(?![A-Za-z0-9-])"
)
_SEED = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")


def leaks(line: str) -> list[str]:
    """What a line at info or above says that it must not, in words; empty if it is in order."""
    try:
        row = json.loads(line)
    except json.JSONDecodeError:
        return [f"is no line of ours: {line[:80]}"]
    if row.get("level") == "debug":
        return []
    return list(_faults(row))


def _faults(row: Mapping[str, Any]) -> Iterator[str]:
    for name, value in row.items():
        if name in TEXTS:
            if not isinstance(value, str):
                yield f"{name} is no text"
            elif _TILES.search(value):
                yield f"{name} names tiles"
            elif _SEED.search(value):
                yield f"{name} holds what looks like a seed"
        elif name in LISTS:
            if not all(isinstance(item, str) and not _TILES.search(item) for item in value):
                yield f"{name} holds other things than names"
        elif name not in NUMBERS:
            yield f"{name} is a field nobody has judged"
        elif not isinstance(value, int | float):
            yield f"{name} is no number"


@pytest.mark.parametrize(
    "planted",
    [
        {"hand": [0, 0, 4, 9]},
        {"error": "5p is not held"},
        {"reason": "holds 123m45p"},
        {"why": "EEFF"},
        {"event": "seed", "deal_id": "ab" * 32},
        {"where": [5, 5]},
        {"exc_info": "Traceback"},
    ],
)
@pytest.mark.fast
async def test_a_planted_leak_is_found(planted: dict[str, Any]) -> None:
    row = {"service": "table", "level": "info", "at": "2026-01-01T00:00:00Z", "event": "call", **planted}
    assert leaks(json.dumps(row))


async def test_no_line_at_info_or_above_names_a_hidden_tile_and_one_id_goes_through_all_services_pf_40(
    machine: Machine,
) -> None:
    address = await machine.scoring()
    pod = machine.pod("table-0", CARDROOM_SCORING_ADDRESS=address, CARDROOM_SCORING_PATIENCE_MS="20000")
    await pod.up()
    try:
        await _deal_under(machine, "traced")
    finally:
        await pod.terminate(20)
    logged = machine.logged()
    rows = [json.loads(line) for text in logged.values() for line in text.splitlines() if line.startswith("{")]
    assert rows
    found = [fault for text in logged.values() for line in text.splitlines() for fault in leaks(line)]
    assert found == []
    services = {row["service"] for row in rows if row.get("correlation_id") == TRACE}
    assert services == {"matchmaker", "table", "ledger", "scoring"}
    assert all(row.get("correlation_id") for row in rows if row["event"] == "call")
    created = [row for row in rows if row["event"] in ("table_created", "deal_started") and row["service"] == "table"]
    assert created
    assert created[0]["correlation_id"] == TRACE


async def _deal_under(machine: Machine, player_id: str) -> None:
    """A deal with bots, all of whose player's calls carry one correlation id."""
    await machine.open_accounts([player_id])
    player = Player(machine.token("player", "player", player_id), machine.address("matchmaker"), correlation_id=TRACE)
    async with asyncio.timeout(_LIMIT_SECONDS), player, player.sit(await player.join("bots")) as table:
        played = await BotPlayer(table).play()
    assert played.deal_count == 1
