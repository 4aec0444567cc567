"""Rooms: the shipped file, what it may say, and how rooms are shown (PF-1, PF-2)."""

from pathlib import Path

import orjson
import pytest
from cardroom.matchmaker.v1 import room_pb2

from games.catalog import variants, variants_of
from games.mahjong.variant import Variant
from refusals import Reason
from services.matchmaker.adapters.rooms_file import RoomsFileError, read_rooms
from services.matchmaker.app.rooms import RoomProblem, parse_room, row_of
from services.matchmaker.ports import ClaimTiming
from tests.services.matchmaker.conftest import Player, World, refused

ROW: dict[str, object] = {"name": "a room", "variant": "bloody4", "asset": "points", "stake": 1, "least_balance": 20}
KEY = "{seats}:rooms"


def test_the_shipped_rooms_are_acceptable() -> None:
    """PF-1: rooms of bloody4 for points and for coins, a fair one; for every variant one to play, one to play in with
    bots, and one to show it.
    """
    rooms = {room.room_id: room for room in read_rooms(None)}
    assert {"bloody4-1", "bloody4-10", "bloody4-fair"} <= set(rooms)
    assert {f"{variant}-{room}" for variant in variants_of(Variant) for room in ("1", "bots", "demo")} <= set(rooms)
    assert {f"{variant}-{room}" for variant in variants() for room in ("bots", "demo")} <= set(rooms)
    assert rooms["shanghai-5"].stake == 5
    assert (rooms["bloody4-1"].asset, rooms["bloody4-1"].stake) == ("points", 1)
    assert (rooms["bloody4-10"].asset, rooms["bloody4-10"].stake) == ("coins", 10)
    assert (rooms["bloody4-1"].turn_limit_ms, rooms["bloody4-1"].claim_limit_ms) == (20_000, 10_000)
    assert (rooms["bloody4-1"].ready_limit_ms, rooms["bloody4-1"].arrive_limit_ms) == (20_000, 30_000)
    assert rooms["bloody4-fair"].claim_timing is ClaimTiming.FIXED
    assert all(room.bots_allowed is room.room_id.endswith("-bots") for room in rooms.values())
    demo = rooms["bloody4-demo"]
    assert (demo.claim_floor_min_ms, demo.claim_floor_max_ms, demo.dealing_ms, demo.deals_max) == (0, 0, 0, 1)


def test_an_escape_costs_half_of_what_a_shipped_room_asks_to_bring() -> None:
    """PF-23: every room of the games that an escape ends says what it costs."""
    rooms = [room for room in read_rooms(None) if room.variant in ("shanghai", "dazhong")]
    assert {room.room_id for room in rooms} >= {
        "shanghai-1",
        "shanghai-5",
        "shanghai-bots",
        "dazhong-1",
        "dazhong-bots",
    }
    assert all(room.escape_penalty == room.least_balance // 2 for room in rooms), rooms


def test_the_rooms_of_ty_40_are_shipped() -> None:
    """Coins for a score, caps, and the room's number as the least balance to enter; points move too."""
    rooms = {room.room_id: room for room in read_rooms(None)}
    for number, coins, landlord, escape in (
        (2_000, 200, 2_000, 4_000),
        (5_000, 200, 5_000, 10_000),
        (10_000, 500, 10_000, 20_000),
        (30_000, 1_000, 30_000, 60_000),
    ):
        room = rooms[f"tingyong-{number}"]
        rules = variants()["tingyong"].ruleset(room.options, room.stake)
        assert (room.asset, room.moves_points, room.least_balance) == ("coins", True, number)
        assert (rules.coins_per_score, rules.landlord_cap, rules.escape_cap) == (coins, landlord, escape)


@pytest.mark.parametrize(
    ("options", "stake", "field"),
    [
        ({"room": "3000"}, 200, "room"),
        ({"room": "2000"}, 300, "stake"),
        ({"room": "2000", "landlord_cap": 5}, 200, "landlord_cap"),
        ({"coins_per_score": 0}, 1, "coins_per_score"),
        ({"escape_cap": "none"}, 1, "escape_cap"),
        ({"call_score": 4}, 1, "call_score"),
        ({"kickers": "strict"}, 1, "kickers"),
    ],
)
def test_options_of_a_card_room_are_refused_by_name_ty_40(options: dict[str, object], stake: int, field: str) -> None:
    with pytest.raises(RoomProblem) as caught:
        parse_room("a-room", {**ROW, "variant": "tingyong", "options": options, "stake": stake})
    assert caught.value.field == field


def test_a_room_reads_back_as_it_was_written() -> None:
    for room in read_rooms(None):
        assert parse_room(room.room_id, orjson.loads(orjson.dumps(row_of(room)))) == room


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("stake", 0),
        ("stake", 1.5),
        ("stake", True),
        ("stake", 1_000_000_001),
        ("least_balance", -1),
        ("least_balance", 2**53),
        ("turn_limit_ms", 0),
        ("turn_limit_ms", 3_600_000),
        ("claim_limit_ms", "10 s"),
        ("claim_timing", "sometimes"),
        ("reconnect_grace_ms", 0),
        ("reconnect_grace_ms", 3_600_001),
        ("escape_penalty", -1),
        ("escape_penalty", 1_000_000_001),
        ("escape_penalty", 5),  # bloody4 takes none (PF-23)
        ("claim_floor_min_ms", 1_001),
        ("claim_floor_max_ms", 10_001),
        ("ready_limit_ms", -20_000),
        ("dealing_ms", -1),
        ("arrive_limit_ms", 0),
        ("deals_max", -1),
        ("bots_allowed", "yes"),
        ("asset", "gold"),
        ("variant", "bloody5"),
        ("name", ""),
        ("name", 7),
        ("etag", ""),
        ("moves_points", 1),
        ("options", []),
        ("turn_limit_seconds", 20),
        ("variant", ["bloody4"]),
        ("variant", {}),
    ],
)
def test_an_absurd_or_unknown_field_is_refused_by_name(field: str, value: object) -> None:
    with pytest.raises(RoomProblem) as caught:
        parse_room("a-room", {**ROW, field: value})
    assert (caught.value.room_id, caught.value.field) == ("a-room", field)


def test_a_floor_beyond_the_claim_clock_is_refused() -> None:
    """PF-20: the window would be closed before it may close."""
    with pytest.raises(RoomProblem) as caught:
        parse_room("a-room", {**ROW, "claim_limit_ms": 500, "claim_floor_max_ms": 501})
    assert caught.value.field == "claim_floor_max_ms"


def test_points_move_beside_coins_alone_pf_60() -> None:
    row = {**ROW, "asset": "coins", "moves_points": True}
    assert parse_room("a-room", row).moves_points
    with pytest.raises(RoomProblem) as caught:
        parse_room("a-room", {**row, "asset": "points"})
    assert caught.value.field == "moves_points"


@pytest.mark.parametrize("field", sorted(ROW))
def test_what_has_no_default_must_be_there(field: str) -> None:
    with pytest.raises(RoomProblem) as caught:
        parse_room("a-room", {name: value for name, value in ROW.items() if name != field})
    assert (caught.value.field, caught.value.detail) == (field, "is missing")


@pytest.mark.parametrize("room_id", ["", "A", "a b", "-a", "a" * 65])
def test_a_room_id_is_plain(room_id: str) -> None:
    with pytest.raises(RoomProblem, match="room_id"):
        parse_room(room_id, ROW)


@pytest.mark.parametrize(
    ("option", "value"), [("no_such_option", 1), ("kong_transfer", "twice"), ("pass_locks_win", 1)]
)
def test_the_variant_has_the_last_word_on_its_options(option: str, value: object) -> None:
    """BB-19, BB-33: an unknown option, or a value it cannot have."""
    with pytest.raises(RoomProblem) as caught:
        parse_room("a-room", {**ROW, "options": {option: value}})
    assert caught.value.field == option
    assert parse_room("a-room", {**ROW, "options": {"kong_transfer": "chain"}}).options == {"kong_transfer": "chain"}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('[a-room]\nname = "x"\nvariant = "bloody4"\nasset = "points"\nstake = 0\n', ("a-room", "stake")),
        ("[a-room]\nstakes = 1\n", ("a-room", "stakes")),
        ("a-room = 5\n", ("a-room", "table")),
        ("[a-room\n", ("TOML",)),
        (None, ("cannot be read",)),
    ],
)
def test_a_bad_file_is_refused_with_file_room_and_field(tmp_path: Path, content: str | None, words: tuple[str]) -> None:
    path = tmp_path / "rooms.toml"
    if content is not None:
        path.write_text(content)
    with pytest.raises(RoomsFileError) as caught:
        read_rooms(path)
    for word in (str(path), *words):
        assert word in str(caught.value)


async def _list(player: Player, *, page_size: int = 0, page_token: str = "") -> room_pb2.ListRoomsResponse:
    request = room_pb2.ListRoomsRequest(page_size=page_size, page_token=page_token)
    response: room_pb2.ListRoomsResponse = await player.rooms.ListRooms(request, metadata=player.metadata)
    return response


async def _get(player: Player, room_id: str) -> room_pb2.GetRoomResponse:
    request = room_pb2.GetRoomRequest(room_id=room_id)
    response: room_pb2.GetRoomResponse = await player.rooms.GetRoom(request, metadata=player.metadata)
    return response


async def test_shipped_rooms_never_overwrite_what_operators_changed(world: World) -> None:
    """PF-1: rooms are kept in the store; a restart adds what is missing and leaves the rest."""
    changed = orjson.dumps({**ROW, "name": "changed", "stake": 3, "etag": "7"})
    await world.redis.hset(KEY, "bloody4-1", changed)
    await world.redis.hset(KEY, "of-our-own", orjson.dumps(ROW))
    matchmaker = await world.matchmaker()
    ann = world.player(matchmaker, "ann")
    listed = await _list(ann)
    rooms = {info.room.room_id: info.room for info in listed.rooms}
    assert (rooms["bloody4-1"].name, rooms["bloody4-1"].stake, rooms["bloody4-1"].etag) == ("changed", 3, "7")
    assert set(rooms) == {room.room_id for room in read_rooms(None)} | {"of-our-own"}
    assert await world.redis.hget(KEY, "bloody4-1") == changed


async def test_a_change_in_the_store_counts_from_the_next_table_on(world: World) -> None:
    """PF-1, PF-2: without a restart; the table made before keeps what it was made with."""
    matchmaker = await world.matchmaker()
    await world.pod()
    first = await world.queue(matchmaker, ["a", "b", "c", "d"])
    before = (await first[0].seated()).table_id
    row = orjson.loads(await world.redis.hget(KEY, "bloody4-1") or b"")
    await world.redis.hset(KEY, "bloody4-1", orjson.dumps({**row, "stake": 5, "etag": "2"}))
    second = await world.queue(matchmaker, ["e", "f", "g", "h"])
    after = (await second[0].seated()).table_id
    stakes = [world.logs.made[table][1].room.stake for table in (before, after)]
    assert stakes == [1, 5]


@pytest.mark.parametrize(
    "row", [b"no JSON", orjson.dumps({**ROW, "stake": 0}), b"[]", orjson.dumps({**ROW, "variant": ["bloody4"]})]
)
async def test_a_broken_row_in_the_store_closes_that_room_only(world: World, row: bytes) -> None:
    await world.redis.hset(KEY, mapping={"bloody4-1": row, b"\xff": orjson.dumps(ROW)})
    matchmaker = await world.matchmaker()
    await world.pod()
    ann = world.player(matchmaker, "ann")
    assert await refused(ann.join("bloody4-1")) is Reason.ROOM_UNKNOWN
    players = await world.queue(matchmaker, ["ann", "bob", "cid", "dan"], "bloody4-10")
    await players[0].seated()


async def test_a_closed_room_takes_no_new_players_and_keeps_those_who_wait_pf_1(world: World) -> None:
    matchmaker = await world.matchmaker()
    await world.pod()
    await world.queue(matchmaker, ["ann", "bob", "cid"])
    row = orjson.loads(await world.redis.hget(KEY, "bloody4-1") or b"")
    await world.redis.hset(KEY, "bloody4-1", orjson.dumps({**row, "closed": True}))
    dan = world.player(matchmaker, "dan")
    assert await refused(dan.join("bloody4-1")) is Reason.ROOM_CLOSED
    assert (await _get(dan, "bloody4-1")).room.queue_length == 3
    await world.redis.hset(KEY, "bloody4-1", orjson.dumps({**row, "closed": False}))
    await dan.join("bloody4-1")
    await dan.seated()


async def test_a_room_shows_its_queue_and_its_tables(world: World) -> None:
    matchmaker = await world.matchmaker()
    await world.pod()
    players = await world.queue(matchmaker, ["a", "b", "c", "d"])
    await players[0].seated()
    await world.queue(matchmaker, ["e", "f"])
    info = (await _get(players[0], "bloody4-1")).room
    assert (info.queue_length, info.tables_open) == (2, 1)
    assert (info.room.variant, info.room.stake, info.room.asset) == ("bloody4", 1, "points")
    assert await refused(_get(players[0], "no-such-room")) is Reason.ROOM_UNKNOWN
    assert await refused(_get(players[0], "")) is Reason.INVALID_FIELD


async def test_rooms_come_in_pages_by_id(world: World) -> None:
    matchmaker = await world.matchmaker()
    ann = world.player(matchmaker, "ann")
    shown, token = [], ""
    while True:
        page = await _list(ann, page_size=2, page_token=token)
        assert 1 <= len(page.rooms) <= 2
        shown += [info.room.room_id for info in page.rooms]
        token = page.next_page_token
        if not token:
            break
    assert shown == sorted(room.room_id for room in read_rooms(None))
    assert await refused(_list(ann, page_size=1_001)) is Reason.INVALID_FIELD
