"""A variant of the family as the catalogue shows it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from games.kernel import OptionError
from games.mahjong.game import GAME, MahjongGame
from games.mahjong.ruleset import Ruleset

FAMILY = "mahjong"
STAKE_MAX = 1_000_000_000
"""Greatest stake: with the highest hand it stays far below what a balance can hold."""


@dataclass(frozen=True, slots=True)
class FanRow:
    """A row of a variant's fan table, as the catalogue shows it.

    Attributes:
        fan_id: stable id.
        name_zh, name_en: its names.
        value: fan one occurrence adds; in games with caps the caps it is worth, 0 where another rule says it.
        rule: number of the rule that says so.
        number: the row's number, where the variant's page numbers them; else 0.
        excludes: ids of rows that the table says are not paid beside this one.
        implies: ids of rows that this one's shape always shows, not paid again.
    """

    fan_id: str
    name_zh: str
    name_en: str
    value: int
    rule: str
    number: int = 0
    excludes: tuple[str, ...] = ()
    implies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant's name, its options and how its rules are made.

    Attributes:
        variant_id: such as "bloody4".
        name_zh: its name.
        version: of its rules.
        seat_count: players.
        options: named options and their allowed values, the default first.
        make_ruleset: from checked options, by name in order, a stake and an escape penalty.
        fan_table: its rows in order.
        owner_deals_first: whether the first dealer is who sat down first (BB-5); else seat 0 (DZ-2), and seats are
            drawn at random (SH-1).
    """

    variant_id: str
    name_zh: str
    version: int
    seat_count: int
    options: Mapping[str, tuple[object, ...]]
    make_ruleset: Callable[[tuple[tuple[str, object], ...], int, int], Ruleset]
    fan_table: tuple[FanRow, ...]
    owner_deals_first: bool = False

    @property
    def family(self) -> str:
        """Name of the family."""
        return FAMILY

    @property
    def fan_names(self) -> tuple[tuple[str, str, str], ...]:
        """Id, Chinese and English name of each row of the fan table."""
        return tuple((row.fan_id, row.name_zh, row.name_en) for row in self.fan_table)

    @property
    def game(self) -> MahjongGame:
        """The family's rules."""
        return GAME

    def ruleset(self, options: Mapping[str, object], stake: int, escape_penalty: int = 0) -> Ruleset:
        """The rules under these options; those left out have their defaults.

        Args:
            options: by name.
            stake: base in units of the asset, 1..STAKE_MAX.
            escape_penalty: what a player pays who leaves a deal, 0..STAKE_MAX (PF-23).

        Raises:
            OptionError: an unknown option, or a value that is not allowed.
        """
        if type(stake) is not int or not 1 <= stake <= STAKE_MAX:
            raise OptionError("stake", f"a whole number from 1 to {STAKE_MAX}")
        if type(escape_penalty) is not int or not 0 <= escape_penalty <= STAKE_MAX:
            raise OptionError("escape_penalty", f"a whole number from 0 to {STAKE_MAX}")
        for name, value in options.items():
            if name not in self.options:
                known = ", ".join(sorted(self.options))
                raise OptionError(name, f"{self.variant_id} has no such option; it has {known}")
            allowed = self.options[name]
            if not any(value == one and type(value) is type(one) for one in allowed):
                raise OptionError(name, _in_words(allowed))
        chosen = tuple((name, options.get(name, allowed[0])) for name, allowed in self.options.items())
        return self.make_ruleset(chosen, stake, escape_penalty)


def _in_words(allowed: tuple[object, ...]) -> str:
    """The values an option may have; many numbers by the least and the greatest."""
    numbers = [value for value in allowed if type(value) is int]
    if len(numbers) == len(allowed) > MANY and len(numbers) == max(numbers) - min(numbers) + 1:
        return f"a whole number from {min(numbers)} to {max(numbers)}"
    return "one of " + ", ".join(map(str, allowed))


MANY = 8
"""Values that are not written out any more."""
