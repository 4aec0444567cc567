"""Hands that win, made at random: every shape, melds, ways to win and situations of a variant."""

import random
from collections import Counter
from collections.abc import Iterator

from games.mahjong.hand import HandError, Situation, WinBy, WinningHand
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.ruleset import Ruleset
from games.mahjong.scoring import score_win
from games.mahjong.tiles import HONOURS, WINDS, Tile

PUNG_MELDS = (MeldKind.PUNG, MeldKind.EXPOSED_KONG, MeldKind.ADDED_KONG, MeldKind.CONCEALED_KONG)
ORPHANS = (0, 8, 9, 17, 18, 26, *HONOURS)


def winning_hands(rules: Ruleset, count: int, seed: int) -> Iterator[WinningHand]:
    """So many hands that the rules let win, the same ones for a seed."""
    chance = random.Random(seed)
    found = 0
    while found < count:
        hand = _dressed(rules, chance, *_shape(rules, chance))
        if hand is not None and _wins(rules, hand):
            found += 1
            yield hand


def _wins(rules: Ruleset, hand: WinningHand) -> bool:
    try:
        return score_win(rules, hand) is not None
    except HandError:
        return False


def _shape(rules: Ruleset, chance: random.Random) -> tuple[list[list[Tile]], list[Tile]]:
    """Sets that may be melded, and tiles that may not."""
    kinds = _narrowed(rules, chance)
    draw = chance.random()
    if rules.pairs_win and draw < 0.08:
        pairs = [chance.choice(kinds) for _ in range((rules.hand_size + 1) // 2)]
        return [], [tile for tile in pairs for _ in range(2)]
    if rules.winds and draw < 0.16:
        return _special(chance)
    sets = [_a_set(rules, kinds, chance) for _ in range(rules.set_count)]
    pair = chance.choice(kinds)
    return sets, [pair, pair]


def _narrowed(rules: Ruleset, chance: random.Random) -> list[Tile]:
    """All kinds, or a suit or two, or few of them: dear hands would hardly ever come up."""
    draw = chance.random()
    suits = sorted({kind // 9 for kind in rules.kinds})
    kept = chance.sample(suits, chance.randint(1, min(2, len(suits)))) if draw < 0.5 else suits
    kinds = [kind for kind in rules.kinds if kind // 9 in kept]
    if draw > 0.8 and len(kinds) > 9:
        start = chance.randrange(5)
        kinds = [kind for kind in kinds if kind in HONOURS or start <= kind % 9 <= start + 4]
    if draw > 0.9:
        kinds = [kind for kind in rules.kinds if kind in ORPHANS] or kinds
    return kinds


def _a_set(rules: Ruleset, kinds: list[Tile], chance: random.Random) -> list[Tile]:
    tile = chance.choice(kinds)
    if tile not in HONOURS and tile % 9 <= 6 and tile + 2 in kinds and chance.random() < 0.6:
        return [tile, tile + 1, tile + 2]
    return [tile] * 3


def _special(chance: random.Random) -> tuple[list[list[Tile]], list[Tile]]:
    suits = chance.sample(range(3), 3)
    knitted = [9 * suit + start + step for start, suit in enumerate(suits) for step in (0, 3, 6)]
    draw = chance.random()
    if draw < 0.2:
        return [], [*ORPHANS, chance.choice(ORPHANS)]
    if draw < 0.6:
        return [], chance.sample([*knitted, *HONOURS], 14)
    tile = chance.randrange(34)
    a_set = [tile, tile + 1, tile + 2] if tile < 27 and tile % 9 <= 6 else [tile] * 3
    pair = chance.randrange(34)
    return [a_set], [*knitted, pair, pair]


def _dressed(rules: Ruleset, chance: random.Random, sets: list[list[Tile]], rest: list[Tile]) -> WinningHand | None:
    """The tiles with melds, a winning tile, a way to win and what else holds; None if there are five of a tile."""
    melds = []
    concealed = list(rest)
    claiming = chance.choice((0.0, 0.3, 0.9))
    for a_set in sets:
        if chance.random() >= claiming:
            concealed += a_set
        elif a_set[0] == a_set[1]:
            melds.append(Meld(chance.choice(PUNG_MELDS), a_set[0]))
        elif rules.chow_from == "none":
            return None
        else:
            melds.append(Meld(MeldKind.CHOW, a_set[0]))
    tiles = Counter((*concealed, *(tile for meld in melds for tile in meld.tiles)))
    if max(tiles.values()) > 4:
        return None
    tile = chance.choice(concealed)
    concealed.remove(tile)
    by = chance.choice(tuple(WinBy))
    holds = [one for one in sorted(rules.hand_situations) if chance.random() < 0.12]
    if by is WinBy.SELF and any(meld.is_kong for meld in melds) and chance.random() < 0.3:
        holds = [Situation.KONG_REPLACEMENT]
    winds = rules.winds
    return WinningHand(
        concealed=tuple(sorted(concealed)),
        melds=tuple(melds),
        tile=tile,
        by=by,
        situations=frozenset(holds),
        flowers=tuple(flower for flower in rules.flowers if chance.random() < 0.15),
        seat_wind=chance.choice(WINDS) if winds else None,
        round_wind=chance.choice(WINDS) if winds else None,
    )
