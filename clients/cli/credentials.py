"""`cardroom token` and `cardroom keys`: credentials of a cardroom on this machine."""

import os
from pathlib import Path

import click

from clients.cli.faults import CommandError
from serving.errors import StartError
from serving.roles import PURPOSE_OF_ROLE, TABLE_BOUND
from serving.tokens import Minter, create_keys

HOUR_SECONDS = 3600
SCORING_CALLER = "scoring-caller"
QUOTA_CLAIM = "hands_per_second"
"""The role that has quotas, and the claim that sets one."""


def default_keys() -> Path:
    """Where `make run` keeps the keys of the cardroom on this machine."""
    return Path(os.environ.get("CARDROOM_STATE_DIRECTORY", ".cardroom")) / "keys"


def local_key(directory: Path, purpose: str) -> Path:
    """The private key that signs tokens of a purpose.

    Raises: CommandError: there is none.
    """
    file = directory / f"{purpose}.pem"
    if not file.exists():
        raise CommandError(
            f"there is no {file}; `make run` or `cardroom keys {directory}` makes it, --keys or CARDROOM_KEYS names "
            f"another folder"
        )
    return file


@click.command(short_help="Print a token signed with the local keys.")
@click.argument("player")
@click.option(
    "--role",
    type=click.Choice(sorted(PURPOSE_OF_ROLE)),
    default="player",
    show_default=True,
    help="What the token's holder may do.",
)
@click.option(
    "--ttl",
    "ttl_seconds",
    type=click.IntRange(min=1),
    default=HOUR_SECONDS,
    show_default=True,
    help="Seconds until it expires.",
)
@click.option("--table", "table_id", help="Table of a seat's or a spectator's token.")
@click.option("--seat", type=click.IntRange(min=0), help="Seat of a seat's token, counted from 0.")
@click.option(
    "--hands-per-second",
    type=click.IntRange(min=0),
    help="Quota of a scoring caller's token; 0: none. Unset: the service's own.",
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
def token(
    player: str,
    role: str,
    ttl_seconds: int,
    table_id: str | None,
    seat: int | None,
    hands_per_second: int | None,
    directory: Path,
) -> None:
    """Print a token for PLAYER (or, in a service's role, for the service of that name).

    It is signed with the local keys that `make run` or `cardroom keys` made, and good for every service that trusts
    them: send it as metadata, "authorization: Bearer TOKEN".
    """
    given: dict[str, object] = {"table_id": table_id, "seat": seat}
    claims = {name: value for name, value in given.items() if value is not None}
    _check_claims(role, claims)
    if hands_per_second is not None:
        if role != SCORING_CALLER:
            raise click.UsageError(f"role {role} takes no --hands-per-second")
        claims[QUOTA_CLAIM] = hands_per_second
    if not player:
        raise click.BadParameter("a name is needed", param_hint="PLAYER")
    try:
        minter = Minter(local_key(directory, PURPOSE_OF_ROLE[role]))
    except StartError as error:
        raise CommandError(str(error)) from None
    click.echo(minter.mint(role, player, ttl_seconds, **claims))


@click.command(short_help="Make the keys that tokens are signed with.")
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
def keys(directory: Path) -> None:
    """Make keys in DIRECTORY: jwks.json for the services, and the private keys that sign tokens.

    Keys that are there already stay as they are.
    """
    try:
        create_keys(directory)
    except StartError as error:
        raise CommandError(str(error)) from None
    click.echo(f"keys are in {directory}")


_OPTION_OF_CLAIM = {"table_id": "--table", "seat": "--seat"}


def _check_claims(role: str, claims: dict[str, object]) -> None:
    """A seat's token is for one seat of one table, a spectator's for one table, others for none."""
    needed = TABLE_BOUND.get(role, {})
    for name, option in _OPTION_OF_CLAIM.items():
        if name in needed and claims.get(name, "") == "":
            raise click.UsageError(f"role {role} needs {option}")
        if name in claims and name not in needed:
            raise click.UsageError(f"role {role} takes no {option}")
