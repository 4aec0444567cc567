"""RLCard's plays of 斗地主, as digests to compare the table with.

RLCard 1.2.0 (MIT) lists every play of its game by kind and weight in
games/doudizhu/jsondata/card_type.json. `python -m tests.contract.landlord.rlcard FILE` makes
`rlcard.json` from that file: of each kind the plays without 3s that a hand of ours can hold,
their number and a digest. Of each play the digest covers the cards and, among plays of its
kind and length, the place of its weight.
"""

import hashlib
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from games.landlord.cards import Counts, of, size
from games.landlord.combinations import Kind
from games.landlord.table import PLAY_SIZE_MAX

DIGESTS = Path(__file__).with_name("rlcard.json")
LETTERS = "3456789TJQKA2BR"
KINDS = {
    "solo": Kind.SINGLE,
    "pair": Kind.PAIR,
    "trio": Kind.TRIPLE,
    "trio_solo": Kind.TRIPLE_SINGLE,
    "trio_pair": Kind.TRIPLE_PAIR,
    "four_two_solo": Kind.FOUR_TWO,
    "four_two_pair": Kind.FOUR_TWO_PAIRS,
    "bomb": Kind.BOMB,
    "rocket": Kind.ROCKET,
    "solo_chain": Kind.STRAIGHT,
    "pair_chain": Kind.PAIR_STRAIGHT,
    "trio_chain": Kind.TRIPLE_STRAIGHT,
    "trio_solo_chain": Kind.PLANE_SINGLE,
    "trio_pair_chain": Kind.PLANE_PAIR,
}
"""Its kinds without the length of a chain."""

Plays = Mapping[Counts, int]
"""Weight of each play of one kind; only their order within one length means anything."""


def digest(plays: Plays) -> dict[str, object]:
    """Number and digest of one kind's plays."""
    lines = sorted(_lines(plays))
    return {"count": len(lines), "sha256": hashlib.sha256("\n".join(lines).encode()).hexdigest()}


def _lines(plays: Plays) -> Iterator[str]:
    weights: dict[int, set[int]] = {}
    for play, weight in plays.items():
        weights.setdefault(size(play), set()).add(weight)
    places = {
        length: {weight: place for place, weight in enumerate(sorted(of_it))} for length, of_it in weights.items()
    }
    for play, weight in plays.items():
        yield f"{play:x} {places[size(play)][weight]}"


def theirs(rows: Mapping[str, Iterable[tuple[str, str]]]) -> dict[Kind, Plays]:
    """Their plays that a hand of ours can hold, by kind."""
    plays: dict[Kind, dict[Counts, int]] = {}
    for letters, meanings in rows.items():
        if "3" not in letters and len(letters) <= PLAY_SIZE_MAX:
            for name, weight in meanings:
                kind = KINDS[re.sub(r"_\d+$", "", name)]
                plays.setdefault(kind, {})[sum(of(LETTERS.index(letter)) for letter in letters)] = int(weight)
    return dict(plays)


def main() -> int:
    """Write the digests."""
    rows = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    made = {kind.value: digest(plays) for kind, plays in theirs(rows).items()}
    DIGESTS.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
