"""A service in a process of its own, as ``services/<name>/main.py`` are: ``python -m tests.edge.service_process``."""

import asyncio
import sys
import threading
from typing import Any

import serving.main
from serving.main import serve
from serving.runtime import Runtime
from serving.settings import ServiceSettings
from serving.store import connect_redis
from tests.edge.scripted import Context, Scripted, no_rooms


class Settings(ServiceSettings):
    """What the test wants of the process."""

    answer_ms: int = 0
    drain_ms: int = 0
    redis_url: str = ""
    stay_serving: bool = False
    start_ms: int = 0
    stuck: bool = False


async def build(runtime: Runtime) -> Scripted:
    """A component that takes its time, and a store if there is an URL."""
    settings = runtime.settings
    assert isinstance(settings, Settings)

    async def answer(context: Context) -> Any:
        runtime.log.info("answering")
        await asyncio.sleep(settings.answer_ms / 1000)
        return await no_rooms(context)

    async def drain() -> None:
        await asyncio.sleep(settings.drain_ms / 1000)

    if settings.start_ms:
        runtime.log.info("starting")
        await asyncio.sleep(settings.start_ms / 1000)
    if settings.stuck:
        volume_is_away = threading.Event()
        asyncio.get_running_loop().run_in_executor(None, volume_is_away.wait)
        serving.main.EXIT_LIMIT_SECONDS = 0.2
    if settings.redis_url:
        redis = await connect_redis(settings.redis_url, need_fsync=True)
        await redis.aclose()
    return Scripted(answer, on_drain=drain, serving_while_draining=settings.stay_serving)


if __name__ == "__main__":
    sys.exit(serve("scripted", Settings, build))
