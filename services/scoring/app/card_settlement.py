"""From the record of a deal of the landlord family to its money, in both assets (TY-30..43, PF-60)."""

from collections.abc import Sequence
from dataclasses import dataclass

from games.kernel import Payment, RecordError, Seat, pay
from games.landlord.events import Event, Opened
from games.landlord.replay import replay
from games.landlord.ruleset import Ruleset
from refusals import Refusal
from services.scoring.app.rulesets import RulesetQuery, landlord_ruleset_of
from services.scoring.app.settlement import SettledPayment, bad_record, check_balances

RECORD = "landlord_events"
"""The request's field."""


@dataclass(frozen=True, slots=True)
class CardsSettled:
    """A deal's money in the order it moves, in the room's asset and in points.

    Attributes:
        balances: after it, one a seat; empty without balances before.
        points: the same of points.
    """

    rules: Ruleset
    payments: tuple[SettledPayment, ...]
    balances: tuple[int, ...]
    point_payments: tuple[SettledPayment, ...]
    points: tuple[int, ...]
    next_dealer: Seat


def settle_cards(
    rules_asked: RulesetQuery | None, events: Sequence[Event], balances: Sequence[int], points: Sequence[int]
) -> CardsSettled:
    """The payments of a deal, once its record is found to be what the rules say.

    Args:
        rules_asked: rules the record must be of; None for whatever it names.
        events: from Opened to Ended.
        balances: one a seat, or none.
        points: one a seat, or none.

    Raises:
        Refusal: RECORD_INVALID: naming the first event at fault; RULESET_UNKNOWN, OPTION_INVALID, INVALID_FIELD.
    """
    check_card_rules(rules_asked, events)
    try:
        state = replay(events)
    except RecordError as error:
        raise bad_card_record(error.index, error.detail, error.rule) from None
    seat_count = state.ruleset.seat_count
    check_balances("balances", balances, seat_count)
    check_balances("points", points, seat_count)
    ended = state.result
    assert ended is not None, "a deal played to its end has a result"
    index = len(events) - 1
    payments, after = _paid(ended.payments, balances, index)
    point_payments, points_after = _paid(ended.point_payments, points, index)
    return CardsSettled(state.ruleset, payments, after, point_payments, points_after, ended.next_dealer)


@dataclass(frozen=True, slots=True)
class CardsReplayed:
    """Whether a record is what the rules say; see `settlement.Replayed`."""

    rules: Ruleset | None
    matched_count: int
    fault: RecordError | None


def replay_cards(
    rules_asked: RulesetQuery | None, events: Sequence[Event], unread: RecordError | None = None
) -> CardsReplayed:
    """Find the first event of a record that the rules do not allow.

    Args:
        events: those before the first that stands for nothing, or all.
        unread: what is wrong with that one.

    Raises:
        Refusal: RECORD_INVALID: the record names other rules than the request; RULESET_UNKNOWN, OPTION_INVALID.
    """
    check_card_rules(rules_asked, events)
    rules = events[0].ruleset if events and isinstance(events[0], Opened) else None
    try:
        replay(events)
    except RecordError as error:
        fault = unread if unread is not None and error.index >= len(events) else error
        return CardsReplayed(rules, fault.index, fault)
    return CardsReplayed(rules, len(events), unread)


def check_card_rules(rules_asked: RulesetQuery | None, events: Sequence[Event]) -> None:
    """Refuse a record of other rules than the request names.

    Raises:
        Refusal: RECORD_INVALID, RULESET_UNKNOWN, OPTION_INVALID.
    """
    rules = None if rules_asked is None else landlord_ruleset_of(rules_asked)
    opened = events[0] if events else None
    if rules is not None and isinstance(opened, Opened) and opened.ruleset != rules:
        raise bad_card_record(0, "the record names other rules, options or stake than the request")


def bad_card_record(index: int, detail: str, rule: str = "", part: str = "") -> Refusal:
    """A refusal RECORD_INVALID; metadata `event_index` names the event."""
    return bad_record(index, detail, rule, part, record=RECORD)


def _paid(
    payments: Sequence[Payment], balances: Sequence[int], index: int
) -> tuple[tuple[SettledPayment, ...], tuple[int, ...]]:
    if not balances:
        return tuple(SettledPayment(payment, index, None) for payment in payments), ()
    paid = pay(balances, payments)
    return tuple(SettledPayment(line.payment, index, line.paid) for line in paid.lines), paid.balances
