"""Files of cases: one JSON object a line."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import orjson

from clients.cli.faults import CommandError

ROOM_OPTIONS = frozenset({"escape_penalty", "claim_timing", "claim_seconds", "turn_seconds"})
"""Options of the room a case is played in that the rules of a variant know nothing of."""

T = TypeVar("T")


class MalformedCaseError(CommandError):
    """A line is no case: says which and why."""


@dataclass(frozen=True, slots=True)
class Case:
    """One case.

    Attributes:
        case_id: its id.
        kind: "score", "waits", "deal" or another.
        variant: whose rules it asks.
        place: file and line, for messages.
        row: the whole object.
    """

    case_id: str
    kind: str
    variant: str
    place: str
    row: Mapping[str, Any] = field(repr=False)

    @property
    def expect(self) -> Mapping[str, Any]:
        """The right answer."""
        return self._value("expect", dict, "an object")

    @property
    def note(self) -> str:
        """What the case is about, in its author's words."""
        note = self.row.get("note", "")
        return note if isinstance(note, str) else ""

    def text(self, name: str, default: str | None = None) -> str:
        """A member that is a string. Raises: MalformedCaseError."""
        return self._value(name, str, "a string", default)

    def number(self, name: str) -> int:
        """A member that is a whole number. Raises: MalformedCaseError."""
        return self._value(name, int, "a whole number")

    def texts(self, name: str, default: Sequence[str] | None = None) -> list[str]:
        """A member that is a list of strings. Raises: MalformedCaseError."""
        return self._items(name, str, "a list of strings", default)

    def numbers(self, name: str) -> list[int]:
        """A member that is a list of whole numbers. Raises: MalformedCaseError."""
        return self._items(name, int, "a list of whole numbers")

    def variant_options(self) -> dict[str, Any]:
        """Options of the variant, stake included; the room's own are left out."""
        options = self._value("options", dict, "an object", {})
        return {name: value for name, value in options.items() if name not in ROOM_OPTIONS}

    def option(self, name: str, default: Any) -> Any:
        """One option of the case, of the room's own too."""
        return self._value("options", dict, "an object", {}).get(name, default)

    def malformed(self, detail: str) -> MalformedCaseError:
        """The error that says what is wrong with this case."""
        return MalformedCaseError(f"{self.place}: case {self.case_id}: {detail}")

    def _value(self, name: str, kind: type[T], words: str, default: T | None = None) -> T:
        if name not in self.row:
            if default is None:
                raise self.malformed(f"{name} is missing")
            return default
        value = self.row[name]
        if type(value) is not kind:
            raise self.malformed(f"{name} is not {words}")
        return value

    def _items(self, name: str, kind: type[T], words: str, default: Sequence[T] | None = None) -> list[T]:
        values = self._value(name, list, words, None if default is None else list(default))
        if any(type(value) is not kind for value in values):
            raise self.malformed(f"{name} is not {words}")
        return values


def read_cases(file: Path) -> Iterator[Case]:
    """The cases of a file in order; empty lines are passed over.

    Raises:
        MalformedCaseError: a line is no case.
        CommandError: the file cannot be read.
    """
    try:
        with file.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                if line.strip():
                    yield _case(f"{file}:{number}", line)
    except OSError as error:
        raise CommandError(f"cannot read {file}: {error.strerror}") from None


def _case(place: str, line: bytes) -> Case:
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise MalformedCaseError(f"{place}: no JSON: {error}") from None
    if not isinstance(row, dict):
        raise MalformedCaseError(f"{place}: a case is a JSON object")
    for name in ("id", "kind", "variant"):
        if not isinstance(row.get(name), str):
            raise MalformedCaseError(f"{place}: {name} is missing, or no string")
    return Case(row["id"], row["kind"], row["variant"], place, row)
