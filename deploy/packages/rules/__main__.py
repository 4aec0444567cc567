"""Runs the cases against the rules installed beside them: ``python -m cardroom_rules [FILE...]``.

A case is one JSON object a line: a hand, a wait, a set of cards or a whole deal, with the right answer. Only the
members that `expect` has are compared. Status 1 if any differs.
"""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from games.catalog import variant_of
from games.kernel import OptionError
from games.landlord import cards as card
from games.landlord import script as landlord_script
from games.landlord.combinations import Kind, Reading
from games.landlord.ruleset import Ruleset as LandlordRuleset
from games.landlord.scoring import CardsError, read_cards
from games.mahjong import script
from games.mahjong.hand import HandError, Score, Situation, WinBy, WinningHand
from games.mahjong.melds import parse_meld
from games.mahjong.ruleset import Ruleset
from games.mahjong.scoring import list_waits, score_win
from games.mahjong.tiles import NotationError, Tile, parse, show

CASES = Path(__file__).parent / "cases"
ROOM_OPTIONS = ("escape_penalty", "claim_timing", "claim_seconds", "turn_seconds")
IMPOSSIBLE = {"error": "INVALID_ARGUMENT"}
NOT_COMPARED = "reason"

Answer = dict[str, Any]
Row = Mapping[str, Any]


def answer(row: Row) -> Answer:
    """What the rules say of a case."""
    try:
        return _KINDS[row["kind"]](row, _rules(row))
    except (CardsError, HandError, NotationError, OptionError, card.NotationError, script.ScriptError, ValueError):
        return IMPOSSIBLE


def _rules(row: Row) -> Any:
    options = {name: value for name, value in row.get("options", {}).items() if name not in ROOM_OPTIONS}
    stake = options.pop("stake", 1)
    return variant_of(row["variant"]).ruleset(options, stake, row.get("options", {}).get("escape_penalty", 0))


# --- hands ------------------------------------------------------------------------------------------


def _hand(row: Row, tile: Tile, by: WinBy) -> WinningHand:
    return WinningHand(
        concealed=parse(row["hand"]),
        melds=tuple(map(parse_meld, row.get("melds", ()))),
        tile=tile,
        by=by,
        situations=frozenset(map(Situation, row.get("situation", ()))),
        flowers=parse(row.get("flowers", "")),
        seat_wind=_wind(row.get("seat_wind", "")),
        round_wind=_wind(row.get("round_wind", "")),
    )


def _wind(letter: str) -> Tile | None:
    return _one(letter) if letter else None


def _one(notation: str) -> Tile:
    """The only tile of a notation. Raises: ValueError: there are none, or more."""
    (tile,) = parse(notation)
    return tile


def _score(row: Row, rules: Ruleset) -> Answer:
    score = score_win(rules, _hand(row, _one(row["win"]), WinBy(row["by"])))
    return {"win": False} if score is None else {"win": True, **_WORTH.get(rules.variant, _names)(score)}


def _names(score: Score) -> Answer:
    names = {fan.name_zh: fan.value for fan in score.fans}
    return {"fan": score.fan_total, "names": names, "amount": score.amount}


def _kinds(score: Score) -> Answer:
    kinds = [fan.number for fan in score.fans]
    return {"kinds": kinds, "base_sum": score.base_sum, "lezi": score.fan_total, "amount": score.amount}


def _counts(score: Score) -> Answer:
    return {"fan": score.fan_total, "fans": {fan.name_zh: fan.times for fan in score.fans}}


_WORTH: Mapping[str, Callable[[Score], Answer]] = {"shanghai": _kinds, "dazhong": _counts}


def _waits(row: Row, rules: Ruleset) -> Answer:
    def worth(score: Score | None) -> int | None:
        if score is None:
            return None
        return score.fan_total if rules.variant == "dazhong" else score.amount

    found = list_waits(rules, _hand(row, 0, WinBy.DISCARD))
    return {
        "waits": {
            show([tile]): {"discard": worth(each.by_discard), "self": worth(each.by_self)}
            for tile, each in found.items()
        }
    }


# --- cards and deals ----------------------------------------------------------------------------------


def _cards(row: Row, rules: LandlordRuleset) -> Answer:
    last = row.get("last")
    to_beat = None if last is None else Reading(Kind(last["kind"]), card.RANK_NAMES.index(last["rank"]), last["count"])
    found = read_cards(rules, card.parse(row["cards"]), to_beat)
    return {"readings": [{"kind": one.kind, "rank": card.RANK_NAMES[one.rank], "count": one.count} for one in found]}


def _deal(row: Row, rules: Any) -> Answer:
    if isinstance(rules, Ruleset):
        arranged = script.Arranged(
            dealer=row["dealer"],
            hands=tuple(map(parse, row["hands"])),
            draws=parse(row["draws"]),
            replacements=parse(row.get("replacements", "")),
            draws_in_row=int(row.get("doubled") or 0),
        )
        return script.play(rules, arranged, row["actions"]).result(row["balances"])
    hands = tuple(map(card.parse, row["hands"]))
    dealt = landlord_script.Arranged(row["first_bidder"], hands, card.parse(row["bottom"]))
    return landlord_script.play(rules, dealt, row["actions"]).result(row["balances"])


_KINDS: Mapping[str, Callable[[Row, Any], Answer]] = {
    "score": _score,
    "waits": _waits,
    "cards": _cards,
    "deal": _deal,
}


# --- running -------------------------------------------------------------------------------------------


def rows_of(files: Sequence[Path]) -> Iterator[Row]:
    """The cases of some files, in order."""
    for file in files:
        for line in file.read_text("utf-8").splitlines():
            if line.strip():
                yield json.loads(line)


def differs(row: Row, got: Answer) -> bool:
    """Whether an answer lacks what the case expects, or has it otherwise."""
    expect = row["expect"]
    return any(got.get(name, differs) != value for name, value in expect.items() if name != NOT_COMPARED)


def main(arguments: Sequence[str]) -> int:
    """Entry: 0 when every case is answered as it says."""
    rows = list(rows_of([Path(name) for name in arguments] or sorted(CASES.glob("*.jsonl"))))
    failed = 0
    for row in rows:
        got = answer(row)
        if differs(row, got):
            failed += 1
            print(f"{row['id']}: expected {row['expect']}, got {got}")
    print(f"{len(rows) - failed} passed, {failed} failed")
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
