"""Several commands to the store in one go, and their answers in order."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, cast

import hiredis
import redis.asyncio
from redis.asyncio.cluster import RedisCluster
from redis.exceptions import ResponseError

Command = tuple[str | int, ...]
_pack = cast("Callable[[Command], bytes]", hiredis.pack_command)


class Sender(Protocol):
    """Sends commands."""

    async def send(self, commands: Sequence[Command]) -> list[Any]:
        """The answers in order; an error that the store answers stands in the place of the answer.

        Raises: redis.exceptions.RedisError, OSError: the store did not answer; what was done is not known.
        """
        ...


class ServerSender:
    """To one server. The commands are packed in C: that costs a tenth of what the client's own pipeline takes."""

    def __init__(self, client: redis.asyncio.Redis) -> None:
        self._pool = client.connection_pool

    async def send(self, commands: Sequence[Command]) -> list[Any]:
        """See ``Sender``."""
        packed = b"".join(map(_pack, commands))
        connection = await self._pool.get_connection()  # type: ignore[no-untyped-call]
        answers: list[Any] = []
        try:
            await connection.send_packed_command(packed)
            for _ in commands:
                try:
                    answers.append(await connection.read_response())
                except ResponseError as error:
                    answers.append(error)
        except BaseException:
            await connection.disconnect(nowait=True)  # answers may still be on their way
            raise
        finally:
            await self._pool.release(connection)
        return answers


class ClusterSender:
    """To a cluster, whose client finds the node of each command by its keys."""

    def __init__(self, cluster: RedisCluster) -> None:
        self._cluster = cluster

    async def send(self, commands: Sequence[Command]) -> list[Any]:
        """See ``Sender``."""
        pipeline = self._cluster.pipeline(transaction=False)
        for command in commands:
            pipeline.execute_command(*command)  # there is no `evalsha` in its pipelines, though its servers know it
        return await pipeline.execute(raise_on_error=False)


def sender_for(client: redis.asyncio.Redis | RedisCluster) -> Sender:
    """The sender that fits the client."""
    return ClusterSender(client) if isinstance(client, RedisCluster) else ServerSender(client)
