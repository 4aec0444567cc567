"""A deal kept a second time, from its events alone and with none of the code under test.

`Books` is what a careful bystander who sees every tile would write down. The referee judges
each event by them, and the clauses say by them which rule an event exercised. What differs
from variant to variant is asked of its `House`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from games.mahjong import events as happened
from games.mahjong.actions import Choice
from games.mahjong.events import DrawSource, Event
from games.mahjong.hand import WinBy
from games.mahjong.melds import MeldKind
from games.mahjong.ruleset import Ruleset
from tests.contract import brute
from tests.sim.houses.house import House, Worth
from tests.sim.houses.of import house_of
from tests.sim.wall import Wall

CHOWS = {Choice.CHOW_LOW: (1, 2), Choice.CHOW_MIDDLE: (-1, 1), Choice.CHOW_HIGH: (-2, -1)}
"""Own tiles of a chow, from the claimed one: it is the lowest, the middle, the highest."""
MELD_CLAIMS = (Choice.KONG, Choice.PUNG)
BESIDE = (happened.Answered, happened.Locked, happened.WentAway, happened.CameBack, happened.Declared)
"""Events that change nothing about who moves next."""


@dataclass
class MeldNote:
    """A set on the table."""

    kind: MeldKind
    tile: int
    from_seat: int | None = None
    shared: bool = False

    @property
    def tiles(self) -> tuple[int, ...]:
        """All its tiles."""
        if self.kind is MeldKind.CHOW:
            return (self.tile, self.tile + 1, self.tile + 2)
        return (self.tile,) * (3 if self.kind is MeldKind.PUNG else 4)


@dataclass
class KongNote:
    """A kong as the bystander notes it; `receivers` where its rain was transferred."""

    seat: int
    kind: MeldKind
    tile: int
    owing: tuple[int, ...]
    amount: int
    robbed: bool = False
    receivers: tuple[int, ...] = ()


@dataclass
class Asked:
    """A tile somebody may claim, None where hands are declared; `answers` are private."""

    seat: int
    tile: int | None
    robbery: bool
    answers: dict[int, Choice] = field(default_factory=dict)


class Books:
    """What has happened so far."""

    def __init__(self, ruleset: Ruleset, dealer: int, deal_index: int = 0, draws_in_row: int = 0) -> None:
        self.ruleset = ruleset
        self.house: House = house_of(ruleset.variant)
        self.dealer = dealer
        self.deal_index = deal_index
        self.draws_in_row = draws_in_row
        count = self.house.seat_count
        self.wall = Wall()
        self.wall_length = 0
        self.draw_count = 0
        self.dealt = self.began = self.offered = False
        self.hands: list[list[int]] = [[] for _ in range(count)]
        self.melds: list[list[MeldNote]] = [[] for _ in range(count)]
        self.flowers: list[list[int]] = [[] for _ in range(count)]
        self.discards: list[tuple[int, int]] = []
        self.open_discards: list[int] = []
        self.asked: Asked | None = None
        self.shared: Asked | None = None
        self.locked: set[int] = set()
        self.declared: set[int] = set()
        self.away: set[int] = set()
        self.returned: set[int] = set()
        self.passed: set[int] = set()
        self.win_locked: set[int] = set()
        self.wins: list[happened.Won] = []
        self.winners: list[int] = []
        self.kongs: list[KongNote] = []
        self.turn = dealer
        self.source = DrawSource.DEAL
        self.drawn: int | None = None
        self.turn_kongs: list[int] = []
        self.last: Event | None = None
        self.before: Event | None = None
        self.ended: happened.Ended | None = None

    # --- questions about the deal ----------------------------------------------------------

    def after(self, seat: int) -> list[int]:
        """The other seats in turn order."""
        count = self.house.seat_count
        return [(seat + step) % count for step in range(1, count)]

    def around(self) -> list[int]:
        """All seats in turn order, the dealer first."""
        return [self.dealer, *self.after(self.dealer)]

    def playing(self) -> list[int]:
        """Who has not won, from seat 0."""
        return [seat for seat in range(self.house.seat_count) if seat not in self.winners]

    def still_playing_after(self, seat: int) -> list[int]:
        """Who has not won, in turn order from a seat, which is left out."""
        return [other for other in self.after(seat) if other not in self.winners]

    def must_win(self) -> bool:
        """BB-16: from the draw of the fourth tile from the end on, not before the first draw."""
        return self.house.must_win and self.draw_count > 0 and len(self.wall) <= MUST_WIN_LEFT

    def last_tile(self) -> bool:
        """Whether the last tile has been drawn."""
        return self.draw_count > 0 and not self.wall

    def meld_tiles(self, seat: int) -> tuple[int, ...]:
        """All tiles of a seat's melds."""
        return tuple(tile for meld in self.melds[seat] for tile in meld.tiles)

    def waits(self, seat: int) -> tuple[int, ...]:
        """What completes a hand that holds no tile to discard."""
        return self.waits_of(seat, self.hands[seat])

    def waits_of(self, seat: int, hand: list[int]) -> tuple[int, ...]:
        """What completes these concealed tiles beside a seat's melds."""
        return brute.waits(
            tuple(sorted(hand)),
            self.meld_tiles(seat),
            kinds=self.ruleset.kinds,
            meld_count=len(self.melds[seat]),
            pairs_win=self.house.pairs_win,
        )

    def worth(self, seat: int, tile: int | None, by: WinBy | None) -> Worth | None:
        """What a seat's hand is worth now, with a tile of another seat where one is named; None if it may not win."""
        return self.house.worth(self, seat, tile, by)

    def completed(self, seat: int) -> bool:
        """Whether the seat may win by the tiles in its hand, the one just drawn among them."""
        if self.offered:
            return seat == self.turn
        return self.source is not DrawSource.CLAIM and self.worth(seat, None, WinBy.SELF) is not None

    def has_drawn(self) -> bool:
        """Whether the turn that stands began with a tile from the wall."""
        return self.source in (DrawSource.WALL, DrawSource.REPLACEMENT)

    def leaves_ready(self, seat: int) -> list[int]:
        """Tiles whose discard leaves the seat ready (BB-18)."""
        hand = self.hands[seat]
        return [tile for tile in sorted(set(hand)) if self.waits_of(seat, list(brute.without(tuple(hand), [tile])))]

    def declares_with_discard(self, seat: int) -> bool:
        """Whether the dealer has declared and has yet to discard (BB-18)."""
        return seat in self.declared and seat not in self.locked

    def could_win_asked(self, seat: int) -> bool:
        """Whether the seat may win on the tile that is asked about, answered or not."""
        asked = self.asked
        assert asked is not None
        out = asked.tile is None or seat == asked.seat or seat in self.winners or seat in self.win_locked
        by = WinBy.ROB if asked.robbery else WinBy.DISCARD
        return not out and self.worth(seat, asked.tile, by) is not None

    def forced(self, seat: int) -> bool:
        """Whether the rules make the seat a winner on the tile that is asked about (BB-16..18)."""
        asked = self.asked
        assert asked is not None
        bound = self.must_win() or seat in self.locked
        return bound and seat not in asked.answers and self.could_win_asked(seat)

    def winners_now(self) -> list[int]:
        """Who wins on the tile that is asked about, in turn order from its owner."""
        asked = self.asked
        assert asked is not None
        found = [seat for seat in self.after(asked.seat) if asked.answers.get(seat) is Choice.WIN or self.forced(seat)]
        return found if self.house.several else found[:1]

    def claims_now(self, choice: Choice) -> list[int]:
        """Who has answered the question so."""
        assert self.asked is not None
        return [seat for seat, answer in self.asked.answers.items() if answer is choice]

    def melder_now(self, question: Asked) -> tuple[int, Choice] | None:
        """Who melds the tile that is asked about, if nobody's win forbids it: kong and pung before chow."""
        for choices in (MELD_CLAIMS, tuple(CHOWS)):
            for seat in self.after(question.seat):
                choice = question.answers.get(seat)
                if choice in choices:
                    return seat, choice
        return None

    # --- notes -------------------------------------------------------------------------------

    def note(self, event: Event) -> None:
        """Write an event down."""
        _NOTES[type(event)](self, event)
        if not isinstance(event, BESIDE):
            self.before, self.last = self.last, event

    def _opened(self, event: happened.Opened) -> None:
        order = [*event.wall[event.wall_start :], *event.wall[: event.wall_start]]
        live = len(order) - event.tail_count
        self.wall = Wall(order[:live], order[live:][::-1], event.undrawn_count, self.house.replacement)
        self.wall_length = len(event.wall)

    def _dealt(self, event: happened.Dealt) -> None:
        self.dealt = True
        self.hands = [list(hand) for hand in event.hands]
        for _ in range(sum(map(len, event.hands))):
            self.wall.take(DrawSource.WALL, None)
        if not self.house.flowers:
            self._began(None)

    def _began(self, event: happened.Began | None) -> None:
        self.began = True
        self.turn = self.dealer
        if self.house.declares:
            self.asked = Asked(self.dealer, None, robbery=False)

    def _flowered(self, event: happened.Flowered) -> None:
        self.hands[event.seat].remove(event.tile)
        self.flowers[event.seat].append(event.tile)
        self.turn, self.drawn = event.seat, None
        self.offered = len(self.flowers[event.seat]) == self.house.offer_count > 0
        if not self.offered:
            self._no_replacement()

    def _declined(self, event: happened.Declined) -> None:
        self.offered = False
        self._no_replacement()

    def _no_replacement(self) -> None:
        """With nothing left to draw a flower's owner only discards."""
        if self.began and self.wall.spent(DrawSource.FLOWER, opening=False):
            self.source = DrawSource.CLAIM

    def _drawn(self, event: happened.Drawn) -> None:
        self._close_question(())
        self.wall.take(event.source, event.die)
        self.hands[event.seat].append(event.tile)
        if not self.began:
            return
        self.draw_count += 1
        self.turn, self.source, self.drawn = event.seat, event.source, event.tile
        if event.source is DrawSource.WALL:
            self.turn_kongs = []
        self.win_locked.discard(event.seat)

    def _discarded(self, event: happened.Discarded) -> None:
        self.hands[event.seat].remove(event.tile)
        self.discards.append((event.seat, event.tile))
        self.open_discards.append(event.tile)
        self.drawn = None
        self.locked |= self.declared & {event.seat}
        self.asked = Asked(event.seat, event.tile, robbery=False)

    def _answered(self, event: happened.Answered) -> None:
        assert self.asked is not None
        self.asked.answers[event.seat] = event.choice

    def _declared(self, event: happened.Declared) -> None:
        self.asked = None
        self.declared |= set(event.seats)
        self.locked |= set(event.seats) - {self.dealer}

    def _claimed(self, event: happened.Melded | happened.Konged) -> None:
        """The discard leaves the table, unless it was won and is shared (BB-14)."""
        if not event.shared:
            self.open_discards.pop()
        self._close_question(())
        self.shared = None

    def _melded(self, event: happened.Melded) -> None:
        self._claimed(event)
        kind = MeldKind.PUNG if event.lowest is None else MeldKind.CHOW
        lowest = event.tile if event.lowest is None else event.lowest
        meld = MeldNote(kind, lowest, event.from_seat, event.shared)
        for tile in brute.without(meld.tiles, [event.tile]):
            self.hands[event.seat].remove(tile)
        self.melds[event.seat].append(meld)
        self.turn, self.source, self.drawn, self.turn_kongs = event.seat, DrawSource.CLAIM, None, []

    def _konged(self, event: happened.Konged) -> None:
        amount = self.house.rain_bases.get(event.kind, 0) * self.ruleset.stake
        if event.kind is MeldKind.EXPOSED_KONG:
            self._claimed(event)
            self._take(event.seat, event.tile, 3)
            self.turn, self.turn_kongs = event.seat, []
            self.melds[event.seat].append(MeldNote(event.kind, event.tile, event.from_seat, event.shared))
        elif event.kind is MeldKind.CONCEALED_KONG:
            self._take(event.seat, event.tile, 4)
            self.melds[event.seat].append(MeldNote(event.kind, event.tile))
        else:
            self._take(event.seat, event.tile, 1)
            self._turn_meld(event.seat, event.tile, MeldKind.PUNG, MeldKind.ADDED_KONG)
            self.asked = Asked(event.seat, event.tile, robbery=True)
        self.drawn = None
        self.turn_kongs.append(len(self.kongs))
        self.kongs.append(KongNote(event.seat, event.kind, event.tile, event.owing, amount))

    def _turn_meld(self, seat: int, tile: int, before: MeldKind, after: MeldKind) -> None:
        meld = next(meld for meld in self.melds[seat] if (meld.kind, meld.tile) == (before, tile))
        meld.kind = after

    def _won(self, event: happened.Won) -> None:
        seats = tuple(winner.seat for winner in event.winners)
        question = self.asked
        self._close_question(seats)
        self.offered = False
        for index in event.transferred:
            self.kongs[index].receivers = seats
        if event.by is WinBy.ROB:
            assert event.from_seat is not None and event.tile is not None
            self._robbed(event.from_seat, event.tile, seats)
        elif question is not None and self.house.shares:
            self.shared = question
        self.wins.append(event)
        self.winners += seats

    def _robbed(self, owner: int, tile: int, robbers: tuple[int, ...]) -> None:
        """BB-15: the kong falls, or stands and its rain is the robbers'."""
        kong = self.kongs[-1]
        kong.robbed = True
        if self.house.robbed_stands:
            kong.owing = tuple(seat for seat in kong.owing if seat not in robbers)
            kong.receivers = robbers
        else:
            self._turn_meld(owner, tile, MeldKind.ADDED_KONG, MeldKind.PUNG)

    def _locked(self, event: happened.Locked) -> None:
        self.locked.add(event.seat)

    def _went_away(self, event: happened.WentAway) -> None:
        self.away.add(event.seat)

    def _came_back(self, event: happened.CameBack) -> None:
        self.away.discard(event.seat)
        self.returned.add(event.seat)

    def _ended(self, event: happened.Ended) -> None:
        self._close_question(())
        self.ended = event

    def _take(self, seat: int, tile: int, copies: int) -> None:
        for _ in range(copies):
            self.hands[seat].remove(tile)

    def _close_question(self, winners: tuple[int, ...]) -> None:
        """The question is gone; who could have won and did not is remembered (BB-19)."""
        if self.asked is None:
            return
        missed = {seat for seat in self.playing() if seat not in winners and self.could_win_asked(seat)}
        self.passed |= missed
        self.passed -= set(winners)
        if dict(self.ruleset.options).get("pass_locks_win"):
            self.win_locked |= missed
        self.asked = None


MUST_WIN_LEFT = 3
"""BB-16: three or fewer tiles left after the draw."""

_NOTES: dict[type, Callable[[Books, Any], None]] = {
    happened.Opened: Books._opened,
    happened.Dealt: Books._dealt,
    happened.Began: Books._began,
    happened.Flowered: Books._flowered,
    happened.Declined: Books._declined,
    happened.Declared: Books._declared,
    happened.Drawn: Books._drawn,
    happened.Discarded: Books._discarded,
    happened.Answered: Books._answered,
    happened.Melded: Books._melded,
    happened.Konged: Books._konged,
    happened.Won: Books._won,
    happened.Locked: Books._locked,
    happened.WentAway: Books._went_away,
    happened.CameBack: Books._came_back,
    happened.Ended: Books._ended,
}
