"""The exception by which any part of a service says no."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from refusals.reason import Reason

_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Violation:
    """One field of a request that is wrong.

    ``field`` is the path in the request (``payments[2].amount``), ``description`` says what is wrong with it.
    """

    field: str
    description: str


class Refusal(Exception):
    """A call is refused; the caller is told why.

    Args:
        reason: the catalogue row; it fixes the status code and whether a retry helps.
        field: path of the one field at fault; same as a single ``Violation(field, detail)``.
        detail: text for the developer of the client, written by us: never an exception's text, a token or
            anything the caller may not know. Empty: the catalogue's sentence.
        rule: number of the rule that forbids it, e.g. ``BB-17``.
        metadata: facts a program acts on, e.g. the owner of a table.
        violations: all fields at fault, where there are several.
        retry_after_ms: when to try again; only where the same call may then succeed.
    """

    def __init__(
        self,
        reason: Reason,
        *,
        field: str | None = None,
        detail: str = "",
        rule: str | None = None,
        metadata: Mapping[str, str] | None = None,
        violations: Sequence[Violation] = (),
        retry_after_ms: int | None = None,
    ) -> None:
        super().__init__(f"{reason}: {detail}" if detail else str(reason))
        self.reason = Reason(reason)
        self.field = field
        self.detail = detail
        self.rule = rule
        self.metadata: Mapping[str, str] = metadata or _NOTHING
        self.violations: tuple[Violation, ...] = tuple(violations)
        self.retry_after_ms = retry_after_ms
