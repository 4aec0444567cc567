"""What a player who comes back on another device gets, in each state of his table (PF-30..33).

One table out of the queue is played to each state and held there. Then every player's next device asks the matchmaker
where his seat is and watches from no place. What it gets is compared with what his device before was shown, entry by
entry; so it is not the server that says what it should have been.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

import pytest
import pytest_asyncio
from cardroom.mahjong.v1 import event_pb2 as mahjong_pb2
from cardroom.table.v1 import event_pb2, table_pb2

from cardroom_client import Seat
from games.mahjong.state import Phase
from tests.faults.guests import JITTER_MS, Guest, Message, player_of
from tests.faults.house_rooms import LONG_PAUSE_MS
from tests.faults.machine import Machine, PodProcess
from wire.mahjong import view_from_proto

pytestmark = pytest.mark.asyncio(loop_scope="session")

NAMES = [f"evening.{number}" for number in range(4)]
DISCARDS_LEAST = 6
ALL_BUT_ONE_CAME = 5
"""Number of the entry: the table is made, three arrive, one is ready."""


@dataclass
class Return:
    """A player who comes back while his table is held in a state.

    Attributes:
        before: the device he had until then.
        shown: all that it was shown at this table, and what the devices before it were.
        message: the first message that the new one got.
    """

    before: Guest
    shown: Sequence[Message]
    message: Message

    @property
    def seat(self) -> int:
        """His seat."""
        return self.before.seat

    @property
    def snapshot(self) -> table_pb2.Snapshot:
        """What he got."""
        assert self.message.HasField("snapshot")
        return self.message.snapshot

    def events(self, kind: str) -> list[event_pb2.TableEvent]:
        """The table's events of a kind that he was shown, in order."""
        return [row.event for row in self.shown if row.HasField("event") and row.event.WhichOneof("kind") == kind]

    def moves(self) -> list[mahjong_pb2.Event]:
        """The moves of the last deal that he was shown."""
        moves = [event.mahjong for event in self.events("mahjong")]
        first = max(at for at, move in enumerate(moves) if move.HasField("opened"))
        return moves[first:]

    def nets(self) -> list[int]:
        """What each seat has won or lost at this table, by the payments that he was shown."""
        nets = Counter[int]()
        for event in self.events("payments_made"):
            for payment in event.payments_made.payments:
                nets[payment.payer_seat] -= payment.paid
                nets[payment.payee_seat] += payment.paid
        return [nets[seat] for seat in range(4)]


@dataclass
class Evening:
    """The table, and its players' devices: the newest of each, and what each player was shown altogether."""

    house: Machine
    stack: AsyncExitStack
    guests: list[Guest]
    shown: dict[int, list[Message]] = field(default_factory=dict)

    async def come_back(self, guest: Guest, seat: Seat | None = None) -> Return:
        """The player's next device; it takes the place of the one he has."""
        player = await self.stack.enter_async_context(player_of(self.house, self._name(guest)))
        new = await self.stack.enter_async_context(Guest(player.sit(seat or await player.my_seat())))
        await guest.ended()
        assert guest.messages[-1].goodbye.reason == table_pb2.GOODBYE_REASON_REPLACED
        shown = self.shown.setdefault(guest.seat, [])
        shown += guest.messages
        self.guests[self.guests.index(guest)] = new
        return Return(guest, tuple(shown), new.messages[0])

    async def all_come_back(self, seats: Mapping[int, Seat] | None = None) -> list[Return]:
        """Everybody's next device, once all have seen the same, and so late that a clock begun anew would show."""
        await self.level()
        await asyncio.sleep(2 * JITTER_MS / 1000)
        rows = list(self.guests)
        return list(await asyncio.gather(*(self.come_back(row, (seats or {}).get(row.seat)) for row in rows)))

    async def level(self) -> None:
        """Everybody has been told as much as anybody."""
        seq = max(guest.seq for guest in self.guests)
        for guest in self.guests:
            await guest.until(lambda guest=guest: guest.seq >= seq)  # type: ignore[misc]

    async def seats(self) -> Mapping[int, Seat]:
        """Where everybody's table is, asked for beforehand."""
        found = {}
        for guest in self.guests:
            async with player_of(self.house, self._name(guest)) as player:
                found[guest.seat] = await player.my_seat()
        return found

    async def ready(self) -> None:
        """All say ready."""
        await asyncio.gather(*(guest.table.set_ready(bytes([guest.seat])) for guest in self.guests))

    async def play_until(self, holds: "Stop") -> None:
        """All play, until the one who is asked sees what is waited for; he and all others then stand still."""
        seq = self.guests[0].seq
        for guest in self.guests:
            await guest.go_on(holds)
        while not await self._stops(holds, seq):
            seq = self.guests[0].seq
            await self.ready()

    async def _stops(self, holds: "Stop", seq: int) -> bool:
        """Whether what is waited for comes before the deal's end, the next one after a number."""
        stopping = asyncio.create_task(holds.stopped.wait())
        settling = asyncio.create_task(self.guests[0].event("deal_settled", after=seq))
        await asyncio.wait({stopping, settling}, return_when=asyncio.FIRST_COMPLETED)
        for task in (stopping, settling):
            task.cancel()
        await asyncio.gather(stopping, settling, return_exceptions=True)
        return holds.stopped.is_set()

    async def play_to_a_win(self) -> None:
        """All play until a deal is settled in which money has moved."""
        seq = self.guests[0].seq
        for guest in self.guests:
            await guest.go_on(lambda _: True)
        while True:
            for guest in self.guests:
                await guest.event("deal_settled", after=seq)
            if any(row.net for row in (await self.guests[0].snapshot()).seats):
                return
            seq = self.guests[0].seq
            await self.ready()

    def _name(self, guest: Guest) -> str:
        snapshot = guest.messages[0].snapshot
        return next(row.player_id for row in snapshot.seats if row.seat == guest.seat)


class Stop:
    """Lets everybody play until somebody is asked at a table that looks as wanted."""

    def __init__(self, *, claim: bool) -> None:
        """`claim`: to stop at a question who claims a discard, not who robs a kong; else at a turn."""
        self._phase = Phase.CLAIMS if claim else Phase.TURN
        self.stopped = asyncio.Event()

    def __call__(self, guest: Guest) -> bool:
        if guest.view.phase is self._phase and _has_everything(guest):
            self.stopped.set()
        return not self.stopped.is_set()


def _has_everything(guest: Guest) -> bool:
    """Flowers, a meld and some discards are on the table."""
    view = guest.view
    return bool(any(view.melds) and any(view.flowers) and len(view.discards) >= DISCARDS_LEAST)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def evening(house: Machine, house_pod: PodProcess) -> AsyncIterator[Mapping[str, list[Return]]]:
    """By state: how each player came back in it."""
    assert house_pod.pid
    await house.open_accounts(NAMES)
    async with AsyncExitStack() as stack:
        players = [await stack.enter_async_context(player_of(house, name)) for name in NAMES]
        seats = await asyncio.gather(*(player.join("evening") for player in players))
        sessions = [player.sit(seat) for player, seat in zip(players, seats, strict=True)]
        guests = [await stack.enter_async_context(Guest(session)) for session in sessions[:3]]
        table = Evening(house, stack, guests)
        await guests[0].table.set_ready(b"first")
        await guests[0].until(lambda: guests[0].seq == ALL_BUT_ONE_CAME)
        back = {"waiting": await table.all_come_back()}

        table.guests.append(await stack.enter_async_context(Guest(sessions[3])))
        await table.guests[3].table.set_ready()
        await table.guests[3].event("ready")
        back["readying"] = await table.all_come_back()

        await table.ready()
        for name, stop in {"turn": Stop(claim=False), "claim": Stop(claim=True)}.items():
            await table.play_until(stop)
            back[name] = await table.all_come_back()
        await table.play_to_a_win()
        back["between deals"] = await table.all_come_back()

        later = await table.seats()
        seq = table.guests[0].seq
        await table.ready()
        for guest in table.guests:
            await guest.event("opened", after=seq)
        back["dealing"] = await table.all_come_back(later)
        yield back


async def test_waiting_the_seats_who_is_ready_and_the_room_pf_30(evening: Mapping[str, list[Return]]) -> None:
    for row in evening["waiting"]:
        assert row.snapshot.state == event_pb2.TABLE_STATE_WAITING
        assert_gathering(row, arrived=3, ready=1)


async def test_readying_the_seats_who_is_ready_and_the_room_pf_30(evening: Mapping[str, list[Return]]) -> None:
    for row in evening["readying"]:
        assert row.snapshot.state == event_pb2.TABLE_STATE_READYING
        assert_gathering(row, arrived=4, ready=2)


def assert_gathering(row: Return, *, arrived: int, ready: int) -> None:
    """PF-30, and no nonce in it (PF-41)."""
    assert_in_place(row)
    before = row.shown[0].snapshot
    assert [seat.player_id for seat in row.snapshot.seats] == [seat.player_id for seat in before.seats]
    told = {event.arrived.seat for event in row.events("arrived")}
    told |= {seat.seat for seat in before.seats if seat.arrived}
    assert {seat.seat for seat in row.snapshot.seats if seat.arrived} == told
    assert len(told) == arrived
    said = {event.ready.seat for event in row.events("ready")} | {seat.seat for seat in before.seats if seat.ready}
    assert {seat.seat for seat in row.snapshot.seats if seat.ready} == said
    assert len(said) == ready
    assert row.snapshot.room == before.room
    assert (row.snapshot.room.room_id, row.snapshot.room.dealing_ms, row.snapshot.room.stake) == (
        "evening", LONG_PAUSE_MS, 5,
    )  # fmt: skip
    assert b"first" not in row.message.SerializeToString()


def assert_in_place(row: Return) -> None:
    """It contains just what the device before had, on the player's own seat, with those who are there."""
    assert row.message.seq == row.before.seq
    assert row.snapshot.own_seat == row.seat
    assert not row.snapshot.rewound


async def test_dealing_dice_dealer_number_penalties_and_where_drawing_starts_pf_31(
    evening: Mapping[str, list[Return]],
) -> None:
    """In a later deal than the first, since before that nobody has won or lost."""
    for row in evening["dealing"]:
        assert row.snapshot.state == event_pb2.TABLE_STATE_DEALING
        assert_in_place(row)
        assert_opened(row)
        assert any(row.nets())
        assert all(not hand.tiles for hand in row.snapshot.mahjong.hands)
        assert row.snapshot.HasField("deadline")


def assert_opened(row: Return) -> None:
    """PF-31."""
    opened = row.moves()[0].opened
    started = row.events("deal_started")[-1].deal_started
    assert len(opened.dice) > 0
    assert list(row.snapshot.mahjong.opened.dice) == list(opened.dice)
    assert row.snapshot.mahjong.opened.wall_start == opened.wall_start
    assert row.snapshot.dealer == row.snapshot.mahjong.opened.dealer == opened.dealer == started.dealer
    assert row.snapshot.deal_number == started.deal_number > 0
    assert row.snapshot.deal_id == started.deal_id
    assert row.snapshot.seed_commitment == started.seed_commitment != ""
    assert [seat.net for seat in row.snapshot.seats] == row.nets()
    assert [seat.balance for seat in row.snapshot.seats] == [balance.balance for balance in started.balances]


@pytest.mark.parametrize("name", ["turn", "claim"])
async def test_playing_all_that_lies_open_his_own_tiles_and_what_he_may_do_pf_32(
    evening: Mapping[str, list[Return]], name: str
) -> None:
    """In somebody's turn, and while a discard may be claimed. And everything of PF-31."""
    rows = evening[name]
    for row in rows:
        assert row.snapshot.state == event_pb2.TABLE_STATE_PLAYING
        assert_in_place(row)
        assert_opened(row)
        assert_open(row)
        assert_asked(row)
    asked = [row for row in rows if row.snapshot.prompt.options and not row.snapshot.prompt.standing]
    assert asked
    if name == "turn":
        assert [row.snapshot.mahjong.turn_seat for row in rows] == [asked[0].seat] * 4
    else:
        tile = [move.discarded.tile for move in rows[0].moves() if move.HasField("discarded")][-1]
        assert [row.snapshot.mahjong.question.tile for row in rows] == [tile] * 4


def assert_open(row: Return) -> None:
    """Discards in order, melds, flowers and his own tiles, by what he was shown one after the other."""
    view, moves = row.snapshot.mahjong, row.moves()
    shown = [(move.discarded.seat, move.discarded.tile) for move in moves if move.HasField("discarded")]
    assert len(shown) >= DISCARDS_LEAST
    assert [(each.seat, each.tile) for each in view.discards] == shown
    flowers = [(move.flowered.seat, move.flowered.tile) for move in moves if move.HasField("flowered")]
    assert flowers
    assert sorted((seat, tile) for seat, hand in enumerate(view.flowers) for tile in hand.tiles) == sorted(flowers)
    melded = [move.melded for move in moves if move.HasField("melded")]
    kongs = [
        move.konged for move in moves if move.HasField("konged") and move.konged.kind != mahjong_pb2.KONG_KIND_ADDED
    ]
    melds = Counter((meld.seat, meld.lowest if meld.HasField("lowest") else meld.tile) for meld in melded)
    melds += Counter((kong.seat, kong.tile) for kong in kongs)
    assert melds
    assert melds == Counter((seat, meld.tile) for seat, each in enumerate(view.melds) for meld in each.melds)
    drawn = sum(move.HasField("drawn") for move in moves)
    dealt = next(move.dealt for move in moves if move.HasField("dealt"))
    in_hands = sum(len(hand.tiles) + hand.hidden_count for hand in dealt.hands)
    assert view.wall_left == moves[0].opened.wall_count - in_hands - drawn
    assert all(not hand.tiles for seat, hand in enumerate(view.hands) if seat != row.seat)
    assert view.hands[row.seat].tiles
    # Own tiles, fates of discards, kinds of melds and all the rest: as folded from his events by the rules.
    assert view_from_proto(view, row.seat) == row.before.view


def assert_asked(row: Return) -> None:
    """What he may do now and until when: as the device before was asked."""
    prompt = row.before.prompt
    assert row.snapshot.HasField("prompt") is (prompt is not None)
    assert row.snapshot.HasField("deadline")
    if prompt is None:
        return
    assert row.snapshot.prompt.decision_id == prompt.decision_id
    assert list(row.snapshot.prompt.options) == list(prompt.options)
    assert (row.snapshot.prompt.standing, row.snapshot.prompt.answered) == (prompt.standing, prompt.answered)
    if not prompt.standing:
        deadlines = [each.deadline.ToMilliseconds() for each in (prompt, row.snapshot.prompt, row.snapshot)]
        assert max(deadlines) - min(deadlines) <= JITTER_MS


async def test_between_deals_penalties_dealer_number_and_the_last_settlement_pf_33(
    evening: Mapping[str, list[Return]],
) -> None:
    for row in evening["between deals"]:
        assert row.snapshot.state == event_pb2.TABLE_STATE_BETWEEN_DEALS
        assert_in_place(row)
        assert [seat.net for seat in row.snapshot.seats] == row.nets()
        assert any(row.nets())
        assert row.snapshot.dealer == row.moves()[-1].ended.next_dealer
        assert row.moves()[-1].ended.HasField("next_dealer")
        assert row.snapshot.deal_number == row.events("deal_started")[-1].deal_started.deal_number
        last = row.events("payments_made")[-1].payments_made
        assert row.snapshot.last_settlement == last
        assert last.payments
        settled = row.events("deal_settled")[-1].deal_settled
        assert [seat.balance for seat in row.snapshot.seats] == [balance.balance for balance in settled.balances]
        assert [seat.ready for seat in row.snapshot.seats] == [False] * 4
