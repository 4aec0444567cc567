"""The Lua scripts, read from the package; each is run by its digest and sent whole where the store lacks it."""

from enum import StrEnum
from functools import cache
from importlib import resources

from services.ledger.adapters import scripts
from serving.store import Script

_SHARED = "books.lua"


class ScriptName(StrEnum):
    """The scripts there are."""

    OPEN = "open"
    RESERVE = "reserve"
    RELEASE = "release"
    CLAIM = "claim"
    SETTLE = "settle"
    VOID = "void"
    GRANT = "grant"
    FREEZE = "freeze"
    REVERSE = "reverse"
    RESUME = "resume"
    REQUEST = "request"
    NOTE = "note"
    WALK = "walk"
    FROZEN = "frozen"


@cache
def script(name: ScriptName) -> Script:
    """The script of this name, with what all share in front."""
    folder = resources.files(scripts)
    parts = [folder.joinpath(file).read_text(encoding="utf-8") for file in (_SHARED, f"{name}.lua")]
    return Script("\n".join(parts))
