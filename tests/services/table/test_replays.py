"""GetReplay: a deal that is over, with everything, for those who may see it (PF-41)."""

from typing import Any

from cardroom.table.v1 import table_pb2

from refusals import Reason
from services.table.edge.events import event_from_message
from services.table.model.events import DealSettled, DealStarted, TableEvent
from tests.services.table.logs import stored, table_with_settlements
from tests.services.table.rig import Pods, RunningPod, Seated, eventually, first_option, gathered, reason_for

Replayed = list[table_pb2.GetReplayResponse]


async def replayed(pod: RunningPod, token: str, table_id: str, deal_number: int = 1) -> Replayed:
    """All messages of a replay."""
    request = table_pb2.GetReplayRequest(table_id=table_id, deal_number=deal_number)
    call = pod.stub().GetReplay(request, metadata=(("authorization", f"Bearer {token}"),))
    return [message async for message in call]


def entries_of(messages: Replayed) -> dict[int, TableEvent]:
    return {row.seq: event_from_message(row.event) for message in messages for row in message.entries.entries}


def seat_token(pod: RunningPod, seated: Seated, seat: int = 0, name: str = "") -> str:
    return pod.mint("seat", name or seated.names[seat], table_id=seated.table_id, seat=seat)


async def played(seated: Seated) -> None:
    players = await gathered(seated)
    for player in players:
        player.play(first_option)
    for player in players:
        await player.ready(nonce=bytes([player.seat]))
    for player in players:
        await player.ended()


async def test_after_the_deal_everything_is_told_as_it_was_stored(pods: Pods, redis_url: str) -> None:
    """PF-41: wall, hands and seed, byte for byte the log's entries; to any seat of it and to operators, by any pod."""
    pod, other = await pods.start(), await pods.start()
    seated = await pod.create(table_with_settlements(pod, 1))
    await played(seated)
    log = await stored(redis_url, seated.table_id)
    first = next(seq for seq, event in enumerate(log, 1) if isinstance(event, DealStarted))
    last = next(seq for seq, event in enumerate(log, 1) if isinstance(event, DealSettled))
    expected = {seq: log[seq - 1] for seq in range(first, last + 1)}
    for asked in (pod, other):
        for token in (seat_token(pod, seated), seat_token(pod, seated, 3), pod.mint("operator", "ops")):
            head, *rest = await replayed(asked, token, seated.table_id)
            assert entries_of(rest) == expected
            started = log[first - 1]
            assert isinstance(started, DealStarted)
            assert started.seed is not None
            assert head.head.seed == started.seed.hex()
            assert list(head.head.nonces) == ["00", "01", "02", "03"]
            assert [row.player_id for row in head.head.seats] == seated.names


async def test_while_the_deal_runs_nobody_gets_it(pod: RunningPod) -> None:
    """PF-40: not the players, not an operator."""
    seated = await pod.create(table_with_settlements(pod, 1))
    players = await gathered(seated)
    for player in players:
        await player.ready()
    await players[0].until("event", "dealt")
    for token in (seat_token(pod, seated), pod.mint("operator", "ops")):
        assert await reason_for(replayed(pod, token, seated.table_id)) is Reason.DEAL_RUNNING


async def test_a_deal_is_told_to_nobody_who_has_no_business_with_it(pod: RunningPod) -> None:
    """PF-40: not to another table's player, not to one who never sat there."""
    seated = await pod.create(table_with_settlements(pod, 1))
    await played(seated)
    other = pod.mint("seat", seated.names[0], table_id="elsewhere", seat=0)
    stranger = seat_token(pod, seated, 0, "stranger")
    operator = pod.mint("operator", "ops")
    assert await reason_for(replayed(pod, other, seated.table_id)) is Reason.TOKEN_MISMATCH
    assert await reason_for(replayed(pod, stranger, seated.table_id)) is Reason.TOKEN_MISMATCH
    assert await reason_for(replayed(pod, operator, seated.table_id, 2)) is Reason.DEAL_UNKNOWN
    assert await reason_for(replayed(pod, operator, seated.table_id, 0)) is Reason.DEAL_UNKNOWN
    assert await reason_for(replayed(pod, operator, "no-such-table")) is Reason.TABLE_UNKNOWN
    assert await reason_for(replayed(pod, operator, "no such table")) is Reason.INVALID_FIELD


async def test_a_spectator_gets_it_as_late_as_everything_else(pods: Pods) -> None:
    """PF-40: not before his delay has passed, and only where the room allows spectators."""
    pod = await pods.start()
    guarded = await pod.create(table_with_settlements(pod, 1))
    slow = await pod.create(table_with_settlements(pod, 1), spectators_allowed=True, spectator_delay_ms=600_000)
    quick = await pod.create(table_with_settlements(pod, 1), spectators_allowed=True, spectator_delay_ms=0)
    for seated in (guarded, slow, quick):
        await played(seated)
        await eventually(lambda seated=seated: seated.table_id in pods.seats.released)  # type: ignore[misc]
    tokens = {
        seated.table_id: pod.mint("spectator", "g", table_id=seated.table_id) for seated in (guarded, slow, quick)
    }
    refused = {
        seated.table_id: await reason_for(replayed(pod, tokens[seated.table_id], seated.table_id))
        for seated in (guarded, slow)
    }
    assert refused == {guarded.table_id: Reason.SPECTATORS_NOT_ALLOWED, slow.table_id: Reason.DEAL_RUNNING}
    assert entries_of(await replayed(pod, tokens[quick.table_id], quick.table_id))


async def test_refusals_tell_a_spectator_no_sooner_than_his_stream_that_a_deal_has_begun(pods: Pods) -> None:
    """PF-40: asked for deals that run, are to come or never come, he gets one answer until what it says is old."""
    pod = await pods.start()
    fields: dict[str, Any] = {"spectators_allowed": True, "deals_max": 1}
    slow = await pod.create(table_with_settlements(pod, 1), spectator_delay_ms=600_000, **fields)
    quick = await pod.create(table_with_settlements(pod, 1), spectator_delay_ms=0, **fields)
    token = pod.mint("spectator", "g", table_id=slow.table_id)

    async def told() -> list[Reason]:
        return [await reason_for(replayed(pod, token, slow.table_id, number)) for number in (1, 2)]

    assert await told() == [Reason.DEAL_RUNNING] * 2, "nobody is ready"
    players = await gathered(slow)
    for player in players:
        await player.ready()
    await players[0].until("event", "dealt")
    assert await told() == [Reason.DEAL_RUNNING] * 2, "the first one runs"
    for player in players:
        player.play(first_option)
        await player.close()
        player.open()
    for player in players:
        await player.ended()
    assert await told() == [Reason.DEAL_RUNNING] * 2, "the table is dissolved"
    await played(quick)
    token = pod.mint("spectator", "g", table_id=quick.table_id)
    assert await reason_for(replayed(pod, token, quick.table_id, 2)) is Reason.DEAL_UNKNOWN, "and old enough"
