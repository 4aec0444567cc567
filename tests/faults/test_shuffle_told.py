"""The shuffle as a player can follow it over the wire: promised before, with his own part in it, checked after (PF-41).

The check is the program that stands in docs/verify-shuffle.md, run on what a client received and where nothing of this
project can be found.
"""

import copy
import hashlib
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from cardroom.table.v1 import table_pb2
from google.protobuf.json_format import MessageToDict

from cardroom_client import CallRefused
from tests.faults.guests import POD_LEAVES_SECONDS, Guest, Message, at_table, kind_of
from tests.faults.machine import Machine, PodProcess
from tests.services.table.test_verifier import WALL, program_in, verified

pytestmark = pytest.mark.asyncio(loop_scope="session")

SEATS: Mapping[str, int] = {"bloody4": 4, "bloody6": 6, "shanghai": 4, "dazhong": 4, "tingyong": 3}
CARDS: Mapping[str, Any] = {"asset": "coins", "options": {"room": "2000"}, "least_balance": 2_000}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def pod(house: Machine) -> AsyncIterator[PodProcess]:
    """A pod of its own: with the chance of production."""
    pod = house.pod("table-by-chance")
    await pod.up()
    yield pod
    await pod.terminate(POD_LEAVES_SECONDS)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page's program as a file."""
    return program_in(tmp_path_factory.mktemp("verifier"))


@pytest.fixture(scope="module")
def promises() -> set[str]:
    """The commitments of all deals here."""
    return set()


def nonce_sent(seat: int) -> bytes:
    """Every seat's own; the second sends none, the third as much as there may be."""
    return {1: b"", 2: bytes(range(32))}.get(seat, f"of seat {seat}".encode())


@pytest.mark.parametrize("variant", SEATS)
async def test_a_deal_is_promised_before_mixed_with_the_players_nonces_and_checked_after_pf_41(
    house: Machine, pod: PodProcess, program: Path, promises: set[str], variant: str
) -> None:
    """The deal is played by trustees; what counts is what was told, when, and that the wall follows from it."""
    room = {"variant": variant, **(CARDS if variant == "tingyong" else {})}
    async with at_table(house, pod, f"shuffle-{variant}", seats=SEATS[variant], **room) as guests:
        for guest in guests:
            await guest.table.set_ready(nonce_sent(guest.seat))
        for guest in guests:
            await guest.event("dealt")
        with pytest.raises(CallRefused, match="DEAL_RUNNING"):
            await guests[0].table.replay(1)
        promised = [(await guest.snapshot()).seed_commitment for guest in guests]
        for guest in reversed(guests):  # the first to move is the last: then the deal may be over at once
            await guest.table.set_trustee(True)
        for guest in guests:
            await guest.event("deal_settled")
        head, entries = await guests[1].table.replay(1)
    for guest in guests:
        assert promised == [assert_told(guest, len(guests))] * len(guests)
        assert_dealt_from(guest, entries)
    assert head.seed_commitment == promised[0] not in promises, "each deal has a seed of its own"
    promises.add(promised[0])
    assert [bytes.fromhex(nonce) for nonce in head.nonces] == [nonce_sent(seat) for seat in range(len(guests))]

    right = as_json(head, entries)
    assert verified(program, json.dumps(right)) == (0, [])
    for seat in range(len(guests)):
        status, failed = verified(program, json.dumps(with_another_nonce(right, seat)))
        assert status == 1
        assert WALL in failed, f"the nonce of seat {seat} is in it"


def assert_told(guest: Guest, seat_count: int) -> str:
    """Promise before the tiles, seed after the deal and nowhere sooner, nonces when nobody can choose his any more.

    Returns: the commitment.
    """
    started, opened = guest.told("deal_started")[0], guest.told("opened")[0]
    assert started.seq < opened.seq
    deal = started.event.deal_started
    assert deal.seed == ""
    assert [bytes.fromhex(nonce) for nonce in deal.nonces] == [nonce_sent(seat) for seat in range(seat_count)]
    assert {message.event.ready.nonce for message in guest.told("ready")} == {""}
    settled = guest.told("deal_settled")[0]
    seed = bytes.fromhex(settled.event.deal_settled.seed)
    assert len(seed) == 32
    assert hashlib.sha256(seed).hexdigest() == deal.seed_commitment
    assert [kind_of(message) for message in guest.messages if _names(message, seed)] == ["deal_settled"]
    return deal.seed_commitment


def _names(message: Message, seed: bytes) -> bool:
    raw = message.SerializeToString()
    return seed in raw or seed.hex().encode() in raw


def assert_dealt_from(guest: Guest, entries: Sequence[table_pb2.ReplayEntry]) -> None:
    """The replay is of the deal that he saw: what he was dealt and shown is what it says, entry by entry."""
    replayed = {entry.seq: entry.event for entry in entries}
    told = {message.seq: message for message in guest.messages if message.HasField("event")}
    own = [_own(guest, told[seq]) for seq in replayed if seq in told and kind_of(told[seq]) == "dealt"]
    said = [_own(guest, _as_message(event)) for event in replayed.values() if _kind(event) == "dealt"]
    assert own == said
    assert own and own[0]
    for seq, event in replayed.items():
        if seq in told and _kind(event) in ("discarded", "played"):
            assert told[seq].event == event


def _own(guest: Guest, message: Message) -> list[int]:
    """The tiles or cards that he was dealt."""
    move = getattr(message.event, message.event.WhichOneof("kind") or "")
    hand = move.dealt.hands[guest.seat]
    return sorted(hand.cards if message.event.HasField("landlord") else hand.tiles)


def _as_message(event: Any) -> Message:
    return Message(event=event)


def _kind(event: Any) -> str:
    return kind_of(_as_message(event))


def as_json(head: table_pb2.ReplayHead, entries: Sequence[table_pb2.ReplayEntry]) -> dict[str, Any]:
    """What a client received, in the form that the page asks for."""
    rows = [MessageToDict(entry, preserving_proto_field_name=True) for entry in entries]
    return {"head": MessageToDict(head, preserving_proto_field_name=True), "entries": rows}


def with_another_nonce(replay: Mapping[str, Any], seat: int) -> Mapping[str, Any]:
    """The same, but for one seat's nonce."""
    wrong = copy.deepcopy(dict(replay))
    (started,) = [row["event"]["deal_started"] for row in wrong["entries"] if "deal_started" in row["event"]]
    for place in (wrong["head"], started):
        place["nonces"][seat] = "ff" + place["nonces"][seat]
    return wrong
