"""Tables made and listed by services (CreateTable, ListTables)."""

import asyncio
from typing import Any

import pytest
from cardroom.table.v1 import control_pb2, event_pb2
from redis.asyncio import Redis

from refusals import Reason
from serving.registry import PodRegistry
from tests.services.table.rig import Pods, RunningPod, eventually, new_table_id, reason_for, refusal_for

NAMES = ["ann", "ben", "cho", "dan"]


async def test_the_same_table_again_is_the_same_table(pod: RunningPod) -> None:
    table_id, control = new_table_id(), pod.control("matchmaker")
    request = pod.create_request(table_id, NAMES, first_dealer=2)
    answers = await asyncio.gather(*(control.CreateTable(request) for _ in range(5)))
    assert sorted(answer.existed for answer in answers) == [False] + [True] * 4
    assert {(answer.pod, answer.authority, answer.epoch) for answer in answers} == {(pod.name, pod.authority, 1)}
    assert len(pod.component.pod.tables) == 1


@pytest.mark.parametrize("change", [{"stake": 2}, {"first_dealer": 1}, {"turn_limit_ms": 5_000}, {"etag": "9"}])
async def test_the_same_id_with_other_content_is_refused(pod: RunningPod, change: dict[str, Any]) -> None:
    table_id, control = new_table_id(), pod.control("matchmaker")
    await control.CreateTable(pod.create_request(table_id, NAMES))
    other = pod.create_request(table_id, NAMES, **change)
    assert await reason_for(control.CreateTable(other)) is Reason.TABLE_CONFLICT
    swapped = pod.create_request(table_id, [*NAMES[1:], NAMES[0]])
    assert await reason_for(control.CreateTable(swapped)) is Reason.TABLE_CONFLICT


async def test_a_table_of_another_pod_is_returned_with_its_owner(pods: Pods) -> None:
    first, second = await pods.start(pod_lease_ms=60_000), await pods.start(pod_lease_ms=60_000)
    request = first.create_request(new_table_id(), NAMES)
    await first.control("matchmaker").CreateTable(request)
    answer = await second.control("matchmaker").CreateTable(request)
    assert (answer.existed, answer.pod, answer.authority) == (True, first.name, first.authority)
    assert not second.component.pod.tables


async def test_the_first_dealer_deals_first_bb_5(pod: RunningPod) -> None:
    seated = await pod.create(new_table_id(), first_dealer=3)
    for player in seated.players():
        await player.ready()
    watcher = seated.player(0)
    watcher.open()
    await eventually(lambda: bool(watcher.messages))
    snapshot = (await watcher.snapshot()).snapshot
    assert snapshot.dealer == 3


BAD: dict[str, dict[str, Any]] = {
    "room.variant": {"variant": "poker"},
    "room.stake": {"stake": 0},
    "room.turn_limit_ms": {"turn_limit_ms": 0},
    "room.claim_floor_min_ms": {"claim_floor_min_ms": 2, "claim_floor_max_ms": 1},
    "room.asset": {"asset": "gold"},
    "room.arrive_limit_ms": {"arrive_limit_ms": 86_400_001},
}


@pytest.mark.parametrize("field", BAD)
async def test_a_room_that_cannot_be_is_refused_by_field(pod: RunningPod, field: str) -> None:
    refusal = await refusal_for(
        pod.control("matchmaker").CreateTable(pod.create_request(new_table_id(), NAMES, **BAD[field]))
    )
    assert (refusal.reason, refusal.field) == (Reason.INVALID_FIELD, field)


async def test_an_option_that_cannot_be_is_refused_by_name(pod: RunningPod) -> None:
    request = pod.create_request(new_table_id(), NAMES)
    request.room.options.update({"kong_transfer": "first"})
    refusal = await refusal_for(pod.control("matchmaker").CreateTable(request))
    assert (refusal.reason, refusal.field) == (Reason.OPTION_INVALID, "room.options.kong_transfer")


async def test_seats_that_cannot_be_are_refused(pod: RunningPod) -> None:
    control = pod.control("matchmaker")
    for names, field in (
        (NAMES[:3], "seats"),
        (["ann", "ann", "cho", "dan"], "seats[1].player_id"),
        (["", "ben", "cho", "dan"], "seats[0].player_id"),
    ):
        refusal = await refusal_for(control.CreateTable(pod.create_request(new_table_id(), names)))
        assert (refusal.reason, refusal.field) == (Reason.INVALID_FIELD, field)
    refusal = await refusal_for(control.CreateTable(pod.create_request(new_table_id(), NAMES, first_dealer=4)))
    assert refusal.field == "first_dealer"
    refusal = await refusal_for(control.CreateTable(pod.create_request("no {tag}", NAMES)))
    assert refusal.field == "table_id"


async def test_a_full_pod_has_no_slot(pods: Pods) -> None:
    pod = await pods.start(slot_count=2)
    control = pod.control("matchmaker")
    for _ in range(2):
        await control.CreateTable(pod.create_request(new_table_id(), NAMES))
    call = control.CreateTable(pod.create_request(new_table_id(), NAMES))
    assert await reason_for(call) is Reason.NO_SLOT
    assert pod.sample("cardroom_table_slots_used") == 2


async def test_only_the_matchmaker_makes_tables(pod: RunningPod) -> None:
    request = pod.create_request(new_table_id(), NAMES)
    for role in ("table", "operator", "login"):
        assert await reason_for(pod.control(role).CreateTable(request)) is Reason.ROLE_NOT_ALLOWED


async def test_tables_are_listed_by_id_in_pages(pod: RunningPod) -> None:
    names = sorted([new_table_id() for _ in range(5)])
    for name in names:
        await pod.create(name)
    control, listed, token = pod.control("operator"), [], ""
    for _ in range(3):
        page = await control.ListTables(control_pb2.ListTablesRequest(page_size=2, page_token=token))
        listed += list(page.tables)
        token = page.next_page_token
    assert [row.table_id for row in listed] == names
    assert token == ""
    assert {(row.room_id, row.state, row.epoch, row.seq) for row in listed} == {
        ("bloody4-1", event_pb2.TABLE_STATE_WAITING, 1, 1)
    }
    assert await reason_for(control.ListTables(control_pb2.ListTablesRequest(page_size=1_001))) is Reason.INVALID_FIELD


async def test_the_pod_s_card_says_how_many_slots_are_used(pods: Pods) -> None:
    pod = await pods.start(slot_count=7, pod_lease_ms=60_000)
    await pod.create(new_table_id())
    redis = Redis.from_url(pod.settings.redis_url)
    registry = PodRegistry(redis)
    async with asyncio.timeout(60):
        while True:
            card = await registry.find(pod.name)
            if card is not None and card.slots_used == 1:
                break
            await asyncio.sleep(0.01)
    assert (card.slots_total, card.authority, card.draining) == (7, pod.authority, False)
    await redis.aclose()


async def test_a_pod_that_drains_makes_no_table(pod: RunningPod) -> None:
    await pod.component.pod.drain()
    call = pod.control("matchmaker").CreateTable(pod.create_request(new_table_id(), NAMES))
    assert await reason_for(call) is Reason.SHUTTING_DOWN
