"""What the scripts answer, as values and refusals."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

import orjson

from refusals import Reason, Refusal
from services.ledger.adapters.coalescer import Answer, ScriptFault
from services.ledger.values import Claimed, Granted, Line, Reservation, Settled, StakeRefusal, StakeRow

_ACCOUNT = "account_id"
_NUMBER = "journal_number"

_REFUSALS: Final[Mapping[str, tuple[Reason, str, str]]] = MappingProxyType(
    {
        # status: reason, name of the fact in the metadata, what it means
        "FENCED": (Reason.FENCED, "epoch", "a newer owner has claimed the table"),
        "GAP": (Reason.SETTLEMENT_GAP, "last_seq", "an earlier settlement is missing"),
        "OLD": (Reason.SETTLEMENT_OLD, "last_seq", "the settlement is too old to be answered"),
        "CONFLICT": (Reason.SETTLEMENT_CONFLICT, "last_seq", "this seq came before with other content"),
        "NOACCT": (Reason.ACCOUNT_UNKNOWN, _ACCOUNT, "no such account"),
        "MISSING": (Reason.STAKE_MISSING, _ACCOUNT, "the payer's stake is not reserved for this table and deal"),
        "LOCKED": (Reason.LOCKED_ELSEWHERE, _ACCOUNT, "a table has this account's balance reserved (PF-55)"),
        "BUDGET": (Reason.BUDGET_EXHAUSTED, _ACCOUNT, "the fund has not enough left"),
        "WRONG": (Reason.BOOKS_WRONG, "", ""),
        "BEHIND": (Reason.BOOKS_STOPPED, _NUMBER, "the journal ends before what was acknowledged"),
        "REVERSED": (Reason.ENTRY_REVERSED, _NUMBER, "the entry was reversed before"),
        "MOVED": (Reason.INVALID_FIELD, _NUMBER, "the journal ends elsewhere by now"),
        "LIMIT": (Reason.AMOUNT_LIMIT, "field", "more than 2^53 - 1 units"),
        "INVALID": (Reason.INVALID_FIELD, "field", "not a request the books can carry out"),
        "REUSED": (Reason.REQUEST_ID_REUSED, "request_id", "this request_id came before with other content"),
        "HELD": (Reason.SETTLEMENT_CONFLICT, "deal_id", "the table holds the stake of another deal; release it first"),
        "CHANGED": (Reason.SETTLEMENT_CONFLICT, "deal_id", "the deal's stake is reserved for other accounts"),
        "RELEASED": (Reason.SETTLEMENT_CONFLICT, "deal_id", "the deal's stake was released; it is reserved once"),
    }
)


def text(value: bytes | str) -> str:
    """A stored text; bytes that are no UTF-8 survive, so that a damaged entry can be looked at."""
    return value if isinstance(value, str) else value.decode("utf-8", "surrogateescape")


def accepted(answer: Answer, *statuses: str) -> tuple[str, list[str]]:
    """Status and facts of an answer that is one of ``statuses``. Raises: Refusal: it is a refusal."""
    status, *facts = [text(part) for part in answer]
    if status in statuses:
        return status, facts
    if status not in _REFUSALS:
        raise ScriptFault(f"unknown answer {status}")
    reason, name, detail = _REFUSALS[status]
    metadata = {name: facts[0]} if name else {}
    if status == "OLD":
        metadata[_NUMBER] = facts[1]
    raise Refusal(reason, detail=detail, metadata=metadata)


def settled(result: str, *, duplicate: bool) -> Settled:
    """A result as the script stores it: the same text on every repeat."""
    fields = orjson.loads(result)
    lines = tuple(Line(*row[:7]) for row in fields["legs"])
    return Settled(fields["number"], lines, duplicate)


def reservation(answer: Answer, accounts: Sequence[str]) -> Reservation:
    """Whether the stake is reserved, and each account's row."""
    status, facts = accepted(answer, "OK", "REFUSED")
    rows = tuple(
        StakeRow(account, int(facts[2 * index]), StakeRefusal(facts[2 * index + 1]))
        for index, account in enumerate(accounts)
    )
    return Reservation(status == "OK", rows)


def claimed(answer: Answer) -> Claimed:
    """Where a table stands; results that are told again count as repeats."""
    _, (last_seq, result, *missed) = accepted(answer, "OK")
    numbers = range(int(last_seq) - len(missed) + 1, int(last_seq) + 1)
    return Claimed(
        int(last_seq),
        settled(result, duplicate=True) if result else None,
        tuple((seq, settled(text, duplicate=True)) for seq, text in zip(numbers, missed, strict=True)),
    )


def granted(answer: Answer) -> Granted:
    """A grant's result."""
    status, (result,) = accepted(answer, "OK", "DUP")
    number, after = result.split(" ")
    return Granted(int(number), int(after), status == "DUP")


def noted(answer: Answer) -> tuple[int, bool]:
    """Number of an entry that moved nothing, and whether it was written before."""
    status, (number,) = accepted(answer, "OK", "DUP")
    return int(number), status == "DUP"


def resumed(result: str) -> tuple[int, int]:
    """Number of the entry with an operator's decision, and how many entries were set aside."""
    number, _, lost = result.partition(" ")
    return int(number), int(lost or 0)


def outcome(answer: Answer) -> Settled:
    """The result of a settlement, a void or a reversal."""
    status, (result,) = accepted(answer, "OK", "DUP")
    return settled(result, duplicate=status == "DUP")
