"""ScoreWin and ListWaits over a socket: one answer for ids and notation, each fault refused under its own field."""

from pathlib import Path
from typing import Any

import pytest
from cardroom.mahjong.v1 import event_pb2
from cardroom.scoring.v1 import scoring_pb2

from games.mahjong.tiles import parse
from refusals import Reason
from tests.conftest import Mint
from tests.services.scoring.rig import refused, running_scoring

HAND = "123456p2346785s"
PLAIN: dict[str, Any] = {
    "ruleset": {"variant": "bloody4"},
    "hand": {"notation": HAND},
    "win_notation": "5s",
    "by": event_pb2.WIN_BY_DISCARD,
}


BLOODY = scoring_pb2.Ruleset(variant="bloody4")


def waiting(notation: str, **parts: Any) -> scoring_pb2.ListWaitsRequest:
    """A request for the waits of a hand."""
    return scoring_pb2.ListWaitsRequest(**({"ruleset": BLOODY, "hand": scoring_pb2.Hand(notation=notation)} | parts))


def changed(**parts: Any) -> scoring_pb2.ScoreWinRequest:
    """A winning hand's request with some parts otherwise; None leaves one out."""
    return scoring_pb2.ScoreWinRequest(**{name: part for name, part in (PLAIN | parts).items() if part is not None})


async def test_ids_and_notation_ask_the_same(scoring: Any) -> None:
    text = await scoring.ScoreWin(changed(ruleset={"variant": "bloody4", "stake": 5}))
    ids = await scoring.ScoreWin(
        changed(
            ruleset={"variant": "bloody4", "version": 1, "stake": 5},
            hand={"tiles": parse(HAND)},
            win_notation=None,
            win_tile=22,
        )
    )
    assert ids == text
    assert (text.variant, text.version, text.win.fan_total, text.win.amount) == ("bloody4", 1, 0, 5)


async def test_the_first_kind_of_tile_is_an_id_like_any_other(scoring: Any) -> None:
    """Id 0 is 1m, which this game has not (BB-1): it is refused, not taken for a tile left out."""
    refusal = await refused(scoring.ScoreWin(changed(win_notation=None, win_tile=0)))
    assert (refusal.reason, refusal.field, refusal.rule) == (Reason.HAND_IMPOSSIBLE, "win_tile", "BB-1")


async def test_a_win_explains_its_fans_by_id_and_name(scoring: Any) -> None:
    """BB-22, BB-53."""
    response = await scoring.ScoreWin(
        changed(
            hand={"notation": "2223334445p", "melds": ["added 1111p"]}, win_notation="5p", situations=["after_kong"]
        )
    )
    fans = [(fan.fan_id, fan.name_zh, fan.value) for fan in response.win.fans]
    assert fans == [
        ("all_pungs", "对子胡", 2),
        ("full_flush", "清一色", 2),
        ("gui", "归", 1),
        ("win_after_kong", "杠上炮", 1),
    ]
    assert (response.win.fan_total, response.win.amount) == (6, 64)


async def test_a_hand_that_does_not_win_has_no_win(scoring: Any) -> None:
    """BB-20."""
    assert not (await scoring.ScoreWin(changed(win_notation="9p"))).HasField("win")


IMPOSSIBLE, MALFORMED = Reason.HAND_IMPOSSIBLE, Reason.INVALID_FIELD
FIFTH = (IMPOSSIBLE, "hand.tiles[8]")
FIVE_MELDS = [f"pung {rank * 3}s" for rank in "12346"]
FAULTS: dict[str, tuple[dict[str, Any], Reason, str, str | None]] = {
    "ids and notation at once": (
        {"hand": {"notation": HAND, "tiles": parse(HAND)}},
        MALFORMED,
        "hand.notation",
        None,
    ),
    "no winning tile": ({"win_notation": None}, MALFORMED, "win_tile", None),
    "no way to win": ({"by": None}, MALFORMED, "by", None),
    "a way to win of a later release": ({"by": 77}, MALFORMED, "by", None),
    "two winning tiles": ({"win_notation": "55s"}, IMPOSSIBLE, "win_notation", None),
    "no hand": ({"hand": None}, IMPOSSIBLE, "hand.notation", "BB-2"),
    "a tile too many": ({"hand": {"notation": HAND + "5s"}}, IMPOSSIBLE, "hand.notation", "BB-2"),
    "letters that are no tiles": ({"hand": {"notation": "12x"}}, IMPOSSIBLE, "hand.notation", None),
    "an id that is no tile": ({"hand": {"tiles": [9, 9, 42]}}, IMPOSSIBLE, "hand.tiles[2]", None),
    "an id beyond all numbers": ({"hand": {"tiles": [2**32 - 1]}}, IMPOSSIBLE, "hand.tiles[0]", None),
    "a tile of another game": ({"hand": {"tiles": [9] * 3 + [0] + [20] * 9}}, IMPOSSIBLE, "hand.tiles[3]", "BB-1"),
    "five of a tile": (
        {"win_notation": "4s", "hand": {"notation": "123p4444s678999s"}},
        IMPOSSIBLE,
        "win_notation",
        "BB-1",
    ),
    "five of a tile in the hand": ({"hand": {"tiles": [9, 10, 10, 10, 10, *[9] * 4, *[20] * 4]}}, *FIFTH, "BB-1"),
    "a fifth in the melds": (
        {"hand": {"notation": "1111p23s5s", "melds": ["pung 222s", "pung 111p"]}},
        IMPOSSIBLE,
        "hand.melds[1]",
        "BB-1",
    ),
    "a meld too many": ({"hand": {"notation": "5s", "melds": FIVE_MELDS}}, IMPOSSIBLE, "hand.melds", "BB-2"),
    "more tiles than are read": ({"hand": {"tiles": [9] * 33}}, MALFORMED, "hand.tiles", None),
    "notation longer than is read": ({"hand": {"notation": "1" * 65}}, MALFORMED, "hand.notation", None),
    "a meld that is none": (
        {"hand": {"notation": "1234p789s", "melds": ["pung 222s", "pung 223s"]}},
        IMPOSSIBLE,
        "hand.melds[1]",
        None,
    ),
    "a meld of another game": (
        {"hand": {"notation": "1234p789s", "melds": ["pung 222s", "chow 123s"]}},
        IMPOSSIBLE,
        "hand.melds[1]",
        "BB-1",
    ),
    "more melds than are read": ({"hand": {"melds": ["pung 222s"] * 9}}, MALFORMED, "hand.melds", None),
    "flowers": ({"hand": {"notation": HAND, "flowers": "1f"}}, IMPOSSIBLE, "hand.flowers[0]", "BB-1"),
    "an unknown situation": ({"situations": ["last_tile", "blessed"]}, IMPOSSIBLE, "situations[1]", None),
    "another game's situation": ({"situations": ["last_of_kind"]}, IMPOSSIBLE, "situations", "BB-70"),
    "a contradiction": ({"situations": ["heavenly"]}, IMPOSSIBLE, "situations", "BB-70"),
    "more situations than are read": ({"situations": ["last_tile"] * 65}, MALFORMED, "situations", None),
    "a wind": ({"seat_wind": "E"}, IMPOSSIBLE, "seat_wind", "BB-70"),
    "an unknown variant": ({"ruleset": {"variant": "bloody5"}}, Reason.RULESET_UNKNOWN, "ruleset.variant", None),
    "no ruleset": ({"ruleset": None}, Reason.RULESET_UNKNOWN, "ruleset.variant", None),
    "a version not supported": (
        {"ruleset": {"variant": "bloody4", "version": 9}},
        Reason.RULESET_UNKNOWN,
        "ruleset.version",
        None,
    ),
    "a stake below zero": (
        {"ruleset": {"variant": "bloody4", "stake": -1}},
        Reason.OPTION_INVALID,
        "ruleset.stake",
        None,
    ),
    "an unknown option": (
        {"ruleset": {"variant": "bloody4", "options": {"jokers": True}}},
        Reason.OPTION_INVALID,
        "ruleset.options.jokers",
        None,
    ),
    "an option's value of no kind": (
        {"ruleset": {"variant": "bloody4", "options": {"kong_transfer": None}}},
        Reason.OPTION_INVALID,
        "ruleset.options.kong_transfer",
        None,
    ),
    "an option's name longer than is read": (
        {"ruleset": {"variant": "bloody4", "options": {"x" * 65: True}}},
        Reason.OPTION_INVALID,
        "ruleset.options",
        None,
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_each_fault_is_refused_under_its_field(scoring: Any, fault: str) -> None:
    """BB-70 and what comes before it: never corrected, always named."""
    parts, reason, field, rule = FAULTS[fault]
    refusal = await refused(scoring.ScoreWin(changed(**parts)))
    assert (refusal.reason, refusal.rule) == (reason, rule)
    assert refusal.field == (field or "hand.notation")
    assert refusal.detail


async def test_an_unknown_option_is_named_for_programs_too(scoring: Any) -> None:
    ruleset = {"variant": "bloody4", "options": {"jokers": True}}
    refusal = await refused(scoring.ListWaits(waiting(HAND, ruleset=ruleset)))
    assert refusal.metadata == {"option": "jokers"}


async def test_waits_come_in_tile_order_with_their_worth_either_way(scoring: Any) -> None:
    """BB-20, BB-22."""
    request = waiting("", ruleset={"variant": "bloody4", "stake": 2})
    request.hand.notation = "5556p"
    request.hand.melds.extend(["pung 111s", "pung 333s", "pung 888s"])
    response = await scoring.ListWaits(request)
    assert [(wait.tile, wait.notation, wait.by_discard.amount, wait.by_self.amount) for wait in response.waits] == [
        (12, "4p", 2, 2),
        (14, "6p", 8, 8),
        (15, "7p", 2, 2),
    ]


async def test_a_situation_without_its_winning_tile_is_refused_among_waits(scoring: Any) -> None:
    """BB-70."""
    refusal = await refused(scoring.ListWaits(waiting("123456789p2399s", situations=["heavenly"])))
    assert (refusal.reason, refusal.field) == (Reason.HAND_IMPOSSIBLE, "situations")


async def test_who_may_ask(keys: Path, mint: Mint) -> None:
    """Anonymous access is a setting; players have no business here."""
    async with running_scoring(keys, anonymous=False) as closed:
        assert (await refused(closed.ScoreWin(changed()))).reason is Reason.TOKEN_MISSING
        player = (("authorization", f"Bearer {mint('player', 'ann')}"),)
        assert (await refused(closed.ScoreWin(changed(), metadata=player))).reason is Reason.ROLE_NOT_ALLOWED
        caller = (("authorization", f"Bearer {mint('scoring-caller', 'risk')}"),)
        assert (await closed.ScoreWin(changed(), metadata=caller)).win.amount == 1
