"""Finds every variant of every family: a folder under `games.variants` that exports VARIANTS."""

import importlib
import pkgutil
import sys
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import TypeVar

from games import variants as variants_room
from games.kernel import Variant

V = TypeVar("V")


class UnknownVariant(KeyError):
    """No variant has this id."""


class UnknownVersion(KeyError):
    """A variant is known, but not in this version.

    Attributes:
        known: its versions, ascending.
    """

    def __init__(self, variant_id: str, version: int, known: tuple[int, ...]) -> None:
        super().__init__(variant_id, version)
        self.variant_id = variant_id
        self.version = version
        self.known = known


@cache
def editions() -> Mapping[str, Mapping[int, Variant]]:
    """All variants by id, each in all its versions, ascending.

    A room shows every version it still plays: a released one is never edited and lives on beside the newer.
    """
    found: dict[str, dict[int, Variant]] = {}
    for folder in pkgutil.iter_modules(variants_room.__path__):
        room = importlib.import_module(f"{variants_room.__name__}.{folder.name}")
        for variant in room.VARIANTS:
            versions = found.setdefault(variant.variant_id, {})
            assert variant.version > 0 and variant.version not in versions, (variant.variant_id, variant.version)
            versions[variant.version] = variant
    return MappingProxyType({name: MappingProxyType(dict(sorted(known.items()))) for name, known in found.items()})


@cache
def variants() -> Mapping[str, Variant]:
    """All variants by id, each in its newest version."""
    return MappingProxyType({name: known[max(known)] for name, known in editions().items()})


def variants_of(family: type[V]) -> Mapping[str, V]:
    """The variants of one family by id, as what they are.

    Args:
        family: the class the family's variants are of.
    """
    return {name: variant for name, variant in variants().items() if isinstance(variant, family)}


def variant_of(variant_id: str, version: int = 0) -> Variant:
    """The variant with this id.

    Args:
        version: of its rules; 0 for the newest.

    Raises:
        UnknownVariant: there is none.
        UnknownVersion: there is none in this version.
    """
    if not version:
        try:
            return variants()[variant_id]
        except KeyError:
            raise UnknownVariant(variant_id) from None
    known = editions().get(variant_id)
    if known is None:
        raise UnknownVariant(variant_id)
    if version not in known:
        raise UnknownVersion(variant_id, version, tuple(known))
    return known[version]


def compiled_modules() -> tuple[str, ...]:
    """Modules of the rules that run compiled in this process, ascending; none where the plain sources run."""
    variants()
    own = {name: module for name, module in sys.modules.items() if name.startswith("games.")}
    return tuple(sorted(name for name, module in own.items() if not str(module.__file__).endswith(".py")))
