"""What makes a variant of the family: one frozen value, most of it data."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from games.landlord.cards import Card
from games.landlord.combinations import KickerRule
from games.landlord.table import PlayTable, play_table

if TYPE_CHECKING:
    from games.kernel import Seat
    from games.landlord.events import EndCause, Ended
    from games.landlord.state import State


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a variant decides itself: the few places where data is not enough.

    Attributes:
        must_call: whether a player with this hand may not pass the bidding.
        end: the last event of a deal; the seat is the one who escaped, if that is the cause.
    """

    must_call: Callable[[tuple[Card, ...]], bool]
    end: Callable[["State", "EndCause", "Seat | None"], "Ended"]


@dataclass(frozen=True, slots=True)
class Ruleset:
    """The rules of a deal, money included.

    Attributes:
        variant: id, such as "tingyong".
        version: of the variant's rules; a released one is never edited.
        options: the named options that were chosen, by name.
        stake: as the room has it, in units of the asset.
        seat_count: players.
        hand_size: cards of each player before the bottom cards are taken.
        bottom_count: bottom cards.
        kickers: which kickers a play may have.
        call_score: the base score of a call.
        coins_per_score: units of the room's asset for one score.
        landlord_cap: most the landlord wins or loses, in units of the asset; None for no cap.
        escape_cap: most an escape costs, in units of the asset; None for no cap.
        judgement: what the variant decides itself.
    """

    variant: str
    version: int
    options: tuple[tuple[str, object], ...]
    stake: int
    seat_count: int
    hand_size: int
    bottom_count: int
    kickers: KickerRule
    call_score: int
    coins_per_score: int
    landlord_cap: int | None
    escape_cap: int | None
    judgement: Judgement = field(repr=False)

    @property
    def card_count(self) -> int:
        """Cards in the pack."""
        return self.hand_size * self.seat_count + self.bottom_count

    @property
    def plays(self) -> PlayTable:
        """All plays of these rules; built at the first use."""
        return play_table(self.kickers)
