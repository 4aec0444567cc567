"""What is asked of a deal: moves of players, and what clock and table do."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from games.kernel import Seat
from games.mahjong.melds import MeldKind
from games.mahjong.tiles import HONOURS, Tile


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
class Chow:
    """Claim the tile in question with two of one's own that make a run with it (SH-5, DZ-9)."""

    seat: Seat
    tiles: tuple[Tile, Tile]


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
class Decline:
    """Decline the win offered for all flowers, and play on (SH-11)."""

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
    """A player is gone: the server plays for his seat at once (BB-60), or the deal ends (PF-23)."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Return:
    """An absent player is back in control (BB-61)."""

    seat: Seat


PlayerAction = Discard | Chow | Pung | Kong | Win | Pass | Lock | Declare | Decline
SystemAction = Deal | Timeout | CloseQuestion | Leave | Return
Action = PlayerAction | SystemAction


class Choice(StrEnum):
    """An answer to a shared question."""

    WIN = "win"
    KONG = "kong"
    PUNG = "pung"
    CHOW_LOW = "chow_low"
    CHOW_MIDDLE = "chow_middle"
    CHOW_HIGH = "chow_high"
    DECLARE = "declare"
    PASS = "pass"


CHOICE_OF: Mapping[type, Choice] = {
    Win: Choice.WIN,
    Kong: Choice.KONG,
    Pung: Choice.PUNG,
    Declare: Choice.DECLARE,
    Pass: Choice.PASS,
}
CHOW_OFFSETS: Mapping[Choice, tuple[int, int]] = {
    Choice.CHOW_LOW: (1, 2),
    Choice.CHOW_MIDDLE: (-1, 1),
    Choice.CHOW_HIGH: (-2, -1),
}
"""Where one's own two tiles lie from the claimed one: it is the lowest, middle or highest of the run."""


def chow_choice(action: Chow, claimed: Tile) -> Choice | None:
    """Which chow the action asks for; None if its tiles make no run with the claimed one."""
    own = tuple(sorted(action.tiles))
    for choice, (first, second) in CHOW_OFFSETS.items():
        run = sorted((claimed, claimed + first, claimed + second))
        if own == (claimed + first, claimed + second) and is_run(run[0]) and run[0] >= 0:
            return choice
    return None


def is_run(lowest: Tile) -> bool:
    """Whether three in a row start at this tile: within one suit, no honours."""
    return lowest < HONOURS.start and lowest % 9 <= RUN_START_MAX


RUN_START_MAX = 6
