"""The truth beside what players saw: logs as they are stored, and deals worked out without a table."""

from collections.abc import Callable
from typing import Any

from cardroom.mahjong.v1 import action_pb2
from redis.asyncio import Redis

from games.catalog import variant_of
from games.mahjong.claims import hand_waits
from games.mahjong.state import State
from services.table.edge.codec import ProtobufCodec
from services.table.edge.events import event_from_message, players_from_proto, room_from_proto
from services.table.model import play
from services.table.model import state as folding
from services.table.model.events import Arrived, Created, Ready, TableEvent
from services.table.model.flow import Draft, act, decision_id, start_deal
from services.table.model.play import Rest
from services.table.model.redaction import redact
from services.table.model.state import TableState
from tests.services.table.fakes import FixedEntropy
from tests.services.table.rig import Player, RunningPod, new_table_id

_CODEC = ProtobufCodec()


async def stored(redis_url: str, table_id: str) -> list[TableEvent]:
    """All entries of a log; numbered from 1 without gaps, or the test fails."""
    redis = Redis.from_url(redis_url)
    try:
        rows: Any = await redis.xrange(f"{{{table_id}}}:log")
    finally:
        await redis.aclose()
    assert [row[0] for row in rows] == [f"{seq}-0".encode() for seq in range(1, len(rows) + 1)]
    return [_CODEC.decode(row[1][b"e"]) for row in rows]


async def lose_tail(redis_url: str, table_id: str, count: int) -> None:
    """The store forgets the last entries of a log, as if it had never been told of them."""
    redis = Redis.from_url(redis_url)
    log, meta = f"{{{table_id}}}:log", f"{{{table_id}}}:meta"
    rows: Any = await redis.xrange(log)
    async with redis.pipeline(transaction=True) as pipe:
        pipe.delete(log)
        for number, fields in rows[:-count]:
            pipe.xadd(log, fields, id=number)
        pipe.hset(meta, "seq", str(len(rows) - count))
        await pipe.execute()
    await redis.aclose()


def received(player: Player) -> dict[int, TableEvent | None]:
    """Entries a player received, by number; None where an entry was hidden."""
    entries: dict[int, TableEvent | None] = {}
    for message in player.messages:
        kind = message.WhichOneof("kind")
        if kind == "event":
            assert message.seq not in entries, f"{message.seq} came twice"
            entries[message.seq] = event_from_message(message.event)
        elif kind == "hidden":
            entries[message.seq] = None
    return entries


def seen_of(log: list[TableEvent], seat: int | None) -> dict[int, TableEvent | None]:
    """What a seat may see of a log, by number."""
    return {seq: redact(event, seat) for seq, event in enumerate(log, 1)}


def folded(table_id: str, log: list[TableEvent]) -> TableState:
    """The table after a log."""
    first, *rest = log
    assert isinstance(first, Created)
    state = folding.created(table_id, first)
    for event in rest:
        state = folding.evolve(state, event)
    return state


def first_deal(pod: RunningPod, table_id: str, **changes: Any) -> State:
    """The first deal of a table after its tiles are dealt, worked out without a table (PF-41)."""
    deal = _started(pod, table_id, **changes).state.deal
    assert deal is not None
    assert isinstance(deal.game, State)
    return deal.game


def _started(pod: RunningPod, table_id: str, **changes: Any) -> Draft:
    count = variant_of(changes.get("variant", "bloody4")).seat_count
    request = pod.create_request(table_id, [f"p{seat}" for seat in range(count)], **changes)
    created = Created(
        room_from_proto(request.room), players_from_proto(request.seats), request.match_id, request.first_dealer
    )
    draft = Draft(folding.created(table_id, created), lambda: 0)
    for seat in range(count):
        draft.put(Arrived(seat))
    for seat in range(count):
        draft.put(Ready(seat, b""))
    start_deal(draft, [0] * count, FixedEntropy().seed())
    return draft


MOST_TRIED = 5_000
"""Deals looked at; one in some tens will do, so that none among so many is a fault."""


def table_with_settlements(pod: RunningPod, count: int, *, wins: int = 0) -> str:
    """An id of a table whose first deal asks for so many settlements or more, and has so many wins or more, when all
    choose first options.
    """
    for _ in range(MOST_TRIED):
        table_id = new_table_id()
        played = _played(_started(pod, table_id))
        assert played.deal is not None
        game = played.deal.game
        if len(played.dues) >= count and (not wins or (isinstance(game, State) and len(game.wins) >= wins)):
            return table_id
    raise AssertionError(f"no such deal among {MOST_TRIED}")


def _played(draft: Draft) -> TableState:
    """A deal played to its end by first options."""
    while draft.state.rest is not Rest.OVER:
        deal = draft.state.deal
        assert deal is not None
        for seat in sorted(play.awaiting(deal.game)):
            options = play.legal(deal.game, seat)
            act(draft, seat, decision_id(deal.opened_seq, seat), options[0])
    return draft.state


def table_where(pod: RunningPod, holds: Callable[[State], bool], **changes: Any) -> str:
    """An id of a table whose first deal has a certain property; the wall hangs on the id."""
    for _ in range(3_000):
        table_id = new_table_id()
        if holds(first_deal(pod, table_id, **changes)):
            return table_id
    raise AssertionError("no such deal among 3,000")


def discard(tile: int) -> action_pb2.Action:
    return action_pb2.Action(discard=action_pb2.Discard(tile=tile))


PASS = action_pb2.Action(pass_claim=action_pb2.Pass())
PUNG = action_pb2.Action(pung=action_pb2.Pung())


def claimers(state: State, tile: int) -> list[int]:
    """Seats that hold a pair or more of a tile, the dealer left out: those that may claim it from him."""
    return [seat for seat in state.seats if seat != state.dealer and state.hands[seat].count(tile) >= 2]


def unclaimed_tile(state: State) -> int | None:
    """A tile of the dealer's that nobody can claim."""
    waited = {tile for seat in state.seats for tile in hand_waits(state, seat) if seat != state.dealer}
    return next((t for t in state.hands[state.dealer] if not claimers(state, t) and t not in waited), None)


def pung_tile(state: State) -> tuple[int, int] | None:
    """A tile of the dealer's that exactly one seat can claim, and only for a pung; and that seat."""
    waited = {tile for seat in state.seats for tile in hand_waits(state, seat) if seat != state.dealer}
    for tile in state.hands[state.dealer]:
        seats = claimers(state, tile)
        if len(seats) == 1 and state.hands[seats[0]].count(tile) == 2 and tile not in waited:
            return tile, seats[0]
    return None
