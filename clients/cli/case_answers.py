"""What the rules answer to a case, in the form its `expect` has."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import grpc
from cardroom.mahjong.v1 import event_pb2
from cardroom.scoring.v1 import scoring_pb2

from clients.cli.case_file import Case
from clients.cli.scoring_link import ScoringLink
from games.catalog import variants
from games.kernel import OptionError
from games.mahjong.hand import HandError
from games.mahjong.script import Arranged, ScriptError, play
from games.mahjong.tiles import NotationError, parse
from refusals import Reason
from serving.refusing import refusal_of

Answer = dict[str, Any]

NOT_BUILT: Answer = {"error": "UNIMPLEMENTED"}
IMPOSSIBLE: Answer = {"error": "INVALID_ARGUMENT"}
STAKE = "stake"
COUNTS_FANS = frozenset({"dazhong"})
"""Variants whose cases say how often each fan is paid, and what a wait is worth in fan."""
ESCAPE_PENALTY = "escape_penalty"
STAKE_MAX = (1 << 63) - 1

_WIN_BY: Mapping[str, event_pb2.WinBy.ValueType] = {
    "self": event_pb2.WIN_BY_SELF,
    "discard": event_pb2.WIN_BY_DISCARD,
    "rob": event_pb2.WIN_BY_ROB,
}


async def answer(case: Case, link: ScoringLink) -> Answer:
    """The answer to a case; one that is not built yet is an error UNIMPLEMENTED.

    Raises:
        MalformedCaseError: the case lacks what its kind needs.
        CommandError: the scoring service does not start.
    """
    give = _ANSWERS.get(case.kind)
    if give is None or case.variant not in variants():
        return NOT_BUILT
    return await give(case, link)


# --- through the public scoring API -----------------------------------------------------------


async def _score(case: Case, link: ScoringLink) -> Answer:
    request = scoring_pb2.ScoreWinRequest(
        ruleset=_ruleset(case),
        hand=_hand(case),
        win_notation=case.text("win"),
        by=_WIN_BY.get(case.text("by"), event_pb2.WIN_BY_UNSPECIFIED),
        situations=case.texts("situation", ()),
        seat_wind=case.text("seat_wind", ""),
        round_wind=case.text("round_wind", ""),
    )
    stub = await link.stub()
    try:
        response = await stub.ScoreWin(request)
    except grpc.RpcError as error:
        return _error(error)
    if not response.HasField("win"):
        return {"win": False}
    return {"win": True, "amount": response.win.amount, **_worth(case.variant, response.win)}


def _worth(variant: str, win: scoring_pb2.Win) -> Answer:
    """Fans by name; where the game has a base sum, kinds by number beside it and the caps."""
    if win.HasField("base_sum"):
        return {"kinds": [fan.number for fan in win.fans], "base_sum": win.base_sum, "lezi": win.fan_total}
    if variant in COUNTS_FANS:
        return {"fan": win.fan_total, "fans": {fan.name_zh: fan.times or 1 for fan in win.fans}}
    return {"fan": win.fan_total, "names": {fan.name_zh: fan.value for fan in win.fans}}


async def _waits(case: Case, link: ScoringLink) -> Answer:
    request = scoring_pb2.ListWaitsRequest(
        ruleset=_ruleset(case),
        hand=_hand(case),
        situations=case.texts("situation", ()),
        seat_wind=case.text("seat_wind", ""),
        round_wind=case.text("round_wind", ""),
    )
    stub = await link.stub()
    try:
        response = await stub.ListWaits(request)
    except grpc.RpcError as error:
        return _error(error)
    return {"waits": {wait.notation: _wait_worth(case.variant, wait) for wait in response.waits}}


def _wait_worth(variant: str, wait: scoring_pb2.Wait) -> dict[str, int | None]:
    """What a wait is worth each way: its fan where the game counts fans, else one payer's amount."""

    def worth(win: scoring_pb2.Win) -> int:
        return win.fan_total if variant in COUNTS_FANS else win.amount

    return {
        "discard": worth(wait.by_discard) if wait.HasField("by_discard") else None,
        "self": worth(wait.by_self) if wait.HasField("by_self") else None,
    }


def _ruleset(case: Case) -> scoring_pb2.Ruleset:
    """The rules of a case. A stake that the message cannot hold stays an option, and the service refuses it."""
    message = scoring_pb2.Ruleset(variant=case.variant)
    options = case.variant_options()
    stake = options.get(STAKE)
    if type(stake) is int and 0 < stake <= STAKE_MAX:
        message.stake = options.pop(STAKE)
    message.options.update(options)
    return message


def _hand(case: Case) -> scoring_pb2.Hand:
    return scoring_pb2.Hand(notation=case.text("hand"), melds=case.texts("melds", ()), flowers=case.text("flowers", ""))


def _error(error: grpc.RpcError) -> Answer:
    refusal = refusal_of(error)
    if refusal is not None and refusal.reason is Reason.RULESET_UNKNOWN:
        return NOT_BUILT
    return {"error": error.code().name}


# --- through the rules themselves ---------------------------------------------------------------


async def _deal(case: Case, link: ScoringLink) -> Answer:
    variant = variants()[case.variant]
    balances = case.numbers("balances")
    if len(balances) != variant.seat_count or min(balances) < 0:
        raise case.malformed(f"balances are {variant.seat_count} numbers, none below zero")
    options = case.variant_options()
    stake = options.pop(STAKE, 1)
    dealer, actions = case.number("dealer"), case.texts("actions")
    try:
        rules = variant.ruleset(options, stake, case.option(ESCAPE_PENALTY, 0))
        arranged = Arranged(
            dealer=dealer,
            hands=tuple(parse(hand) for hand in case.texts("hands")),
            draws=parse(case.text("draws")),
            replacements=parse(case.text("replacements", "")),
            draws_in_row=int(case.row.get("doubled") or 0),
        )
        return play(rules, arranged, actions).result(balances)
    except (OptionError, HandError, NotationError, ScriptError):
        return IMPOSSIBLE


_ANSWERS: Mapping[str, Callable[[Case, ScoringLink], Awaitable[Answer]]] = {
    "score": _score,
    "waits": _waits,
    "deal": _deal,
}
