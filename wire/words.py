"""What both families' messages share: a message that stands for nothing, and words for numbers."""

from collections.abc import Mapping
from typing import TypeVar

W = TypeVar("W")


class WireError(ValueError):
    """A message that stands for nothing; `field` names the part."""

    def __init__(self, field: str, detail: str) -> None:
        super().__init__(f"{field}: {detail}")
        self.field = field
        self.detail = detail


def named(table: Mapping[W, int], field: str, number: int) -> W:
    """The word a wire number stands for.

    Args:
        table: the number of each word.

    Raises:
        WireError: none.
    """
    for word, wire in table.items():
        if wire == number:
            return word
    raise WireError(field, f"no such value {number}")
