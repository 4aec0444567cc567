"""From a deal's record to its money."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

from games.kernel import Payment, RecordError, Seat, pay
from games.mahjong.events import Ended, Event, Opened, Won
from games.mahjong.replay import replaying
from games.mahjong.ruleset import Ruleset
from refusals import Reason, Refusal
from services.scoring.app.hands import invalid
from services.scoring.app.rulesets import RulesetQuery, ruleset_of

RECORD = "events"
"""The request's field that holds a record."""
UNITS_MAX = (1 << 53) - 1
"""Greatest balance, as in the books."""


@dataclass(frozen=True, slots=True)
class SettledPayment:
    """A payment of a deal: the event that asks for it, and what is paid; None without balances."""

    payment: Payment
    event_index: int
    paid: int | None


@dataclass(frozen=True, slots=True)
class Settled:
    """A deal's money in the order it moves; `balances` after it, empty without balances."""

    rules: Ruleset
    payments: tuple[SettledPayment, ...]
    balances: tuple[int, ...]
    next_dealer: Seat | None


def settle_deal(
    rules_asked: RulesetQuery | None, events: Sequence[Event], balances: Sequence[int]
) -> Generator[None, None, Settled]:
    """The payments of a deal, once its record is found to be what the rules say; yields between its steps.

    Args:
        rules_asked: rules the record must be of; None for whatever it names.
        events: public events from Opened to Ended.
        balances: one a seat, or none.

    Raises:
        Refusal: RECORD_INVALID: naming the first event at fault; RULESET_UNKNOWN, OPTION_INVALID, INVALID_FIELD.
    """
    _check_rules(rules_asked, events)
    try:
        state = yield from replaying(events)
    except RecordError as error:
        raise bad_record(error.index, error.detail, error.rule) from None
    check_balances("balances", balances, state.ruleset.seat_count)
    assert state.result is not None, "a deal played to its end has a result"
    asked = [
        (index, payment)
        for index, event in enumerate(events)
        if isinstance(event, Won | Ended)
        for payment in event.payments
    ]
    paid = pay(balances, [payment for _, payment in asked]) if balances else None
    return Settled(
        rules=state.ruleset,
        payments=tuple(
            SettledPayment(payment, index, None if paid is None else paid.lines[place].paid)
            for place, (index, payment) in enumerate(asked)
        ),
        balances=() if paid is None else paid.balances,
        next_dealer=state.result.next_dealer,
    )


@dataclass(frozen=True, slots=True)
class Replayed:
    """Whether a record is what the rules say.

    Attributes:
        rules: those it names; None where it names none.
        matched_count: events that are as the rules say, from the first.
        fault: what is wrong with the first that is not; None where all are.
    """

    rules: Ruleset | None
    matched_count: int
    fault: RecordError | None


def replay_deal(
    rules_asked: RulesetQuery | None, events: Sequence[Event], unread: RecordError | None = None
) -> Generator[None, None, Replayed]:
    """Find the first event of a record that the rules do not allow; yields between its steps.

    Args:
        events: those before the first that stands for nothing, or all.
        unread: what is wrong with that one.

    Raises:
        Refusal: RECORD_INVALID: the record names other rules than the request; RULESET_UNKNOWN, OPTION_INVALID.
    """
    _check_rules(rules_asked, events)
    rules = events[0].ruleset if events and isinstance(events[0], Opened) else None
    try:
        yield from replaying(events)
    except RecordError as error:
        fault = unread if unread is not None and error.index >= len(events) else error
        return Replayed(rules, fault.index, fault)
    return Replayed(rules, len(events), unread)


def _check_rules(rules_asked: RulesetQuery | None, events: Sequence[Event]) -> None:
    if rules_asked is None:
        return
    rules = ruleset_of(rules_asked)
    opened = events[0] if events else None
    # What a room takes from a player who leaves is no part of a ruleset as it is asked for.
    if isinstance(opened, Opened) and replace(opened.ruleset, escape_penalty=rules.escape_penalty) != rules:
        raise bad_record(0, "the record names other rules, options or stake than the request")


def bad_record(index: int, detail: str, rule: str = "", part: str = "", record: str = RECORD) -> Refusal:
    """A refusal RECORD_INVALID; metadata `event_index` names the event, `record` is the request's field."""
    return Refusal(
        Reason.RECORD_INVALID,
        field=f"{record}[{index}]" + (f".{part}" if part else ""),
        detail=detail,
        rule=rule or None,
        metadata={"event_index": str(index)},
    )


def check_balances(field: str, balances: Sequence[int], seat_count: int) -> None:
    """Refuse what cannot be in the books; none at all may be given.

    Raises:
        Refusal: INVALID_FIELD.
    """
    if balances and len(balances) != seat_count:
        raise invalid(field, f"one a seat, {seat_count} in this game")
    for index, units in enumerate(balances):
        if not 0 <= units <= UNITS_MAX:
            raise invalid(f"{field}[{index}]", f"from 0 to {UNITS_MAX}")
