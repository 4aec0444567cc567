"""Where golden playthroughs lie: in their variant's folder, whatever its family."""

import re
from pathlib import Path

from games.catalog import variant_of

VARIANTS_ROOM = Path(__file__).parents[2] / "games" / "variants"
_VARIANT = re.compile(r"^variant (\w+)$", re.MULTILINE)


def golden_texts(family: str) -> list[Path]:
    """All playthroughs of the variants of one family."""
    texts = (path for path in VARIANTS_ROOM.glob("*/golden/*.txt") if not path.name.startswith("hands"))
    return sorted(path for path in texts if _family(path) == family)


def _family(path: Path) -> str:
    found = _VARIANT.search(path.read_text(encoding="utf-8"))
    assert found, f"{path.name} names no variant"
    return variant_of(found.group(1)).family
