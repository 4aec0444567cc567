"""`cardroom cases`: questions with their right answers, asked of the rules."""

import asyncio
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import orjson

from clients.cli.case_answers import Answer, answer
from clients.cli.case_file import Case, read_cases
from clients.cli.scoring_link import ScoringLink

NOT_COMPARED = frozenset({"reason"})
"""Members of `expect` that are words for people: whatever the rules say there will do."""


@click.command(short_help="Ask the rules cases with known answers.")
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--variant", metavar="ID", help="Only cases of this variant, such as bloody4.")
@click.option("--print", "printing", is_flag=True, help="Print what the rules answer, one JSON object a line.")
def cases(files: Sequence[Path], variant: str | None, printing: bool) -> None:
    """Ask the rules the cases of FILEs (JSON lines) and compare the answers.

    Hands are asked through the public scoring API of a service that this command starts on loopback, deals are played
    by the rules themselves; nothing needs to be running. Each case that differs is shown. Status 1 if any does, or is
    of a variant or kind that is not built, or none is of the variant named; 2 if a line is no case. A case without a
    member its kind needs is an input that cannot be, and is answered as such.
    """
    chosen = [case for file in files for case in read_cases(file) if variant in (None, case.variant)]
    failed = asyncio.run(_print(chosen) if printing else _compare(chosen))
    if not chosen and variant is not None:
        click.echo(f"no case is of the variant {variant}", err=True)
        failed = 1
    sys.exit(1 if failed else 0)


async def _print(chosen: Sequence[Case]) -> int:
    """Every answer, in order."""
    async with ScoringLink() as link:
        for case in chosen:
            _write({"id": case.case_id, "got": await answer(case, link)})
    return 0


async def _compare(chosen: Sequence[Case]) -> int:
    """Show what differs; returns how many do."""
    failed = 0
    async with ScoringLink() as link:
        for case in chosen:
            expect, got = case.expect, await answer(case, link)
            wrong = differing(expect, got)
            if wrong:
                failed += 1
                _show(case, expect, got, wrong)
    click.echo(f"{len(chosen) - failed} passed, {failed} failed")
    return failed


def differing(expect: Mapping[str, Any], got: Answer) -> list[str]:
    """Members of `expect` that the answer lacks or has otherwise; members that are not there are not compared."""
    return [
        name for name, value in expect.items() if name not in NOT_COMPARED and (name not in got or got[name] != value)
    ]


def _show(case: Case, expect: Mapping[str, Any], got: Answer, wrong: Sequence[str]) -> None:
    click.echo(f"{case.case_id} ({case.place}) differs in {', '.join(wrong)}" + (f": {case.note}" if case.note else ""))
    click.echo(f"  expected {_text(expect)}")
    click.echo(f"  got      {_text(got)}")


def _write(row: Mapping[str, Any]) -> None:
    click.echo(_text(row))


def _text(row: Mapping[str, Any]) -> str:
    return orjson.dumps(row).decode()
