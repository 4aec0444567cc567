"""What classifying a play, and listing all that beat one, costs beside RLCard's judger of 斗地主, on wild-free cards.

Both sides are handed the cards as each holds them and do what they do in play: ours counts ids and looks the counts up,
RLCard spells its cards and looks the word up; ours lists by bodies, RLCard tries each stronger play of its table. Where
the archive is out of reach there is nothing to compare with and no row is made.
"""

import gc
import importlib
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from bench.row import Row
from deploy.build.reference import CARDS_LOCK, NotInstalled, installed
from games.catalog import variant_of
from games.landlord.cards import WILD, Card, chosen, counts_of, show
from games.landlord.table import PlayTable

NAMES = ("tingyong_classify_us", "tingyong_follow_us")
PEER = "RLCard 1.2.0 doudizhu"
ROUNDS = 7
SEED = 40
HAND_COUNT = 200
HAND_SIZES = (17, 18, 19)
PLAYS_OF_A_HAND = 20
PACKAGES = ("rlcard", "rlcard.games", "rlcard.games.doudizhu")

Work = Callable[[], None]


@dataclass(frozen=True, slots=True)
class TheirCard:
    """A card as RLCard has it: a joker is a suit without a rank."""

    suit: str
    rank: str


@dataclass(slots=True)
class TheirPlayer:
    """What its judger asks of a player."""

    current_hand: Sequence[TheirCard] = ()
    played_cards: str = ""


def measure() -> list[Row]:
    """The two rows; none where RLCard is not to be had."""
    try:
        judge = _judge(installed(CARDS_LOCK))
    except NotInstalled as reason:
        print(f"bench: {', '.join(NAMES)}: not measured: {reason}", file=sys.stderr)
        return []
    table = variant_of("tingyong").ruleset({}, 1).plays
    hands = _hands()
    plays = [play for play in _plays(table, hands) if judge.cards2str(_theirs(play)) in judge.CARD_TYPE[0]]
    chance = random.Random(SEED)
    asked = [(hand, chance.choice(plays)) for hand in hands]
    classify = _medians(_classify(table, plays), _classify_theirs(judge, plays), len(plays))
    follow = _medians(_follow(table, asked), _follow_theirs(judge, asked), len(asked))
    return [
        Row(NAMES[0], classify[0], "us", PEER, classify[1], ROUNDS, "a play of 1-19 cards; asked: ratio <= 2.0"),
        Row(NAMES[1], follow[0], "us", PEER, follow[1], ROUNDS, "a hand of 17-19 cards; asked: ratio <= 0.5"),
    ]


def _judge(folder: Path) -> Any:
    """Its table of plays and what reads it, without the learning parts that need more packages."""
    for name in PACKAGES:
        package = ModuleType(name)
        package.__path__ = [str(folder.joinpath(*name.split(".")))]
        sys.modules[name] = package
    return importlib.import_module("rlcard.games.doudizhu.utils")


def _hands() -> list[tuple[Card, ...]]:
    chance = random.Random(SEED)
    pack = [card for card in range(51) if card != WILD]
    return [tuple(sorted(chance.sample(pack, chance.choice(HAND_SIZES)))) for _ in range(HAND_COUNT)]


def _plays(table: PlayTable, hands: Sequence[tuple[Card, ...]]) -> list[tuple[Card, ...]]:
    chance = random.Random(SEED)
    found: list[tuple[Card, ...]] = []
    for hand in hands:
        held = [counts for counts, _ in table.plays(counts_of(hand))]
        found += [chosen(hand, counts) for counts in chance.sample(held, min(PLAYS_OF_A_HAND, len(held)))]
    return found


def _theirs(cards: Sequence[Card]) -> list[TheirCard]:
    names = show(cards).split()
    return [TheirCard(name, "") if name in ("BJ", "RJ") else TheirCard(name[0], name[1]) for name in names]


def _classify(table: PlayTable, plays: Sequence[tuple[Card, ...]]) -> Work:
    def work() -> None:
        for play in plays:
            table.readings_of(counts_of(play))

    return work


def _classify_theirs(judge: Any, plays: Sequence[tuple[Card, ...]]) -> Work:
    theirs, types = [_theirs(play) for play in plays], judge.CARD_TYPE[0]

    def work() -> None:
        for play in theirs:
            types[judge.cards2str(play)]

    return work


def _follow(table: PlayTable, asked: Sequence[tuple[tuple[Card, ...], tuple[Card, ...]]]) -> Work:
    def work() -> None:
        for hand, last in asked:
            list(table.beating(counts_of(hand), table.readings_of(counts_of(last))[0]))

    return work


def _follow_theirs(judge: Any, asked: Sequence[tuple[tuple[Card, ...], tuple[Card, ...]]]) -> Work:
    players = [
        (TheirPlayer(current_hand=_theirs(hand)), TheirPlayer(played_cards=judge.cards2str(_theirs(last))))
        for hand, last in asked
    ]

    def work() -> None:
        for player, greater in players:
            judge.get_gt_cards(player, greater)

    return work


def _medians(ours: Work, theirs: Work, count: int) -> tuple[float, float]:
    """Microseconds of processor time of one piece of work, ours and theirs in turns."""
    ours()
    theirs()
    pairs = [(_seconds(ours), _seconds(theirs)) for _ in range(ROUNDS)]
    ours_s, theirs_s = (statistics.median(side) for side in zip(*pairs, strict=True))
    return ours_s / count * 1e6, theirs_s / count * 1e6


def _seconds(work: Work) -> float:
    gc.collect()
    began = time.process_time()
    work()
    return time.process_time() - began
