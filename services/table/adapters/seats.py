"""The matchmaker's seats over gRPC."""

from collections.abc import Sequence

import grpc.aio
from cardroom.matchmaker.v1 import seat_pb2, seat_pb2_grpc

from services.table.adapters.definite import definite


class GrpcSeats:
    """`Seats` over a channel."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = seat_pb2_grpc.SeatServiceStub(channel)

    async def release(self, table_id: str, epoch: int, players: Sequence[str], *, requeue: bool) -> None:
        """See `Seats`."""
        request = seat_pb2.ReleaseSeatsRequest(table_id=table_id, epoch=epoch, player_ids=players, requeue=requeue)
        await definite(self._stub.ReleaseSeats(request))
