"""The rooms of the tree: as the README's map says, and each furnished as its kind is."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from tests.tidy.tree import ROOT, files

README = (ROOT / "README.md").read_text()
SERVICES = ("ledger", "matchmaker", "scoring", "table")
NO_RECORDS = ("README.md", "0000-template.md")
DRAWERS = {"base", "common", "core", "helper", "helpers", "misc", "shared", "util", "utils"}
OF_A_SERVICE = ("__init__.py", "app/__init__.py", "edge/__init__.py", "settings.py", "main.py")
OF_A_VARIANT = ("__init__.py", "rules.md", "ruleset.py", "settle.py", "golden")
OF_A_FAMILY = {"mahjong": ("fan_table.py", "fans.py"), "landlord": ()}
"""What the variants of each family have beside that."""


def rooms_of_map() -> list[str]:
    """The rooms that the README draws, as paths."""
    drawn = re.search(r"^## Rooms\n.*?```\n(.*?)```", README, re.MULTILINE | re.DOTALL)
    assert drawn, "README.md has no map under the heading Rooms"
    rooms, above = [], ""
    for line in drawn.group(1).splitlines():
        found = re.match(r"( *)([\w./]+/)(?:\s|$)", line)
        if found:
            indented, name = bool(found.group(1)), found.group(2)
            above = above if indented else name
            rooms.append(above + name if indented else name)
    return rooms


def packages() -> set[str]:
    """Top-level folders that hold Python."""
    return {path.parts[0] for path in files() if path.suffix == ".py" and len(path.parts) > 1}


def test_the_map_shows_rooms_that_are_there() -> None:
    rooms = rooms_of_map()
    assert len(rooms) >= 10
    assert [room for room in rooms if not (ROOT / room).is_dir()] == []


def test_every_package_is_on_the_map() -> None:
    assert packages() - {room.strip("/") for room in rooms_of_map()} == set()


def test_no_room_is_a_drawer() -> None:
    names = {part for path in files() if path.suffix == ".py" for part in (*path.parent.parts, path.stem)}
    assert names & DRAWERS == set()


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_is_furnished(service: str) -> None:
    assert [name for name in OF_A_SERVICE if not (ROOT / "services" / service / name).exists()] == []


def test_the_services_are_these() -> None:
    assert {path.parts[1] for path in files() if path.parts[0] == "services" and len(path.parts) > 2} == set(SERVICES)


def test_a_variant_is_furnished() -> None:
    folders = {path.parent for path in map(Path, files()) if path.match("games/variants/*/__init__.py")}
    assert folders
    wanted = [at / name for at in folders for name in (*OF_A_VARIANT, *OF_A_FAMILY[family_of(at)])]
    assert [str(path) for path in wanted if not (ROOT / path).exists()] == []


def family_of(folder: Path) -> str:
    """The family of a folder's variants."""
    (family,) = {variant.family for variant in import_module(".".join(folder.parts)).VARIANTS}
    return str(family)


def test_every_decision_has_its_row_with_its_status() -> None:
    folder = ROOT / "docs" / "decisions"
    rows = dict(re.findall(r"\]\(([\w.-]+\.md)\).*\| ([^|]+) \|$", (folder / "README.md").read_text(), re.MULTILINE))
    records = {path.name: path.read_text() for path in folder.glob("*.md") if path.name not in NO_RECORDS}
    assert rows == {name: "".join(re.findall(r"^Status: (.+)$", text, re.MULTILINE)) for name, text in records.items()}
