"""Robots without a seat, in Redis. The layout of the keys is told in `lua/prelude.lua`."""

from collections.abc import Sequence

from redis.asyncio import Redis

from services.matchmaker.adapters.redis_scripts import Scripts, texts


class RedisRobots:
    """The port `RobotStore`."""

    def __init__(self, redis: Redis) -> None:
        self._scripts = Scripts(redis)

    async def borrow(self, count: int, lease_ms: int) -> Sequence[str]:
        """Sets so many aside, new ones where too few are free; after the lease they are free by themselves."""
        return texts(await self._scripts.run("borrow_robots", count, lease_ms))

    async def give_back(self, robots: Sequence[str], rest_ms: int = 0) -> None:
        """They are not needed; `rest_ms`: until they may be given a seat."""
        if robots:
            await self._scripts.run("return_robots", rest_ms, *robots)
