"""A room's settings as a table keeps them (PF-1, PF-2)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

POINTS = "points"
"""The asset that raw scores move (PF-60)."""

DECLARE_LIMIT_MS = 30_000
"""How long players are asked who declares a ready hand, where a room says nothing else (BB-18, PF-20)."""
RECONNECT_GRACE_MS = 60_000
"""The usual grace (PF-23)."""


class ClaimTiming(StrEnum):
    """How long a shared question stays open (PF-20)."""

    NATURAL = "natural"
    FIXED = "fixed"


@dataclass(frozen=True, slots=True)
class Room:
    """What a table is made with; it stays so for the table's whole life.

    Attributes:
        options: the variant's named options; those left out have their defaults.
        stake: units of the asset, above zero.
        least_balance: units of the asset a seat needs for each deal.
        turn_limit_ms: turn clock, above zero.
        claim_limit_ms: claim clock, above zero.
        declare_limit_ms: clock of the question who declares a ready hand, above zero (BB-18).
        claim_floor_min_ms: lower bound of the floor under natural timing.
        claim_floor_max_ms: its upper bound; 0 for no floor.
        ready_limit_ms: clock for saying ready, above zero (PF-12).
        dealing_ms: pause between dice and tiles; 0 for none (PF-12).
        arrive_limit_ms: clock for the first sign of life, above zero (PF-12).
        deals_max: deals until the table is dissolved; 0 for no limit.
        spectator_delay_ms: how far behind the table spectators are.
        moves_points: whether deals move points too, by the raw score (PF-60); only where the asset is another.
        reconnect_grace_ms: how long a player may be offline before that is an escape, above zero (PF-23).
        escape_penalty: units of the asset that an escape costs (PF-23).
    """

    room_id: str
    name: str
    variant: str
    asset: str
    stake: int
    least_balance: int
    turn_limit_ms: int
    claim_limit_ms: int
    claim_timing: ClaimTiming
    claim_floor_min_ms: int
    claim_floor_max_ms: int
    ready_limit_ms: int
    dealing_ms: int
    arrive_limit_ms: int
    bots_allowed: bool
    deals_max: int
    etag: str
    options: Mapping[str, object] = field(default_factory=dict)
    bot_wait_ms: int = 0
    bot_policy: str = ""
    closed: bool = False
    spectators_allowed: bool = False
    spectator_delay_ms: int = 0
    moves_points: bool = False
    reconnect_grace_ms: int = RECONNECT_GRACE_MS
    escape_penalty: int = 0
    declare_limit_ms: int = DECLARE_LIMIT_MS

    @property
    def assets(self) -> tuple[str, ...]:
        """All that deals move, what the room is played for first."""
        return (self.asset, POINTS) if self.moves_points else (self.asset,)
