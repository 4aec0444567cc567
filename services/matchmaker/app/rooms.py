"""Rooms: what a room's row must look like, and the list of them (PF-1).

One parser reads the shipped file and the store's rows alike, so that an absurd value is refused wherever it comes
from. The limits are data.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import cast

from games.catalog import variants
from games.kernel import OptionError
from refusals import Reason, Refusal
from services.matchmaker.ports import ClaimTiming, Room, RoomActivity, RoomStore, TicketStore

ASSETS = ("points", "coins")
AMOUNT_MAX = 2**53 - 1
"""The ledger's numbers go no further."""

BOT_POLICIES = ("sensible", "uniform")
"""How bots may play; the first is what a room has that names none."""

_ROOM_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_NAME_LENGTH_MAX = 64
PAGE_SIZE_MAX = 1_000
PAGE_SIZE_DEFAULT = 100

DEFAULTS: Mapping[str, object] = {
    "options": {},
    "turn_limit_ms": 20_000,
    "claim_limit_ms": 10_000,
    "declare_limit_ms": 30_000,
    "claim_timing": ClaimTiming.NATURAL.value,
    "claim_floor_min_ms": 300,
    "claim_floor_max_ms": 1_000,
    "ready_limit_ms": 20_000,
    "dealing_ms": 2_000,
    "arrive_limit_ms": 30_000,
    "bots_allowed": False,
    "deals_max": 0,
    "spectators_allowed": False,
    "spectator_delay_ms": 60_000,
    "reconnect_grace_ms": 60_000,
    "escape_penalty": 0,
    "etag": "1",
    "bot_wait_ms": 15_000,
    "bot_policy": BOT_POLICIES[0],
    "closed": False,
    "moves_points": False,
}
"""What a row may leave out (PF-12, PF-20, PF-23)."""


class RoomProblem(Exception):
    """A room's row is not acceptable: which room, which field, what is wrong with it."""

    def __init__(self, room_id: str, field: str, detail: str) -> None:
        super().__init__(f"room {room_id!r}, field {field!r}: {detail}")
        self.room_id = room_id
        self.field = field
        self.detail = detail


@dataclass(frozen=True, slots=True)
class _Whole:
    """A whole number within bounds, both included."""

    least: int
    most: int

    def __call__(self, value: object) -> str | None:
        if type(value) is not int:
            return "must be a whole number"
        return None if self.least <= value <= self.most else f"must be {self.least} to {self.most}, not {value}"


def _one_of(*names: str) -> Callable[[object], str | None]:
    return lambda value: None if value in names else f"must be one of {', '.join(names)}"


def _text(value: object) -> str | None:
    good = isinstance(value, str) and 1 <= len(value) <= _NAME_LENGTH_MAX
    return None if good else f"must be text of 1 to {_NAME_LENGTH_MAX} characters"


def _switch(value: object) -> str | None:
    return None if isinstance(value, bool) else "must be true or false"


def _table(value: object) -> str | None:
    return None if isinstance(value, Mapping) else "must be a table of the variant's options"


def _counter(value: object) -> str | None:
    return None if isinstance(value, str) and value.isascii() and value.isdigit() else "must be a whole number as text"


CHECKS: Mapping[str, Callable[[object], str | None]] = {
    "name": _text,
    "variant": lambda value: _one_of(*sorted(variants()))(value),
    "options": _table,
    "asset": _one_of(*ASSETS),
    "stake": _Whole(1, 1_000_000_000),
    "least_balance": _Whole(0, AMOUNT_MAX),
    "turn_limit_ms": _Whole(100, 120_000),
    "claim_limit_ms": _Whole(100, 60_000),
    "declare_limit_ms": _Whole(100, 120_000),
    "claim_timing": _one_of(*ClaimTiming),
    "claim_floor_min_ms": _Whole(0, 10_000),
    "claim_floor_max_ms": _Whole(0, 10_000),
    "ready_limit_ms": _Whole(100, 600_000),
    "dealing_ms": _Whole(0, 60_000),
    "arrive_limit_ms": _Whole(100, 3_600_000),
    "bots_allowed": _switch,
    "deals_max": _Whole(0, 10_000),
    "spectators_allowed": _switch,
    "spectator_delay_ms": _Whole(0, 600_000),
    "reconnect_grace_ms": _Whole(100, 3_600_000),
    "escape_penalty": _Whole(0, 1_000_000_000),
    "etag": _counter,
    "bot_wait_ms": _Whole(0, 600_000),
    "bot_policy": _one_of(*BOT_POLICIES),
    "closed": _switch,
    "moves_points": _switch,
}
"""Field -> what is wrong with a value, None if nothing is. One entry a field of `Room` but its id."""

assert set(CHECKS) == {field.name for field in fields(Room)} - {"room_id"}
assert set(DEFAULTS) <= set(CHECKS)


def parse_room(room_id: str, row: object) -> Room:
    """A room from a row of plain values; fields as in `Room`, those of `DEFAULTS` may be missing.

    Raises: RoomProblem: an unknown, missing or absurd field, or options the variant does not take.
    """
    if not _ROOM_ID.fullmatch(room_id):
        raise RoomProblem(room_id, "room_id", "must be 1 to 64 of a-z 0-9 _ - and begin with a letter or digit")
    if not isinstance(row, dict):
        raise RoomProblem(room_id, "", "must be a table of a room's fields")
    for unknown in sorted(set(row) - set(CHECKS)):
        raise RoomProblem(room_id, unknown, "is no field of a room")
    values: dict[str, object] = {**DEFAULTS, **row}
    for field, check in CHECKS.items():
        problem = check(values[field]) if field in values else "is missing"
        if problem is not None:
            raise RoomProblem(room_id, field, problem)
    values["claim_timing"] = ClaimTiming(cast("str", values["claim_timing"]))
    room = Room(room_id=room_id, **values)  # type: ignore[arg-type]  # the checks above are the proof
    _check_together(room)
    return room


def _check_together(room: Room) -> None:
    """What only several fields together can break."""
    if room.claim_floor_min_ms > room.claim_floor_max_ms:
        raise RoomProblem(room.room_id, "claim_floor_min_ms", "must not be above claim_floor_max_ms")
    if room.claim_floor_max_ms > room.claim_limit_ms:
        raise RoomProblem(room.room_id, "claim_floor_max_ms", "must not be above claim_limit_ms")
    if room.moves_points and room.asset == "points":
        raise RoomProblem(room.room_id, "moves_points", "only where coins are played for")
    try:
        rules = variants()[room.variant].ruleset(room.options, room.stake, room.escape_penalty)
    except OptionError as error:
        raise RoomProblem(room.room_id, error.field, error.detail) from error
    if room.escape_penalty and not getattr(rules, "leaving_ends_deal", False):
        raise RoomProblem(room.room_id, "escape_penalty", "who leaves this game pays none, or what its rules say")


def row_of(room: Room) -> dict[str, object]:
    """The row `parse_room` reads back as the same room."""
    row = asdict(room)
    del row["room_id"]
    row["options"] = dict(room.options)
    row["claim_timing"] = room.claim_timing.value
    return row


def seat_count(room: Room) -> int:
    """Seats of a table of this room."""
    return variants()[room.variant].seat_count


def first_dealer(room: Room, owner_seat: int) -> int:
    """Who deals or bids first at a table of this room: its owner (BB-5), or seat 0, the seats being drawn (TY-10)."""
    return owner_seat if variants()[room.variant].owner_deals_first else 0


@dataclass(frozen=True, slots=True)
class Listed:
    """A room and how busy it is."""

    room: Room
    activity: RoomActivity


class Rooms:
    """Shows rooms."""

    def __init__(self, rooms: RoomStore, tickets: TicketStore) -> None:
        self._rooms = rooms
        self._tickets = tickets

    async def get(self, room_id: str) -> Listed:
        """One room. Raises Refusal ROOM_UNKNOWN."""
        room = await self._rooms.get(room_id)
        if room is None:
            raise Refusal(Reason.ROOM_UNKNOWN)
        return (await self._listed((room,)))[0]

    async def page(self, page_size: int, page_token: str) -> tuple[tuple[Listed, ...], str]:
        """A page by room id after `page_token` (a room id), and the next token, empty on the last page.

        Raises: Refusal INVALID_FIELD: a page larger than 1,000.
        """
        if page_size > PAGE_SIZE_MAX:
            raise Refusal(Reason.INVALID_FIELD, field="page_size", detail=f"at most {PAGE_SIZE_MAX}")
        size = page_size or PAGE_SIZE_DEFAULT
        rest = [room for room in await self._rooms.all() if room.room_id > page_token]
        shown = rest[:size]
        return await self._listed(shown), shown[-1].room_id if len(rest) > size else ""

    async def _listed(self, rooms: Sequence[Room]) -> tuple[Listed, ...]:
        activity = await self._tickets.activity([room.room_id for room in rooms])
        return tuple(Listed(room, activity[room.room_id]) for room in rooms)
