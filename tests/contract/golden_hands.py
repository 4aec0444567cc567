"""Golden hands: one hand a line, as `hands.txt` of a variant explains."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from games.catalog import variant_of
from games.mahjong.hand import HandError, Situation, WinBy, WinningHand
from games.mahjong.melds import parse_meld
from games.mahjong.scoring import list_waits, score_win
from games.mahjong.tiles import FLOWERS, WINDS, parse, show
from tests.contract.golden_texts import in_folders

MELD = re.compile(r"\[([^\]]*)\]")
RULE = re.compile(r"(?:\s+[A-Z]{2}[-#]\d+)+$")
SEAT, ROUND = "seat=", "round="
"""What stands before a wind among the situations; East where none does."""
FILE = re.compile(r"hands_(\w+)\.txt").fullmatch
"""A file of hands names the variant whose rules they are scored by."""


@dataclass(frozen=True, slots=True)
class GoldenHand:
    """A line of the file: what is asked, what is expected, the rules it proves."""

    variant: str
    question: str
    expected: str
    rules: tuple[str, ...]


def golden_hands() -> Iterator[GoldenHand]:
    """All lines of all variants."""
    for path in in_folders("golden/hands_*.txt"):
        yield from _hands(path)


def _hands(path: Path) -> Iterator[GoldenHand]:
    named = FILE(path.name)
    assert named is not None, path
    variant = named[1]
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        question, _, rest = line.partition("->")
        cited = RULE.search(rest)
        assert cited is not None, line
        yield GoldenHand(variant, question.strip(), rest[: cited.start()].strip(), tuple(cited.group().split()))


def answer(golden: GoldenHand) -> str:
    """What the rules say to the question, in the words of the file."""
    tiles, waiting, _ = golden.question.partition("waits")
    return _waits(golden.variant, tiles) if waiting else _win(golden)


def _win(golden: GoldenHand) -> str:
    tiles, _, rest = golden.question.partition("+")
    tile, by, *words = rest.split()
    rules = variant_of(golden.variant).ruleset({}, 1)
    situations = frozenset(Situation(word) for word in words if "=" not in word)
    hand = _hand(tiles, parse(tile)[0], WinBy(by), situations)
    if rules.winds:
        hand = replace(hand, seat_wind=_wind(words, SEAT), round_wind=_wind(words, ROUND))
    try:
        score = score_win(rules, hand)
    except HandError as error:
        return "refused" if error.rule in golden.rules else f"refused by {error.rule}"
    if score is None:
        return "no win"
    names = [fan.name_zh for fan in score.fans for _ in range(fan.value if fan.fan_id == "gui" else fan.times)]
    return f"{' '.join(names)} = {score.fan_total}, {score.amount}".strip()


def _wind(words: Sequence[str], before: str) -> int:
    named = [word.removeprefix(before) for word in words if word.startswith(before)]
    return parse(named[0])[0] if named else WINDS.start


def _waits(variant: str, tiles: str) -> str:
    rules = variant_of(variant).ruleset({}, 1)
    hand = _hand(tiles, rules.kinds[0], WinBy.DISCARD, frozenset())
    if rules.winds:
        hand = replace(hand, seat_wind=WINDS.start, round_wind=WINDS.start)
    found = []
    for tile, worth in list_waits(rules, hand).items():
        found.append(f"{show([tile])} {'-' if worth.by_discard is None else worth.by_discard.amount}")
    return ", ".join(found) or "none"


def _hand(text: str, tile: int, by: WinBy, situations: frozenset[Situation]) -> WinningHand:
    melds = tuple(parse_meld(meld) for meld in MELD.findall(text))
    tiles = parse(MELD.sub("", text))
    flowers = tuple(tile for tile in tiles if tile in FLOWERS)
    concealed = tuple(tile for tile in tiles if tile not in FLOWERS)
    return WinningHand(concealed, melds, tile, by, situations, flowers)
