"""Bad input over the wire, into real processes: each is refused for its own reason, and nothing at all has changed.

What is compared is everything both stores hold (logs, side records, remembered requests, queues, seats, journals) and
what each table shows.
"""

from collections.abc import AsyncIterator, Mapping

import pytest
import pytest_asyncio
from cardroom.table.v1 import table_pb2

from cardroom_client import CallRefused
from refusals import CATALOGUE, Reason
from tests.faults import bad_moves, bad_requests
from tests.faults.bad_requests import settle
from tests.faults.machine import Machine
from tests.faults.world import PASS, Case, World, discard, made

CASES: Mapping[str, Case] = {
    f"{kind}: {name}": case
    for kind, cases in {
        "move": bad_moves.MOVES,
        "caller": bad_moves.CALLERS,
        "creation": bad_moves.CREATION,
        "queue": bad_requests.QUEUEING,
        "books": bad_requests.BOOKS,
    }.items()
    for name, case in cases.items()
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world(machine: Machine, seed: int) -> AsyncIterator[World]:
    async with made(machine, seed) as world:
        yield world


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", CASES)
async def test_bad_input_is_refused_and_changes_nothing(world: World, name: str) -> None:
    case = CASES[name]
    before = await world.everything()
    with pytest.raises(CallRefused) as refused:
        await case.call(world)
    found = refused.value
    assert found.reason == case.reason, found
    assert found.code is case.code or found.code.name == CATALOGUE[Reason(case.reason)].code
    assert found.field == case.field
    assert case.facts is None or case.facts(world).items() <= found.metadata.items()
    assert await world.everything() == before


@pytest.mark.asyncio(loop_scope="module")
async def test_a_move_that_was_made_is_answered_again(world: World) -> None:
    """The same request again: the first answer, and nothing more (reliability 15)."""
    table, before = world.asked, await world.everything()
    again = await table.dealer.act(discard(table.tile), table.turn, request_id=table.turn_request)
    assert again.duplicate and again.outcome == table_pb2.ACT_OUTCOME_ACCEPTED
    assert await world.everything() == before


@pytest.mark.asyncio(loop_scope="module")
async def test_an_answer_that_was_given_is_answered_again(world: World) -> None:
    table, before = world.answered, await world.everything()
    again = await table.claimant.act(PASS, table.claim, request_id=table.claim_request)
    assert again.duplicate and again.outcome == table_pb2.ACT_OUTCOME_QUEUED
    assert await world.everything() == before


@pytest.mark.asyncio(loop_scope="module")
async def test_a_ticket_that_was_taken_is_answered_again(world: World) -> None:
    before = await world.everything()
    again = await world.matchmaker(world.queued).join("empty", request_id=world.queue_request)
    assert again.duplicate and again.ticket_id == world.ticket
    assert await world.everything() == before


@pytest.mark.asyncio(loop_scope="module")
async def test_a_settlement_that_was_carried_out_is_answered_again(world: World) -> None:
    before = await world.everything()
    again = await settle(world)
    assert again.duplicate
    assert await world.everything() == before


@pytest.mark.asyncio(loop_scope="module")
async def test_what_is_compared_is_what_good_input_changes(world: World) -> None:
    """The comparison can fail: what is accepted shows in it."""
    before = await world.everything()
    await world.waiting.neither.ready()
    after = await world.everything()
    changed = {key.decode() for key in after if after[key] != before.get(key)}
    table = f"tables {{{world.waiting.table_id}}}"
    assert changed == {f"{table}:log", f"{table}:meta", f"{table}:requests:1", f"known {world.waiting.table_id}"}


def test_every_case_has_a_reason_of_its_own() -> None:
    """Many reasons are met: what can be wrong with a request is told apart."""
    reasons = {case.reason for case in CASES.values()} - {""}
    assert len(reasons) >= 35, sorted(reasons)
