"""Entry of the `cardroom` command."""

import click

from clients.cli.account import account
from clients.cli.books import books
from clients.cli.cases import cases
from clients.cli.credentials import keys, token
from clients.cli.replay import replay
from clients.cli.status import status


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="cardroom")
def cardroom() -> None:
    """Check answers of the rules and the books, and make accounts, tokens and keys for a cardroom on this machine."""


for command in (cases, account, books, token, keys, status, replay):
    cardroom.add_command(command)


def main() -> None:
    """Run the command; exits with its status: 0, 1 where a check failed, 2 where it was called wrongly."""
    cardroom(prog_name="cardroom")


if __name__ == "__main__":
    main()
