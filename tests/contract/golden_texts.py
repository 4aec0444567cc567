"""Where golden playthroughs lie: in their variant's folder, whatever its family."""

import re
from collections.abc import Iterator
from pathlib import Path

from games import variants
from games.catalog import variant_of

_VARIANT = re.compile(r"^variant (\w+)$", re.MULTILINE)


def golden_texts(family: str) -> list[Path]:
    """All playthroughs of the variants of one family."""
    texts = (path for path in in_folders("golden/*.txt") if not path.name.startswith("hands"))
    return sorted(path for path in texts if _family(path) == family)


def in_folders(pattern: str) -> Iterator[Path]:
    """Files in the folders of all variants, wherever those lie."""
    for room in variants.__path__:
        yield from sorted(Path(room).glob(f"*/{pattern}"))


def _family(path: Path) -> str:
    found = _VARIANT.search(path.read_text(encoding="utf-8"))
    assert found, f"{path.name} names no variant"
    return variant_of(found.group(1)).family
