"""One player, several devices (PF-11, PF-34; reliability 13 and 14): the newest connection wins."""

from cardroom.table.v1 import table_pb2, table_pb2_grpc

from refusals import Reason
from tests.channels import bare_channel
from tests.services.table.rig import (
    Player,
    Pods,
    RunningPod,
    Seated,
    eventually,
    first_option,
    gathered,
    new_table_id,
    reason_for,
)


class Device:
    """A device with a connection of its own."""

    def __init__(self, seated: Seated, seat: int, *, generation: int = 0, pod: RunningPod | None = None) -> None:
        self.player: Player = seated.player(seat, pod, generation=generation)
        self._channel = bare_channel(self.player.pod.authority)
        self.player.stub = table_pb2_grpc.TableServiceStub(self._channel)

    async def die(self) -> None:
        """The device is gone: its connection breaks."""
        await self._channel.close(None)
        await self.player.close()


async def test_killed_resumed_elsewhere_and_a_third_device_late_to_close_is_one_seat_without_a_gap(
    pod: RunningPod,
) -> None:
    """PF-11, PF-34: the third device was replaced and does not hang up until the second plays on."""
    seated = await pod.create(new_table_id())
    others = [seated.player(seat) for seat in (1, 2, 3)]
    for player in others:
        player.open()
        await player.until("snapshot")
    third = Device(seated, 0)
    third.player.open()
    await third.player.until("snapshot")
    first = Device(seated, 0, generation=1)
    first.player.open()
    await first.player.until("snapshot")
    assert (await third.player.until("goodbye")).goodbye.reason == table_pb2.GOODBYE_REASON_REPLACED
    for player in (first.player, *others):
        await player.ready()
    await first.player.until("event", "dealt")
    had = list(first.player.seqs())
    await first.die()
    second = Device(seated, 0, generation=2)
    for player in (second.player, *others):
        player.play(first_option)
    second.player.open(had[-1], first.player.epoch)
    await second.player.seen(had[-1] + 3)
    await third.die()
    viewers = pod.component.pod.tables[seated.table_id].gallery.viewers
    assert len(viewers) == 4, "one viewer a seat"
    assert viewers.of_seat(0) is not None
    await second.player.ended()
    assert second.player.goodbyes() == ["ENDED"]
    assert had + second.player.seqs() == list(range(had[0], second.player.last_seq + 1))


async def test_a_late_close_of_the_older_device_leaves_the_newer_one_alone(pod: RunningPod) -> None:
    """Reliability 13."""
    seated = await pod.create(new_table_id())
    older, newer = Device(seated, 0), Device(seated, 0)
    for device in (older, newer):
        device.player.open()
        await device.player.until("snapshot")
    await older.player.ended()
    assert older.player.goodbyes() == ["REPLACED"]
    await older.die()
    await seated.player(1).ready()
    await newer.player.until("event", "ready")
    await newer.die()


async def test_once_a_newer_token_is_used_the_older_one_is_used_up(pods: Pods) -> None:
    """api.md, who may call: superseded generations are refused at every call; by a later owner of the table too."""
    pod = await pods.start("table-0")
    seated = await pod.create(new_table_id())
    old, new = seated.player(0), seated.player(0, generation=1)
    await old.snapshot()
    await new.snapshot()
    await refused_everywhere(old)
    await new.ready()
    await pod.crash()
    again = await pods.start("table-0")
    await again.owns(seated)
    await refused_everywhere(seated.player(0, again))
    await seated.player(0, again, generation=1).snapshot()
    await seated.player(1, again).snapshot()


async def refused_everywhere(player: Player) -> None:
    assert await reason_for(player.snapshot()) is Reason.TOKEN_SUPERSEDED
    assert await reason_for(player.ready()) is Reason.TOKEN_SUPERSEDED
    assert await reason_for(player.act(table_pb2.Option().mahjong, "1-0")) is Reason.TOKEN_SUPERSEDED
    player.open()
    await player.ended()
    assert player.messages == []
    assert player.error is not None
    assert "TOKEN_SUPERSEDED" in str(player.error.trailing_metadata())


async def test_a_stream_that_runs_is_not_ended_by_a_renewed_token_of_the_same_device(pod: RunningPod) -> None:
    """A client renews its token in the midst of a stream: only a newer stream takes the seat over."""
    seated = await pod.create(new_table_id())
    players = await gathered(seated)
    await seated.player(0, generation=1).ready()
    await players[0].until("event", "ready")
    assert players[0].goodbyes() == []


async def test_a_token_of_a_table_that_is_over_is_used_up(pods: Pods) -> None:
    """api.md, who may call: nothing but the replay of what was played is given for it."""
    pod = await pods.start()
    seated = await pod.create(new_table_id(), arrive_limit_ms=50)
    await eventually(lambda: seated.table_id not in pod.component.pod.tables)
    assert await reason_for(seated.player(0).snapshot()) is Reason.TABLE_CLOSED
    assert await reason_for(seated.player(0).ready()) is Reason.TABLE_CLOSED
