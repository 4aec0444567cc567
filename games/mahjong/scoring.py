"""Questions about hands without a table: what a hand is worth, which tiles complete it.

Contradictory input is refused with `HandError`, never corrected.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from games.mahjong.hand import HandError, Score, Situation, WinBy, WinningHand
from games.mahjong.melds import MeldKind
from games.mahjong.ruleset import Ruleset
from games.mahjong.tiles import FLOWERS, Tile, show
from games.mahjong.waits import COPIES


def score_win(rules: Ruleset, hand: WinningHand) -> Score | None:
    """What a hand is worth on its winning tile; None if it does not win.

    Raises:
        HandError: the hand cannot be.
    """
    check_melds_and_tiles(rules, hand, (*hand.concealed, hand.tile))
    if hand.tile not in _kind_set(rules.kinds):
        raise no_such_tile(rules, "win", hand.tile)
    check_winds(rules, hand)
    check_situations(rules, hand.situations, rules.hand_situations)
    rules.judgement.check_hand(rules, hand)
    return rules.judgement.score(rules, hand)


@dataclass(frozen=True, slots=True)
class WaitWorth:
    """What a waiting tile is worth each way; None where that is no win."""

    by_discard: Score | None
    by_self: Score | None


def list_waits(rules: Ruleset, hand: WinningHand) -> Mapping[Tile, WaitWorth]:
    """Every tile that completes a hand, ascending; its `tile` and `by` are not looked at.

    Raises:
        HandError: the hand cannot be, or a situation makes no sense without a winning tile.
    """
    check_melds_and_tiles(rules, hand, hand.concealed)
    check_winds(rules, hand)
    check_situations(rules, hand.situations, rules.wait_situations)
    rules.judgement.check_hand(rules, replace(hand, by=WinBy.DISCARD))
    found = rules.judgement.waits(rules, hand.concealed, hand.melds)
    score = rules.judgement.score
    return {
        tile: WaitWorth(
            by_discard=score(rules, replace(hand, tile=tile, by=WinBy.DISCARD)),
            by_self=score(rules, replace(hand, tile=tile, by=WinBy.SELF)),
        )
        for tile in found
    }


def check_melds_and_tiles(rules: Ruleset, hand: WinningHand, concealed: tuple[Tile, ...], *, spare: int = 0) -> None:
    """Raise HandError if kinds, melds or numbers of tiles cannot be.

    Args:
        concealed: the tiles that are counted beside the melds.
        spare: tiles that the hand has beyond one that waits.
    """
    kinds = _kind_set(rules.kinds)
    if not kinds.issuperset(hand.concealed):
        index = next(place for place, tile in enumerate(hand.concealed) if tile not in kinds)
        raise no_such_tile(rules, "hand", hand.concealed[index], index)
    for index, meld in enumerate(hand.melds):
        no_chow = meld.kind is MeldKind.CHOW and rules.chow_from == "none"
        if no_chow or meld.tile not in kinds:
            raise _not_in_this_game(rules, "melds", str(meld), index)
    for index, flower in enumerate(hand.flowers):
        if flower not in rules.flowers:
            raise _not_in_this_game(rules, "flowers", show([flower]), index)
        if flower in hand.flowers[:index]:
            raise HandError("flowers", rules.hand_clause("tiles"), f"{show([flower])} is there once", index)
    if len(hand.melds) > rules.set_count:
        detail = f"{len(hand.melds)} melds; a hand has {rules.set_count} sets"
        raise HandError("melds", rules.hand_clause("size"), detail)
    wanted = rules.hand_size - 3 * len(hand.melds) + spare
    if len(hand.concealed) != wanted:
        detail = f"{len(hand.concealed)} tiles beside {len(hand.melds)} melds, not {wanted}"
        raise HandError("hand", rules.hand_clause("size"), detail)
    _check_copies(rules, hand, concealed)


@lru_cache(maxsize=64)
def _kind_set(kinds: tuple[Tile, ...]) -> frozenset[Tile]:
    return frozenset(kinds)


def _not_in_this_game(rules: Ruleset, part: str, what: str, index: int | None = None) -> HandError:
    return HandError(part, rules.hand_clause("tiles"), f"{what} is not in this game", index)


def no_such_tile(rules: Ruleset, part: str, tile: Tile, index: int | None = None) -> HandError:
    """What stands against a tile that a hand cannot hold: it is none of the game, or a flower."""
    if tile in rules.flowers:
        detail = f"{show([tile])} is a flower: it lies apart from the hand"
        return HandError(part, rules.hand_clause("tiles"), detail, index)
    return _not_in_this_game(rules, part, show([tile]), index)


def _check_copies(rules: Ruleset, hand: WinningHand, concealed: tuple[Tile, ...]) -> None:
    """Raise HandError at the fifth of a tile; the winning tile may still be none of the game.

    The hand is read first, then the melds, then the winning tile.
    """
    held = [0] * FLOWERS.stop
    for tile in concealed:
        held[tile] += 1
    for meld in hand.melds:
        for tile in meld.tiles:
            held[tile] += 1
    if max(held) > COPIES:
        raise _fifth(rules, hand, held)


def _fifth(rules: Ruleset, hand: WinningHand, held: list[int]) -> HandError:
    """The first tile of which there were four before it; `held` are the copies of each kind."""
    own = [("hand", place, tile) for place, tile in enumerate(hand.concealed)]
    own += [("melds", place, tile) for place, meld in enumerate(hand.melds) for tile in meld.tiles]
    seen = [0] * FLOWERS.stop
    for part, place, tile in own:
        seen[tile] += 1
        if seen[tile] > COPIES:
            return HandError(part, rules.hand_clause("tiles"), f"{held[tile]} of {show([tile])}", place)
    return HandError("win", rules.hand_clause("tiles"), f"{held[hand.tile]} of {show([hand.tile])}")


def check_winds(rules: Ruleset, hand: WinningHand) -> None:
    """Raise HandError unless winds are named exactly where the rules have them."""
    for field, wind in (("seat_wind", hand.seat_wind), ("round_wind", hand.round_wind)):
        if wind is None and rules.winds:
            raise HandError(field, WINDS_RULE, "one of E, S, W, N")
        if wind is not None and not rules.winds:
            raise HandError(field, rules.hand_clause("situation"), "this game has no winds")


WINDS_RULE = "DZ-13"


def check_situations(rules: Ruleset, situations: frozenset[Situation], allowed: frozenset[Situation]) -> None:
    """Raise HandError if a situation makes no sense here."""
    if situations <= allowed:
        return
    for situation in sorted(situations - allowed):
        raise HandError("situation", rules.hand_clause("situation"), f"{situation} makes no sense here")
