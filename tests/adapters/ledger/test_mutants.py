"""Whoever breaks a script hears of it: every mutant is caught by the quick ones among the tests."""

import asyncio
import hashlib
import inspect
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import resources
from types import ModuleType
from typing import Any

import pytest
from redis.asyncio import Redis

from services.ledger.adapters import scripts
from services.ledger.adapters.coalescer import Coalescer
from services.ledger.adapters.lua import ScriptName, script
from services.ledger.adapters.redis_store import RedisLedgerStore
from serving.store import connect_redis
from tests.adapters.ledger import test_scripts
from tests.adapters.ledger.mutants import MUTANTS, Mutant
from tests.conftest import STORE_PATIENCE_MS
from tests.fakes.clock import FakeClock
from tests.services.ledger import test_accounts, test_operators, test_settling, test_stakes
from tests.services.ledger.rig import Rig

MODULES = (test_scripts, test_stakes, test_settling, test_accounts, test_operators)
FIRST = {
    "settle": test_settling,
    "void": test_settling,
    "reserve": test_stakes,
    "release": test_stakes,
    "open": test_accounts,
    "grant": test_accounts,
    "reverse": test_operators,
    "freeze": test_operators,
    "resume": test_operators,
    "request": test_operators,
}
"""Where a script's mutants are caught soonest."""
SLOW = {
    "test_one_settlement_from_very_many_callers_is_applied_once_with_one_answer",
    "test_tables_settle_side_by_side_and_nothing_is_lost_or_made",
    "test_more_faults_than_are_noted_cannot_be_accepted",
}
Check = Callable[[Rig], Coroutine[Any, Any, None]]


def checks_of(module: ModuleType) -> Iterator[Check]:
    """Every test of the module that needs a rig and nothing else, once for each of its parameters."""
    for name, function in vars(module).items():
        if not name.startswith("test_") or name in SLOW or not inspect.iscoroutinefunction(function):
            continue
        marks = [mark for mark in getattr(function, "pytestmark", []) if mark.name == "parametrize"]
        needed = set(inspect.signature(function).parameters)
        if not marks and needed == {"rig"}:
            yield function
        elif len(marks) == 1:
            names, rows = marks[0].args
            names = [names] if isinstance(names, str) else list(names)
            if needed == {"rig", *names}:
                for row in rows:
                    yield partial(function, **dict(zip(names, [row] if len(names) == 1 else row, strict=True)))


async def is_caught(url: str, first: ModuleType | None) -> bool:
    """Whether a check fails. The modules' checks run side by side, each with a rig of its own, one module after the
    other, until the first failure.
    """
    client = await connect_redis(url, need_fsync=True, timeout_ms=STORE_PATIENCE_MS)
    calls = Coalescer(client, FakeClock(), waiting_max=10_000)
    calls.start()

    async def run(check: Check) -> None:
        await check(Rig(client, FakeClock(), calls, _store(client, calls)))

    try:
        for module in sorted(MODULES, key=lambda module: module is not first):
            running = [asyncio.create_task(run(check)) for check in checks_of(module)]
            done, left = await asyncio.wait(running, return_when=asyncio.FIRST_EXCEPTION)
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)
            if any(task.exception() for task in done):
                return True
        return False
    finally:
        await calls.stop()
        await client.aclose()


def _store(client: Redis, calls: Coalescer) -> RedisLedgerStore:
    return RedisLedgerStore(client, calls, FakeClock(), record_kept_days=30)


@contextmanager
def mutated(mutant: Mutant) -> Iterator[None]:
    """The scripts with one change; as they were, afterwards."""
    text = resources.files(scripts).joinpath(f"{mutant.script}.lua").read_text(encoding="utf-8")
    assert text.count(mutant.old) == 1, f"{mutant.name}: stands there {text.count(mutant.old)} times"
    changed = text.replace(mutant.old, mutant.new)
    touched = [script(name) for name in ScriptName if mutant.script in ("books", name)]
    before = [one.text for one in touched]
    try:
        for one in touched:
            one.text = one.text.replace(text, changed)
            one.sha = hashlib.sha1(one.text.encode(), usedforsecurity=False).hexdigest()
        yield
    finally:
        for one, old in zip(touched, before, strict=True):
            one.text = old
            one.sha = hashlib.sha1(old.encode(), usedforsecurity=False).hexdigest()


async def test_the_checks_pass_as_long_as_nothing_is_broken(ledger_redis_url: str) -> None:
    assert sum(1 for module in MODULES for _ in checks_of(module)) > 100
    assert not await is_caught(ledger_redis_url, None)


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")  # of the rest of a check that failed
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
async def test_a_mutant_is_caught(ledger_redis_url: str, mutant: Mutant) -> None:
    with mutated(mutant):
        assert await is_caught(ledger_redis_url, FIRST.get(mutant.script))


def test_there_are_mutants_of_every_script_that_writes() -> None:
    assert len(MUTANTS) >= 16
    reading = {ScriptName.WALK, ScriptName.FROZEN}
    assert {mutant.script for mutant in MUTANTS} == {"books", *ScriptName} - reading
