"""Finds every variant of every family: a folder under `games.variants` that exports VARIANTS."""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import TypeVar

from games import variants as variants_room
from games.kernel import Variant

V = TypeVar("V")


class UnknownVariant(KeyError):
    """No variant has this id."""


@cache
def variants() -> Mapping[str, Variant]:
    """All variants by id."""
    found: dict[str, Variant] = {}
    for folder in pkgutil.iter_modules(variants_room.__path__):
        room = importlib.import_module(f"{variants_room.__name__}.{folder.name}")
        for variant in room.VARIANTS:
            assert variant.variant_id not in found, variant.variant_id
            found[variant.variant_id] = variant
    return MappingProxyType(found)


def variants_of(family: type[V]) -> Mapping[str, V]:
    """The variants of one family by id, as what they are.

    Args:
        family: the class the family's variants are of.
    """
    return {name: variant for name, variant in variants().items() if isinstance(variant, family)}


def variant_of(variant_id: str) -> Variant:
    """The variant with this id.

    Raises:
        UnknownVariant: there is none.
    """
    try:
        return variants()[variant_id]
    except KeyError:
        raise UnknownVariant(variant_id) from None
