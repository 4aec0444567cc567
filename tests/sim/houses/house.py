"""The shape of a house: what a variant's page says, as a bystander needs it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from games.mahjong.events import EndCause, KongOutcome
from games.mahjong.hand import Situation, WinBy
from games.mahjong.melds import MeldKind

if TYPE_CHECKING:
    from tests.sim.books import Books

Line = tuple[int, int | None, int, str]
"""Payer, payee (None is the system), amount, cause."""


@dataclass(frozen=True, slots=True)
class Worth:
    """What a win is worth.

    Attributes:
        fans: id, Chinese name and value of each row, in table order; None where only the total is worked out.
        total: their sum, as the result states it.
        amount: what one payer is asked for.
        base_sum: where the game has one and it is not open to readings.
    """

    fans: tuple[tuple[str, str, int], ...] | None
    total: int
    amount: int
    base_sum: int | None = None


@dataclass(frozen=True, slots=True)
class Ending:
    """What the end of a deal says.

    Attributes:
        checks: the most each checked seat could win, 0 if it is not ready.
        outcomes: one a kong.
    """

    payments: list[Line]
    next_dealer: int | None
    checks: dict[int, int]
    outcomes: tuple[KongOutcome, ...]


class House(ABC):
    """A variant's page.

    Attributes:
        portions: tiles a seat in each round of the deal.
        replacement: where kongs and flowers are replaced: "next", "tail" or "die".
        offer_count: flowers at which a win is offered; 0 for never.
        contradiction_rule: number of the rule that refuses contradictory input.
        robbed_stands: whether a robbed kong stays one.
    """

    seat_count = 4
    portions: tuple[int, ...] = (4, 4, 4, 1)
    opening_dice = 4
    flowers = False
    offer_count = 0
    contradiction_rule = ""
    replacement = "next"
    pairs_win = True
    must_win = locks = declares = shares = robbed_stands = False
    several = True
    win_ends = False
    last_melds = True
    leaving_ends = False
    rain_bases: Mapping[MeldKind, int] = MappingProxyType({})

    @abstractmethod
    def wall_start(self, dealer: int, dice: tuple[int, ...]) -> int:
        """Index in a whole wall where drawing starts."""

    def undrawn(self, books: "Books") -> int:
        """Tiles of a whole wall that stay in it."""
        return 0

    def chow_seats(self, books: "Books", giver: int) -> list[int]:
        """Who may claim a chow of a seat's discard."""
        return []

    @abstractmethod
    def worth(self, books: "Books", seat: int, tile: int | None, by: WinBy | None) -> Worth | None:
        """What a hand is worth now; None if it may not win.

        Args:
            tile: the tile from another seat; None where the hand holds it already.
            by: None leaves the moment out of account.
        """

    @abstractmethod
    def situations(self, books: "Books", seat: int, tile: int, by: WinBy) -> frozenset[Situation]:
        """What else holds as a seat wins on a tile."""

    @abstractmethod
    def asks(self, books: "Books", seat: int, worth: Worth, by: WinBy, owner: int | None) -> list[Line]:
        """Who pays a win, in order."""

    def transferred(self, books: "Books") -> tuple[int, ...]:
        """Kongs whose rain goes to the winners of the discard that is asked about."""
        return ()

    @abstractmethod
    def ending(self, books: "Books", cause: EndCause, escaper: int | None) -> Ending:
        """What the end of the deal says."""


def escape_payments(books: "Books", escaper: int | None) -> list[Line]:
    """PF-23: the penalty alone moves."""
    penalty = books.ruleset.escape_penalty
    return [] if escaper is None or not penalty else [(escaper, None, penalty, "penalty")]


def own_wall_start(dealer: int, dice: tuple[int, ...]) -> int:
    """DZ-3: the dealer's own wall of 18 stacks, at the stack one below the sum."""
    return dealer * 36 + 2 * (dice[0] + dice[1] - 2)
