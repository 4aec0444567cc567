"""Brings the store's news to the desk: what any replica has done to queues and tickets."""

from redis.asyncio import Redis
from redis.exceptions import RedisError

from services.matchmaker.adapters.redis_scripts import TAG, text
from services.matchmaker.app.news import NewsDesk
from services.matchmaker.ports import Clock, Journal

_PAUSE_MS = 500
_SILENCE_S = 1.0
"""Shorter than the connection waits for an answer."""


async def bring_news(redis: Redis, desk: NewsDesk, clock: Clock, journal: Journal) -> None:
    """Listens until cancelled; connects again by itself, and has everybody look once it has."""
    while True:
        try:
            async with redis.pubsub(ignore_subscribe_messages=True) as channel:
                await channel.subscribe(f"{TAG}:news")
                desk.rooms_changed()
                while True:
                    message = await channel.get_message(timeout=_SILENCE_S)
                    if message is not None:
                        _pass_on(text(message["data"]), desk)
        except (RedisError, OSError) as error:
            journal.warning("news_interrupted", error=type(error).__name__)
        await clock.sleep_ms(_PAUSE_MS)


def _pass_on(news: str, desk: NewsDesk) -> None:
    kind, *ticket_ids = news.split(" ")
    if kind == "rooms":
        desk.rooms_changed()
    else:
        desk.tickets_changed(ticket_ids)
