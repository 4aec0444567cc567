"""Who may claim what: the shared question after a discard or an added kong."""

from collections.abc import Iterable

from games.kernel import Seat
from games.mahjong.actions import CHOW_OFFSETS, Choice, is_run
from games.mahjong.events import DrawSource
from games.mahjong.hand import Score, Situation, WinBy, WinningHand
from games.mahjong.melds import Meld
from games.mahjong.ruleset import Ruleset
from games.mahjong.state import QUESTIONS, Fate, Phase, State
from games.mahjong.tiles import HIDDEN, Tile

PUNG_TILES = 2
KONG_TILES = 3
OTHER_COPIES = 3


def hand_waits(state: State, seat: Seat) -> tuple[Tile, ...]:
    """Kinds that complete the seat's hand; empty if it is not ready or lies face down."""
    hand = state.hands[seat]
    if HIDDEN in hand:
        return ()
    rules = state.ruleset
    return rule_waits(rules, hand, state.melds[seat])


def rule_waits(rules: Ruleset, concealed: Iterable[Tile], melds: tuple[Meld, ...]) -> tuple[Tile, ...]:
    """Kinds that complete a hand by a ruleset, ascending."""
    return rules.judgement.waits(rules, tuple(concealed), melds)


def question_score(state: State, seat: Seat) -> Score | None:
    """What the seat would win on the tile in question; None if it may not win on it."""
    question = state.question
    assert question is not None
    if question.tile is None or seat == question.seat or state.has_won(seat) or seat in state.win_locked:
        return None
    if question.tile not in hand_waits(state, seat):
        return None
    return state.ruleset.judgement.score(state.ruleset, winning_hand(state, seat))


def self_draw_score(state: State, seat: Seat) -> Score | None:
    """What the seat would win on the tile it drew, on the tiles dealt, or on all flowers (SH-11)."""
    draw, hand = state.draw, state.hands[seat]
    if state.phase is Phase.OFFER and state.turn == seat:
        return state.ruleset.judgement.flower_score(state.ruleset)
    if state.phase is not Phase.TURN or state.turn != seat or draw is None or HIDDEN in hand:
        return None
    if draw.source is DrawSource.CLAIM:
        return None
    return state.ruleset.judgement.score(state.ruleset, winning_hand(state, seat))


def winning_hand(state: State, seat: Seat) -> WinningHand:
    """The seat's hand, and the tile that it would win on now: the one in question, else the one it drew.

    The hand lies open; whether it wins is another question.
    """
    if state.question is not None:
        tile, concealed = state.question.tile, state.hands[seat]
        by = WinBy.ROB if state.phase is Phase.ROBBERY else WinBy.DISCARD
        situations = _question_situations(state)
    else:
        tile, concealed = _drawn_apart(state, seat)
        by, situations = WinBy.SELF, _self_situations(state)
    assert tile is not None
    drawn = None if state.draw is None else state.draw.tile
    open_copies = _open_copies(state, tile if state.question is not None else drawn)
    known = (situations | _own_situations(state, seat) | open_copies) & state.ruleset.hand_situations
    return WinningHand(
        concealed=concealed,
        melds=state.melds[seat],
        tile=tile,
        by=by,
        situations=known,
        flowers=state.flowers[seat],
        seat_wind=state.seat_wind(seat),
        round_wind=state.round_wind(),
    )


def _drawn_apart(state: State, seat: Seat) -> tuple[Tile, tuple[Tile, ...]]:
    """The tile a seat drew, and the rest of its hand."""
    assert state.draw is not None
    rest = list(state.hands[seat])
    # A heavenly win has no winning tile; any of the hand stands for it, since all readings count.
    tile = rest[-1] if state.draw.tile is None else state.draw.tile
    rest.remove(tile)
    return tile, tuple(rest)


def _own_situations(state: State, seat: Seat) -> frozenset[Situation]:
    found = set()
    if seat in state.declared:
        found.add(Situation.DECLARED)
    if state.ruleset.judgement.earthly(state, seat):
        found.add(Situation.EARTHLY)
    return frozenset(found)


def _open_copies(state: State, tile: Tile | None) -> frozenset[Situation]:
    """Whether the other three of the winning tile lie open in discards and melds (DZ#58)."""
    if tile is None or Situation.LAST_OF_KIND not in state.ruleset.hand_situations:
        return frozenset()
    discards = state.discards[:-1] if state.phase is Phase.CLAIMS else state.discards
    copies = sum(discard.tile == tile and discard.fate is Fate.TABLE for discard in discards)
    copies += sum(meld.tiles.count(tile) for melds in state.melds for meld in melds)
    return frozenset({Situation.LAST_OF_KIND}) if copies == OTHER_COPIES else frozenset()


def _question_situations(state: State) -> frozenset[Situation]:
    if state.phase is Phase.ROBBERY:
        return frozenset()
    found = set()
    if state.draw is not None and state.draw.source is DrawSource.REPLACEMENT:
        found.add(Situation.AFTER_KONG)
    if state.last_tile():
        found.add(Situation.LAST_TILE)
    return frozenset(found)


_SITUATION_OF_SOURCE = {
    DrawSource.DEAL: frozenset({Situation.HEAVENLY}),
    DrawSource.WALL: frozenset[Situation](),
    DrawSource.REPLACEMENT: frozenset({Situation.KONG_REPLACEMENT}),
    DrawSource.FLOWER: frozenset({Situation.FLOWER_REPLACEMENT}),
}


def _self_situations(state: State) -> frozenset[Situation]:
    assert state.draw is not None
    found = _SITUATION_OF_SOURCE[state.draw.source]
    return found | {Situation.LAST_TILE} if state.last_tile() else found


def forced_to_win(state: State, seat: Seat) -> bool:
    """Whether the rules make the seat a winner on the tile in question (BB-16, BB-17)."""
    question = state.question
    if question is None or question.answers[seat] is not None:
        return False
    if not state.must_win() and seat not in state.locked:
        return False
    return question_score(state, seat) is not None


def claims_open(state: State, seat: Seat) -> tuple[Choice, ...]:
    """What a seat is asked about the tile in question, best first; empty if it is not asked.

    Winners, absent, locked and forced seats, the tile's owner and those who have answered
    are not asked. A pung may be made of the last discard, a kong not (BB-10).
    """
    question = state.question
    if (
        question is None
        or seat == question.seat
        or question.answers[seat] is not None
        or seat in state.away
        or seat in state.locked
        or state.has_won(seat)
    ):
        return ()
    return possible_claims(state, seat)


def possible_claims(state: State, seat: Seat) -> tuple[Choice, ...]:
    """What the seat's tiles allow on the open question, best first; nothing where a win is forced."""
    return _POSSIBLE[state.phase](state, seat)


def _possible_on_discard(state: State, seat: Seat) -> tuple[Choice, ...]:
    question = state.question
    assert question is not None and question.tile is not None
    choices = _possible_robbery(state, seat)
    if not choices and question_score(state, seat) is not None:
        return ()
    if not state.left and not state.ruleset.last_discard_melds:
        return choices
    held = state.hands[seat].count(question.tile)
    if held >= KONG_TILES and state.left:
        choices += (Choice.KONG,)
    if held >= PUNG_TILES:
        choices += (Choice.PUNG,)
    return choices + _possible_chows(state, seat, question.tile)


def _possible_chows(state: State, seat: Seat, tile: Tile) -> tuple[Choice, ...]:
    """Runs the seat can make with the tile in question, from the player before or from any (DZ-9)."""
    question, hand = state.question, state.hands[seat]
    assert question is not None
    before = state.others(question.seat)[0] == seat
    if not (state.ruleset.chow_from == "any" or (state.ruleset.chow_from == "before" and before)):
        return ()
    return tuple(
        choice
        for choice, offsets in CHOW_OFFSETS.items()
        if is_run(tile + min(0, *offsets)) and all(tile + offset in hand for offset in offsets)
    )


def _possible_robbery(state: State, seat: Seat) -> tuple[Choice, ...]:
    may_choose = not state.must_win() and question_score(state, seat) is not None
    return (Choice.WIN,) if may_choose else ()


def _possible_declaration(state: State, seat: Seat) -> tuple[Choice, ...]:
    """The dealer declares with his discard; the others, if they are ready, when asked (BB-18)."""
    return (Choice.DECLARE,) if hand_waits(state, seat) else ()


_POSSIBLE = {
    Phase.CLAIMS: _possible_on_discard,
    Phase.ROBBERY: _possible_robbery,
    Phase.DECLARING: _possible_declaration,
}


def declared_discards(state: State, seat: Seat) -> tuple[Tile, ...]:
    """Tiles whose discard leaves the seat ready, ascending (BB-18)."""
    rules, hand = state.ruleset, state.hands[seat]
    if HIDDEN in hand:
        return ()
    found = []
    for tile in sorted(set(hand)):
        rest = list(hand)
        rest.remove(tile)
        if rule_waits(rules, rest, state.melds[seat]):
            found.append(tile)
    return tuple(found)


def question_winners(state: State) -> tuple[Seat, ...]:
    """Who wins on the tile in question as the answers stand, in turn order from its owner."""
    question = state.question
    assert question is not None
    winners = tuple(
        seat
        for seat in state.others(question.seat)
        if question.answers[seat] is Choice.WIN or forced_to_win(state, seat)
    )
    return winners if state.ruleset.several_winners else winners[:1]


def could_win_and_did_not(state: State, winners: tuple[Seat, ...]) -> frozenset[Seat]:
    """Seats that let a win on the tile in question go by (BB-19), where an option asks for it."""
    if state.phase not in QUESTIONS or not dict(state.ruleset.options).get("pass_locks_win"):
        return frozenset()
    return frozenset(seat for seat in state.seats if seat not in winners and question_score(state, seat) is not None)
