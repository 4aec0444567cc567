"""Plants a fault: one piece of a module's source is changed, and the rules are imported anew with it."""

import importlib
import importlib.abc
import importlib.util
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType

PLAIN = "CARDROOM_PLAIN"
"""Environment variable under which compiled rules are left aside: a fault is planted in a source."""
ROOMS = ("games", "wire", "tests.contract", "tests.sim")
"""What is imported anew: the rules, and all that looks at them."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault to plant.

    Attributes:
        name: what it breaks, in words.
        module: where.
        old: a piece of its source that occurs once.
        new: what stands there instead.
        variant: whose deals show it.
        first: the golden playthrough or case that shows it soonest.
    """

    name: str
    module: str
    old: str
    new: str
    variant: str = "bloody4"
    first: str = ""


class NoLongerFits(Exception):
    """The source has changed: the fault has to be written anew."""


@contextmanager
def planted(fault: Fault | None, hunt: str = "tests.sim.hunt") -> Iterator[ModuleType]:
    """The module that looks for faults, imported anew together with the rules under the fault.

    What was imported before is put back afterwards.
    """
    plain = os.environ.get(PLAIN)
    os.environ[PLAIN] = "1"
    before = {name: module for name, module in sys.modules.items() if _is_ours(name)}
    planter = _Planter(fault)
    for name in before:
        del sys.modules[name]
    sys.meta_path.insert(0, planter)
    try:
        yield importlib.import_module(hunt)
    finally:
        os.environ.pop(PLAIN)
        if plain is not None:
            os.environ[PLAIN] = plain
        sys.meta_path.remove(planter)
        for name in [name for name in sys.modules if _is_ours(name)]:
            del sys.modules[name]
        sys.modules.update(before)
        _bind(before)


def _is_ours(name: str) -> bool:
    return any(name == room or name.startswith(f"{room}.") for room in ROOMS)


def _bind(modules: dict[str, ModuleType]) -> None:
    """Each package names its own modules again, not the ones imported in between."""
    for name, module in modules.items():
        parent, _, child = name.rpartition(".")
        if parent in sys.modules:
            setattr(sys.modules[parent], child, module)


class _Planter(importlib.abc.MetaPathFinder):
    """Finds the faulty module; all others are found as ever."""

    def __init__(self, fault: Fault | None) -> None:
        self._fault = fault

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if self._fault is None or fullname != self._fault.module:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        assert spec is not None, fullname
        assert spec.origin is not None, fullname
        return importlib.util.spec_from_file_location(
            fullname, spec.origin, loader=_Faulty(fullname, spec.origin, self._fault)
        )


class _Faulty(SourceFileLoader):
    """Compiles the source with the fault in it, past the bytecode cache."""

    def __init__(self, fullname: str, path: str, fault: Fault) -> None:
        super().__init__(fullname, path)
        self._fault = fault

    def get_code(self, fullname: str) -> CodeType:
        source = self.get_data(self.path).decode()
        if source.count(self._fault.old) != 1:
            raise NoLongerFits(f"{self._fault.name}: {self._fault.old!r} does not stand once in {fullname}")
        return compile(source.replace(self._fault.old, self._fault.new), self.path, "exec")
