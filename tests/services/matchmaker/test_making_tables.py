"""Making a table, step by step: matchmakers that die, pods that refuse, hang or vanish (reliability 24-30)."""

import asyncio
from collections.abc import Sequence
from typing import cast

import pytest

from refusals import Reason, Refusal
from services.matchmaker.adapters.chance import SystemChance
from services.matchmaker.ports import MatchStep
from tests.services.matchmaker.conftest import (
    LIMIT_S,
    REST_MS,
    RETRY_MS,
    ROOM,
    Player,
    Replica,
    Stall,
    World,
    eventually,
)
from tests.services.matchmaker.pods import Mood, RunningPod

FOUR = ("ann", "bob", "cid", "dan")
SOON_MS = 300
"""An age for giving up that comes soon."""


class FirstPod(SystemChance):
    """Always asks the first pod that has a free slot."""

    def pick(self, weights: Sequence[int]) -> int:
        return next(index for index, weight in enumerate(weights) if weight > 0)


def at(world: World, replica: Replica, players: Sequence[Player]) -> list[Player]:
    """The same players and tickets at another replica."""
    moved = []
    for player in players:
        again = world.player(replica, player.player_id)
        again.ticket_id = player.ticket_id
        moved.append(again)
    return moved


async def places(players: Sequence[Player]) -> list[int]:
    """Each player's place as his stream shows it; 0 for one whose seat is drawn."""
    return [await player.first_place() for player in players]


async def _stand_in_order(players: Sequence[Player]) -> bool:
    return await places(players) == list(range(1, len(players) + 1))


async def joined_at(world: World, players: Sequence[Player]) -> list[bytes]:
    keys = [f"{{seats}}:ticket:{player.ticket_id}" for player in players]
    return [cast("bytes", await world.redis.hget(key, "joined_ms")) for key in keys]


@pytest.mark.parametrize("step", [MatchStep.TAKEN, MatchStep.ASKED, MatchStep.CREATED, MatchStep.SEATED])
async def test_killed_after_a_step_another_replica_completes_the_match(world: World, step: MatchStep) -> None:
    """Reliability 25: one table, everybody sits at it, whichever step was the last."""
    stall = Stall(step)
    dying = await world.matchmaker(stall)
    await world.pod()
    players = await world.queue(dying, FOUR)
    await asyncio.wait_for(stall.reached_it.wait(), LIMIT_S)
    await dying.server.kill()

    heir = await world.matchmaker()
    seats = await asyncio.gather(*(player.seated() for player in at(world, heir, players)))
    assert sorted(seat.seat for seat in seats) == [0, 1, 2, 3]
    assert set(world.logs.made) == {seats[0].table_id}
    assert sorted(world.logs.players()) == sorted(FOUR)
    assert await world.redis.zcard("{seats}:matches") == 0


@pytest.mark.parametrize("step", [MatchStep.TAKEN, MatchStep.ASKED, MatchStep.CREATED])
async def test_killed_with_its_pod_every_ticket_is_back_in_front_with_its_wait(world: World, step: MatchStep) -> None:
    """Reliability 25: no pod is left, so all wait again where they were, before those who came later."""
    stall = Stall(step)
    dying = await world.matchmaker(stall)
    pod = await world.pod()
    players = await world.queue(dying, FOUR)
    since = await joined_at(world, players)
    await asyncio.wait_for(stall.reached_it.wait(), LIMIT_S)
    (late,) = await world.queue(dying, ["eve"])
    await asyncio.gather(dying.server.kill(), pod.stop())

    heir = await world.matchmaker(match_give_up_ms=SOON_MS)
    queue = at(world, heir, [*players, late])
    await eventually(lambda: _has_length(world, 5))
    await eventually(lambda: _stand_in_order(queue))  # they may be taken, and given back, again meanwhile
    assert await joined_at(world, players) == since

    await world.pod("table-1")
    seats = await asyncio.gather(*(player.seated() for player in queue[:4]))
    assert len({seat.table_id for seat in seats}) == 1
    assert await places(queue[4:]) == [1]


async def _has_length(world: World, length: int) -> bool:
    return bool(await world.redis.zcard(f"{{seats}}:queue:{ROOM}") == length)


async def test_killed_after_putting_back_nobody_is_lost(world: World) -> None:
    stall = Stall(MatchStep.PUT_BACK)
    dying = await world.matchmaker(stall)
    pod = await world.pod()
    pod.pod.mood = Refusal(Reason.NO_SLOT)
    players = await world.queue(dying, FOUR)
    await asyncio.wait_for(stall.reached_it.wait(), LIMIT_S)
    await dying.server.kill()
    pod.pod.mood = Mood.MAKES
    heir = await world.matchmaker()
    seats = await asyncio.gather(*(player.seated() for player in at(world, heir, players)))
    assert sorted(seat.seat for seat in seats) == [0, 1, 2, 3]


async def test_a_matchmaker_that_wakes_up_late_changes_nothing(world: World) -> None:
    """A stopped replica whose match another one has completed: its grant is refused."""
    stall = Stall(MatchStep.CREATED)
    sleeper = await world.matchmaker(stall)
    await world.pod()
    players = await world.queue(sleeper, FOUR)
    await asyncio.wait_for(stall.reached_it.wait(), LIMIT_S)
    heir = await world.matchmaker()
    moved = at(world, heir, players)
    before = [await player.seated() for player in moved]
    table_id = before[0].table_id
    assert await heir.release(table_id, ["ann"]) == ["ann"]
    await heir.server.kill()
    stall.revive.set()

    others = await world.queue(sleeper, ["eve", "fay", "gus", "hal"])
    await others[0].seated()  # the sleeper works again, so its late step is behind it
    assert await world.redis.exists("{seats}:player:ann") == 0
    assert (await players[1].my_seat()).table_id == table_id
    assert sleeper.sample("cardroom_matches_total", {"outcome": "seated"}) == 1


async def test_a_table_nobody_was_shown_frees_nobody(world: World) -> None:
    """A pod stores a table too late, the match is undone: the table's ReleaseSeats finds the players elsewhere."""
    matchmaker = await world.matchmaker(match_give_up_ms=SOON_MS)
    pod = await world.pod(mood=Mood.MAKES_AND_HANGS)
    players = await world.queue(matchmaker, FOUR)
    await eventually(lambda: _was_put_back(matchmaker))
    ghosts = set(world.logs.made)
    pod.pod.mood = Mood.MAKES
    seats = await asyncio.gather(*(player.seated() for player in players))
    assert seats[0].table_id not in ghosts
    assert [await matchmaker.release(ghost, FOUR) for ghost in ghosts] == [[]] * len(ghosts)
    assert (await players[0].my_seat()).table_id == seats[0].table_id


async def _was_put_back(replica: Replica) -> bool:
    return replica.sample("cardroom_matches_total", {"outcome": "put_back"}) is not None


async def test_an_unknown_outcome_is_retried_under_the_same_id(world: World) -> None:
    """Reliability 26: the pod stored the table and did not answer; asked again, it is the same table."""
    matchmaker = await world.matchmaker()
    pod = await world.pod()
    pod.pod.next_moods = [Mood.MAKES_AND_HANGS]
    players = await world.queue(matchmaker, FOUR)
    seat = await players[0].seated()
    assert len(pod.pod.asked) >= 2
    assert {*pod.pod.asked, *world.logs.made} == {seat.table_id}
    assert matchmaker.sample("cardroom_create_table_total", {"outcome": "unknown"})


async def test_a_fault_of_the_pod_leaves_the_outcome_open(world: World) -> None:
    """INTERNAL says nothing about whether the table was stored: the same id again, not a new match."""
    matchmaker = await world.matchmaker()
    pod = await world.pod()
    pod.pod.next_moods = [Refusal(Reason.INTERNAL), Refusal(Reason.STORE_UNAVAILABLE)]
    players = await world.queue(matchmaker, FOUR)
    seat = await players[0].seated()
    assert len(pod.pod.asked) >= 3
    assert set(pod.pod.asked) == {seat.table_id}


async def test_a_wedged_pod_with_a_live_lease_is_passed_over(world: World) -> None:
    """Reliability 30."""
    matchmaker = await world.matchmaker(chance=FirstPod())
    wedged = await world.pod("a", mood=Mood.HANGS)
    sound = await world.pod("b")
    players = await world.queue(matchmaker, FOUR)
    seat = await players[0].seated()
    assert seat.endpoint.pod == "b"
    assert set(wedged.pod.asked) == set(sound.pod.asked) == {seat.table_id}


async def test_the_owner_a_pod_names_is_asked_next(world: World) -> None:
    """NOT_OWNER: pod a stored the table without answering, b says so, a confirms it."""
    matchmaker = await world.matchmaker(chance=FirstPod())
    first, second = await world.pod("a"), await world.pod("b")
    first.pod.next_moods = [Mood.MAKES_AND_HANGS]
    players = await world.queue(matchmaker, FOUR)
    seat = await players[0].seated()
    assert seat.endpoint.pod == "a"
    assert len(first.pod.asked) >= 2
    assert set(first.pod.asked) == set(second.pod.asked) == {seat.table_id}


async def test_two_pods_that_name_each_other_do_not_make_us_run_in_circles(world: World) -> None:
    """The match is put back when it is too old; until then the pods are asked once a round, not without pause."""
    matchmaker = await world.matchmaker(match_give_up_ms=SOON_MS)
    first, second = await world.pod("a"), await world.pod("b")
    first.pod.mood = Refusal(Reason.NOT_OWNER, metadata={"pod": "b"})
    second.pod.mood = Refusal(Reason.NOT_OWNER, metadata={"pod": "a"})
    players = await world.queue(matchmaker, FOUR)
    await eventually(lambda: _was_put_back(matchmaker))
    ids = [*first.pod.asked, *second.pod.asked]
    in_one_match = max(ids.count(table_id) for table_id in set(ids))
    assert in_one_match <= 4 * (SOON_MS // RETRY_MS + 1)
    first.pod.mood = second.pod.mood = Mood.MAKES
    await asyncio.gather(*(player.seated() for player in players))


async def test_an_id_that_leads_nowhere_is_given_up_at_once(world: World) -> None:
    """TABLE_CONFLICT: the tickets go back and come again under a new id."""
    matchmaker = await world.matchmaker()
    pod = await world.pod()
    pod.pod.next_moods = [Refusal(Reason.TABLE_CONFLICT)]
    players = await world.queue(matchmaker, FOUR)
    seat = await players[0].seated()
    assert list(dict.fromkeys(pod.pod.asked))[1:] == [seat.table_id]


async def test_a_room_whose_matches_lead_nowhere_rests_in_between(world: World) -> None:
    """A fault that stays (every pod refuses the room) does not become a busy loop over store and pods."""
    matchmaker = await world.matchmaker()
    pod = await world.pod()
    pod.pod.mood = Refusal(Reason.INVALID_FIELD)
    players = await world.queue(matchmaker, FOUR)
    began = asyncio.get_running_loop().time()
    await eventually(lambda: _was_put_back(matchmaker))
    await asyncio.sleep(5 * REST_MS / 1000)
    await eventually(lambda: _was_asked(pod, 2))
    passed_ms = (asyncio.get_running_loop().time() - began) * 1000
    assert len(pod.pod.asked) <= passed_ms / REST_MS + 2
    pod.pod.mood = Mood.MAKES
    await asyncio.gather(*(player.seated() for player in players))


async def _was_asked(pod: RunningPod, times: int) -> bool:
    return len(pod.pod.asked) >= times


async def test_without_a_slot_all_keep_their_place_and_the_metric_rises(world: World) -> None:
    """Reliability 29: no pod, a draining pod, a full pod; then a slot, and the first four sit."""
    matchmaker = await world.matchmaker()
    names = [f"p{index}" for index in range(6)]
    players = await world.queue(matchmaker, names)
    draining, full = await world.pod("draining", draining=True), await world.pod("full", slots=0)
    await eventually(lambda: _waits(matchmaker, 6))
    await asyncio.sleep(0.2)  # several looks at the queue
    assert await places(players) == [1, 2, 3, 4, 5, 6]
    assert world.logs.made == {}
    full.pod.slots = 1
    await asyncio.gather(*(player.seated() for player in players[:4]))
    assert await places(players[4:]) == [1, 2]
    await eventually(lambda: _waits(matchmaker, 2))
    assert draining.pod.asked == []


async def _waits(replica: Replica, count: int) -> bool:
    return replica.sample("cardroom_queue_waiting", {"room": ROOM}) == count


async def test_a_pod_that_is_full_against_its_card_costs_nobody_his_place(world: World) -> None:
    """The card is old, the pod says NO_SLOT: the next pod; without one, back to the same places."""
    matchmaker = await world.matchmaker(chance=FirstPod())
    full = await world.pod("a")
    full.pod.mood = Refusal(Reason.NO_SLOT)
    players = await world.queue(matchmaker, [*FOUR, "eve"])
    await eventually(lambda: _was_put_back(matchmaker))
    await world.pod("b")
    seats = await asyncio.gather(*(player.seated() for player in players[:4]))
    assert {seat.endpoint.pod for seat in seats} == {"b"}
    assert await places(players[4:]) == [1]


async def test_where_slots_are_scarce_no_room_starves_another(world: World) -> None:
    """Reliability 28: with one slot at a time the rooms take turns."""
    matchmaker = await world.matchmaker()
    await world.queue(matchmaker, [f"p{index}" for index in range(8)], "bloody4-1")
    await world.queue(matchmaker, [f"q{index}" for index in range(4)], "bloody4-10")
    pod = await world.pod(slots=1)
    await eventually(lambda: _made(world, 1))
    await _add_slot(pod)
    await eventually(lambda: _made(world, 2))
    rooms = {request.room.room_id for _, request in world.logs.made.values()}
    assert rooms == {"bloody4-1", "bloody4-10"}


async def _made(world: World, count: int) -> bool:
    return len(world.logs.made) == count


async def _add_slot(pod: RunningPod) -> None:
    pod.pod.slots += 1
    await pod.announce()


async def test_at_shutdown_a_match_in_the_making_is_brought_to_its_end(world: World) -> None:
    """SIGTERM: the pod answers late, the seats are granted before the matchmaker leaves."""
    leaving = await world.matchmaker()
    pod = await world.pod()
    pod.pod.next_moods = [Mood.MAKES_AND_HANGS]
    players = await world.queue(leaving, FOUR)
    await eventually(lambda: _made(world, 1))
    assert await leaving.server.stop()
    assert leaving.sample("cardroom_matches_total", {"outcome": "seated"}) == 1
    heir = await world.matchmaker()
    assert (await at(world, heir, players)[0].my_seat()).table_id in world.logs.made
