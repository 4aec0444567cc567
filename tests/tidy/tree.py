"""The files of the tree, as git would take them."""

import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@cache
def files() -> tuple[Path, ...]:
    """Every file tracked, or about to be, relative to the root; nothing that is made."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return tuple(sorted(path for name in listed.stdout.split("\0") if name and (ROOT / (path := Path(name))).is_file()))


@cache
def text(path: Path) -> str | None:
    """Content of a file of the tree; None if it is not text."""
    try:
        return (ROOT / path).read_text()
    except UnicodeDecodeError:
        return None


def texts(*suffixes: str) -> dict[Path, str]:
    """Content of every text file with one of the suffixes; of all text files where none is given."""
    wanted = (path for path in files() if not suffixes or path.suffix in suffixes)
    return {path: content for path in wanted if (content := text(path)) is not None}
