"""Judges every event of a deal by the clauses, from `Books` alone; `options.py` judges the moments between."""

from collections.abc import Callable
from typing import Any

from games.mahjong import actions as asked
from games.mahjong import events as happened
from games.mahjong.actions import Action, Choice
from games.mahjong.events import DrawSource, EndCause, Event
from games.mahjong.hand import WinBy
from games.mahjong.melds import MeldKind
from tests.sim.books import CHOWS, Asked, Books
from tests.sim.deals import Setup, Step
from tests.sim.laws import hold
from tests.sim.options import CHOICES, Options

DIE = range(1, 7)


class Referee:
    """Watches one deal; raises Broken where the rules are not kept."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self.books = Books(setup.ruleset, setup.dealer, setup.deal_index, setup.draws_in_row)
        self._options = Options(self.books)

    def judge(self, event: Event, action: Action | None) -> None:
        """Judge an event, before it is noted.

        Args:
            action: what caused it; None where the rules forced it after another event.
        """
        _JUDGES[type(event)](self, event, action)

    def note(self, event: Event) -> None:
        """Write the event down once it is judged."""
        self.books.note(event)

    def rest(self, step: Step) -> None:
        """Judge the moment after an action: what stands on the table, and who may do what."""
        self._options.rest(step.after)

    # --- opening and draws ------------------------------------------------------------------

    def _opened(self, event: happened.Opened, action: Action | None) -> None:
        setup, house = self._setup, self.books.house
        start = house.wall_start(event.dealer, event.dice) % len(event.wall)
        hold(event.wall_start == start, "BB-3, DZ-3: drawing starts where the dice say", (event.dice, start))
        known = (event.ruleset, event.dealer, event.wall, (*event.dice, *event.kong_dice))
        hold(known == (setup.ruleset, setup.dealer, setup.wall, setup.dice), "a deal opens as it was given")
        hold(len(event.dice) == house.opening_dice, "the dice of an opening", event.dice)
        hold((event.deal_index, event.draws_in_row) == (setup.deal_index, setup.draws_in_row), "which deal it is")
        if len(event.wall) == setup.ruleset.tile_count:
            hold(event.undrawn_count == house.undrawn(self.books), "DZ-6: what stays in the wall", event.undrawn_count)

    def _dealt(self, event: happened.Dealt, action: Action | None) -> None:
        books = self.books
        hold(action == asked.Deal(), "PF-12: the table deals", action)
        wall = books.wall.tiles()
        hands: list[list[int]] = [[] for _ in books.hands]
        for portion in books.house.portions:
            for seat in books.around():
                hands[seat] += wall[:portion]
                del wall[:portion]
        hands[books.dealer].append(wall[0])
        hold([sorted(hand) for hand in hands] == list(map(list, event.hands)), "BB-4, DZ-3: who is dealt what")

    def _flowered(self, event: happened.Flowered, action: Action | None) -> None:
        books = self.books
        hold(action is None, "DZ-4: flowers are exposed by themselves", action)
        seats = [books.turn] if books.began else books.around()
        held = [(seat, tile) for seat in seats for tile in sorted(books.hands[seat]) if tile >= FIRST_FLOWER]
        hold(bool(held) and (event.seat, event.tile) == held[0], "DZ-4: whose flower is exposed", (event, held[:1]))
        hold(not books.offered, "SH-11: nothing happens while the offer stands", event)

    def _began(self, event: happened.Began, action: Action | None) -> None:
        held = [tile for hand in self.books.hands for tile in hand if tile >= FIRST_FLOWER]
        hold(not held and not self.books.began, "DZ-4: play begins when nobody holds a flower", held)

    def _declined(self, event: happened.Declined, action: Action | None) -> None:
        books = self.books
        hold(books.offered and event.seat == books.turn, "SH-11: who is offered the win declines", event)
        hold(
            action in (asked.Decline(event.seat), asked.Timeout(event.seat)), "SH-11: by himself or by silence", action
        )

    def _drawn(self, event: happened.Drawn, action: Action | None) -> None:
        books = self.books
        self._nothing_claimed(action)
        hold(len(books.playing()) > 1 and not self._is_over(), "BB-11: nobody draws after the end")
        seat, source = self._next_draw()
        hold((event.seat, event.source) == (seat, source), "BB-13: who draws next", (event, seat, source))
        hold(not books.wall.spent(source, opening=not books.began), "BB-11: nobody draws from an empty wall")
        thrown = source is DrawSource.REPLACEMENT and books.house.replacement == "die"
        hold((event.die in DIE) if thrown else event.die is None, "DZ-5: a die is thrown for a kong", event)
        if thrown:
            made = sum(isinstance(note, happened.Konged) for note in (books.last,)) and len(books.kongs) - 1
            hold(event.die == self._setup.dice[books.house.opening_dice + made], "DZ-5: the next die", event)
        hold(event.tile == books.wall.next(source, event.die), "BB-6, SH-2, DZ-5: which tile is drawn", event)

    def _is_over(self) -> bool:
        return self.books.house.win_ends and bool(self.books.wins)

    def _next_draw(self) -> tuple[int, DrawSource]:
        books, last = self.books, self.books.last
        if isinstance(last, happened.Flowered | happened.Declined):
            return last.seat, DrawSource.FLOWER
        if isinstance(last, happened.Discarded):
            return books.still_playing_after(last.seat)[0], DrawSource.WALL
        if isinstance(last, happened.Konged):
            return last.seat, DrawSource.REPLACEMENT
        assert isinstance(last, happened.Won), last
        if last.by is WinBy.ROB:
            assert last.from_seat is not None
            return last.from_seat, DrawSource.REPLACEMENT
        return [*books.still_playing_after(last.winners[-1].seat), -1][0], DrawSource.WALL

    def _nothing_claimed(self, action: Action | None) -> None:
        """What follows an unclaimed tile follows only when the question closes and nobody takes it."""
        books = self.books
        if books.shared is not None:
            melder = books.melder_now(books.shared)
            hold(melder is None, "BB-14: who claimed a tile that is won melds his copy", melder)
        if books.asked is None:
            return
        hold(isinstance(action, asked.CloseQuestion), "a question is closed by the table", action)
        hold(not books.winners_now(), "a win that was claimed or forced stands", books.winners_now())
        hold(books.melder_now(books.asked) is None, "a claim stands", books.asked.answers)

    # --- turns ------------------------------------------------------------------------------

    def _discarded(self, event: happened.Discarded, action: Action | None) -> None:
        books, seat = self.books, event.seat
        hold(books.asked is None and seat == books.turn, "only whose turn it is discards", event)
        bound = books.has_drawn() and (books.must_win() or seat in books.locked)
        hold(not (bound and books.completed(seat)), "BB-16, BB-17: a bound seat wins and does not discard", event)
        declaring = books.leaves_ready(seat) if books.declares_with_discard(seat) else None
        hold(declaring is None or event.tile in declaring, "BB-18: the dealer's discard leaves him ready", event)
        if isinstance(action, asked.Discard):
            hold((action.seat, action.tile) == (seat, event.tile), "a player discards what he says", (action, event))
            return
        timed_out = isinstance(action, asked.Timeout) and action.seat == seat
        hold(timed_out or seat in books.away | books.locked, "the server discards for nobody else", event)
        tile = max(books.hands[seat]) if books.drawn is None else books.drawn
        if declaring is not None and tile not in declaring:
            tile = max(declaring)
        hold(event.tile == tile, "PF-21, BB-60: the tile drawn, else the last in display order", (event, tile))

    def _konged(self, event: happened.Konged, action: Action | None) -> None:
        books, seat = self.books, event.seat
        hold(bool(books.wall), "BB-6, DZ-6: no kong when the wall is empty", event)
        if event.kind is MeldKind.EXPOSED_KONG:
            self._claimed(event, action, copies=3)
            hold(event.owing == (event.from_seat,), "BB-30: the discarder pays an exposed kong", event)
            return
        hold(books.asked is None and seat == books.turn, "only whose turn it is declares a kong", event)
        hold(isinstance(action, asked.Kong) and action.seat == seat, "a kong is declared by its owner", action)
        kind = self._options.kong_possible(seat, event.tile)
        hold(event.kind is kind, "BB-10: the kind of a kong is derived", (event, kind))
        owing = tuple(books.still_playing_after(seat))
        hold(event.owing == owing, "BB-30: everybody who has not won owes for a kong", (event, owing))

    def _melded(self, event: happened.Melded, action: Action | None) -> None:
        self._claimed(event, action, copies=2)

    def _claimed(self, event: happened.Melded | happened.Konged, action: Action | None, copies: int) -> None:
        """A meld of another's discard: who claimed it first in rank and turn, beside a win only where it is shared."""
        books = self.books
        question: Asked | None = books.shared if event.shared else books.asked
        hold(question is not None, "BB-14: only a tile that is won is shared", event)
        assert question is not None
        if not event.shared:
            hold(isinstance(action, asked.CloseQuestion), "a question is closed by the table", action)
            hold(not books.winners_now(), "BB-14, SH-5, DZ-9: a win beats a meld", event)
        melder = books.melder_now(question)
        hold(melder is not None and melder[0] == event.seat, "SH-5, DZ-9: whose claim comes first", (event, melder))
        assert melder is not None
        hold(_choice_of(event) is melder[1], "who melds gets what he claimed", (event, melder))
        hold((event.from_seat, event.tile) == (question.seat, question.tile), "the tile asked about is melded", event)
        if melder[1] not in CHOWS:
            hold(books.hands[event.seat].count(event.tile) >= copies, "BB-10: who melds holds the others", event)

    def _answered(self, event: happened.Answered, action: Action | None) -> None:
        choices = self._options.choices(event.seat)
        hold(event.choice in choices, "only who is asked answers", (event, choices))
        own = action is not None and CHOICES.get(type(action), event.choice) is event.choice
        hold(own and getattr(action, "seat", None) == event.seat, "an answer is its player's", (event, action))

    def _declared(self, event: happened.Declared, action: Action | None) -> None:
        books = self.books
        if books.asked is None:
            (seat,) = event.seats
            hold(action == asked.Declare(seat) and seat == books.dealer, "BB-18: the dealer declares", (event, action))
            hold(not books.discards and bool(books.leaves_ready(seat)), "BB-18: before his first discard", event)
            return
        hold(isinstance(action, asked.CloseQuestion), "a question is closed by the table", action)
        hold(sorted(books.claims_now(Choice.DECLARE)) == list(event.seats), "BB-18: who said so declares", event)

    def _locked(self, event: happened.Locked, action: Action | None) -> None:
        locks = self._options.lock_options(event.seat)
        hold(action in locks, "BB-17: a ready player locks his own hand", (event, action))
        turn = self.books.asked is None and self.books.turn == event.seat
        hold(not turn, "BB-17: who holds a tile to discard does not lock", event)

    def _presence(self, event: happened.WentAway | happened.CameBack, action: Action | None) -> None:
        kind = asked.Leave if isinstance(event, happened.WentAway) else asked.Return
        hold(action == kind(event.seat), "presence is what the table says", (event, action))
        hold(not self.books.house.leaving_ends, "PF-23: who leaves ends the deal", event)
        was_away = event.seat in self.books.away
        hold(was_away == isinstance(event, happened.CameBack), "presence changes", event)

    # --- wins and the end -------------------------------------------------------------------

    def _won(self, event: happened.Won, action: Action | None) -> None:
        books = self.books
        seats = [winner.seat for winner in event.winners]
        if event.by is WinBy.SELF:
            self._self_drawn(event, action)
        else:
            question = books.asked
            assert question is not None, event
            hold(isinstance(action, asked.CloseQuestion), "a question is closed by the table", action)
            hold(seats == books.winners_now(), "BB-12: who wins, in turn order", (seats, books.winners_now()))
            hold((event.from_seat, event.tile) == (question.seat, question.tile), "the tile asked about is won", event)
            hold((event.by is WinBy.ROB) == question.robbery, "BB-15: an added kong is robbed, a discard won", event)
        moved = books.house.transferred(books) if event.by is WinBy.DISCARD else ()
        hold(event.transferred == moved, "BB-33: whose rain is transferred", (event.transferred, moved))
        for winner in event.winners:
            self._winner(event, winner)

    def _self_drawn(self, event: happened.Won, action: Action | None) -> None:
        books, seat = self.books, event.winners[0].seat
        alone = len(event.winners) == 1 and seat == books.turn and books.asked is None
        hold(alone, "one seat wins its own draw", event)
        hold(books.completed(seat), "BB-20, SH-10, DZ-20: a hand that may win", event)
        bound = books.has_drawn() and (books.must_win() or seat in books.locked)
        hold(action == asked.Win(seat) or bound, "a win is claimed or forced", (event, action))
        drawn = None if books.offered else books.drawn
        hold((event.tile, event.from_seat) == (drawn, None), "the tile drawn is won", event)

    def _winner(self, event: happened.Won, winner: happened.WinnerResult) -> None:
        books, seat = self.books, winner.seat
        worth = books.worth(seat, None if event.by is WinBy.SELF else event.tile, event.by)
        hold(worth is not None, "BB-20, SH-10, DZ-20: a hand that may win", winner)
        assert worth is not None
        got = tuple((fan.fan_id, fan.name_zh, fan.value) for fan in winner.fans)
        hold(worth.fans in (None, got), "BB-22, BB-53, SH-12: what a win is made of", (got, worth.fans))
        hold(winner.fan_total == worth.total, "BB-22, SH-13, DZ-30: what adds up", (winner, worth))
        hold(winner.amount == worth.amount, "BB-21, SH-30, DZ-40: what it pays", (winner, worth))
        hold(worth.base_sum in (None, winner.base_sum), "SH-20: the base sum", (winner, worth))
        hold(winner.rank == len(books.wins) + 1, "BB-12: winners on one tile share a rank", winner)
        wanted = books.house.asks(books, seat, worth, event.by, event.from_seat)
        got_lines = [(line.payer, line.payee, line.amount, line.cause) for line in winner.payments]
        hold(got_lines == wanted, "BB-25, SH-32, SH-41, DZ-40: who pays a win", (got_lines, wanted))

    def _ended(self, event: happened.Ended, action: Action | None) -> None:
        books = self.books
        escaper = action.seat if isinstance(action, asked.Leave) else None
        if event.cause is EndCause.ESCAPED:
            hold(escaper is not None and books.house.leaving_ends, "PF-23: who leaves ends the deal", action)
        else:
            self._when_ended(event, action)
        ending = books.house.ending(books, event.cause, escaper)
        got = {row.seat: row.amount for row in event.checks}
        hold(got == ending.checks, "BB-40, BB-42: the ready check", (got, ending.checks))
        hold(all(row.ready == (row.amount > 0) for row in event.checks), "BB-40: who is ready", event.checks)
        hold(event.kong_outcomes == ending.outcomes, "BB-32: what becomes of each kong", (event, ending.outcomes))
        lines = [(line.payer, line.payee, line.amount, line.cause) for line in event.payments]
        hold(lines == ending.payments, "BB-30..33, BB-40, BB-50, BB-52: the money of the end", (lines, ending.payments))
        hold(event.next_dealer == ending.next_dealer, "BB-5, SH-1, DZ-12: who deals next", event.next_dealer)
        hands = [sorted(hand) for hand in books.hands]
        hold(list(map(list, event.hands)) == hands, "the hands are shown as they are", hands)

    def _when_ended(self, event: happened.Ended, action: Action | None) -> None:
        books = self.books
        self._nothing_claimed(action)
        if self._is_over():
            hold(event.cause is EndCause.WON, "SH-3, DZ-12: a win ends the deal", event)
            return
        hold(isinstance(books.last, happened.Discarded | happened.Won), "BB-11: when a deal ends", books.last)
        one_left = len(books.playing()) <= 1
        hold(one_left or not books.wall, "BB-11: a deal ends when one is left or the wall is empty", event)
        hold(event.cause is (EndCause.ONE_LEFT if one_left else EndCause.WALL_EMPTY), "BB-11: why a deal ends", event)


FIRST_FLOWER = 34


def _choice_of(event: happened.Melded | happened.Konged) -> Choice:
    if isinstance(event, happened.Konged):
        return Choice.KONG
    if event.lowest is None:
        return Choice.PUNG
    return (Choice.CHOW_LOW, Choice.CHOW_MIDDLE, Choice.CHOW_HIGH)[event.tile - event.lowest]


_JUDGES: dict[type, Callable[[Referee, Any, Action | None], None]] = {
    happened.Opened: Referee._opened,
    happened.Dealt: Referee._dealt,
    happened.Began: Referee._began,
    happened.Flowered: Referee._flowered,
    happened.Declined: Referee._declined,
    happened.Declared: Referee._declared,
    happened.Drawn: Referee._drawn,
    happened.Discarded: Referee._discarded,
    happened.Answered: Referee._answered,
    happened.Melded: Referee._melded,
    happened.Konged: Referee._konged,
    happened.Won: Referee._won,
    happened.Locked: Referee._locked,
    happened.WentAway: Referee._presence,
    happened.CameBack: Referee._presence,
    happened.Ended: Referee._ended,
}
