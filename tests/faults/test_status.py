"""`cardroom status` on real processes: services, pods, rooms, tables and books as they are."""

import asyncio
import json
from typing import Any

import pytest
from click.testing import CliRunner

from clients.cli.main import cardroom
from serving.registry import PodRegistry
from tests.faults.machine import ASSET, Machine

pytestmark = pytest.mark.asyncio(loop_scope="module")

LEASE_MS = 10_000
LIMIT_SECONDS = 60.0


async def _status(machine: Machine, *more: str) -> Any:
    arguments = [
        "status", "--matchmaker", machine.address("matchmaker"), "--ledger", machine.address("ledger"),
        "--keys", str(machine.keys), *more,
    ]  # fmt: skip
    return await asyncio.to_thread(CliRunner().invoke, cardroom, arguments)


async def _card_counts(machine: Machine, slots_used: int) -> None:
    """Wait until the only pod's card says so: it is renewed soon after a table is made, not before that is answered."""
    registry = PodRegistry(machine.tables)
    async with asyncio.timeout(LIMIT_SECONDS):
        while [card.slots_used for card in await registry.live()] != [slots_used]:  # noqa: ASYNC110  no event rings
            await asyncio.sleep(0.02)


async def test_status_shows_services_pods_rooms_tables_and_books(machine: Machine) -> None:
    scoring = await machine.scoring()
    pod = machine.pod("table-0")
    await pod.up()
    try:
        names = [f"shown.{seat}" for seat in range(4)]
        await machine.open_accounts(names)
        await machine.create_table(pod, "t-shown", names)
        await _card_counts(machine, 1)
        result = await _status(machine, "--scoring", scoring, "--json")
        assert result.exit_code == 0, result.output
        found = json.loads(result.output)
        assert {row["service"]: row["health"] for row in found["services"]} == dict.fromkeys(
            ("matchmaker", "scoring", "ledger", "table table-0"), "SERVING"
        )
        (shown,) = found["pods"]
        assert (shown["pod"], shown["slots_used"], shown["draining"]) == ("table-0", 1, False)
        assert shown["slots_total"] > 1
        assert shown["version"]
        (table,) = found["tables"]
        assert (table["table"], table["state"], table["seats"]) == ("t-shown", "WAITING", names)
        assert (table["epoch"], table["seq"], table["deal"], table["pod"]) == (1, 1, 0, "table-0")
        assert {"faults", "bots"} <= {row["room"] for row in found["rooms"]}
        books = {row["asset"]: row for row in found["ledger"]}
        assert books[ASSET]["right"]
        assert books[ASSET]["accounts"] >= 4
        text = (await _status(machine, "--scoring", scoring)).output
        assert all(word in text for word in ("t-shown", "table-0", "SERVING", "WAITING", *names))
    finally:
        await pod.kill()


async def test_status_says_what_does_not_answer(machine: Machine) -> None:
    result = await _status(machine, "--scoring", "127.0.0.1:1", "--json")
    assert result.exit_code == 1
    healths = {row["service"]: row["health"] for row in json.loads(result.output)["services"]}
    assert healths["scoring"] == "UNAVAILABLE"
    assert healths["matchmaker"] == "SERVING"
