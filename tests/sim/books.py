"""A deal of 四人血战 kept a second time, from its events alone and with none of the code under test.

`Books` is what a careful bystander who sees every tile would write down. The referee judges
each event by them, and the clauses say by them which rule an event exercised.
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

SEAT_COUNT = 4
MUST_WIN_LEFT = 3
"""BB-16: three or fewer tiles left after the draw."""

OWED_BASES = {MeldKind.CONCEALED_KONG: 2, MeldKind.ADDED_KONG: 1, MeldKind.EXPOSED_KONG: 2}
"""BB-30."""


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
    """A tile somebody may claim; `answers` are private."""

    seat: int
    tile: int
    robbery: bool
    answers: dict[int, Choice] = field(default_factory=dict)


class Books:
    """What has happened so far."""

    def __init__(self, ruleset: Ruleset, dealer: int) -> None:
        self.ruleset = ruleset
        self.dealer = dealer
        self.wall: list[int] = []
        self.wall_length = 0
        self.draw_count = 0
        self.dealt = False
        self.hands: list[list[int]] = [[] for _ in range(SEAT_COUNT)]
        self.melds: list[list[tuple[MeldKind, int]]] = [[] for _ in range(SEAT_COUNT)]
        self.discards: list[tuple[int, int]] = []
        self.asked: Asked | None = None
        self.locked: set[int] = set()
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
        self.ended: happened.Ended | None = None

    # --- questions about the deal ----------------------------------------------------------

    def after(self, seat: int) -> list[int]:
        """The other seats in turn order."""
        return [(seat + step) % SEAT_COUNT for step in range(1, SEAT_COUNT)]

    def playing(self) -> list[int]:
        """Who has not won, from seat 0."""
        return [seat for seat in range(SEAT_COUNT) if seat not in self.winners]

    def still_playing_after(self, seat: int) -> list[int]:
        """Who has not won, in turn order from a seat, which is left out."""
        return [other for other in self.after(seat) if other not in self.winners]

    def must_win(self) -> bool:
        """BB-16: from the draw of the fourth tile from the end on, not before the first draw."""
        return self.draw_count > 0 and len(self.wall) <= MUST_WIN_LEFT

    def meld_tiles(self, seat: int) -> tuple[int, ...]:
        """All tiles of a seat's melds."""
        return tuple(tile for kind, tile in self.melds[seat] for _ in range(3 if kind is MeldKind.PUNG else 4))

    def waits(self, seat: int) -> tuple[int, ...]:
        """What completes a hand that holds no tile to discard."""
        return brute.waits(
            tuple(sorted(self.hands[seat])),
            self.meld_tiles(seat),
            kinds=self.ruleset.kinds,
            meld_count=len(self.melds[seat]),
            pairs_win=True,
        )

    def completed(self, seat: int) -> bool:
        """Whether the hand, the tile just drawn among it, is a winning shape."""
        tiles = tuple(sorted(self.hands[seat]))
        return brute.completes(tiles, meld_count=len(self.melds[seat]), pairs_win=True)

    def has_drawn(self) -> bool:
        """Whether the turn that stands began with a tile from the wall."""
        return self.source in (DrawSource.WALL, DrawSource.REPLACEMENT)

    def could_win_asked(self, seat: int) -> bool:
        """Whether the seat may win on the tile that is asked about, answered or not."""
        asked = self.asked
        assert asked is not None
        out = seat == asked.seat or seat in self.winners or seat in self.win_locked
        return not out and asked.tile in self.waits(seat)

    def forced(self, seat: int) -> bool:
        """Whether the rules make the seat a winner on the tile that is asked about (BB-16, BB-17)."""
        asked = self.asked
        assert asked is not None
        bound = self.must_win() or seat in self.locked
        return bound and seat not in asked.answers and self.could_win_asked(seat)

    def winners_now(self) -> list[int]:
        """Who wins on the tile that is asked about, in turn order from its owner."""
        asked = self.asked
        assert asked is not None
        return [seat for seat in self.after(asked.seat) if asked.answers.get(seat) is Choice.WIN or self.forced(seat)]

    def claims_now(self, choice: Choice) -> list[int]:
        """Who has answered the question so."""
        assert self.asked is not None
        return [seat for seat, answer in self.asked.answers.items() if answer is choice]

    # --- notes -------------------------------------------------------------------------------

    def note(self, event: Event) -> None:
        """Write an event down."""
        _NOTES[type(event)](self, event)
        if not isinstance(event, happened.Answered | happened.Locked | happened.WentAway | happened.CameBack):
            self.last = event

    def _opened(self, event: happened.Opened) -> None:
        start = event.wall_start
        self.wall = [*event.wall[start:], *event.wall[:start]]
        self.wall_length = len(event.wall)

    def _dealt(self, event: happened.Dealt) -> None:
        self.dealt = True
        self.hands = [list(hand) for hand in event.hands]
        del self.wall[: sum(map(len, event.hands))]

    def _drawn(self, event: happened.Drawn) -> None:
        self._close_question(())
        del self.wall[0]
        self.draw_count += 1
        self.hands[event.seat].append(event.tile)
        self.turn, self.source, self.drawn = event.seat, event.source, event.tile
        if event.source is DrawSource.WALL:
            self.turn_kongs = []
        self.win_locked.discard(event.seat)

    def _discarded(self, event: happened.Discarded) -> None:
        self.hands[event.seat].remove(event.tile)
        self.discards.append((event.seat, event.tile))
        self.drawn = None
        self.asked = Asked(event.seat, event.tile, robbery=False)

    def _answered(self, event: happened.Answered) -> None:
        assert self.asked is not None
        self.asked.answers[event.seat] = event.choice

    def _melded(self, event: happened.Melded) -> None:
        self._close_question(())
        self._take(event.seat, event.tile, 2)
        self.melds[event.seat].append((MeldKind.PUNG, event.tile))
        self.turn, self.source, self.drawn, self.turn_kongs = event.seat, DrawSource.CLAIM, None, []

    def _konged(self, event: happened.Konged) -> None:
        amount = OWED_BASES[event.kind] * self.ruleset.stake
        if event.kind is MeldKind.EXPOSED_KONG:
            self._close_question(())
            self._take(event.seat, event.tile, 3)
            self.turn, self.turn_kongs = event.seat, []
        elif event.kind is MeldKind.CONCEALED_KONG:
            self._take(event.seat, event.tile, 4)
        else:
            self._take(event.seat, event.tile, 1)
            self.asked = Asked(event.seat, event.tile, robbery=True)
        self.drawn = None
        self._lay(event.seat, event.kind, event.tile)
        self.turn_kongs.append(len(self.kongs))
        self.kongs.append(KongNote(event.seat, event.kind, event.tile, event.owing, amount))

    def _won(self, event: happened.Won) -> None:
        seats = tuple(winner.seat for winner in event.winners)
        self._close_question(seats)
        for index in event.transferred:
            self.kongs[index].receivers = seats
        if event.by is WinBy.ROB:
            assert event.from_seat is not None
            assert event.tile is not None
            self.kongs[-1].robbed = True
            melds = self.melds[event.from_seat]
            melds[melds.index((MeldKind.ADDED_KONG, event.tile))] = (MeldKind.PUNG, event.tile)
        self.wins.append(event)
        self.winners += seats

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

    def _lay(self, seat: int, kind: MeldKind, tile: int) -> None:
        """A kong on the table: an added one where its pung lies."""
        melds = self.melds[seat]
        if (MeldKind.PUNG, tile) in melds:
            melds[melds.index((MeldKind.PUNG, tile))] = (kind, tile)
        else:
            melds.append((kind, tile))

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
        if self.ruleset.option("pass_locks_win"):
            self.win_locked |= missed
        self.asked = None


_NOTES: dict[type, Callable[[Books, Any], None]] = {
    happened.Opened: Books._opened,
    happened.Dealt: Books._dealt,
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
