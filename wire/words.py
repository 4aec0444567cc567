"""What both families' messages share: a message that stands for nothing, and words for numbers."""

from collections.abc import Mapping
from typing import TypeVar

from games.catalog import UnknownVersion, variant_of
from games.kernel import Variant

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


def edition(variant_id: str, version: int) -> Variant:
    """The variant that a record names, in the version it was played by.

    Raises:
        UnknownVariant: there is none.
        WireError: this version of it is not known here.
    """
    try:
        return variant_of(variant_id, version or UNKNOWN_VERSION)
    except UnknownVersion:
        raise WireError("rules_version", f"{variant_id} {version} is not known here") from None


UNKNOWN_VERSION = 1 << 32
"""A record always names a version; one that names none is of none."""
