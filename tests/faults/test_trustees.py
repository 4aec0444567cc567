"""The trustee over sockets: on by the player or after two time-outs, off by the player, and what he does (PF-22)."""

from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from typing import Any

import pytest
from cardroom.table.v1 import event_pb2, table_pb2

from cardroom_client import TableSession
from games.bots import trustee
from games.mahjong.actions import Discard, Win
from games.mahjong.events import Discarded, Drawn, Event, Konged, Melded, Opened, Won
from games.mahjong.game import GAME
from games.mahjong.state import Phase, State
from tests.faults.guests import POD_LEAVES_SECONDS, Guest, all_ready, assert_ran, at_table, lasted_ms
from tests.faults.machine import CLOCK_MS, Machine, PodProcess
from wire.mahjong import event_from_proto

pytestmark = pytest.mark.asyncio(loop_scope="session")

TURN_MS = 1_000
CLAIM_MS = 600
GRACE_MS = 3_000
PRESENCE_MS = 3_000
PENALTY = 30
NO_BEATS_SECONDS = 3_600.0
"""A client that sends no heartbeats is there as long as its stream is (PF-24)."""


async def test_a_player_switches_it_on_and_off_and_all_see_it_pf_22(house: Machine, house_pod: PodProcess) -> None:
    """Turns last an hour: what happens while it is on is the trustee's doing, and nothing happens while it is off."""
    async with at_table(house, house_pod, "switched", variant="shanghai") as guests:
        await all_ready(guests)
        dealer = guests[0]
        await dealer.until_asked()
        await until_same(guests)
        on = await dealer.table.set_trustee(True)
        for guest in guests:
            told = await guest.event("trustee")
            assert told.seq == on.seq
            assert told.event.trustee == event_pb2.TrusteeSet(seat=0, on=True, by_server=False)
            thrown = await guest.event("discarded", after=on.seq)
            assert thrown.event.mahjong.discarded.seat == 0
            assert [row.trustee for row in (await guest.snapshot()).seats] == [True, False, False, False]
        assert (await dealer.table.set_trustee(True)).duplicate
        async with AsyncExitStack() as stack:
            table = TableSession(house.seat(house_pod, "switched", 3, "switched.3"))
            other = await stack.enter_async_context(Guest(table))
            assert other.messages[0].snapshot.seats[0].trustee, "also who comes back is told"

        off = await dealer.table.set_trustee(False)
        for guest in guests[:3]:
            told = await guest.event("trustee", after=on.seq)
            assert told.seq == off.seq
            assert told.event.trustee == event_pb2.TrusteeSet(seat=0, on=False, by_server=False)
            await guest.go_on(lambda each: each is not dealer)
        async with Guest(TableSession(house.seat(house_pod, "switched", 3, "switched.3"))) as last:
            await last.go_on(lambda _: True)
            await dealer.until_asked(after=off.seq)
            assert not [row for row in (await dealer.snapshot()).seats if row.trustee]
        assert dealer.told("timed_out") == []


async def until_same(guests: Sequence[Guest]) -> None:
    """Everybody has been told as much as the first."""
    for guest in guests:
        await guest.until(lambda guest=guest: guest.seq >= guests[0].seq)  # type: ignore[misc]


async def test_after_two_time_outs_in_a_row_the_server_switches_it_on_and_plays_well_pf_22(
    house: Machine, house_pod: PodProcess
) -> None:
    """One player does nothing, the others have switched theirs on: the deal is played to its end without anybody.

    From then on there is no time-out; every win there is is taken and nothing is claimed; nobody is ready by it.
    """
    room: dict[str, Any] = {"variant": "bloody4", "turn_limit_ms": TURN_MS, "claim_limit_ms": CLAIM_MS, "deals_max": 2}
    async with at_table(house, house_pod, "idle", **room) as guests:
        for guest in guests[1:]:
            await guest.table.set_trustee(True)
        await all_ready(guests)
        settled = await guests[1].event("deal_settled")
        switched = next(message for message in guests[1].told("trustee") if message.event.trustee.by_server)
        assert switched.event.trustee == event_pb2.TrusteeSet(seat=0, on=True, by_server=True)
        timed = guests[1].told("timed_out")
        assert [message.event.timed_out.seat for message in timed] == [0, 0], "two, and none later"
        assert timed[1].seq < switched.seq
        assert_ran(TURN_MS, lasted_ms(await guests[1].event("dealt"), timed[0]))
        shown = await guests[0].snapshot()
        assert shown.state == event_pb2.TABLE_STATE_BETWEEN_DEALS
        assert [(row.trustee, row.ready) for row in shown.seats] == [(True, False)] * 4

        _, entries = await guests[1].table.replay(1)
        assert settled.seq == entries[-1].seq
        wins = assert_served(entries, {1, 2, 3}, switched.seq)
        assert wins == len(guests[1].told("won"))


def assert_served(entries: Sequence[table_pb2.ReplayEntry], served: set[int], all_after: int) -> int:
    """Seats with trustees, from a number on all: what they could win they won, else they discarded and claimed nothing.

    Returns: wins.
    """
    wins = 0
    for seq, state, event in moves(entries):
        seats = served | ({0} if seq > all_after else set())
        asked = seats & GAME.awaiting(state)
        can_win = {seat for seat in asked if any(isinstance(option, Win) for option in GAME.legal(state, seat))}
        if isinstance(event, Won):
            wins += 1
            assert can_win <= {winner.seat for winner in event.winners}
        else:
            assert not can_win, f"a win is left out before {seq}"
        if isinstance(event, Melded | Konged):
            assert event.seat not in seats
        if asked and state.phase is Phase.TURN:
            assert isinstance(event, Discarded | Won)
    return wins


def moves(entries: Sequence[table_pb2.ReplayEntry]) -> Iterator[tuple[int, State, Event]]:
    """A deal's moves: number, the state before it, and what happened."""
    state: State | None = None
    for entry in entries:
        if entry.event.HasField("mahjong"):
            event = event_from_proto(entry.event.mahjong)
            if isinstance(event, Opened):
                state = GAME.initial(event.ruleset, event.dealer)
            assert state is not None
            yield entry.seq, state, event
            state = GAME.evolve(state, event)


async def test_in_a_bloody_game_absence_comes_before_it_pf_22_bb_60(house: Machine, house_pod: PodProcess) -> None:
    """Who has switched it on and goes is played for as an absent one: what he draws he discards, sensible or not."""
    async with at_table(house, house_pod, "absent", variant="bloody4") as guests:
        await all_ready(guests)
        await guests[1].table.set_trustee(True)
        await guests[1].table.leave()
        away = await guests[0].event("went_away")
        assert away.event.mahjong.went_away.seat == 1
        for guest in (guests[0], *guests[2:]):
            await guest.table.set_trustee(True)
        await guests[0].event("deal_settled")
        _, entries = await guests[0].table.replay(1)
    assert_drawn_and_discarded(entries, 1)


def assert_drawn_and_discarded(entries: Sequence[table_pb2.ReplayEntry], seat: int) -> None:
    """Whatever this seat drew it discarded, though a trustee would have kept some of it."""
    drawn, as_a_trustee = None, []
    for _, state, event in moves(entries):
        if isinstance(event, Drawn) and event.seat == seat:
            drawn = event.tile
        elif isinstance(event, Discarded) and event.seat == seat:
            assert event.tile == drawn
            held = tuple(Discard(seat, tile) for tile in dict.fromkeys(state.hands[seat]))
            as_a_trustee.append(trustee.choose(GAME.view(state, seat), seat, held) == Discard(seat, event.tile))
    assert not all(as_a_trustee)


async def test_it_does_not_stop_the_grace_of_a_player_who_is_gone_pf_22_pf_23(house: Machine) -> None:
    """His trustee would play, but it is never his turn; the deal ends with his escape when the grace is over."""
    pod = house.pod("table-1", CARDROOM_PRESENCE_LIMIT_MS=str(PRESENCE_MS))
    await pod.up()
    names = [f"gone.{seat}" for seat in range(4)]
    await house.open_accounts(names)
    before = [row.balance for row in await house.accounts(names)]
    await house.create_table(
        pod, "gone", names, variant="shanghai", reconnect_grace_ms=GRACE_MS, escape_penalty=PENALTY,
        turn_limit_ms=CLOCK_MS,
    )  # fmt: skip
    async with AsyncExitStack() as stack:
        stack.push_async_callback(pod.terminate, POD_LEAVES_SECONDS)
        sessions = [
            TableSession(house.seat(pod, "gone", seat, name), heartbeat_seconds=NO_BEATS_SECONDS)
            for seat, name in enumerate(names)
        ]
        *guests, gone = [await stack.enter_async_context(Guest(session)) for session in sessions]
        await all_ready([*guests, gone])
        await gone.table.set_trustee(True)
        await guests[0].event("trustee")
        await gone.__aexit__(None, None, None)
        closed = await guests[0].event("closed")
        assert closed.event.closed.cause == event_pb2.TABLE_CLOSE_CAUSE_ESCAPED
        lost = next(
            message
            for message in guests[0].messages
            if message.HasField("presence") and not message.presence.seats[3].online
        )
        assert 0 < lost.presence.seats[3].grace_remaining_ms <= GRACE_MS
        assert_ran(GRACE_MS, lasted_ms(lost, await guests[0].event("ended")))
    after = [row.balance for row in await house.accounts(names)]
    assert [now - then for now, then in zip(after, before, strict=True)] == [0, 0, 0, -PENALTY]
