"""A policy without any sense: every option is as likely as the next."""

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def choose(options: Sequence[T], pick: Callable[[int], int]) -> T:
    """One of the options.

    Args:
        options: at least one.
        pick: chance, which comes in from outside: from n a number in 0..n-1, all equally likely.
    """
    return options[pick(len(options))]
