"""What each discard leaves: how far from ready, which tiles help, how many of them are left, what it may come to.

The distance is the least number of tiles to exchange until the hand waits, over all shapes of the variant: 0 is
ready, -1 complete. No shape takes a fifth copy of a tile, melds counted. Tiles that lie open elsewhere do not change
the distance; they are taken from what is left.
"""

from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

from games.mahjong.goals import Lack, counts, honours_lack, kinds_of, nearest, pairs_lack, standard_lack
from games.mahjong.hand import HandError, Score, Situation, WinBy, WinningHand
from games.mahjong.melds import Meld
from games.mahjong.ruleset import Ruleset
from games.mahjong.scoring import check_melds_and_tiles, check_situations, check_winds
from games.mahjong.tiles import Tile, show
from games.mahjong.waits import COPIES


@dataclass(frozen=True, slots=True)
class Left:
    """A kind of tile and how many of it nobody has shown: four, less one's own and those seen."""

    tile: Tile
    count: int


@dataclass(frozen=True, slots=True)
class WaitSeen:
    """A tile that completes a hand.

    Attributes:
        tile: the tile.
        hand: the hand with it, and with what then holds; as won on a discard.
        by_discard, by_self: what it is worth each way; None where that is no win.
        left: how many are left.
    """

    tile: Tile
    hand: WinningHand
    by_discard: Score | None
    by_self: Score | None
    left: int


@dataclass(frozen=True, slots=True)
class Advised:
    """What one discard leaves.

    Attributes:
        tile: the discard.
        distance: to ready; 0: the hand waits.
        useful: kinds that bring it nearer, ascending, with how many are left; at distance 0 the waits.
        waits: at distance 0 what each wait is worth; else empty.
        best: the dearest win among waits that are left, by whoever gives the tile; None if there is none.
    """

    tile: Tile
    distance: int
    useful: tuple[Left, ...]
    waits: tuple[WaitSeen, ...]
    best: Score | None

    @property
    def left(self) -> int:
        """Useful tiles left, all together."""
        return sum(one.count for one in self.useful)


@dataclass(frozen=True, slots=True)
class Advice:
    """What each discard of a hand leaves, best first.

    Attributes:
        distance: of the hand before the discard; -1 if it is complete.
        discards: one a kind held, in order: the nearest to ready, the most useful tiles left, the dearest, by tile.
    """

    distance: int
    discards: tuple[Advised, ...]


def lack_of(rules: Ruleset, concealed: tuple[Tile, ...], melds: tuple[Meld, ...]) -> Lack:
    """What concealed tiles lack for the nearest winning shape of the variant, and which kinds those are.

    Args:
        concealed: 3 for each set still missing and one more, or two more.
    """
    held = counts(concealed)
    lacks = [standard_lack(concealed, melds, rules.set_count, rules.kinds)]
    if rules.pairs_win and not melds:
        lacks.append(pairs_lack(held, rules.kinds, (rules.hand_size + 1) // 2))
    if rules.honours_win and all(meld.tile in _HONOURS for meld in melds):
        own = counts((*concealed, *(tile for meld in melds for tile in meld.tiles)))
        lacks.append(honours_lack(held, own, rules.hand_size + 1 - 3 * len(melds)))
    if rules.judgement.more_lacks is not None:
        lacks += rules.judgement.more_lacks(concealed, melds)
    return nearest(lacks)


_HONOURS = range(27, 34)


def seen_waits(rules: Ruleset, hand: WinningHand, visible: Sequence[Tile] = ()) -> tuple[WaitSeen, ...]:
    """Every tile that completes a hand, ascending, with what it is worth and how many are left.

    Where the variant pays for the last of a kind and the other three lie open, in `visible` or in one's own melds, the
    worth says so (DZ#58). `tile` and `by` of the hand are not looked at.

    Args:
        visible: tiles that lie open elsewhere: discards and others' melds.

    Raises:
        HandError: the hand cannot be, or a situation makes no sense without a winning tile.
    """
    check_melds_and_tiles(rules, hand, hand.concealed)
    check_winds(rules, hand)
    check_situations(rules, hand.situations, rules.wait_situations)
    rules.judgement.check_hand(rules, replace(hand, by=WinBy.DISCARD))
    open_counts = check_visible(rules, hand, visible)
    return _waits(rules, hand, open_counts)


def _waits(rules: Ruleset, hand: WinningHand, visible: Counter[Tile]) -> tuple[WaitSeen, ...]:
    melded = Counter(tile for meld in hand.melds for tile in meld.tiles)
    score = rules.judgement.score
    found = []
    for tile in rules.judgement.waits(rules, hand.concealed, hand.melds):
        waiting = replace(hand, tile=tile, by=WinBy.DISCARD)
        if _last_of_kind(rules, hand, visible[tile] + melded[tile], tile):
            waiting = replace(waiting, situations=hand.situations | {Situation.LAST_OF_KIND})
        found.append(
            WaitSeen(
                tile=tile,
                hand=waiting,
                by_discard=score(rules, waiting),
                by_self=score(rules, replace(waiting, by=WinBy.SELF)),
                left=COPIES - visible[tile] - melded[tile] - hand.concealed.count(tile),
            )
        )
    return tuple(found)


def _last_of_kind(rules: Ruleset, hand: WinningHand, shown: int, tile: Tile) -> bool:
    return Situation.LAST_OF_KIND in rules.hand_situations and shown == COPIES - 1 and tile not in hand.concealed


def check_visible(rules: Ruleset, hand: WinningHand, visible: Sequence[Tile]) -> Counter[Tile]:
    """Count the tiles that lie open elsewhere.

    Raises:
        HandError: one is not in this game, or there are more of it with one's own than the game has.
    """
    own = Counter((*hand.concealed, *(tile for meld in hand.melds for tile in meld.tiles), *hand.flowers))
    seen: Counter[Tile] = Counter()
    for index, tile in enumerate(visible):
        if tile not in rules.kinds and tile not in rules.flowers:
            raise HandError("visible", rules.hand_clause("tiles"), f"{show([tile])} is not in this game", index)
        seen[tile] += 1
        if seen[tile] + own[tile] > (COPIES if tile in rules.kinds else 1):
            raise HandError("visible", rules.hand_clause("tiles"), f"{seen[tile] + own[tile]} of {show([tile])}", index)
    return seen


def advise_discard(rules: Ruleset, hand: WinningHand, visible: Sequence[Tile] = ()) -> Advice:
    """What each discard leaves of a hand that has to discard.

    Args:
        hand: its concealed tiles are one more than wait: three for each set still missing and two.
        visible: tiles that lie open elsewhere: discards and others' melds.

    Raises:
        HandError: as `seen_waits`.
    """
    steps = advising(rules, hand, visible)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            advice: Advice = end.value
            return advice


def advising(rules: Ruleset, hand: WinningHand, visible: Sequence[Tile] = ()) -> Generator[None, None, Advice]:
    """`advise_discard` discard by discard: yields after each."""
    check_melds_and_tiles(rules, hand, hand.concealed, spare=1)
    check_winds(rules, hand)
    check_situations(rules, hand.situations, rules.wait_situations)
    rules.judgement.check_hand(rules, replace(hand, by=WinBy.DISCARD))
    open_counts = check_visible(rules, hand, visible)
    advised = []
    for tile in sorted(set(hand.concealed)):
        advised.append(_advised(rules, hand, tile, open_counts))
        yield
    return Advice(
        distance=lack_of(rules, hand.concealed, hand.melds)[0] - 1,
        discards=tuple(sorted(advised, key=_rank)),
    )


def _advised(rules: Ruleset, hand: WinningHand, discard: Tile, visible: Counter[Tile]) -> Advised:
    after = replace(hand, concealed=_without(hand.concealed, (discard,)))
    missing, kinds = lack_of(rules, after.concealed, after.melds)
    own = Counter((*hand.concealed, *(tile for meld in hand.melds for tile in meld.tiles)))
    seen = Counter(visible)
    seen[discard] += 1
    own[discard] -= 1
    useful = tuple(Left(tile, COPIES - own[tile] - seen[tile]) for tile in kinds_of(kinds))
    waits = _waits(rules, after, seen) if missing == 1 else ()
    return Advised(discard, missing - 1, useful, waits, _best(waits))


def _best(waits: Sequence[WaitSeen]) -> Score | None:
    scores = [score for one in waits if one.left for score in (one.by_discard, one.by_self) if score is not None]
    return max(scores, key=lambda score: (score.amount, score.fan_total), default=None)


def _rank(one: Advised) -> tuple[int, int, int, Tile]:
    return one.distance, -one.left, -(one.best.amount if one.best else 0), one.tile


def _without(tiles: tuple[Tile, ...], gone: Sequence[Tile]) -> tuple[Tile, ...]:
    left = list(tiles)
    for tile in gone:
        left.remove(tile)
    return tuple(left)
