"""Makes tables on pods by `TableControlService.CreateTable`."""

from collections.abc import Callable

import grpc.aio
from cardroom.table.v1 import control_pb2, control_pb2_grpc, event_pb2, table_pb2, table_pb2_grpc

from refusals import Reason, Refusal
from services.matchmaker.messages import room_message
from services.matchmaker.ports import Created, CreateOutcome, Match, OutcomeUnknown, Pod, Refused
from serving.channels import connect
from serving.refusing import refusal_of

_CHANNEL_COUNT_MAX = 256
_PAGE_SIZE = 1_000
_MEANS_OVER = {
    Reason.TABLE_UNKNOWN: True,
    Reason.TABLE_CLOSED: True,
    Reason.TABLE_QUARANTINED: True,
    Reason.NOT_OWNER: False,
    Reason.SPECTATORS_NOT_ALLOWED: False,
    Reason.TOO_EARLY: False,
}
"""What a refusal says about a table; all others say nothing."""


class GrpcTables:
    """The port `Tables`. One channel a pod's address, the longest unused one closed beyond 256."""

    def __init__(self, token: Callable[[], str], *, deadline_ms: int, spectate: Callable[[str], str]) -> None:
        """`spectate`: a spectator's token for a table."""
        self._token = token
        self._spectate = spectate
        self._deadline_s = deadline_ms / 1000
        self._channels: dict[str, grpc.aio.Channel] = {}

    async def create(self, pod: Pod, match: Match) -> CreateOutcome:
        """Asks one pod once, within the deadline; never raises for what the pod does."""
        stub = control_pb2_grpc.TableControlServiceStub(await self._channel(pod.control_authority))
        try:
            response: control_pb2.CreateTableResponse = await stub.CreateTable(
                _request(match), timeout=self._deadline_s, metadata=(("x-table-pod", pod.pod),)
            )
        except grpc.aio.AioRpcError as error:
            refusal: Refusal | None = refusal_of(error)
            if refusal is None:
                return OutcomeUnknown(error.code().name)
            return Refused(refusal.reason, dict(refusal.metadata))
        return Created(response.pod, response.authority, response.epoch)

    async def listed(self, pod: Pod) -> frozenset[str]:
        """The tables a pod has; none if it does not answer."""
        stub = control_pb2_grpc.TableControlServiceStub(await self._channel(pod.control_authority))
        found: set[str] = set()
        token = ""
        try:
            while True:
                request = control_pb2.ListTablesRequest(page_size=_PAGE_SIZE, page_token=token)
                page: control_pb2.ListTablesResponse = await stub.ListTables(request, timeout=self._deadline_s)
                found |= {row.table_id for row in page.tables}
                token = page.next_page_token
                if not token:
                    return frozenset(found)
        except grpc.aio.AioRpcError:
            return frozenset()

    async def is_over(self, pod: Pod, table_id: str) -> bool | None:
        """Asks as a spectator does: a table that is there answers something, if only that nobody may watch."""
        token = self._spectate(table_id)
        async with connect(pod.authority, token=lambda: token) as channel:
            request = table_pb2.GetSnapshotRequest(table_id=table_id)
            try:
                await table_pb2_grpc.TableServiceStub(channel).GetSnapshot(request, timeout=self._deadline_s)
            except grpc.aio.AioRpcError as error:
                refusal = refusal_of(error)
                return None if refusal is None else _MEANS_OVER.get(refusal.reason)
        return False

    async def close(self) -> None:
        """Closes all channels."""
        channels = list(self._channels.values())
        self._channels.clear()
        for channel in channels:
            await channel.close()

    async def _channel(self, address: str) -> grpc.aio.Channel:
        channel = self._channels.pop(address, None) or connect(address, token=self._token)
        self._channels[address] = channel
        if len(self._channels) > _CHANNEL_COUNT_MAX:
            oldest = next(iter(self._channels))
            await self._channels.pop(oldest).close()
        return channel


def _request(match: Match) -> control_pb2.CreateTableRequest:
    return control_pb2.CreateTableRequest(
        table_id=match.match_id,
        match_id=match.match_id,
        room=room_message(match.room),
        seats=[
            event_pb2.SeatTaken(
                seat=seat.seat,
                player_id=seat.player_id,
                bot_policy=match.room.bot_policy if seat.is_robot else "",
            )
            for seat in match.seats
        ],
        first_dealer=match.first_dealer,
    )
