"""How each event changes a deal. Asserts what must hold: a log that does not fit is our fault.

The same functions fold a full log into the state and a redacted one into a seat's view:
tiles that lie face down stay so.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from games.kernel import Seat, changed
from games.mahjong import events as happened
from games.mahjong.claims import could_win_and_did_not
from games.mahjong.drawing import die_thrown, nothing_left, take
from games.mahjong.events import DrawSource, Event, KongOutcome
from games.mahjong.hand import WinBy
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.state import QUESTIONS, Draw, Fate, KongRecord, Phase, Question, State, TableDiscard
from games.mahjong.tiles import HIDDEN, Tile
from games.mahjong.wall import DIE, HIDDEN_DIE


def evolve(state: State, event: Event) -> State:
    """The state after one event."""
    return _EVOLVERS[type(event)](state, event)


def _opened(state: State, event: happened.Opened) -> State:
    assert state.phase is Phase.CLOSED, event
    start = event.wall_start
    in_order = event.wall[start:] + event.wall[:start]
    return changed(
        state,
        ruleset=event.ruleset,
        dealer=event.dealer,
        turn=event.dealer,
        phase=Phase.OPENED,
        dice=event.dice,
        wall_start=start,
        wall_length=len(event.wall),
        wall=in_order[: len(in_order) - event.tail_count],
        tail=in_order[len(in_order) - event.tail_count :][::-1],
        deal_index=event.deal_index,
        draws_in_row=event.draws_in_row,
        undrawn_count=event.undrawn_count,
        kong_dice=event.kong_dice,
    )


def _dealt(state: State, event: happened.Dealt) -> State:
    assert state.phase is Phase.OPENED, event
    state = changed(
        state,
        phase=Phase.TURN,
        hands=event.hands,
        wall=state.wall[sum(map(len, event.hands)) :],
        draw=Draw(state.dealer, None, DrawSource.DEAL),
    )
    if state.ruleset.flowers:
        return changed(state, phase=Phase.OPENING)
    return _begun(state)


def _began(state: State, event: happened.Began) -> State:
    assert state.phase is Phase.OPENING, event
    return _begun(state)


def _begun(state: State) -> State:
    """Play begins: with the question who declares, where there is one, else with the dealer."""
    state = changed(state, began=True, phase=Phase.TURN, turn=state.dealer)
    if not state.ruleset.declares:
        return state
    return changed(state, phase=Phase.DECLARING, question=_asked(state, state.dealer, None))


def _asked(state: State, seat: Seat, tile: Tile | None) -> Question:
    return Question(seat, tile, (None,) * len(state.seats))


def _declared(state: State, event: happened.Declared) -> State:
    """Hands are locked from now on; the dealer's, who has yet to discard, from that discard on (BB-18)."""
    assert state.phase is Phase.DECLARING or event.seats == (state.turn,), event
    at_once = frozenset(event.seats) - {state.dealer}
    return changed(
        state,
        phase=Phase.TURN,
        question=None,
        declared=state.declared | set(event.seats),
        locked=state.locked | at_once,
    )


def _drawn(state: State, event: happened.Drawn) -> State:
    assert state.phase in QUESTIONS | {Phase.MOVING}, event
    assert not state.has_won(event.seat), event
    state = _question_closed(state)
    state = _without_die(state, event)
    assert not nothing_left(state, event.source), event
    taken = take(state, event.source, event.die)
    state = changed(
        state,
        due=None,
        wall=taken.wall,
        tail=taken.tail,
        end_stacks=taken.end_stacks,
        hands=_hand_with(state, event.seat, event.tile),
    )
    if not state.began:
        return changed(state, phase=Phase.OPENING)
    return changed(
        state,
        phase=Phase.TURN,
        turn=event.seat,
        draw_count=state.draw_count + 1,
        draw=Draw(event.seat, event.tile, event.source),
        turn_kongs=() if event.source is DrawSource.WALL else state.turn_kongs,
        win_locked=state.win_locked - {event.seat},
    )


def _without_die(state: State, event: happened.Drawn) -> State:
    """The die thrown for a kong lies open; before, it was hidden (DZ-5)."""
    if not die_thrown(state, event.source):
        assert event.die is None, event
        return state
    assert event.die in DIE and state.kong_dice[0] in (HIDDEN_DIE, event.die), event
    return changed(state, kong_dice=state.kong_dice[1:])


def _flowered(state: State, event: happened.Flowered) -> State:
    """The flower lies open; its replacement is due, after the offer for all of them (SH-11)."""
    assert state.phase in (Phase.OPENING, Phase.TURN), event
    flowers = (*state.flowers[event.seat], event.tile)
    state = changed(
        state,
        turn=event.seat,
        hands=_hand_without(state, event.seat, event.tile, 1),
        flowers=(*state.flowers[: event.seat], flowers, *state.flowers[event.seat + 1 :]),
        draw=None if state.draw is None else Draw(state.draw.seat, None, state.draw.source),
    )
    if len(flowers) == state.ruleset.flower_offer_count:
        return changed(state, phase=Phase.OFFER)
    return _replacement_due(state)


def _replacement_due(state: State) -> State:
    """A flower's replacement is the next move; with nothing left to draw the player only discards (SH-3)."""
    if not nothing_left(state, DrawSource.FLOWER):
        return changed(state, phase=Phase.MOVING, due=DrawSource.FLOWER)
    return changed(state, phase=Phase.TURN, draw=Draw(state.turn, None, DrawSource.CLAIM))


def _declined(state: State, event: happened.Declined) -> State:
    assert state.phase is Phase.OFFER and state.turn == event.seat, event
    return _replacement_due(state)


def _discarded(state: State, event: happened.Discarded) -> State:
    assert state.phase is Phase.TURN and state.turn == event.seat and state.draw is not None, event
    return changed(
        state,
        phase=Phase.CLAIMS,
        hands=_hand_without(state, event.seat, event.tile, 1),
        discards=(*state.discards, TableDiscard(event.seat, event.tile)),
        draw=Draw(state.draw.seat, None, state.draw.source),
        question=_asked(state, event.seat, event.tile),
        locked=state.locked | (state.declared & {event.seat}),
    )


def _answered(state: State, event: happened.Answered) -> State:
    assert state.question is not None and state.question.answers[event.seat] is None, event
    answers = list(state.question.answers)
    answers[event.seat] = event.choice
    return changed(state, question=Question(state.question.seat, state.question.tile, tuple(answers)))


def _melded(state: State, event: happened.Melded) -> State:
    state = _claimed(state, event)
    return changed(
        state,
        phase=Phase.TURN,
        turn=event.seat,
        due=None,
        hands=_hands_after_meld(state, event),
        melds=_melds_with(state, event.seat, _meld_made(event)),
        draw=Draw(event.seat, None, DrawSource.CLAIM),
        turn_kongs=(),
    )


def _meld_made(event: happened.Melded) -> Meld:
    if event.lowest is None:
        return Meld(MeldKind.PUNG, event.tile, event.from_seat, event.shared)
    return Meld(MeldKind.CHOW, event.lowest, event.from_seat, event.shared)


def _hands_after_meld(state: State, event: happened.Melded) -> tuple[tuple[Tile, ...], ...]:
    """The hands with the two tiles gone that the claimed one completes."""
    own = list(_meld_made(event).tiles)
    own.remove(event.tile)
    for tile in own:
        state = changed(state, hands=_hand_without(state, event.seat, tile, 1))
    return state.hands


def _claimed(state: State, event: happened.Melded | happened.Konged) -> State:
    """The last discard taken for a meld: out of the open question, or shared with its winners (BB-14)."""
    if event.shared:
        assert state.phase is Phase.MOVING and state.question is None, event
        return changed(state, discards=_last_discard(state, Fate.WON, Fate.SHARED))
    assert state.phase is Phase.CLAIMS, event
    state = _question_closed(state)
    return changed(state, discards=_last_discard(state, Fate.TABLE, Fate.MELDED))


def _konged(state: State, event: happened.Konged) -> State:
    return _KONGERS[event.kind](state, event)


def _kong_recorded(state: State, event: happened.Konged, earlier: tuple[int, ...]) -> State:
    """The kong in the books: who owes is fixed now (BB-31)."""
    amount = state.ruleset.rain_amount(event.kind)
    record = KongRecord(event.seat, event.kind, event.tile, event.owing, amount)
    return changed(
        state,
        turn=event.seat,
        kongs=(*state.kongs, record),
        turn_kongs=(*earlier, len(state.kongs)),
    )


def _kong_exposed(state: State, event: happened.Konged) -> State:
    state = _claimed(state, event)
    state = changed(
        state,
        phase=Phase.MOVING,
        due=DrawSource.REPLACEMENT,
        hands=_hand_without(state, event.seat, event.tile, 3),
        melds=_melds_with(state, event.seat, Meld(event.kind, event.tile, event.from_seat, event.shared)),
    )
    return _kong_recorded(state, event, ())


def _kong_concealed(state: State, event: happened.Konged) -> State:
    assert state.phase is Phase.TURN and state.turn == event.seat, event
    state = changed(
        state,
        phase=Phase.MOVING,
        due=DrawSource.REPLACEMENT,
        hands=_hand_without(state, event.seat, event.tile, 4),
        melds=_melds_with(state, event.seat, Meld(event.kind, event.tile)),
    )
    return _kong_recorded(state, event, state.turn_kongs)


def _kong_added(state: State, event: happened.Konged) -> State:
    assert state.phase is Phase.TURN and state.turn == event.seat and state.draw is not None, event
    state = changed(
        state,
        phase=Phase.ROBBERY,
        hands=_hand_without(state, event.seat, event.tile, 1),
        melds=_meld_turned(state, event.seat, event.tile, MeldKind.PUNG, MeldKind.ADDED_KONG),
        draw=Draw(state.draw.seat, None, state.draw.source),
        question=_asked(state, event.seat, event.tile),
    )
    return _kong_recorded(state, event, state.turn_kongs)


_KONGERS: dict[MeldKind, Callable[[State, happened.Konged], State]] = {
    MeldKind.EXPOSED_KONG: _kong_exposed,
    MeldKind.CONCEALED_KONG: _kong_concealed,
    MeldKind.ADDED_KONG: _kong_added,
}


def _won(state: State, event: happened.Won) -> State:
    return _WINS[event.by](state, event)


def _won_by_self(state: State, event: happened.Won) -> State:
    (winner,) = event.winners
    assert state.phase in (Phase.TURN, Phase.OFFER) and state.turn == winner.seat, event
    return _after_win(state, event, after=winner.seat, due=DrawSource.WALL)


def _won_by_discard(state: State, event: happened.Won) -> State:
    assert state.phase is Phase.CLAIMS and event.from_seat is not None, event
    receivers = tuple(winner.seat for winner in event.winners)
    state = _question_closed(state, winners=receivers)
    kongs = list(state.kongs)
    for index in event.transferred:
        assert kongs[index].outcome is KongOutcome.OPEN, event
        kongs[index] = replace(kongs[index], outcome=KongOutcome.TRANSFERRED, receivers=receivers)
    state = changed(state, kongs=tuple(kongs), discards=_last_discard(state, Fate.TABLE, Fate.WON))
    return _after_win(state, event, after=receivers[-1], due=DrawSource.WALL)


def _won_by_rob(state: State, event: happened.Won) -> State:
    """A kong robbed (BB-15); its owner draws the replacement.

    Where it does not stand the meld is a pung again and nobody is paid for it; where it
    does, its rain goes to the robbers, who owe nothing into it.
    """
    assert state.phase is Phase.ROBBERY and event.from_seat is not None and event.tile is not None, event
    owner, tile = event.from_seat, event.tile
    robbers = tuple(winner.seat for winner in event.winners)
    state = _question_closed(state, winners=robbers)
    kong = state.kongs[-1]
    if state.ruleset.robbed_kong_stands:
        owing = tuple(seat for seat in kong.owing if seat not in robbers)
        kong = replace(kong, owing=owing, outcome=KongOutcome.TRANSFERRED, receivers=robbers)
    else:
        kong = replace(kong, outcome=KongOutcome.VOID)
        melds = _meld_turned(state, owner, tile, MeldKind.ADDED_KONG, MeldKind.PUNG)
        state = changed(state, melds=melds)
    state = changed(state, kongs=(*state.kongs[:-1], kong))
    return changed(_after_win(state, event, after=owner, due=DrawSource.REPLACEMENT), turn=owner)


_WINS: dict[WinBy, Callable[[State, happened.Won], State]] = {
    WinBy.SELF: _won_by_self,
    WinBy.DISCARD: _won_by_discard,
    WinBy.ROB: _won_by_rob,
}


def _after_win(state: State, event: happened.Won, *, after: Seat, due: DrawSource) -> State:
    """The win counted; the next to draw is the next player, after this seat, who has not won (BB-13)."""
    for winner in event.winners:
        assert not state.has_won(winner.seat), event
    state = changed(state, phase=Phase.MOVING, due=due, wins=(*state.wins, event))
    following = (seat for seat in state.others(after) if not state.has_won(seat))
    return changed(state, turn=next(following, after))


def _locked(state: State, event: happened.Locked) -> State:
    return changed(state, locked=state.locked | {event.seat})


def _went_away(state: State, event: happened.WentAway) -> State:
    return changed(state, away=state.away | {event.seat})


def _came_back(state: State, event: happened.CameBack) -> State:
    return changed(state, away=state.away - {event.seat})


def _ended(state: State, event: happened.Ended) -> State:
    assert state.phase not in (Phase.CLOSED, Phase.OVER), event
    state = _question_closed(state)
    kongs = tuple(
        replace(kong, outcome=outcome) for kong, outcome in zip(state.kongs, event.kong_outcomes, strict=True)
    )
    return changed(state, phase=Phase.OVER, due=None, draw=None, kongs=kongs, hands=event.hands, result=event)


_EVOLVERS: dict[type, Callable[[State, Any], State]] = {
    happened.Opened: _opened,
    happened.Dealt: _dealt,
    happened.Drawn: _drawn,
    happened.Discarded: _discarded,
    happened.Answered: _answered,
    happened.Melded: _melded,
    happened.Konged: _konged,
    happened.Won: _won,
    happened.Locked: _locked,
    happened.Declared: _declared,
    happened.Flowered: _flowered,
    happened.Declined: _declined,
    happened.Began: _began,
    happened.WentAway: _went_away,
    happened.CameBack: _came_back,
    happened.Ended: _ended,
}


def _question_closed(state: State, winners: tuple[Seat, ...] = ()) -> State:
    """The question gone; who passed a win is remembered where an option asks for it (BB-19)."""
    if state.question is None:
        return state
    passed = could_win_and_did_not(state, winners)
    return changed(state, question=None, win_locked=state.win_locked | passed)


def _hand_with(state: State, seat: Seat, tile: Tile) -> tuple[tuple[Tile, ...], ...]:
    hand = tuple(sorted((*state.hands[seat], tile)))
    return (*state.hands[:seat], hand, *state.hands[seat + 1 :])


def _hand_without(state: State, seat: Seat, tile: Tile, copies: int) -> tuple[tuple[Tile, ...], ...]:
    """The hands with copies of a tile gone from one; from a hand that lies face down, any tiles."""
    hand = list(state.hands[seat])
    for _ in range(copies):
        hand.remove(tile if tile in hand else HIDDEN)
    return (*state.hands[:seat], tuple(hand), *state.hands[seat + 1 :])


def _melds_with(state: State, seat: Seat, meld: Meld) -> tuple[tuple[Meld, ...], ...]:
    return (*state.melds[:seat], (*state.melds[seat], meld), *state.melds[seat + 1 :])


def _meld_turned(
    state: State, seat: Seat, tile: Tile, before: MeldKind, after: MeldKind
) -> tuple[tuple[Meld, ...], ...]:
    """The melds with one of them changed from one kind to another."""
    changed = [
        replace(meld, kind=after) if meld.tile == tile and meld.kind is before else meld for meld in state.melds[seat]
    ]
    assert changed != list(state.melds[seat]), (seat, tile)
    return (*state.melds[:seat], tuple(changed), *state.melds[seat + 1 :])


def _last_discard(state: State, before: Fate, after: Fate) -> tuple[TableDiscard, ...]:
    last = state.discards[-1]
    assert last.fate is before, last
    return (*state.discards[:-1], replace(last, fate=after))
