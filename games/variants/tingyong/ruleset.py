"""听用斗地主 as data (TY-1, TY-11, TY-15, TY-23, TY-40)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from games.kernel import OptionError
from games.landlord.cards import BLACK_JOKER, RED_JOKER, TWO, WILD, Card, cards_of
from games.landlord.combinations import KickerRule
from games.landlord.ruleset import Judgement, Ruleset
from games.variants.tingyong.settle import end

VERSION = 1

KICKERS = KickerRule(equal_singles=True, both_jokers=True)
"""TY-23: single kickers of any ranks, also equal ones, also both jokers."""

MUST_CALL_TWOS = 4
"""TY-11: so many 2s, the wild card counted as one, oblige to call."""


@dataclass(frozen=True, slots=True)
class Room:
    """A room of TY-40: its money, in coins."""

    coins_per_score: int
    landlord_cap: int
    escape_cap: int


ROOMS: Mapping[str, Room] = {
    "2000": Room(coins_per_score=200, landlord_cap=2_000, escape_cap=4_000),
    "5000": Room(coins_per_score=200, landlord_cap=5_000, escape_cap=10_000),
    "10000": Room(coins_per_score=500, landlord_cap=10_000, escape_cap=20_000),
    "30000": Room(coins_per_score=1_000, landlord_cap=30_000, escape_cap=60_000),
}
"""By number, which is the least balance to enter."""

COINS = range(1, 1_000_000_001)
CAPS = range(1, 1_000_000_000_001)
"""What the options that are money may be, in units of the asset: far below what a balance can hold."""

OPTIONS: Mapping[str, Sequence[object]] = {
    "room": tuple(ROOMS),
    "coins_per_score": COINS,
    "landlord_cap": CAPS,
    "escape_cap": CAPS,
    "call_score": range(1, 4),
}
"""Named options: a room of TY-40, or its three numbers, where a cap left out is none; and TY-15."""

MONEY_OPTIONS = ("coins_per_score", "landlord_cap", "escape_cap")


def tingyong(options: tuple[tuple[str, object], ...], stake: int) -> Ruleset:
    """听用斗地主: three players, sixteen cards each and three bottom cards.

    Raises:
        OptionError: a room and numbers at once, or a stake beside them that is not theirs.
    """
    chosen = dict(options)
    coins_per_score, landlord_cap, escape_cap = _money(chosen, stake)
    call_score = chosen.get("call_score", 1)
    assert isinstance(call_score, int)
    return Ruleset(
        variant="tingyong",
        version=VERSION,
        options=options,
        stake=stake,
        seat_count=3,
        hand_size=16,
        bottom_count=3,
        kickers=KICKERS,
        call_score=call_score,
        coins_per_score=coins_per_score,
        landlord_cap=landlord_cap,
        escape_cap=escape_cap,
        judgement=Judgement(must_call, end),
    )


def _money(chosen: Mapping[str, object], stake: int) -> tuple[int, int | None, int | None]:
    """Coins per score, the landlord's cap and the escape's; None where there is no cap."""
    if "room" in chosen:
        for name in MONEY_OPTIONS:
            if name in chosen:
                raise OptionError(name, "a room has its own; name the room or the numbers, not both")
        room = ROOMS[str(chosen["room"])]
        money: tuple[int, int | None, int | None] = (room.coins_per_score, room.landlord_cap, room.escape_cap)
    else:
        named, landlord_cap, escape_cap = (_amount(chosen.get(name)) for name in MONEY_OPTIONS)
        money = (named or stake, landlord_cap, escape_cap)
    if stake not in (1, money[0]):
        raise OptionError("stake", f"1, or {money[0]} as the options say")
    return money


def _amount(value: object) -> int | None:
    assert value is None or isinstance(value, int), value
    return value


def must_call(hand: tuple[Card, ...]) -> bool:
    """Whether a player may not pass: both jokers, or four 2s with the wild card as one (TY-11)."""
    held = set(hand)
    twos = len(held.intersection(cards_of(TWO))) + (WILD in held)
    return {BLACK_JOKER, RED_JOKER} <= held or twos >= MUST_CALL_TWOS
