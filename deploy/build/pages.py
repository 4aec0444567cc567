"""Pages that are made from code, and links between pages: python -m deploy.build.pages [--check].

Without --check the made pages are written; with it nothing is written and what differs, or leads nowhere, is named.
"""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from deploy.build.prepare import ROOT
from deploy.k8s.settings_page import page as settings_page
from refusals.page import page as reasons_page

# Page -> what makes it.
MADE: Mapping[str, Callable[[], str]] = {
    "docs/reasons.md": reasons_page,
    "docs/settings.md": settings_page,
}

_LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)


def pages() -> list[Path]:
    """Every Markdown page of the tree, tracked or about to be."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [path for name in listed.stdout.split() if (path := ROOT / name).exists()]


def anchor(heading: str) -> str:
    """The fragment that leads to a heading."""
    words = re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower())
    return words.strip().replace(" ", "-")


def dead_links(page: Path) -> Iterator[str]:
    """Links of a page, inside the tree, that lead to no file or to no heading."""
    text = _CODE.sub("", _FENCE.sub("", page.read_text()))
    for target in _LINK.findall(text):
        name, _, fragment = target.partition("#")
        if "://" in name or name.startswith("mailto:"):
            continue
        goal = (page.parent / name).resolve() if name else page
        if not goal.exists():
            yield f"{page.relative_to(ROOT)}: {target} leads nowhere"
        elif fragment and fragment not in {anchor(heading) for heading in _HEADING.findall(goal.read_text())}:
            yield f"{page.relative_to(ROOT)}: {target} names no heading"


def faults() -> Iterator[str]:
    """What is wrong with the pages, one line each."""
    for name, make in MADE.items():
        path = ROOT / name
        if not path.exists() or path.read_text() != make():
            yield f"{name} is not what its code makes; run: make format"
    for page in pages():
        yield from dead_links(page)


def main(arguments: list[str]) -> int:
    """Entry: 0 when all is well, 1 after one line a fault."""
    if "--check" not in arguments:
        for name, make in MADE.items():
            (ROOT / name).write_text(make())
    found = list(faults())
    for fault in found:
        print(f"pages: {fault}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
