"""What every variant is, whatever its family: what the catalogue finds and rooms are made of."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class Variant(Protocol):
    """A variant under its family's own class, which says more.

    Whoever needs the rules themselves asks `isinstance` of the family's class and has its types.
    """

    @property
    def family(self) -> str:
        """Name of the family, such as "mahjong"."""
        ...

    @property
    def variant_id(self) -> str:
        """Such as "bloody4"."""
        ...

    @property
    def name_zh(self) -> str:
        """Its name."""
        ...

    @property
    def version(self) -> int:
        """Of its rules; a released one is never edited."""
        ...

    @property
    def seat_count(self) -> int:
        """Players."""
        ...

    @property
    def owner_deals_first(self) -> bool:
        """Whether a table's first dealer is who sat down first (BB-5); else seat 0, and seats are drawn at random."""
        ...

    @property
    def options(self) -> Mapping[str, Sequence[object]]:
        """Named options and their allowed values, a tuple with the default first, or a range of numbers."""
        ...

    @property
    def game(self) -> Any:
        """The family's rules as pure functions (`Game`), with `initial` and `open` of its own."""
        ...

    def ruleset(self, options: Mapping[str, object], stake: int, escape_penalty: int = 0) -> Any:
        """The rules under these options; those left out have their defaults.

        `escape_penalty` is what the room takes from a player who leaves (PF-23), where the rules name no other.

        Raises:
            OptionError: an unknown option, or a value that is not allowed.
        """
        ...
