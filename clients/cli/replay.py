"""`cardroom replay`: a deal that is over, out of a table's log or the archive, as JSON."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import click
import grpc.aio
import orjson
from cardroom.table.v1 import table_pb2, table_pb2_grpc
from google.protobuf.json_format import MessageToDict

from clients.cli.credentials import default_keys, local_key
from clients.cli.faults import CommandError
from serving.channels import connect
from serving.errors import StartError
from serving.roles import SERVICE
from serving.tokens import ServiceTokens

DEFAULT_TABLE = "127.0.0.1:7102"


def default_table() -> str:
    """The table pod of the cardroom that `make run` started here, as it says itself; else where it would be."""
    state = Path(os.environ.get("CARDROOM_STATE_DIRECTORY", ".cardroom"))
    try:
        return str(orjson.loads((state / "endpoints.json").read_bytes())["table"])
    except (OSError, ValueError, KeyError, TypeError):
        return DEFAULT_TABLE


@click.command()
@click.argument("table_id", metavar="TABLE")
@click.argument("deal_number", metavar="DEAL", type=click.IntRange(1))
@click.option(
    "--table",
    "address",
    envvar="CARDROOM_TABLE_ADDRESS",
    default=default_table,
    show_default="the one that make run started",
    help="host:port of any table pod. [env: CARDROOM_TABLE_ADDRESS]",
)
@click.option(
    "--keys",
    "directory",
    type=click.Path(file_okay=False, path_type=Path),
    envvar="CARDROOM_KEYS",
    default=default_keys,
    show_default=".cardroom/keys",
    help="Directory of the private keys. [env: CARDROOM_KEYS]",
)
def replay(table_id: str, deal_number: int, address: str, directory: Path) -> None:
    """Print the deal of number DEAL at TABLE, once it is over: all tiles, all payments, the shuffle's seed."""
    try:
        tokens = ServiceTokens(local_key(directory, SERVICE), "operator", "cardroom-replay")
        found = asyncio.run(_replay(table_id, deal_number, address, tokens))
    except StartError as error:
        raise CommandError(str(error)) from None
    except grpc.aio.AioRpcError as error:
        if error.code() is grpc.StatusCode.UNAVAILABLE:
            raise CommandError(f"no table pod answers at {address}; is `make run` running?") from None
        raise CommandError(f"the table refuses: {error.details()}") from None
    click.echo(json.dumps(found, ensure_ascii=False, indent=1))


async def _replay(table_id: str, deal_number: int, address: str, tokens: ServiceTokens) -> dict[str, Any]:
    request = table_pb2.GetReplayRequest(table_id=table_id, deal_number=deal_number)
    async with connect(address, token=tokens) as channel:
        call = table_pb2_grpc.TableServiceStub(channel).GetReplay(request)
        parts = [MessageToDict(message, preserving_proto_field_name=True) async for message in call]
    head = next(part["head"] for part in parts if "head" in part)
    return {"head": head, "entries": [row for part in parts for row in part.get("entries", {}).get("entries", [])]}
