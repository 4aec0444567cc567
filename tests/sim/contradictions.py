"""Every win is put to the scorer that knows no table: as it was, and with situations that contradict it (BB-70)."""

from collections.abc import Iterator

from games.mahjong.events import WinnerResult, Won
from games.mahjong.hand import HandError, Situation, WinBy, WinningHand
from games.mahjong.melds import Meld
from games.mahjong.scoring import score_win
from tests.sim.books import Books
from tests.sim.laws import hold

SITUATION_OF_FAN = {
    "heavenly_win": Situation.HEAVENLY,
    "earthly_win": Situation.EARTHLY,
    "win_on_replacement": Situation.KONG_REPLACEMENT,
    "win_after_kong": Situation.AFTER_KONG,
    "last_tile_draw": Situation.LAST_TILE,
    "last_tile_discard": Situation.LAST_TILE,
}

Question = tuple[str, WinBy, frozenset[Situation]]
"""Name, how the tile came, what else holds."""


def probe(books: Books, event: Won, winner: WinnerResult) -> Iterator[str]:
    """Ask about a win; names of the contradictions that were refused.

    Raises:
        Broken: the scorer and the table disagree, or a contradiction is not refused.
    """
    hand = _hand(books, event, winner)
    situations = frozenset(SITUATION_OF_FAN[fan.fan_id] for fan in winner.fans if fan.fan_id in SITUATION_OF_FAN)
    score = score_win(books.ruleset, _with(hand, event.by, situations))
    told = None if score is None else (score.fans, score.fan_total, score.amount)
    hold(told == (winner.fans, winner.fan_total, winner.amount), "a table and the scorer agree", (winner, told))
    for what, by, wrong in _contradictions(hand):
        try:
            score_win(books.ruleset, _with(hand, by, wrong))
        except HandError as error:
            hold(error.rule == "BB-70", "BB-70: a contradiction is refused as one", (what, error))
            yield what
        else:
            hold(False, "BB-70: a contradiction is refused", (what, hand))


def _hand(books: Books, event: Won, winner: WinnerResult) -> WinningHand:
    melds = tuple(Meld(kind, tile) for kind, tile in books.melds[winner.seat])
    held = sorted(books.hands[winner.seat])
    if event.by is not WinBy.SELF:
        assert event.tile is not None
        return WinningHand(tuple(held), melds, event.tile, event.by)
    tile = held[-1] if event.tile is None else event.tile
    held.remove(tile)
    return WinningHand(tuple(held), melds, tile, event.by)


def _with(hand: WinningHand, by: WinBy, situations: frozenset[Situation]) -> WinningHand:
    return WinningHand(hand.concealed, hand.melds, hand.tile, by, situations)


def _contradictions(hand: WinningHand) -> Iterator[Question]:
    last = Situation.LAST_TILE
    yield "heavenly by discard", WinBy.DISCARD, frozenset({Situation.HEAVENLY})
    yield "earthly by self", WinBy.SELF, frozenset({Situation.EARTHLY})
    yield "kong_replacement by discard", WinBy.DISCARD, frozenset({Situation.KONG_REPLACEMENT})
    yield "after_kong by self", WinBy.SELF, frozenset({Situation.AFTER_KONG})
    yield "rob and last_tile", WinBy.ROB, frozenset({last})
    yield "declared", WinBy.DISCARD, frozenset({Situation.DECLARED})
    if hand.melds:
        yield "heavenly with melds", WinBy.SELF, frozenset({Situation.HEAVENLY})
        yield "earthly with melds", WinBy.DISCARD, frozenset({Situation.EARTHLY})
    else:
        yield "heavenly and last_tile", WinBy.SELF, frozenset({Situation.HEAVENLY, last})
        yield "earthly and last_tile", WinBy.DISCARD, frozenset({Situation.EARTHLY, last})
        yield "kong_replacement without kong", WinBy.SELF, frozenset({Situation.KONG_REPLACEMENT})
    if hand.tile in hand.concealed:
        yield "rob of a tile held", WinBy.ROB, frozenset()
