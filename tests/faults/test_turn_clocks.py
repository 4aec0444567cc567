"""Clocks of turns and claims on the server, as its players see them: when they end, what is done then (PF-20, PF-21).

The table's process has a seeded shuffle, so that who can claim what is known beforehand; all else is as in production.
Where nobody's clock is to run out but the one that is looked at, the others are an hour.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import count, islice, pairwise
from typing import Any

import pytest
from cardroom.table.v1 import room_pb2, table_pb2

from games.landlord.state import State as CardState
from games.mahjong.claims import hand_waits
from services.table.model import play
from tests.faults.guests import (
    Guest,
    Message,
    all_ready,
    assert_kept,
    assert_ran,
    assert_told,
    at_table,
    kind_of,
    lasted_ms,
)
from tests.faults.machine import CLOCK_MS, Machine, PodProcess
from tests.faults.world import DEALS_MAX, PASS, PUNG, claimable, discard, first_deal

pytestmark = pytest.mark.asyncio(loop_scope="session")

TURN_MS = 1_000
SLOW_TURN_MS = 5_000
"""Where a player has to move before the clock of another is to run out."""
CLAIM_MS = 1_000
FLOOR_MS = 1_000
DECLARE_MS = 30_000
NOBODY = -1


@asynccontextmanager
async def dealt(
    house: Machine, house_pod: PodProcess, seed: int, name: str, holds: Callable[[Any], object], **changes: Any
) -> AsyncIterator[tuple[Any, list[Guest]]]:
    """A deal that will do, and everybody with his tiles."""
    rules = {name: value for name, value in changes.items() if name in ("variant", "options", "asset")}
    deals = ((table_id, first_deal(table_id, str(seed), **rules)) for table_id in map(f"{name}-{{}}".format, count()))
    table_id, deal = next((table_id, deal) for table_id, deal in islice(deals, DEALS_MAX) if holds(deal))
    async with at_table(house, house_pod, table_id, seats=len(deal.seats), **changes) as guests:
        await all_ready(guests)
        yield deal, guests


def free_tile(deal: Any) -> int | None:
    """A tile of the dealer's that nobody can claim."""
    others = [seat for seat in deal.seats if seat != deal.turn]
    if any(hand_waits(deal, seat) for seat in others):
        return None
    held = {tile for seat in others for tile in deal.hands[seat] if deal.hands[seat].count(tile) > 1}
    return next((tile for tile in deal.hands[deal.turn] if tile not in held), None)


def drawn_by(guest: Guest, drawn: Message) -> int:
    """The tile that he has drawn."""
    assert drawn.event.mahjong.drawn.seat == guest.seat
    assert drawn.event.mahjong.drawn.HasField("tile")
    return drawn.event.mahjong.drawn.tile


async def test_turns_that_run_out_discard_the_last_tile_first_and_then_the_one_drawn_pf_21(
    house: Machine, house_pod: PodProcess, seed: int
) -> None:
    """Nobody moves: the dealer's first turn, and the next player's; claims between them are passes."""
    clocks = {"turn_limit_ms": TURN_MS, "claim_limit_ms": CLAIM_MS}
    async with dealt(house, house_pod, seed, "idle", lambda deal: deal, **clocks) as (deal, guests):
        dealer = guests[0]
        first = await dealer.event("discarded")
        asked = next(message for message in dealer.messages if message.HasField("prompt"))
        assert_told(asked.prompt, asked, TURN_MS)
        assert_kept(asked.prompt, first)
        assert first.event.mahjong.discarded.seat == 0
        assert first.event.mahjong.discarded.tile == max(deal.hands[0]), "display order is the order of the ids"
        assert_ran(TURN_MS, lasted_ms(await dealer.event("dealt"), first))
        assert dealer.told("timed_out")[0].event.timed_out.seat == 0
        assert dealer.told("timed_out")[0].seq == first.seq - 1

        public = await dealer.event("drawn", after=first.seq)
        second = guests[public.event.mahjong.drawn.seat]
        drawn = await second.event("drawn", after=first.seq)
        thrown = await second.event("discarded", after=first.seq)
        assert thrown.event.mahjong.discarded.tile == drawn_by(second, drawn)
        assert not public.event.mahjong.drawn.HasField("tile")
        assert_ran(TURN_MS, lasted_ms(drawn, thrown))
        asked, *_ = prompts_between(second, drawn, thrown)
        assert_kept(asked.prompt, thrown)
        assert [message.event.timed_out.seat for message in second.told("timed_out")][:2] == [0, second.seat]


async def test_after_a_claim_a_turn_that_runs_out_discards_the_last_tile_pf_21(
    house: Machine, house_pod: PodProcess, seed: int
) -> None:
    async with dealt(house, house_pod, seed, "claimed", claimable, turn_limit_ms=SLOW_TURN_MS) as (deal, guests):
        tile, claimant = claimable(deal) or (NOBODY, NOBODY)
        await guests[0].until_asked()
        await guests[0].act(discard(tile))
        await guests[claimant].until_asked(after=(await guests[claimant].event("discarded")).seq - 1)
        await guests[claimant].act(PUNG)
        melded = await guests[claimant].event("melded")
        asked = await guests[claimant].until_asked(after=melded.seq - 1)
        told = guests[claimant].prompt_now()
        assert_told(told, asked, SLOW_TURN_MS)
        thrown = await guests[claimant].event("discarded", after=melded.seq)
        left = [held for held in deal.hands[claimant] if held != tile]
        assert (thrown.event.mahjong.discarded.seat, thrown.event.mahjong.discarded.tile) == (claimant, max(left))
        assert_ran(SLOW_TURN_MS, lasted_ms(melded, thrown))
        assert_kept(told, thrown)


async def test_claims_have_a_clock_of_their_own_and_its_end_is_a_pass_pf_20_pf_21(
    house: Machine, house_pod: PodProcess, seed: int
) -> None:
    """Turns last an hour here; he who is asked says nothing."""
    async with dealt(house, house_pod, seed, "silent", claimable, claim_limit_ms=CLAIM_MS) as (deal, guests):
        tile, claimant = claimable(deal) or (NOBODY, NOBODY)
        asked = await guests[0].until_asked()
        assert_told(guests[0].prompt_now(), asked, CLOCK_MS)
        await guests[0].act(discard(tile))
        discarded = await guests[claimant].event("discarded")
        drawn = await guests[claimant].event("drawn", after=discarded.seq)
        assert_ran(CLAIM_MS, lasted_ms(discarded, drawn))
        asked, *_ = prompts_between(guests[claimant], discarded, drawn)
        assert_told(asked.prompt, asked, CLAIM_MS)
        assert_kept(asked.prompt, drawn)
        assert guests[claimant].told("melded", "timed_out") == [], "no turn has timed out, and nothing is claimed"


def prompts_between(guest: Guest, first: Message, last: Message) -> list[Message]:
    """What he was asked from one entry until another."""
    return [
        message
        for message in guest.messages
        if message.HasField("prompt") and not message.prompt.standing and first.seq <= message.seq < last.seq
    ]


async def test_natural_timing_closes_with_the_last_answer_but_not_before_the_floor_pf_20(
    house: Machine, house_pod: PodProcess, seed: int
) -> None:
    """Claims last an hour here. The floor is kept also after a discard that nobody can claim."""
    floors = {"claim_floor_min_ms": FLOOR_MS, "claim_floor_max_ms": FLOOR_MS}
    claimed = await window(house, house_pod, seed, "floor-claimed", answered=True, **floors)
    unclaimed = await window(house, house_pod, seed, "floor-free", answered=False, **floors)
    assert_ran(FLOOR_MS, claimed)
    assert_ran(FLOOR_MS, unclaimed)


async def test_fixed_timing_keeps_every_window_open_for_the_claims_whole_clock_pf_20(
    house: Machine, house_pod: PodProcess, seed: int
) -> None:
    """Whether he who could claim has passed at once, or nobody could."""
    fixed = {"claim_timing": room_pb2.CLAIM_TIMING_FIXED, "claim_limit_ms": CLAIM_MS}
    assert_ran(CLAIM_MS, await window(house, house_pod, seed, "fixed-claimed", answered=True, **fixed))
    assert_ran(CLAIM_MS, await window(house, house_pod, seed, "fixed-free", answered=False, **fixed))


async def window(house: Machine, house_pod: PodProcess, seed: int, name: str, *, answered: bool, **changes: Any) -> int:
    """How long a claim window is open, in ms: one whose claimant passes at once, or one that nobody is asked in."""

    def found(deal: Any) -> tuple[int, int] | None:
        free = free_tile(deal)
        return claimable(deal) if answered else None if free is None else (free, NOBODY)

    async with dealt(house, house_pod, seed, name, found, **changes) as (deal, guests):
        tile, claimant = found(deal) or (NOBODY, NOBODY)
        await guests[0].until_asked()
        await guests[0].act(discard(tile))
        discarded = await guests[3].event("discarded")
        if answered:
            await guests[claimant].until_asked(after=discarded.seq - 1)
            answer = await guests[claimant].act(PASS)
            assert answer.outcome == table_pb2.ACT_OUTCOME_QUEUED
        drawn = await guests[3].event("drawn", after=discarded.seq)
        asked = [guest.seat for guest in guests if prompts_between(guest, discarded, drawn)]
        assert asked == ([claimant] if answered else [])
        return lasted_ms(discarded, drawn)


async def test_who_declares_is_asked_for_thirty_seconds_pf_20_bb_18(
    house: Machine, house_pod: PodProcess, seed: int
) -> None:
    """In a room that says nothing of it; turns are told with their own clock."""

    def someone_ready(deal: Any) -> bool:
        return any(hand_waits(deal, seat) for seat in deal.seats if seat != deal.turn)

    async with dealt(house, house_pod, seed, "declared", someone_ready, variant="bloody6") as (deal, guests):
        ready = [seat for seat in deal.seats if seat != deal.turn and hand_waits(deal, seat)]
        for seat in ready:
            asked = await guests[seat].until_asked()
            assert_told(guests[seat].prompt_now(), asked, DECLARE_MS)
            await guests[seat].act(PASS)
        asked = await guests[0].until_asked(after=(await guests[0].event("declared")).seq - 1)
        assert_told(guests[0].prompt_now(), asked, CLOCK_MS)


async def test_card_turns_that_run_out_pass_call_where_they_must_and_lead_the_lowest_single_pf_21_ty_11(
    house: Machine, house_pod: PodProcess, seed: int
) -> None:
    """Nobody moves: a bid, a call that the rules oblige to, two doubles, a lead and what follows it."""

    def second_must_call(deal: CardState) -> bool:
        obliged = [_must_call(deal, seat) for seat in deal.seats]
        return obliged[0] is False and obliged[1]

    room: dict[str, Any] = {
        "variant": "tingyong", "asset": "coins", "options": {"room": "2000"}, "least_balance": 2_000,
    }  # fmt: skip
    async with dealt(house, house_pod, seed, "cards", second_must_call, turn_limit_ms=TURN_MS, **room) as (
        deal,
        guests,
    ):
        led = await guests[1].event("played")
        follows = await guests[1].event("passed", after=led.seq)
        moves = guests[1].told("passed", "called", "bottom_taken", "played")
        assert [(kind_of(move), _seat(move)) for move in moves if move.seq <= follows.seq] == [
            ("passed", 0), ("called", 1), ("passed", 2), ("passed", 0), ("bottom_taken", 1), ("played", 1),
            ("passed", 2),
        ]  # fmt: skip
        hand = {*deal.hands[1], *moves[4].event.landlord.bottom_taken.cards}
        assert list(led.event.landlord.played.cards) == [min(hand)], "cards are numbered from the lowest single on"
        timed = [message for message in guests[1].told("timed_out") if message.seq < follows.seq]
        assert [message.event.timed_out.seat for message in timed] == [0, 1, 2, 0, 1, 2]
        for earlier, later in pairwise(timed):
            assert_ran(TURN_MS, lasted_ms(earlier, later))


def _must_call(deal: CardState, seat: int) -> bool:
    """Whether the rules let him do nothing but call (TY-11), if it were his bid."""
    return "Pass" not in {type(option).__name__ for option in play.offered(replace(deal, turn=seat), seat)}


def _seat(message: Message) -> int:
    move = message.event.landlord
    return getattr(move, move.WhichOneof("kind") or "").seat  # type: ignore[no-any-return]
