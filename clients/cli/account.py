"""`cardroom account`: what the operator's login does for a newcomer, on this machine."""

import asyncio
import os
from pathlib import Path

import click
import grpc.aio
import orjson
from cardroom.ledger.v1 import ledger_pb2, ledger_pb2_grpc

from clients.cli.credentials import default_keys, local_key
from clients.cli.faults import CommandError
from serving.channels import connect
from serving.errors import StartError
from serving.refusing import refusal_of
from serving.roles import SERVICE
from serving.tokens import ServiceTokens

DEFAULT_LEDGER = "127.0.0.1:7104"


def default_ledger() -> str:
    """The ledger of the cardroom that `make run` started here, as it says itself; else where it would be."""
    state = Path(os.environ.get("CARDROOM_STATE_DIRECTORY", ".cardroom"))
    try:
        return str(orjson.loads((state / "endpoints.json").read_bytes())["ledger"])
    except (OSError, ValueError, KeyError, TypeError):
        return DEFAULT_LEDGER


@click.command()
@click.argument("player")
@click.option(
    "--ledger",
    "address",
    envvar="CARDROOM_LEDGER_ADDRESS",
    default=default_ledger,
    show_default="the one that make run started",
    help="host:port of the ledger. [env: CARDROOM_LEDGER_ADDRESS]",
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
def account(player: str, address: str, directory: Path) -> None:
    """Open an account for PLAYER with its opening grants, and print what it holds.

    An account that is there already stays as it is.
    """
    try:
        tokens = ServiceTokens(local_key(directory, SERVICE), "login", "cardroom-account")
        opened = asyncio.run(_open(player, address, tokens))
    except StartError as error:
        raise CommandError(str(error)) from None
    except grpc.aio.AioRpcError as error:
        if error.code() is grpc.StatusCode.UNAVAILABLE and refusal_of(error) is None:
            raise CommandError(f"no ledger answers at {address}; is `make run` running?") from None
        raise CommandError(f"the ledger refuses: {error.details()}") from None
    click.echo(f"{player}: {', '.join(f'{row.balance} {row.asset}' for row in opened.balances)}")


async def _open(player: str, address: str, tokens: ServiceTokens) -> ledger_pb2.OpenAccountResponse:
    async with connect(address, token=tokens) as channel:
        ledger = ledger_pb2_grpc.LedgerServiceStub(channel)
        return await ledger.OpenAccount(ledger_pb2.OpenAccountRequest(account_id=player))
