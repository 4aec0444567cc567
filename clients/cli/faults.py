"""Faults that end the command with one clear line."""

import click


class CommandError(click.ClickException):
    """The command cannot do what it was asked for; status 2, so that it differs from a failed check."""

    exit_code = 2
