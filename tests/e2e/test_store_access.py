"""What the operators' page lets the services do at their stores is enough, and no more than they should."""

import asyncio
import re
from pathlib import Path

import pytest
from redis.asyncio import Redis
from redis.exceptions import NoPermissionError

from deploy.k8s.rendering import OVERLAYS, rendered
from deploy.local.bank import Bank
from deploy.local.redis_server import RedisServer
from deploy.local.settings import LocalSettings
from deploy.local.stack import Stack
from tests.e2e.conftest import ROOT
from tests.e2e.test_sigterm import PLAYERS, play

LIMIT_SECONDS = 300.0
PASSWORD = "of-this-test"
FORBIDDEN = ("SHUTDOWN", "FLUSHALL", "CONFIG SET appendfsync no", "REPLICAOF 127.0.0.1 1", "ACL LIST", "SAVE")


def users() -> list[list[str]]:
    """The users of a store as the page makes them: name and rules of each."""
    page = (ROOT / "docs" / "operating.md").read_text()
    found = re.search(r"printf '(user default .*?)\\n(user cardroom .*?)\\n(user operator .*?)\\n'", page)
    assert found
    return [line.replace("%s", PASSWORD).split()[1:] for line in found.groups()]


def configuration(store: str) -> dict[str, str]:
    """A store's settings as the manifests have them, but for what belongs to a container."""
    documents = rendered(OVERLAYS[0])
    row = next(row for row in documents if (row["kind"], row["metadata"]["name"]) == ("ConfigMap", store))
    lines = dict(line.split(maxsplit=1) for line in row["data"]["redis.conf"].splitlines())
    return {name: value for name, value in lines.items() if name not in ("bind", "port", "dir", "aclfile")}


async def restricted(store: str, folder: Path) -> tuple[RedisServer, str]:
    """A store with the manifests' settings and the page's users; and its URL for the services."""
    settings = configuration(store)
    fsync = settings.pop("appendfsync")
    assert fsync in ("always", "everysec")
    server = RedisServer.start(folder / store, fsync="always" if fsync == "always" else "everysec", settings=settings)
    async with Redis.from_url(server.url) as admin:
        for name, *rules in reversed(users()):  # the default user, who does this, is the last to lose his rights
            await admin.execute_command("ACL", "SETUSER", name, *rules)  # type: ignore[no-untyped-call]
    return server, server.url.replace("redis://", f"redis://cardroom:{PASSWORD}@")


async def test_services_play_a_deal_with_the_rights_that_operators_give_them(tmp_path: Path) -> None:
    tables, tables_url = await restricted("redis", tmp_path)
    books, books_url = await restricted("redis-ledger", tmp_path)
    settings = LocalSettings(
        state_directory=tmp_path / "state", port_base=0, redis_url=tables_url, ledger_redis_url=books_url
    )
    try:
        async with asyncio.timeout(LIMIT_SECONDS), Stack(settings, say=lambda _: None) as stack, Bank(stack) as bank:
            for player_id in PLAYERS:
                await bank.open_account(player_id)
            played = await asyncio.gather(*(play(stack, player_id, lambda _: None) for player_id in PLAYERS))
            assert [(bot.faults, bot.deal_count) for bot in played] == [([], 1)] * len(PLAYERS)
            assert (await bank.books("points")).right
        for url in (tables_url, books_url):
            async with Redis.from_url(url) as store:
                for command in FORBIDDEN:
                    with pytest.raises(NoPermissionError):
                        await store.execute_command(*command.split())  # type: ignore[no-untyped-call]
            async with Redis.from_url(url.replace("//cardroom:", "//operator:")) as store:
                assert await store.config_set("maxmemory", 0), "whom the ledger's page asks to"
    finally:
        tables.stop()
        books.stop()


async def test_a_stranger_may_ask_whether_the_store_lives_and_nothing_else(tmp_path: Path) -> None:
    server, _ = await restricted("redis", tmp_path)
    try:
        async with Redis.from_url(server.url) as stranger:
            assert await stranger.ping()
            with pytest.raises(NoPermissionError):
                await stranger.get("anything")
    finally:
        server.stop()
