"""Requests that were accepted, so that the same one again gets the same answer."""

import hashlib
from collections.abc import Iterable

from games.kernel import Seat
from refusals import Reason, Refusal
from services.table.model.flow import Outcome
from services.table.ports import RequestRow

_QUEUED = "q"
_DONE = "d"


def fingerprint(content: object) -> str:
    """A short name for a request, the same for equal values; it outlives the process."""
    return hashlib.blake2b(repr(content).encode(), digest_size=9).hexdigest()


class Requests:
    """Accepted requests of the deal that is played or was last, and of those who are ready for the next."""

    def __init__(self, rows: Iterable[RequestRow] = ()) -> None:
        self._rows: dict[tuple[Seat, str], RequestRow] = {}
        self._last: dict[Seat, str] = {}
        for row in rows:
            self.remember(row)

    def known(self, seat: Seat, request_id: str, content: str) -> Outcome | None:
        """The answer that a request got before; None if it is new.

        Raises: Refusal: REQUEST_ID_REUSED: it came before with other content.
        """
        row = self._rows.get((seat, request_id))
        if row is None:
            return None
        if row.fingerprint != content:
            raise Refusal(Reason.REQUEST_ID_REUSED, field="request_id")
        return read_answer(row.answer)

    def last_of(self, seat: Seat | None) -> str:
        """Id of the seat's last accepted request; empty if there is none."""
        return "" if seat is None else self._last.get(seat, "")

    def remember(self, row: RequestRow) -> None:
        """One more accepted request."""
        self._rows[row.seat, row.request_id] = row
        self._last[row.seat] = row.request_id

    def forget_until(self, deal_number: int) -> None:
        """Requests of this deal and of earlier ones are forgotten."""
        self._rows = {key: row for key, row in self._rows.items() if row.deal_number > deal_number}


def written_answer(outcome: Outcome) -> str:
    """An answer as it is stored."""
    return f"{_QUEUED if outcome.queued else _DONE}{outcome.seq}"


def read_answer(text: str) -> Outcome:
    """The answer that was stored."""
    return Outcome(int(text[1:]), queued=text[0] == _QUEUED)
