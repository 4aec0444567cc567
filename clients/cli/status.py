"""`cardroom status`: what runs, who waits, which tables are played, and whether the books are right."""

import asyncio
import os
from collections.abc import Awaitable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
import grpc.aio
import orjson
from cardroom.ledger.v1 import audit_pb2, audit_pb2_grpc
from cardroom.matchmaker.v1 import pod_pb2, pod_pb2_grpc, room_pb2, room_pb2_grpc
from cardroom.table.v1 import control_pb2, control_pb2_grpc, event_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc

from clients.cli.credentials import default_keys, local_key
from clients.cli.faults import CommandError
from serving.channels import connect
from serving.errors import StartError
from serving.roles import SERVICE
from serving.tokens import ServiceTokens

PORTS = {"matchmaker": 7101, "table": 7102, "scoring": 7103, "ledger": 7104}
ASSETS = ("points", "coins")
PAGE_SIZE = 1_000
DEADLINE_SECONDS = 10.0

Answer = TypeVar("Answer")
Row = dict[str, Any]


def default_addresses() -> Mapping[str, str]:
    """The services of the cardroom that `make run` started here, as it says itself; else where they would be."""
    state = Path(os.environ.get("CARDROOM_STATE_DIRECTORY", ".cardroom"))
    usual = {name: f"127.0.0.1:{port}" for name, port in PORTS.items()}
    try:
        known = orjson.loads((state / "endpoints.json").read_bytes())
        return {name: str(known[name]) for name in PORTS}
    except (OSError, ValueError, KeyError, TypeError):
        return usual


@click.command(short_help="Show what runs, who waits, what is played, and the books.")
@click.option("--matchmaker", envvar="CARDROOM_MATCHMAKER_ADDRESS", help="host:port of the matchmaker.")
@click.option("--ledger", envvar="CARDROOM_LEDGER_ADDRESS", help="host:port of the ledger.")
@click.option("--scoring", envvar="CARDROOM_SCORING_ADDRESS", help="host:port of scoring.")
@click.option(
    "--keys",
    "directory",
    type=click.Path(file_okay=False, path_type=Path),
    envvar="CARDROOM_KEYS",
    default=default_keys,
    show_default=".cardroom/keys",
    help="Directory of the private keys. [env: CARDROOM_KEYS]",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def status(matchmaker: str | None, ledger: str | None, scoring: str | None, directory: Path, as_json: bool) -> None:
    """Show services, rooms with their queues, pods with their slots, tables, and the ledger's totals.

    Ends with 1 if a service does not answer or the books are not right. What cannot be asked is said, not left out.
    """
    given = {"matchmaker": matchmaker, "ledger": ledger, "scoring": scoring}
    addresses = {**default_addresses(), **{name: value for name, value in given.items() if value}}
    try:
        tokens = ServiceTokens(local_key(directory, SERVICE), "operator", "cardroom-status")
    except StartError as error:
        raise CommandError(str(error)) from None
    found = asyncio.run(_look(addresses, tokens))
    click.echo(orjson.dumps(found, option=orjson.OPT_INDENT_2).decode() if as_json else told(found))
    if all(row["health"] == "UNAVAILABLE" for row in found["services"]):
        click.echo("nothing answers here; start it with `make run`, or name other addresses", err=True)
    if not all_well(found):
        raise SystemExit(1)


def all_well(found: Mapping[str, Any]) -> bool:
    """Whether every service serves and all books are right."""
    return all(row["health"] == "SERVING" for row in found["services"]) and all(row["right"] for row in found["ledger"])


async def _look(addresses: Mapping[str, str], tokens: ServiceTokens) -> Mapping[str, Any]:
    """Everything, asked at once where it can be."""
    pods, rooms, ledger = await asyncio.gather(
        _pods(addresses["matchmaker"], tokens),
        _rooms(addresses["matchmaker"], tokens),
        _ledger(addresses["ledger"], tokens),
    )
    tables = await asyncio.gather(*(_tables(pod, tokens) for pod in pods))
    asked = [(name, addresses[name]) for name in ("matchmaker", "scoring", "ledger")]
    asked += [(f"table {pod['pod']}", pod["control_authority"]) for pod in pods]
    healths = await asyncio.gather(*(_health(address) for _, address in asked))
    services = [
        {"service": name, "address": address, "health": health}
        for (name, address), health in zip(asked, healths, strict=True)
    ]
    return {
        "services": services,
        "rooms": rooms,
        "pods": pods,
        "tables": [row for rows in tables for row in rows],
        "ledger": ledger,
    }


async def _health(address: str) -> str:
    async with connect(address) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        try:
            answer = await stub.Check(health_pb2.HealthCheckRequest(), timeout=DEADLINE_SECONDS)
        except grpc.aio.AioRpcError as error:
            return error.code().name
        return str(health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status))


async def _rooms(address: str, tokens: ServiceTokens) -> Sequence[Row]:
    rows: list[Row] = []
    async with connect(address, token=tokens) as channel:
        stub, page = room_pb2_grpc.RoomServiceStub(channel), ""
        while True:
            request = room_pb2.ListRoomsRequest(page_size=PAGE_SIZE, page_token=page)
            answer = await _answered(stub.ListRooms(request, timeout=DEADLINE_SECONDS))
            rows += [_room(info) for info in answer.rooms] if answer else []
            page = answer.next_page_token if answer else ""
            if not page:
                return rows


def _room(info: room_pb2.RoomInfo) -> Row:
    room = info.room
    return {
        "room": room.room_id,
        "variant": room.variant,
        "asset": room.asset,
        "stake": room.stake,
        "bots": room.bots_allowed,
        "closed": room.closed,
        "waiting": info.queue_length,
        "tables": info.tables_open,
    }


async def _pods(address: str, tokens: ServiceTokens) -> Sequence[Row]:
    async with connect(address, token=tokens) as channel:
        stub = pod_pb2_grpc.PodServiceStub(channel)
        answer = await _answered(stub.ListPods(pod_pb2.ListPodsRequest(), timeout=DEADLINE_SECONDS))
    return [
        {
            "pod": pod.pod,
            "authority": pod.authority,
            "control_authority": pod.control_authority,
            "version": pod.version,
            "slots_used": pod.slots_used,
            "slots_total": pod.slots_total,
            "draining": pod.draining,
        }
        for pod in (answer.pods if answer else ())
    ]


async def _tables(pod: Row, tokens: ServiceTokens) -> Sequence[Row]:
    rows: list[Row] = []
    async with connect(pod["control_authority"], token=tokens) as channel:
        stub, page = control_pb2_grpc.TableControlServiceStub(channel), ""
        while True:
            request = control_pb2.ListTablesRequest(page_size=PAGE_SIZE, page_token=page)
            answer = await _answered(stub.ListTables(request, timeout=DEADLINE_SECONDS))
            rows += [_table(pod["pod"], table) for table in answer.tables] if answer else []
            page = answer.next_page_token if answer else ""
            if not page:
                return rows


def _table(pod: str, table: control_pb2.TableSummary) -> Row:
    return {
        "table": table.table_id,
        "room": table.room_id,
        "pod": pod,
        "state": event_pb2.TableState.Name(table.state).removeprefix("TABLE_STATE_"),
        "deal": table.deal_number,
        "seq": table.seq,
        "epoch": table.epoch,
        "viewers": table.viewer_count,
        "seats": [seat.player_id for seat in table.seats],
    }


async def _ledger(address: str, tokens: ServiceTokens) -> Sequence[Row]:
    async with connect(address, token=tokens) as channel:
        stub = audit_pb2_grpc.AuditServiceStub(channel)
        rows = await asyncio.gather(*(_books(stub, asset) for asset in ASSETS))
    return [row for row in rows if row is not None]


async def _books(stub: "audit_pb2_grpc.AuditServiceAsyncStub", asset: str) -> Row | None:
    totals = await _answered(stub.GetTotals(audit_pb2.GetTotalsRequest(asset=asset), timeout=DEADLINE_SECONDS))
    books = await _answered(stub.VerifyBooks(audit_pb2.VerifyBooksRequest(asset=asset), timeout=DEADLINE_SECONDS))
    if totals is None:
        return None
    return {
        "asset": asset,
        "supply": totals.supply,
        "players": totals.players_total,
        "penalties": totals.penalties_total,
        "robots_fund": totals.robots_fund,
        "relief_fund": totals.relief_fund,
        "accounts": totals.account_count,
        "locked": totals.locked_count,
        "stopped": totals.stopped,
        "right": books is not None and books.ok and books.sum_total == 0 and not totals.wrong,
    }


async def _answered(call: Awaitable[Answer]) -> Answer | None:
    """The answer; None where the service does not give one: its health says so."""
    try:
        return await call
    except grpc.aio.AioRpcError:
        return None


def told(found: Mapping[str, Any]) -> str:
    """The same for people: one table of text each."""
    parts = [_text(name, found[name]) for name in ("services", "pods", "rooms", "tables", "ledger")]
    return "\n\n".join(parts)


def _text(name: str, rows: Sequence[Row]) -> str:
    if not rows:
        return f"{name}: none"
    cells = [list(rows[0]), *([_cell(value) for value in row.values()] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    return "\n".join([f"{name}: {len(rows)}", *(f"  {line}" for line in lines)])


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
