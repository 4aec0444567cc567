"""`python -m bench [--only NAME]`: measures, prints a table, writes bench/results.json."""

import argparse
import asyncio
import importlib
import inspect
import json
import pkgutil
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import bench
from bench.row import Row

RESULTS = Path(__file__).with_name("results.json")
_COLUMNS = ("name", "value", "unit", "peer", "peer value", "ratio", "runs", "note")


@dataclass(frozen=True, slots=True)
class Measurement:
    """A module that measures: the rows it makes and how."""

    module: str
    names: tuple[str, ...]
    measure: Callable[[], list[Row] | Awaitable[list[Row]]]


def measurements() -> Iterator[Measurement]:
    """Every measurement of this room."""
    for found in pkgutil.iter_modules(bench.__path__):
        if found.name.startswith("_"):
            continue
        module = importlib.import_module(f"bench.{found.name}")
        if hasattr(module, "NAMES") and hasattr(module, "measure"):
            yield Measurement(found.name, tuple(module.NAMES), module.measure)


def chosen(only: str | None) -> list[Measurement]:
    """The measurements asked for: all of them, or those that make the row `only` or are called so."""
    return [each for each in measurements() if only is None or only in (each.module, *each.names)]


async def rows_of(measurement: Measurement) -> list[Row]:
    """Measures; no row where the peer is not to be had. Raises: AssertionError: it made other rows than announced."""
    made = measurement.measure()
    rows = await made if inspect.isawaitable(made) else made
    assert {row.name for row in rows} in (set(measurement.names), set()), (
        f"{measurement.module}: {[row.name for row in rows]}"
    )
    return rows


def figure(value: float | None) -> str:
    """Three digits that matter."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def table(rows: Iterable[Row]) -> str:
    """The rows as text in columns."""
    cells = [_COLUMNS] + [
        (
            *(row.name, figure(row.value), row.unit, row.peer or "-", figure(row.peer_value)),
            *(figure(row.ratio), str(row.runs), row.note),
        )
        for row in rows
    ]
    widths = [max(len(line[column]) for line in cells) for column in range(len(_COLUMNS))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells
    )


def write_results(rows: list[Row], *, keep_others: bool) -> None:
    """Writes results.json; rows of an earlier run stay only where a single measurement was asked for."""
    made = {row.name: row.as_json() for row in rows}
    earlier = json.loads(RESULTS.read_text()) if keep_others and RESULTS.exists() else []
    merged = {row["name"]: row for row in earlier} | made
    RESULTS.write_text(json.dumps(list(merged.values()), indent=2, ensure_ascii=False) + "\n")


def main(arguments: list[str] | None = None) -> int:
    """Entry: 0 when everything asked for was measured, 2 when nothing has that name."""
    parser = argparse.ArgumentParser(prog="bench", description="Measure, and compare with peers in the same run.")
    parser.add_argument("--only", metavar="NAME", help="one row or one module")
    only: str | None = parser.parse_args(arguments).only
    wanted = chosen(only)
    if not wanted:
        names = ", ".join(name for each in measurements() for name in each.names)
        print(f"bench: nothing is called {only}; there is: {names}", file=sys.stderr)
        return 2
    rows: list[Row] = []
    for measurement in wanted:
        print(f"bench: {', '.join(measurement.names)} ...", file=sys.stderr, flush=True)
        rows += asyncio.run(rows_of(measurement))
    print(table(rows))
    write_results(rows, keep_others=only is not None)
    return 0


if __name__ == "__main__":
    sys.exit(main())
