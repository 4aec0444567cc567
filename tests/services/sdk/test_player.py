"""A player gets from the queue to a seat over broken calls and streams, with one ticket (PF-10, PF-11)."""

from typing import Any

import grpc
import pytest
from cardroom.matchmaker.v1 import matchmaker_pb2

from cardroom_client import CallRefused, Player, TicketEnded
from tests.services.sdk.scripted_table import Fail, ScriptedMatchmaker, served_matchmaker

pytestmark = pytest.mark.fast

TICKET = matchmaker_pb2.JoinQueueResponse(ticket_id="k1")
SEAT = matchmaker_pb2.Seat(
    table_id="t1", seat=3, room_id="r", seat_token="s", endpoint=matchmaker_pb2.Endpoint(authority="h:1", pod="p")
)
SEATED = matchmaker_pb2.WatchTicketResponse(seat=SEAT)


def waiting(place: int) -> matchmaker_pb2.WatchTicketResponse:
    return matchmaker_pb2.WatchTicketResponse(waiting=matchmaker_pb2.Waiting(place=place, queue_length=4))


def ended(cause: "matchmaker_pb2.TicketEndCause.ValueType") -> matchmaker_pb2.WatchTicketResponse:
    return matchmaker_pb2.WatchTicketResponse(ended=matchmaker_pb2.TicketEnded(cause=cause))


async def test_a_ticket_becomes_a_seat_over_broken_streams() -> None:
    matchmaker = ScriptedMatchmaker(
        answers=[Fail(grpc.StatusCode.UNAVAILABLE), TICKET],
        streams=[
            [waiting(3), Fail(grpc.StatusCode.UNAVAILABLE)],
            [waiting(2), ended(matchmaker_pb2.TICKET_END_CAUSE_RECONNECT)],
            [],
            [waiting(1), SEATED],
        ],
    )
    places: list[int] = []
    async with served_matchmaker(matchmaker) as at, Player("login", at.authority) as player:
        seat = await player.join("r", waiting=lambda news: places.append(news.place))
    assert places == [3, 2, 1]
    assert (seat.table_id, seat.seat, seat.authority, seat.pod, seat.token) == ("t1", 3, "h:1", "p", "s")
    assert "token" not in repr(seat)
    assert len({request.request_id for request in matchmaker.asked}) == 1


async def test_a_cancelled_ticket_is_no_seat() -> None:
    matchmaker = ScriptedMatchmaker(answers=[TICKET], streams=[[ended(matchmaker_pb2.TICKET_END_CAUSE_CANCELLED)]])
    async with served_matchmaker(matchmaker) as at, Player("login", at.authority) as player:
        with pytest.raises(TicketEnded) as caught:
            await player.join("r")
    assert caught.value.cause == matchmaker_pb2.TICKET_END_CAUSE_CANCELLED


async def test_a_ticket_is_given_back_under_one_request_id_until_the_answer_is_definite() -> None:
    answers = [Fail(grpc.StatusCode.UNAVAILABLE), matchmaker_pb2.CancelTicketResponse()]
    matchmaker = ScriptedMatchmaker(answers=[*answers, Fail(grpc.StatusCode.FAILED_PRECONDITION, "TICKET_MATCHED")])
    async with served_matchmaker(matchmaker) as at, Player("login", at.authority) as player:
        await player.leave_queue("k1")
        with pytest.raises(CallRefused, match="TICKET_MATCHED"):
            await player.leave_queue("k1")
    first, again, later = matchmaker.asked
    assert (first.ticket_id, first.request_id) == (again.ticket_id, again.request_id)
    assert first.request_id != later.request_id


async def test_a_refusal_is_raised_at_once() -> None:
    matchmaker = ScriptedMatchmaker(
        answers=[Fail(grpc.StatusCode.ALREADY_EXISTS, "ALREADY_SEATED"), matchmaker_pb2.GetMySeatResponse(seat=SEAT)]
    )
    async with served_matchmaker(matchmaker) as at, Player("login", at.authority) as player:
        with pytest.raises(CallRefused, match="ALREADY_SEATED"):
            await player.join("r")
        assert (await player.my_seat()).table_id == "t1"


async def test_who_sits_or_waits_already_goes_on_where_he_is_pf_11() -> None:
    seated = [Fail(grpc.StatusCode.ALREADY_EXISTS, "ALREADY_SEATED"), matchmaker_pb2.GetMySeatResponse(seat=SEAT)]
    queued = [Fail(grpc.StatusCode.ALREADY_EXISTS, "ALREADY_QUEUED", metadata={"ticket_id": "k7"})]
    cases: list[tuple[list[Any], list[str]]] = [(seated, []), (queued, ["k7"]), ([TICKET], ["k1"])]
    for answers, followed in cases:
        matchmaker = ScriptedMatchmaker(answers=answers, streams=[[SEATED]])
        async with served_matchmaker(matchmaker) as at, Player("login", at.authority) as player:
            assert (await player.take_seat("r")).table_id == "t1"
        assert matchmaker.followed == followed


async def test_any_other_refusal_of_a_seat_is_raised() -> None:
    matchmaker = ScriptedMatchmaker(answers=[Fail(grpc.StatusCode.NOT_FOUND, "ROOM_UNKNOWN")])
    async with served_matchmaker(matchmaker) as at, Player("login", at.authority) as player:
        with pytest.raises(CallRefused, match="ROOM_UNKNOWN"):
            await player.take_seat("r")


async def test_an_expired_login_is_not_waited_for() -> None:
    matchmaker = ScriptedMatchmaker(answers=[Fail(grpc.StatusCode.UNAUTHENTICATED, "TOKEN_EXPIRED")])
    async with served_matchmaker(matchmaker) as at, Player("login", at.authority) as player:
        with pytest.raises(CallRefused, match="TOKEN_EXPIRED"):
            await player.my_seat()
