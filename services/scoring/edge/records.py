"""Reads the record of a deal, whichever family's: one event a message, each refusal with its place in the record."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from games.catalog import UnknownVariant
from games.kernel import OptionError, RecordError
from refusals import Reason, Refusal
from services.scoring.app.rulesets import unknown_ruleset
from services.scoring.app.settlement import bad_record
from wire.words import WireError

MessageT = TypeVar("MessageT")
EventT = TypeVar("EventT")


@dataclass(frozen=True, slots=True)
class Records(Generic[MessageT, EventT]):
    """How a family's records are read.

    Attributes:
        field: the request's field that holds the record, as refusals name it.
        count_max: events that no deal exceeds.
        parse: the event that a message stands for; raises WireError, UnknownVariant, OptionError.
    """

    field: str
    count_max: int
    parse: Callable[[MessageT], EventT]

    def all(self, messages: Sequence[MessageT]) -> Generator[None, None, tuple[EventT, ...]]:
        """Every event; yields after each.

        Raises:
            Refusal: RECORD_INVALID: a message stands for nothing, or the record is longer than any deal;
                RULESET_UNKNOWN: it opens by rules there are not.
        """
        self._check_length(len(messages))
        events = []
        for index, message in enumerate(messages):
            events.append(self._event(index, message))
            yield
        return tuple(events)

    def readable(
        self, messages: Sequence[MessageT]
    ) -> Generator[None, None, tuple[tuple[EventT, ...], RecordError | None]]:
        """The events before the first that stands for nothing, and what is wrong with that one; yields after each.

        Raises:
            Refusal: RECORD_INVALID: longer than any deal; RULESET_UNKNOWN: it opens by rules there are not.
        """
        self._check_length(len(messages))
        events = []
        for index, message in enumerate(messages):
            try:
                events.append(self._event(index, message))
            except Refusal as refusal:
                if refusal.reason is not Reason.RECORD_INVALID:
                    raise
                return tuple(events), RecordError(index, refusal.detail, refusal.rule or "")
            yield
        return tuple(events), None

    def _check_length(self, count: int) -> None:
        if count > self.count_max:
            raise bad_record(self.count_max, f"a record has at most {self.count_max} events", record=self.field)

    def _event(self, index: int, message: MessageT) -> EventT:
        try:
            return self.parse(message)
        except WireError as error:
            raise bad_record(index, error.detail, part=error.field, record=self.field) from None
        except UnknownVariant:
            raise unknown_ruleset(f"{self.field}[{index}].opened.variant", "no variant has this id") from None
        except OptionError as error:
            raise bad_record(index, error.detail, part="opened.options", record=self.field) from None
