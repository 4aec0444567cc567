"""Lets Python load the compiled rules in place of their sources.

`compiled.py` puts this file into the environment's packages as `cardroom_compiled`, beside what it built; a .pth file
there loads it whenever that Python starts. A compiled module is taken only while every source it was made from is,
byte by byte, what it was then, and either all of them are taken or none. CARDROOM_PLAIN=1 leaves them aside.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from types import ModuleType

PLAIN = "CARDROOM_PLAIN"
"""Environment variable: set and not empty, the plain sources run."""


class CompiledFinder:
    """Finds compiled modules.

    Args:
        files: path of the extension file by module; the library they share has no dot in its name.
        sources: SHA-256 of each source they were made from, by its path in the tree, with "/" between folders.
    """

    def __init__(self, files: Mapping[str, str], sources: Mapping[str, str]) -> None:
        self._files = files
        self._sources = sources
        self._unchanged: dict[str, bool] = {}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The compiled module of that name; None where the sources have the word."""
        file = self._files.get(name)
        if file is None or os.environ.get(PLAIN):
            return None
        if path is not None:
            root = next(iter(path))
            for _ in name.split(".")[:-1]:
                root = os.path.dirname(root)
            if not self._made_from(root):
                return None
        return ModuleSpec(name, ExtensionFileLoader(name, file), origin=file)

    def _made_from(self, root: str) -> bool:
        """Whether the tree at that place is what the modules were made from; looked at once a process."""
        if root not in self._unchanged:
            self._unchanged[root] = all(
                _digest(os.path.join(root, *source.split("/"))) == digest for source, digest in self._sources.items()
            )
        return self._unchanged[root]


def _digest(path: str) -> str:
    from hashlib import sha256

    try:
        with open(path, "rb") as file:
            return sha256(file.read()).hexdigest()
    except OSError:
        return ""


def install(folder: str, files: Mapping[str, str], sources: Mapping[str, str]) -> None:
    """Asked before every other finder from now on; `files` are names in that folder."""
    sys.meta_path.insert(0, CompiledFinder({name: os.path.join(folder, files[name]) for name in files}, sources))
