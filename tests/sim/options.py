"""Judges the moments at which a deal rests: what stands on the table, and who may do what by the clauses."""

from games.mahjong import actions as asked
from games.mahjong.actions import Choice, PlayerAction
from games.mahjong.events import DrawSource
from games.mahjong.game import GAME
from games.mahjong.melds import MeldKind
from games.mahjong.state import Phase, State
from tests.sim.books import CHOWS, Books
from tests.sim.laws import hold

CHOICES = {
    asked.Win: Choice.WIN,
    asked.Kong: Choice.KONG,
    asked.Pung: Choice.PUNG,
    asked.Declare: Choice.DECLARE,
    asked.Pass: Choice.PASS,
}
LAST_RUN_TILE = 26


class Options:
    """What the clauses allow as the books stand."""

    def __init__(self, books: Books) -> None:
        self._books = books

    def rest(self, state: State) -> None:
        """Judge a resting moment against the state."""
        self._same_table(state)
        books = self._books
        if not books.dealt or books.ended:
            return
        self._nobody_is_bound(state)
        for seat in range(books.house.seat_count):
            expected = set(self.of(seat))
            got = GAME.legal(state, seat)
            hold(len(got) == len(set(got)), "an option is offered once", got)
            hold(set(got) == expected, "the options are those of the clauses", (seat, got, expected))

    def _same_table(self, state: State) -> None:
        books = self._books
        hold(list(state.wall) == books.wall.tiles(), "the wall is what is left of it (BB-6)")
        hold(list(state.tail) == books.wall.tail, "the tail is what is left of it")
        hold(state.left == len(books.wall) or not books.wall, "what may still be drawn (DZ-6)", state.left)
        hands = [sorted(hand) for hand in books.hands]
        hold(hands == [list(hand) for hand in state.hands], "hands are as written down")
        hold([list(tiles) for tiles in state.flowers] == books.flowers, "flowers are as written down")
        melds = [[(meld.kind, meld.tile, meld.from_seat, meld.shared) for meld in melds] for melds in state.melds]
        noted = [[(meld.kind, meld.tile, meld.from_seat, meld.shared) for meld in melds] for melds in books.melds]
        hold(melds == noted, "melds are as written down", melds)
        hold(state.away == books.away or books.ended is not None, "who is away is as written down")
        hold(state.locked == books.locked and state.declared == books.declared, "who is locked is as written down")
        hold(state.win_locked == books.win_locked, "who passed a win is as written down (BB-19)", state.win_locked)
        for kong, note in zip(state.kongs, books.kongs, strict=True):
            same = (kong.owing, kong.amount, kong.receivers) == (note.owing, note.amount, note.receivers)
            hold(same, "what is owed for a kong is as written down (BB-31)", (kong, note))

    def _nobody_is_bound(self, state: State) -> None:
        """No moment rests where the rules force a move (BB-16, BB-17, BB-60)."""
        books = self._books
        if state.phase is not Phase.TURN:
            return
        seat = books.turn
        hold(state.turn == seat, "the turn is whose it is", seat)
        hold(seat not in books.locked | books.away, "the server plays at once for locked and absent seats", seat)
        if books.has_drawn() and books.must_win():
            hold(not books.completed(seat), "BB-16: a self-drawn win must be taken", seat)

    def of(self, seat: int) -> list[PlayerAction]:
        """What the clauses allow a seat now."""
        books = self._books
        if seat in books.winners or seat in books.away:
            return []
        if books.offered:
            return [asked.Win(seat), asked.Decline(seat)] if seat == books.turn else []
        question = books.asked
        if question is None:
            return self._turn(seat) if books.turn == seat else self.lock_options(seat)
        choices = self.choices(seat)
        moves: list[PlayerAction] = [kind(seat) for kind, choice in CHOICES.items() if choice in choices]
        for choice in choices & set(CHOWS):
            assert question.tile is not None
            first, second = CHOWS[choice]
            moves.append(asked.Chow(seat, (question.tile + first, question.tile + second)))
        if question.answers.get(seat, Choice.PASS) is Choice.PASS:
            moves += self.lock_options(seat)
        return moves

    def _turn(self, seat: int) -> list[PlayerAction]:
        books = self._books
        hand = sorted(set(books.hands[seat]))
        if books.declares_with_discard(seat):
            return [asked.Discard(seat, tile) for tile in books.leaves_ready(seat)]
        moves: list[PlayerAction] = [asked.Discard(seat, tile) for tile in hand]
        moves += [asked.Kong(seat, tile) for tile in hand if self.kong_possible(seat, tile)]
        if books.completed(seat):
            moves.append(asked.Win(seat))
        first = books.house.declares and seat == books.dealer and not books.discards
        if first and books.leaves_ready(seat):
            moves.append(asked.Declare(seat))
        return moves

    def lock_options(self, seat: int) -> list[PlayerAction]:
        """Whether the seat may lock (BB-17)."""
        books = self._books
        ready = books.house.locks and seat not in books.locked and books.waits(seat)
        return [asked.Lock(seat)] if ready else []

    def kong_possible(self, seat: int, tile: int) -> MeldKind | None:
        """The kong the seat could make of its own tiles on its turn (BB-6, BB-10, DZ-6, DZ-11)."""
        books = self._books
        if books.source is DrawSource.CLAIM or not books.wall or books.declares_with_discard(seat):
            return None
        if books.hands[seat].count(tile) == 4:
            return MeldKind.CONCEALED_KONG
        has_pung = any((meld.kind, meld.tile) == (MeldKind.PUNG, tile) for meld in books.melds[seat])
        return MeldKind.ADDED_KONG if has_pung and tile in books.hands[seat] else None

    def choices(self, seat: int) -> set[Choice]:
        """What a seat may answer (BB-10, BB-14..18, SH-5, DZ-9)."""
        books, question = self._books, self._books.asked
        assert question is not None
        out = seat in books.locked | books.away | set(books.winners) or seat in question.answers
        if seat == question.seat or out:
            return set()
        if question.tile is None:
            return {Choice.DECLARE, Choice.PASS} if books.waits(seat) else set()
        found = set()
        if books.could_win_asked(seat):
            if books.must_win():
                return set()
            found.add(Choice.WIN)
        if not question.robbery:
            found |= self._melds(seat, question.seat, question.tile)
        return found | {Choice.PASS} if found else set()

    def _melds(self, seat: int, giver: int, tile: int) -> set[Choice]:
        """Melds the seat's tiles allow of a discard."""
        books = self._books
        if not books.wall and not books.house.last_melds:
            return set()
        hand, found = books.hands[seat], set()
        if hand.count(tile) >= 2:
            found.add(Choice.PUNG)
        if hand.count(tile) >= 3 and books.wall:
            found.add(Choice.KONG)
        if seat in books.house.chow_seats(books, giver):
            for choice, steps in CHOWS.items():
                run = sorted((tile, *(tile + step for step in steps)))
                in_suit = run[0] >= 0 and run[2] <= LAST_RUN_TILE and run[0] // 9 == run[2] // 9
                if in_suit and all(tile + step in hand for step in steps):
                    found.add(choice)
        return found
