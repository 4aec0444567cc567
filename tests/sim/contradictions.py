"""Every win is put to the scorer that knows no table: as it was, and with situations that contradict it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from games.mahjong.events import WinnerResult, Won
from games.mahjong.hand import HandError, Situation, WinBy, WinningHand
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.scoring import score_win
from games.mahjong.tiles import WINDS
from tests.sim.books import Books
from tests.sim.laws import hold

Question = tuple[str, WinBy, frozenset[Situation]]
"""Name, how the tile came, what else holds."""


def probe(books: Books, event: Won, winner: WinnerResult) -> Iterator[str]:
    """Ask about a win; names of the contradictions that were refused.

    Raises:
        Broken: the scorer and the table disagree, or a contradiction is not refused.
    """
    house = books.house
    hand = _hand(books, event, winner)
    situations = house.situations(books, winner.seat, hand.tile, event.by)
    score = score_win(books.ruleset, replace(hand, situations=situations))
    told = None if score is None else (score.fans, score.fan_total, score.amount)
    hold(told == (winner.fans, winner.fan_total, winner.amount), "a table and the scorer agree", (winner, told))
    for what, by, wrong in _QUESTIONS[books.ruleset.variant](hand):
        try:
            score_win(books.ruleset, replace(hand, by=by, situations=wrong))
        except HandError as error:
            hold(error.rule == house.contradiction_rule, "a contradiction is refused as one", (what, error))
            yield what
        else:
            hold(False, "BB-70, SH-50, DZ-44: a contradiction is refused", (what, hand))


def _hand(books: Books, event: Won, winner: WinnerResult) -> WinningHand:
    seat, rules = winner.seat, books.ruleset
    held = sorted(books.hands[seat])
    tile = event.tile
    if event.by is WinBy.SELF:
        tile = held[-1] if tile is None else tile
        held.remove(tile)
    assert tile is not None
    return WinningHand(
        concealed=tuple(held),
        melds=tuple(Meld(meld.kind, meld.tile) for meld in books.melds[seat]),
        tile=tile,
        by=event.by,
        flowers=tuple(books.flowers[seat]),
        seat_wind=WINDS[(seat - books.dealer) % 4] if rules.winds else None,
        round_wind=WINDS[books.deal_index // 4 % 4] if rules.winds else None,
    )


def _of_kongs(hand: WinningHand) -> Iterator[Question]:
    """What holds in every game of the family."""
    yield "heavenly by discard", WinBy.DISCARD, frozenset({Situation.HEAVENLY})
    yield "kong_replacement by discard", WinBy.DISCARD, frozenset({Situation.KONG_REPLACEMENT})
    if hand.melds:
        yield "heavenly with melds", WinBy.SELF, frozenset({Situation.HEAVENLY})
    else:
        yield "kong_replacement without kong", WinBy.SELF, frozenset({Situation.KONG_REPLACEMENT})
    if hand.tile in hand.concealed:
        yield "rob of a tile held", WinBy.ROB, frozenset()


def _of_bloody(hand: WinningHand) -> Iterator[Question]:
    """BB-70 for four and six players."""
    last = Situation.LAST_TILE
    yield from _of_kongs(hand)
    yield "earthly by self", WinBy.SELF, frozenset({Situation.EARTHLY})
    yield "after_kong by self", WinBy.SELF, frozenset({Situation.AFTER_KONG})
    yield "rob and last_tile", WinBy.ROB, frozenset({last})
    if hand.melds:
        yield "earthly with melds", WinBy.DISCARD, frozenset({Situation.EARTHLY})
    else:
        yield "heavenly and last_tile", WinBy.SELF, frozenset({Situation.HEAVENLY, last})
        yield "earthly and last_tile", WinBy.DISCARD, frozenset({Situation.EARTHLY, last})


def _of_four(hand: WinningHand) -> Iterator[Question]:
    yield from _of_bloody(hand)
    yield "declared", WinBy.DISCARD, frozenset({Situation.DECLARED})


def _of_six(hand: WinningHand) -> Iterator[Question]:
    declared = Situation.DECLARED
    yield from _of_bloody(hand)
    yield "rob and payer_declared", WinBy.ROB, frozenset({Situation.PAYER_DECLARED})
    yield "kong_replacement and declared", WinBy.SELF, frozenset({Situation.KONG_REPLACEMENT, declared})
    if any(meld.kind is not MeldKind.CONCEALED_KONG for meld in hand.melds):
        yield "declared with a pung", WinBy.DISCARD, frozenset({declared})
    if not hand.melds:
        yield "declared and heavenly", WinBy.SELF, frozenset({Situation.HEAVENLY, declared})


def _of_flowers(hand: WinningHand) -> Iterator[Question]:
    """What 上海 and 大众 refuse alike."""
    flower, kong = Situation.FLOWER_REPLACEMENT, Situation.KONG_REPLACEMENT
    yield from _of_kongs(hand)
    if not hand.flowers:
        yield "flower_replacement without flower", WinBy.SELF, frozenset({flower})
    if hand.flowers and any(meld.is_kong for meld in hand.melds):
        yield "both replacements", WinBy.SELF, frozenset({flower, kong})
    yield "after_kong", WinBy.DISCARD, frozenset({Situation.AFTER_KONG})


def _of_shanghai(hand: WinningHand) -> Iterator[Question]:
    yield from _of_flowers(hand)
    yield "heavenly and earthly", WinBy.SELF, frozenset({Situation.HEAVENLY, Situation.EARTHLY})


def _of_dazhong(hand: WinningHand) -> Iterator[Question]:
    yield from _of_flowers(hand)
    yield "rob and last_tile", WinBy.ROB, frozenset({Situation.LAST_TILE})
    if hand.seat_wind != WINDS.start:
        yield "heavenly by a non-dealer", WinBy.SELF, frozenset({Situation.HEAVENLY})
    if hand.tile in hand.concealed:
        yield "last_of_kind of a tile held", WinBy.DISCARD, frozenset({Situation.LAST_OF_KIND})


_QUESTIONS: Mapping[str, Callable[[WinningHand], Iterator[Question]]] = {
    "bloody4": _of_four,
    "bloody6": _of_six,
    "shanghai": _of_shanghai,
    "dazhong": _of_dazhong,
}
