"""What a deal costs each process, and what each holds: the figures behind the requests in `deploy/k8s/base/`.

The whole of cardroom as `make run` starts it, and bots that queue, sit, play a deal of 四人血战 and leave, at several
tables at once, through the public API. Processor time is what each process used meanwhile, divided by the deals
settled; what it uses while nothing happens is measured before and taken off. A deal at human pace costs the same, only
later. What a table holds is the growth of one pod by many tables that play, with four viewers each.
"""

import asyncio
import resource
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.null_unary import cpu_seconds
from bench.row import Row
from bench.table_load import TableLoad
from bench.table_pod import TablePod
from cardroom_client import Player
from clients.load.bot_player import BotPlayer, take_seat
from deploy.local.bank import Bank
from deploy.local.settings import SERVICES, LocalSettings
from deploy.local.stack import Stack
from deploy.local.stores import LEDGER, TABLES

PROCESSES = (*SERVICES, TABLES, LEDGER)
FIGURES = ("deal_cpu_ms", "idle_millicores", "held_mib")
OF_A_TABLE = "held_kib_a_table"
NAMES = (*(f"{figure}_{name.replace('-', '_')}" for name in PROCESSES for figure in FIGURES), OF_A_TABLE)

TABLE_COUNT = 6
DEALS_EACH = 5
MANY_TABLES = 256
_FEW_TABLES = 32
_PLAY_SECONDS = 5.0
_SEATS = 4
_ROOM = "bloody4-demo"
_ASSET = "points"
_PLENTY = 100_000
_IDLE_SECONDS = 5.0
_PAGE_BYTES = resource.getpagesize()


@dataclass(frozen=True, slots=True)
class Use:
    """Of one process: processor seconds while nothing happened and while deals were played, and memory held after."""

    idle_cpu: float
    busy_cpu: float
    held_bytes: int


async def measure() -> list[Row]:
    """Starts everything, waits, plays, stops everything."""
    with tempfile.TemporaryDirectory() as folder:
        settings = LocalSettings(state_directory=Path(folder) / "state", port_base=0)
        async with Stack(settings, say=lambda line: None) as stack:
            players = [f"size-{number}" for number in range(TABLE_COUNT * _SEATS)]
            await _open_accounts(stack, players)
            pids = {name: _pid(stack, name) for name in PROCESSES}
            at_first = _cpu(pids)
            await asyncio.sleep(_IDLE_SECONDS)
            before, began = _cpu(pids), time.perf_counter()
            moves = sum(await asyncio.gather(*(_play(stack, player) for player in players)))
            seconds, after = time.perf_counter() - began, _cpu(pids)
            uses = {
                name: Use(before[name] - at_first[name], after[name] - before[name], _held_bytes(pid))
                for name, pid in pids.items()
            }
    made = rows(uses, deals=TABLE_COUNT * DEALS_EACH, moves=moves, seconds=seconds)
    note = f"resident, from {_FEW_TABLES} tables to {MANY_TABLES} more, {_SEATS} viewers each"
    return [*made, Row(OF_A_TABLE, await _held_kib_a_table(), "KiB", runs=1, note=note)]


async def _held_kib_a_table() -> float:
    """What a pod holds more for each table, its viewers with it, once all have played for a while."""
    async with TablePod() as pod, TableLoad(pod.address, pod.keys, tables=_FEW_TABLES) as few:
        await few.play(_PLAY_SECONDS)
        before = _held_bytes(pod.pid)
        async with TableLoad(pod.address, pod.keys, tables=MANY_TABLES) as many:
            await many.play(_PLAY_SECONDS)
            return (_held_bytes(pod.pid) - before) / MANY_TABLES / 1024


def rows(uses: Mapping[str, Use], *, deals: int, moves: int, seconds: float) -> list[Row]:
    """Three figures a process.

    Args:
        deals, moves: settled and made in `seconds`.
    """
    how = f"{deals} deals of {moves / deals:.0f} moves, {TABLE_COUNT} tables at a time"
    made = []
    for name, use in uses.items():
        idle = use.idle_cpu / _IDLE_SECONDS
        of_a_deal = max(use.busy_cpu - idle * seconds, 0.0) / deals
        label = name.replace("-", "_")
        made += [
            Row(f"deal_cpu_ms_{label}", of_a_deal * 1000, "cpu ms/deal", runs=1, note=how),
            Row(f"idle_millicores_{label}", idle * 1000, "millicores", runs=1, note="before the first deal"),
            Row(f"held_mib_{label}", use.held_bytes / 2**20, "MiB", runs=1, note="resident, after the last deal"),
        ]
    return made


def _pid(stack: Stack, name: str) -> int:
    service = stack.services.get(name)
    return stack.stores.pid(name) if service is None else service.pid


def _cpu(pids: Mapping[str, int]) -> dict[str, float]:
    return {name: cpu_seconds(pid) for name, pid in pids.items()}


def _held_bytes(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE_BYTES


async def _open_accounts(stack: Stack, players: list[str]) -> None:
    async with Bank(stack) as bank:
        for player in players:
            await bank.open_account(player)
            await bank.grant(player, _ASSET, _PLENTY, "to be measured with")


async def _play(stack: Stack, name: str) -> int:
    """Play some deals, each at a table of its own. Returns: the moves made."""
    moves = 0
    async with Player(stack.player_token(name), stack.address("matchmaker")) as player:
        for _ in range(DEALS_EACH):
            async with player.sit(await take_seat(player, _ROOM)) as table:
                played = await BotPlayer(table).play()
            assert not played.faults, played.faults
            moves += played.move_count
    return moves
