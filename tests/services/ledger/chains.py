"""Journal entries without a store: a right chain, made by hand."""

import json
from collections.abc import Sequence

from services.ledger.app.entries import chain_hash
from services.ledger.values import Entry


def entries_of(bodies: Sequence[dict[str, object]]) -> list[Entry]:
    """Entries with these bodies, numbered and chained."""
    made: list[Entry] = []
    for number, fields in enumerate(bodies, 1):
        body = json.dumps({"number": number, **fields}, separators=(",", ":"), ensure_ascii=False)
        made.append(Entry(number, body, chain_hash(made[-1].hash if made else "", body)))
    return made


def openings(count: int) -> list[Entry]:
    """As many accounts as entries: each is opened with ten units."""
    return entries_of(
        [
            {"kind": "open", "at_ms": 0, "legs": [["issuance", f"p{place}", 10, 10, -10 * place, 10, "opening", 0]]}
            for place in range(1, count + 1)
        ]
    )
