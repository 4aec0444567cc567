"""What the rules answer to a case, in the form its `expect` has."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import click
import grpc
from cardroom.mahjong.v1 import event_pb2
from cardroom.scoring.v1 import scoring_pb2

from clients.cli.case_file import Case, MalformedCaseError
from clients.cli.scoring_link import ScoringLink
from games.catalog import variants
from games.kernel import OptionError
from games.landlord import cards
from games.landlord import ruleset as landlord_ruleset
from games.landlord import script as landlord_script
from games.landlord import variant as landlord_variant
from games.landlord.scoring import CardsError
from games.mahjong import ruleset as mahjong_ruleset
from games.mahjong import variant as mahjong_variant
from games.mahjong.asking import DRAWS_IN_ROW_MAX
from games.mahjong.hand import HandError
from games.mahjong.script import Arranged, ScriptError, play
from games.mahjong.tiles import NotationError, parse
from refusals import Reason
from serving.refusing import refusal_of

Answer = dict[str, Any]

NOT_BUILT: Answer = {"error": "UNIMPLEMENTED"}
IMPOSSIBLE: Answer = {"error": "INVALID_ARGUMENT"}
STAKE = "stake"
ESCAPE_PENALTY = "escape_penalty"
MONEY_MAX = (1 << 63) - 1

_WIN_BY: Mapping[str, event_pb2.WinBy.ValueType] = {
    "self": event_pb2.WIN_BY_SELF,
    "discard": event_pb2.WIN_BY_DISCARD,
    "rob": event_pb2.WIN_BY_ROB,
}


async def answer(case: Case, link: ScoringLink) -> Answer:
    """The answer to a case; one that is not built yet is an error UNIMPLEMENTED.

    A case that lacks what its kind needs is an input that cannot be; what is wrong with it goes to standard error.

    Raises:
        CommandError: the scoring service does not start.
    """
    give = _ANSWERS.get(case.kind)
    if give is None or case.variant not in variants():
        return NOT_BUILT
    try:
        return await give(case, link)
    except MalformedCaseError as error:
        click.echo(error.message, err=True)
        return IMPOSSIBLE


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
    return {"win": True, **_WORTH.get(case.variant, _names)(response.win)}


def _names(win: scoring_pb2.Win) -> Answer:
    """Fans by name with what each adds, and one payer's amount."""
    names = {fan.name_zh: fan.value for fan in win.fans}
    return {"fan": win.fan_total, "names": names, "amount": win.amount}


def _kinds(win: scoring_pb2.Win) -> Answer:
    """Kinds by number, the base sum and the caps, and one payer's amount."""
    kinds = [fan.number for fan in win.fans]
    return {"kinds": kinds, "base_sum": win.base_sum, "lezi": win.fan_total, "amount": win.amount}


def _counts(win: scoring_pb2.Win) -> Answer:
    """Fans by name with how often each counts."""
    return {"fan": win.fan_total, "fans": {fan.name_zh: fan.times or 1 for fan in win.fans}}


_WORTH: Mapping[str, Callable[[scoring_pb2.Win], Answer]] = {"shanghai": _kinds, "dazhong": _counts}
"""What a case of a variant says of a win; fans by what they add where nothing else is said."""


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
    worth = _WAIT_WORTH.get(case.variant, _amount)
    return {
        "waits": {
            wait.notation: {
                "discard": worth(wait.by_discard) if wait.HasField("by_discard") else None,
                "self": worth(wait.by_self) if wait.HasField("by_self") else None,
            }
            for wait in response.waits
        }
    }


async def _cards(case: Case, link: ScoringLink) -> Answer:
    request = scoring_pb2.ReadCardsRequest(ruleset=_ruleset(case), cards=case.text("cards"))
    last = case.row.get("last")
    if last is not None:
        request.last.CopyFrom(_last_play(case, last))
    stub = await link.stub()
    try:
        response = await stub.ReadCards(request)
    except grpc.RpcError as error:
        return _error(error)
    return {"readings": [{"kind": one.kind, "rank": one.rank, "count": one.count} for one in response.readings]}


def _last_play(case: Case, last: Any) -> scoring_pb2.CardReading:
    try:
        return scoring_pb2.CardReading(kind=last["kind"], rank=last["rank"], count=last["count"])
    except (KeyError, TypeError, ValueError):
        raise case.malformed("last is a play: kind, rank and count") from None


def _amount(win: scoring_pb2.Win) -> int:
    return win.amount


def _fan_total(win: scoring_pb2.Win) -> int:
    return win.fan_total


_WAIT_WORTH: Mapping[str, Callable[[scoring_pb2.Win], int]] = {"dazhong": _fan_total}
"""What a wait of a variant is worth in a case; one payer's amount where nothing else is said."""


def _ruleset(case: Case) -> scoring_pb2.Ruleset:
    """The rules of a case. A stake that the message cannot hold stays an option, and the service refuses it."""
    message = scoring_pb2.Ruleset(variant=case.variant)
    options = case.variant_options()
    stake = options.get(STAKE)
    if type(stake) is int and 0 < stake <= MONEY_MAX:
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
    if len(balances) != variant.seat_count or min(balances) < 0 or sum(balances) > MONEY_MAX:
        raise case.malformed(f"balances are {variant.seat_count} numbers, none below zero, together below 2**63")
    options = case.variant_options()
    stake = options.pop(STAKE, 1)
    try:
        rules = variant.ruleset(options, stake, case.option(ESCAPE_PENALTY, 0))
        return _DEALS[variant.family](case, rules, balances)
    except OptionError:
        return IMPOSSIBLE


def _mahjong_deal(case: Case, rules: mahjong_ruleset.Ruleset, balances: list[int]) -> Answer:
    dealer, actions = case.number("dealer"), case.texts("actions")
    try:
        arranged = Arranged(
            dealer=dealer,
            hands=tuple(parse(hand) for hand in case.texts("hands")),
            draws=parse(case.text("draws")),
            replacements=parse(case.text("replacements", "")),
            draws_in_row=_draws_in_row(case),
        )
        return play(rules, arranged, actions).result(balances)
    except (HandError, NotationError, ScriptError):
        return IMPOSSIBLE


def _draws_in_row(case: Case) -> int:
    """How many deals before this one doubled it (SH-33): a count, or whether there was one."""
    doubled = case.row.get("doubled", 0)
    if not isinstance(doubled, int) or not 0 <= doubled <= DRAWS_IN_ROW_MAX:
        raise case.malformed(f"doubled is neither true, false nor a count up to {DRAWS_IN_ROW_MAX}")
    return int(doubled)


def _landlord_deal(case: Case, rules: landlord_ruleset.Ruleset, balances: list[int]) -> Answer:
    dealer, actions = case.number("first_bidder"), case.texts("actions")
    try:
        hands = tuple(cards.parse(hand) for hand in case.texts("hands"))
        arranged = landlord_script.Arranged(dealer, hands, cards.parse(case.text("bottom")))
        return landlord_script.play(rules, arranged, actions).result(balances)
    except (CardsError, cards.NotationError, landlord_script.ScriptError):
        return IMPOSSIBLE


_DEALS: Mapping[str, Callable[[Case, Any, list[int]], Answer]] = {
    mahjong_variant.FAMILY: _mahjong_deal,
    landlord_variant.FAMILY: _landlord_deal,
}
"""How a deal of each family is written and played."""


_ANSWERS: Mapping[str, Callable[[Case, ScoringLink], Awaitable[Answer]]] = {
    "score": _score,
    "waits": _waits,
    "cards": _cards,
    "deal": _deal,
}
