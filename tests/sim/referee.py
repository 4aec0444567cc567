"""Judges every event and every resting moment of a 四人血战 deal by the clauses, from `Books` alone."""

from collections.abc import Callable
from typing import Any

from games.mahjong import actions as asked
from games.mahjong import events as happened
from games.mahjong.actions import Action, Choice, PlayerAction
from games.mahjong.events import DrawSource, EndCause, Event
from games.mahjong.game import GAME
from games.mahjong.hand import WinBy
from games.mahjong.melds import MeldKind
from games.mahjong.state import Phase, State
from tests.sim import reckoning
from tests.sim.books import SEAT_COUNT, Books
from tests.sim.deals import Setup, Step
from tests.sim.laws import hold

BREAKER_OF_SUM = {5: 0, 9: 0, 2: 1, 6: 1, 10: 1, 3: 2, 7: 2, 11: 2, 4: 3, 8: 3, 12: 3}
"""BB-3 as printed: the seat, from the dealer on, at whose wall drawing starts."""

PORTIONS = (4, 4, 4, 1)
"""BB-4."""

CHOICES = {asked.Win: Choice.WIN, asked.Kong: Choice.KONG, asked.Pung: Choice.PUNG, asked.Pass: Choice.PASS}


class Referee:
    """Watches one deal; raises Broken where the rules are not kept."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self.books = Books(setup.ruleset, setup.dealer)

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
        self._same_table(step.after)
        if not self.books.dealt or self.books.ended:
            return
        self._nobody_is_bound(step.after)
        for seat in range(SEAT_COUNT):
            expected = set(self.options(seat))
            got = GAME.legal(step.after, seat)
            hold(len(got) == len(set(got)), "an option is offered once", got)
            hold(set(got) == expected, "the options are those of the clauses", (seat, got, expected))

    # --- resting --------------------------------------------------------------------------

    def _same_table(self, state: State) -> None:
        books = self.books
        hold(list(state.wall) == books.wall, "the wall is what is left of it (BB-6)")
        hold(
            [sorted(hand) for hand in books.hands] == [list(hand) for hand in state.hands], "hands are as written down"
        )
        melds = [[(meld.kind, meld.tile) for meld in melds] for melds in state.melds]
        hold(melds == books.melds, "melds are as written down", melds)
        hold(state.away == books.away and state.locked == books.locked, "who is away and locked is as written down")
        hold(state.win_locked == books.win_locked, "who passed a win is as written down (BB-19)", state.win_locked)
        for kong, note in zip(state.kongs, books.kongs, strict=True):
            same = (kong.owing, kong.amount, kong.receivers) == (note.owing, note.amount, note.receivers)
            hold(same, "what is owed for a kong is as written down (BB-31)", (kong, note))

    def _nobody_is_bound(self, state: State) -> None:
        """No moment rests where the rules force a move (BB-16, BB-17, BB-60)."""
        books = self.books
        if state.phase is not Phase.TURN:
            return
        seat = books.turn
        hold(state.turn == seat, "the turn is whose it is", seat)
        hold(seat not in books.locked | books.away, "the server plays at once for locked and absent seats", seat)
        if books.has_drawn() and books.must_win():
            hold(not books.completed(seat), "BB-16: a self-drawn win must be taken", seat)

    def options(self, seat: int) -> list[PlayerAction]:
        """What the clauses allow a seat now."""
        books = self.books
        if seat in books.winners or seat in books.away:
            return []
        question = books.asked
        if question is None:
            return self._turn_options(seat) if books.turn == seat else self._lock_options(seat)
        choices = self.choices(seat)
        moves = [kind(seat) for kind, choice in CHOICES.items() if choice in choices]
        if question.answers.get(seat, Choice.PASS) is Choice.PASS:
            moves += self._lock_options(seat)
        return moves

    def _turn_options(self, seat: int) -> list[PlayerAction]:
        books = self.books
        hand = sorted(set(books.hands[seat]))
        moves: list[PlayerAction] = [asked.Discard(seat, tile) for tile in hand]
        moves += [asked.Kong(seat, tile) for tile in hand if reckoning.kong_possible(books, seat, tile)]
        if books.source is not DrawSource.CLAIM and books.completed(seat):
            moves.append(asked.Win(seat))
        return moves

    def _lock_options(self, seat: int) -> list[PlayerAction]:
        ready = seat not in self.books.locked and self.books.waits(seat)
        return [asked.Lock(seat)] if ready else []

    def choices(self, seat: int) -> set[Choice]:
        """What a seat may answer (BB-10, BB-14..17)."""
        books, question = self.books, self.books.asked
        assert question is not None
        if seat == question.seat or seat in books.locked | books.away or seat in question.answers:
            return set()
        found = set()
        if books.could_win_asked(seat):
            if books.must_win():
                return set()
            found.add(Choice.WIN)
        held = 0 if question.robbery else books.hands[seat].count(question.tile)
        if held >= 2:
            found.add(Choice.PUNG)
        if held >= 3 and books.wall:
            found.add(Choice.KONG)
        return found | {Choice.PASS} if found else set()

    # --- opening and draws ------------------------------------------------------------------

    def _opened(self, event: happened.Opened, action: Action | None) -> None:
        dice = event.dice
        breaker = (event.dealer + BREAKER_OF_SUM[dice[0] + dice[1]]) % SEAT_COUNT
        start = (breaker * 18 + (min(dice) - 1) * 2) % len(event.wall)
        hold(event.wall_start == start, "BB-3: drawing starts where the dice say", (dice, event.wall_start, start))
        known = (event.ruleset, event.dealer, event.wall) == (
            self._setup.ruleset,
            self._setup.dealer,
            self._setup.wall,
        )
        hold(known, "a deal opens by the rules and the wall it was given")

    def _dealt(self, event: happened.Dealt, action: Action | None) -> None:
        wall = list(self.books.wall)
        hands: list[list[int]] = [[] for _ in range(SEAT_COUNT)]
        around = [self.books.dealer, *self.books.after(self.books.dealer)]
        for portion in PORTIONS:
            for seat in around:
                hands[seat] += wall[:portion]
                del wall[:portion]
        hands[self.books.dealer].append(wall[0])
        hold([sorted(hand) for hand in hands] == list(map(list, event.hands)), "BB-4: who is dealt what")

    def _drawn(self, event: happened.Drawn, action: Action | None) -> None:
        books = self.books
        self._nothing_claimed(action)
        hold(len(books.playing()) > 1, "BB-11: nobody draws when one is left")
        hold(bool(books.wall), "BB-11: nobody draws from an empty wall")
        hold(event.tile == books.wall[0], "BB-6: the next tile of the wall is drawn", event)
        seat, source = self._next_draw()
        hold((event.seat, event.source) == (seat, source), "BB-13: who draws next", (event, seat, source))

    def _next_draw(self) -> tuple[int, DrawSource]:
        books, last = self.books, self.books.last
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
        if books.asked is None:
            return
        hold(isinstance(action, asked.CloseQuestion), "a question is closed by the table", action)
        hold(not books.winners_now(), "a win that was claimed or forced stands", books.winners_now())
        claims = books.claims_now(Choice.KONG) + books.claims_now(Choice.PUNG)
        hold(not claims, "a claim stands", claims)

    # --- turns ------------------------------------------------------------------------------

    def _discarded(self, event: happened.Discarded, action: Action | None) -> None:
        books, seat = self.books, event.seat
        hold(books.asked is None and seat == books.turn, "only whose turn it is discards", event)
        bound = books.has_drawn() and (books.must_win() or seat in books.locked)
        hold(not (bound and books.completed(seat)), "BB-16, BB-17: a bound seat wins and does not discard", event)
        if isinstance(action, asked.Discard):
            hold((action.seat, action.tile) == (seat, event.tile), "a player discards what he says", (action, event))
            return
        timed_out = isinstance(action, asked.Timeout) and action.seat == seat
        hold(timed_out or seat in books.away | books.locked, "the server discards for nobody else", event)
        tile = max(books.hands[seat]) if books.drawn is None else books.drawn
        hold(event.tile == tile, "PF-21, BB-60: the tile drawn, else the last in display order", (event, tile))

    def _konged(self, event: happened.Konged, action: Action | None) -> None:
        books, seat = self.books, event.seat
        hold(bool(books.wall), "BB-6: no kong when the wall is empty", event)
        if event.kind is MeldKind.EXPOSED_KONG:
            self._claimed(event, action, Choice.KONG, copies=3)
            hold(event.owing == (event.from_seat,), "BB-30: the discarder pays an exposed kong", event)
            return
        hold(books.asked is None and seat == books.turn, "only whose turn it is declares a kong", event)
        hold(isinstance(action, asked.Kong) and action.seat == seat, "a kong is declared by its owner", action)
        kind = reckoning.kong_possible(books, seat, event.tile)
        hold(event.kind is kind, "BB-10: the kind of a kong is derived", (event, kind))
        owing = tuple(books.still_playing_after(seat))
        hold(event.owing == owing, "BB-30: everybody who has not won owes for a kong", (event, owing))

    def _melded(self, event: happened.Melded, action: Action | None) -> None:
        self._claimed(event, action, Choice.PUNG, copies=2)
        kongs = self.books.claims_now(Choice.KONG)
        hold(not kongs, "a kong goes before a pung", kongs)

    def _claimed(
        self, event: happened.Melded | happened.Konged, action: Action | None, choice: Choice, copies: int
    ) -> None:
        books, question = self.books, self.books.asked
        assert question is not None, event
        hold(isinstance(action, asked.CloseQuestion), "a question is closed by the table", action)
        hold(not books.winners_now(), "BB-14: a win beats pung and kong", event)
        hold(event.seat in books.claims_now(choice), "who melds has claimed it", event)
        hold((event.from_seat, event.tile) == (question.seat, question.tile), "the tile asked about is melded", event)
        hold(books.hands[event.seat].count(event.tile) >= copies, "BB-10: who melds holds the others", event)

    def _answered(self, event: happened.Answered, action: Action | None) -> None:
        choices = self.choices(event.seat)
        hold(event.choice in choices, "only who is asked answers", (event, choices))
        own = action is not None and CHOICES.get(type(action)) is event.choice
        hold(own and getattr(action, "seat", None) == event.seat, "an answer is its player's", (event, action))

    def _locked(self, event: happened.Locked, action: Action | None) -> None:
        hold(action in self._lock_options(event.seat), "BB-17: a ready player locks his own hand", (event, action))
        turn = self.books.asked is None and self.books.turn == event.seat
        hold(not turn, "BB-17: who holds a tile to discard does not lock", event)

    def _presence(self, event: happened.WentAway | happened.CameBack, action: Action | None) -> None:
        kind = asked.Leave if isinstance(event, happened.WentAway) else asked.Return
        hold(action == kind(event.seat), "presence is what the table says", (event, action))
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
        moved = reckoning.transferred(books) if event.by is WinBy.DISCARD else ()
        hold(event.transferred == moved, "BB-33: whose rain is transferred", (event.transferred, moved))
        for winner in event.winners:
            self._winner(event, winner)

    def _self_drawn(self, event: happened.Won, action: Action | None) -> None:
        books, seat = self.books, event.winners[0].seat
        hold(
            len(event.winners) == 1 and seat == books.turn and books.asked is None, "one seat wins its own draw", event
        )
        hold(books.source is not DrawSource.CLAIM and books.completed(seat), "BB-20: a winning shape", event)
        bound = books.has_drawn() and (books.must_win() or seat in books.locked)
        hold(action == asked.Win(seat) or bound, "a win is claimed or forced", (event, action))
        hold((event.tile, event.from_seat) == (books.drawn, None), "the tile drawn is won", event)

    def _winner(self, event: happened.Won, winner: happened.WinnerResult) -> None:
        books, seat = self.books, winner.seat
        tile = None if event.by is WinBy.SELF else event.tile
        values, amount = reckoning.worth(books, seat, tile, event.by)
        got = [(fan.fan_id, fan.name_zh, fan.value) for fan in winner.fans]
        named = [(name, zh, values[name]) for name, zh, _ in reckoning.FAN_ROWS if name in values]
        hold(got == named, "BB-22, BB-53: the fans of a win", (got, named))
        hold(winner.fan_total == sum(values.values()), "BB-22: fans add up", winner)
        hold(winner.amount == amount, "BB-21: each fan doubles", (winner, amount))
        hold(winner.rank == len(books.wins) + 1, "BB-12: winners on one tile share a rank", winner)
        payers = books.still_playing_after(seat) if event.by is WinBy.SELF else [event.from_seat]
        asked_for = [(line.payer, line.payee, line.amount, line.cause) for line in winner.payments]
        wanted = [(payer, seat, amount, "win") for payer in payers]
        hold(asked_for == wanted, "BB-23, BB-25, BB-52: who pays a win", (asked_for, wanted))

    def _ended(self, event: happened.Ended, action: Action | None) -> None:
        books = self.books
        self._nothing_claimed(action)
        hold(isinstance(books.last, happened.Discarded | happened.Won), "BB-11: when a deal ends", books.last)
        one_left = len(books.playing()) <= 1
        hold(one_left or not books.wall, "BB-11: a deal ends when one is left or the wall is empty", event)
        cause = EndCause.ONE_LEFT if one_left else EndCause.WALL_EMPTY
        hold(event.cause is cause, "BB-11: why a deal ends", event)
        check = reckoning.ready_check(books)
        got = {row.seat: row.amount for row in event.checks}
        hold(got == check, "BB-40, BB-42: the ready check", (got, check))
        hold(all(row.ready == (row.amount > 0) for row in event.checks), "BB-40: who is ready", event.checks)
        outcomes = tuple(reckoning.outcome(books, kong, check) for kong in books.kongs)
        hold(event.kong_outcomes == outcomes, "BB-32: what becomes of each kong", (event.kong_outcomes, outcomes))
        lines = [(line.payer, line.payee, line.amount, line.cause) for line in event.payments]
        wanted = reckoning.end_payments(books)
        hold(lines == wanted, "BB-30..33, BB-40, BB-50, BB-52: the money of the end", (lines, wanted))
        hold(event.next_dealer == reckoning.next_dealer(books), "BB-5: who deals next", event.next_dealer)
        hands = [sorted(hand) for hand in books.hands]
        hold(list(map(list, event.hands)) == hands, "the hands are shown as they are", hands)


_JUDGES: dict[type, Callable[[Referee, Any, Action | None], None]] = {
    happened.Opened: Referee._opened,
    happened.Dealt: Referee._dealt,
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
