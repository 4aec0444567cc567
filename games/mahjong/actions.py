"""What is asked of a deal: moves of players, and what clock and table do."""

from dataclasses import dataclass
from enum import StrEnum

from games.kernel import Seat
from games.mahjong.melds import MeldKind
from games.mahjong.tiles import Tile


@dataclass(frozen=True, slots=True)
class Discard:
    """Put a concealed tile on the table."""

    seat: Seat
    tile: Tile


@dataclass(frozen=True, slots=True)
class Pung:
    """Claim the tile in question with two of one's own (BB-10)."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Kong:
    """Claim the tile in question with three of one's own, or declare four after a draw.

    The rules derive the kind (BB-10); a caller that names one is refused if it is another.
    """

    seat: Seat
    tile: Tile | None = None
    kind: MeldKind | None = None


@dataclass(frozen=True, slots=True)
class Win:
    """Win on the tile in question, or by self-draw."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Pass:
    """Leave the tile in question to others."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Lock:
    """Lock a ready hand (BB-17)."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Declare:
    """Declare a ready hand before the first discard (BB-18)."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Deal:
    """The pause after the dice is over: deal the tiles (PF-12)."""


@dataclass(frozen=True, slots=True)
class Timeout:
    """The turn clock of a seat ran out (PF-21)."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class CloseQuestion:
    """The shared question closes; who has not answered passes (PF-21)."""


@dataclass(frozen=True, slots=True)
class Leave:
    """A player is away: the server plays for his seat at once (BB-60)."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Return:
    """An absent player is back in control (BB-61)."""

    seat: Seat


PlayerAction = Discard | Pung | Kong | Win | Pass | Lock | Declare
SystemAction = Deal | Timeout | CloseQuestion | Leave | Return
Action = PlayerAction | SystemAction


class Choice(StrEnum):
    """An answer to a shared question."""

    WIN = "win"
    KONG = "kong"
    PUNG = "pung"
    DECLARE = "declare"
    PASS = "pass"


CHOICE_OF = {Win: Choice.WIN, Kong: Choice.KONG, Pung: Choice.PUNG, Declare: Choice.DECLARE, Pass: Choice.PASS}
