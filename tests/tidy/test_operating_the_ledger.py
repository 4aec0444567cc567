"""docs/operating-the-ledger.md names what the ledger shows, logs, reads and writes: all of it, and nothing else."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.ledger.app.fold import FaultKind
from services.ledger.meters import LedgerMeters
from services.ledger.settings import LedgerSettings
from services.ledger.values import EntryKind
from serving.metrics import Metrics
from serving.settings import ServiceSettings

pytestmark = pytest.mark.fast

_ROOT = Path(__file__).resolve().parents[2]
_LEDGER = _ROOT / "services" / "ledger"
_PAGE = (_ROOT / "docs" / "operating-the-ledger.md").read_text(encoding="utf-8")
_PREFIX = "cardroom_ledger_"


def _rows(heading: str) -> Iterator[tuple[list[str], str]]:
    """Of the table whose first heading begins so: the names in a row's first cell, and the row."""
    table = re.search(rf"^\| {heading}[^\n]*\n\|[ -|]+\n((?:\|[^\n]*\n)+)", _PAGE, re.MULTILINE)
    assert table is not None, heading
    for row in table.group(1).splitlines():
        yield re.findall(r"`([^`]+)`", row.split("|")[1]), row


def _first_cells(heading: str) -> set[str]:
    return {name for names, _ in _rows(heading) for name in names}


def _figures() -> set[str]:
    metrics = Metrics()
    LedgerMeters(metrics)
    return {family.name for family in metrics.registry.collect() if family.name.startswith(_PREFIX)}


def _logged() -> set[str]:
    sources = "".join(path.read_text(encoding="utf-8") for path in _LEDGER.rglob("*.py"))
    return set(re.findall(r"\b_?log\.(?:error|warning)\(\s*\"(\w+)\"", sources))


def test_every_figure_has_its_row_that_says_when_to_alert_and_what_to_do() -> None:
    assert {_PREFIX + name for name in _first_cells("figure")} == _figures()
    assert all(
        len(row.split("|")) == 5 and all(cell.strip() for cell in row.split("|")[1:4]) for _, row in _rows("fig")
    )


def test_every_line_that_is_logged_as_a_warning_or_worse_is_explained() -> None:
    words = set(re.findall(r"`([a-z]+(?:_[a-z]+)+)`", _PAGE))
    logged = _logged()
    assert len(logged) >= 8
    assert logged <= words
    others = {name.removeprefix(_PREFIX) for name in _figures()} | _first_cells("member")
    assert words - logged - others == {"journal_hash"}, "names nothing that there is"


def test_every_setting_of_the_ledger_is_named_and_no_other() -> None:
    own = set(LedgerSettings.model_fields) - (set(ServiceSettings.model_fields) - {"grpc_port"}) - {"grpc_port"}
    named = {name.lower() for name in re.findall(r"CARDROOM_([A-Z_]+)", _PAGE)}
    assert named == own


def test_every_kind_of_fault_and_of_entry_is_explained() -> None:
    assert _first_cells("kind") == set(FaultKind)
    (kinds,) = [row for names, row in _rows("member") if names == ["kind"]]
    assert set(re.findall(r"`(\w+)`", kinds)) - {"kind"} == set(EntryKind)


def test_every_member_of_an_entry_is_explained() -> None:
    written = re.findall(r"[{,]\"(\w+)\":", (_LEDGER / "adapters/scripts/books.lua").read_text(encoding="utf-8"))
    assert _first_cells("member") == set(written)


def test_every_heading_that_is_pointed_at_is_there() -> None:
    anchors = {
        re.sub(r"[^a-z -]", "", line.lower()).replace(" ", "-") for line in re.findall(r"^## (.*)$", _PAGE, re.M)
    }
    pointed = set(re.findall(r"\]\(#([a-z-]+)\)", _PAGE))
    assert pointed
    assert pointed <= anchors
