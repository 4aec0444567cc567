"""A variant of the family as the catalogue shows it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from games.kernel import OptionError
from games.landlord.game import GAME, LandlordGame
from games.landlord.ruleset import Ruleset

FAMILY = "landlord"
STAKE_MAX = 1_000_000_000
"""Greatest stake: with the highest multiplier it stays far below what a balance can hold."""


@dataclass(frozen=True, slots=True)
class LandlordVariant:
    """A variant's name, its options and how its rules are made.

    Attributes:
        variant_id: such as "tingyong".
        name_zh: its name.
        version: of its rules.
        seat_count: players.
        options: named options and their allowed values: words, or a range of whole numbers.
        make_ruleset: from the options that were chosen, by name in order, and a stake; raises
            OptionError where options do not go together.
    """

    variant_id: str
    name_zh: str
    version: int
    seat_count: int
    options: Mapping[str, Sequence[object]]
    make_ruleset: Callable[[tuple[tuple[str, object], ...], int], Ruleset]

    @property
    def family(self) -> str:
        """Name of the family."""
        return FAMILY

    @property
    def owner_deals_first(self) -> bool:
        """The first bidder is random (TY-10): seat 0 of seats drawn at random."""
        return False

    @property
    def game(self) -> LandlordGame:
        """The family's rules."""
        return GAME

    def ruleset(self, options: Mapping[str, object], stake: int, escape_penalty: int = 0) -> Ruleset:
        """The rules under these options; those left out have their defaults.

        Args:
            options: by name.
            stake: units of the asset for one score where no option says it, 1..STAKE_MAX.
            escape_penalty: not asked for: the rules say what an escape costs (TY-33).

        Raises:
            OptionError: an unknown option, a value that is not allowed, or options that do
                not go together.
        """
        if type(stake) is not int or not 1 <= stake <= STAKE_MAX:
            raise OptionError("stake", f"a whole number from 1 to {STAKE_MAX}")
        for name, value in options.items():
            if name not in self.options:
                known = ", ".join(sorted(self.options))
                raise OptionError(name, f"{self.variant_id} has no such option; it has {known}")
            if not _is_allowed(value, self.options[name]):
                raise OptionError(name, _allowed_words(self.options[name]))
        chosen = tuple((name, options[name]) for name in self.options if name in options)
        return self.make_ruleset(chosen, stake)


def _is_allowed(value: object, allowed: Sequence[object]) -> bool:
    if isinstance(allowed, range):
        return type(value) is int and value in allowed
    return any(value == one and type(value) is type(one) for one in allowed)


def _allowed_words(allowed: Sequence[object]) -> str:
    if isinstance(allowed, range):
        return f"a whole number from {allowed[0]} to {allowed[-1]}"
    return "one of " + ", ".join(str(one) for one in allowed)
