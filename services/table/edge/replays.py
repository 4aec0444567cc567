"""Replays as messages."""

from collections.abc import Iterator

from cardroom.table.v1 import table_pb2

from services.table.app.replays import Replay
from services.table.edge.events import players_to_proto, room_to_proto
from services.table.ports import StoredEntry

_BATCH_COUNT = 100


def replay_to_proto(table_id: str, replay: Replay) -> Iterator[table_pb2.GetReplayResponse]:
    """The head, then all entries, some at a time."""
    started = replay.started
    assert started.seed is not None
    yield table_pb2.GetReplayResponse(
        head=table_pb2.ReplayHead(
            table_id=table_id,
            deal_id=started.deal_id,
            deal_number=started.deal_number,
            room=room_to_proto(replay.created.room),
            seats=players_to_proto(replay.created.players),
            seed_commitment=started.commitment.hex(),
            seed=started.seed.hex(),
            nonces=[nonce.hex() for nonce in started.nonces],
        )
    )
    for first in range(0, len(replay.entries), _BATCH_COUNT):
        rows = replay.entries[first : first + _BATCH_COUNT]
        yield table_pb2.GetReplayResponse(entries=table_pb2.ReplayEntries(entries=map(_entry, rows)))


def _entry(row: StoredEntry) -> table_pb2.ReplayEntry:
    message = table_pb2.ReplayEntry(seq=row.seq)
    message.stored_at.FromMilliseconds(row.at_ms)
    message.event.ParseFromString(row.data)
    return message
