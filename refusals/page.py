"""Prints docs/reasons.md from the catalogue: ``python -m refusals.page > docs/reasons.md``."""

import sys

from refusals.catalogue import CATALOGUE

_HEAD = """\
# Reasons

Why a call was refused. The reason travels as `google.rpc.ErrorInfo` under the domain `cardroom`, next to the gRPC
code; `BadRequest` names the fields at fault, `RetryInfo` comes where a retry helps, and the metadata key `rule` cites
the rule that forbids an action. "Retry" means: the same call, unchanged, may succeed later. What gRPC itself refuses (a
message over the transport limit, a deadline that passed) has a code only.

This page is made from the table in `refusals/catalogue.py`: `python -m refusals.page > docs/reasons.md`.

| reason | code | retry | when | 中文 | English |
| --- | --- | --- | --- | --- | --- |
"""


def page() -> str:
    """The whole page as Markdown, one table row a reason."""
    rows = (
        f"| `{reason}` | {entry.code} | {'yes' if entry.retry else 'no'} | {entry.when} | {entry.zh} | {entry.en} |\n"
        for reason, entry in CATALOGUE.items()
    )
    return _HEAD + "".join(rows)


if __name__ == "__main__":
    sys.stdout.write(page())
