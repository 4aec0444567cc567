"""The bench's peer: null calls to the one server factory."""

from bench.null_unary import NullServer


async def test_null_calls_go_through_the_gate_of_a_server_in_its_own_process() -> None:
    async with NullServer() as null:
        rate = await null.load(callers=4, seconds=0.2)
    assert rate.per_second > 0
    assert rate.per_cpu_second > 0
