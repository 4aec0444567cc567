"""Entry of the `cardroom` command."""

import importlib
from types import MappingProxyType

import click

COMMANDS = MappingProxyType(
    {
        "account": "clients.cli.account",
        "books": "clients.cli.books",
        "cases": "clients.cli.cases",
        "keys": "clients.cli.credentials",
        "replay": "clients.cli.replay",
        "status": "clients.cli.status",
        "token": "clients.cli.credentials",
    }
)
"""By name, the module that has the command under the same name; imported when asked for, as all of them take long."""


class _Commands(click.Group):
    """The commands of `COMMANDS`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(importlib.import_module(COMMANDS[cmd_name]), cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.exceptions.NoSuchCommand as error:
            raise click.exceptions.NoSuchCommand(error.command_name, possibilities=COMMANDS, ctx=ctx) from None


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="cardroom")
def cardroom() -> None:
    """Check answers of the rules and the books, and make accounts, tokens and keys for a cardroom on this machine."""


def main() -> None:
    """Run the command; exits with its status: 0, 1 where a check failed, 2 where it was called wrongly."""
    cardroom(prog_name="cardroom")


if __name__ == "__main__":
    main()
