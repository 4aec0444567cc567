"""Compiled rules never stand in for a source that has changed, and nothing needs them."""

import hashlib
import os
from pathlib import Path

import pytest

from deploy.build import compiled
from deploy.build.compiled_finder import PLAIN, CompiledFinder
from tests.tidy.tree import ROOT

NAME = "games.variants.some.scoring"
FILES = {NAME: "/built/scoring.so", "abc__mypyc": "/built/abc__mypyc.so"}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree of two sources, as it was when it was compiled."""
    monkeypatch.delenv(PLAIN, raising=False)
    (tmp_path / "games" / "variants" / "some").mkdir(parents=True)
    for source in ("games/tiles.py", "games/variants/some/scoring.py"):
        (tmp_path / source).write_text(f"# {source}\n")
    return tmp_path


def finder(tree: Path) -> CompiledFinder:
    sources = list(tree.rglob("*.py"))
    digests = {path.relative_to(tree).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in sources}
    return CompiledFinder(FILES, digests)


def found(finder: CompiledFinder, tree: Path) -> str | None:
    spec = finder.find_spec(NAME, [str(tree / "games" / "variants" / "some")])
    return None if spec is None else spec.origin


def test_what_was_compiled_from_these_sources_is_found(tree: Path) -> None:
    finds = finder(tree)
    assert found(finds, tree) == FILES[NAME]
    library = finds.find_spec("abc__mypyc")
    assert library is not None and library.origin == FILES["abc__mypyc"]
    assert finds.find_spec("games.variants.some.other", [str(tree / "games" / "variants" / "some")]) is None


@pytest.mark.parametrize("edited", ["games/tiles.py", "games/variants/some/scoring.py"])
def test_an_edited_source_is_never_hidden_by_what_was_compiled_before(tree: Path, edited: str) -> None:
    """Also where the edited file is only imported by a compiled one: all are taken, or none."""
    finds = finder(tree)
    (tree / edited).write_text("# newer\n")
    assert found(finds, tree) is None


def test_a_source_that_is_gone_and_a_tree_of_another_place_run_as_they_are(tree: Path, tmp_path: Path) -> None:
    finds = finder(tree)
    assert found(finds, tmp_path / "elsewhere") is None
    (tree / "games" / "tiles.py").unlink()
    assert found(finds, tree) is None


def test_the_plain_sources_run_where_that_is_asked_for(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PLAIN, "1")
    assert found(finder(tree), tree) is None


def test_the_sources_are_what_the_compiled_modules_import() -> None:
    """A file whose change could change the answers is among those that are looked at."""
    sources = set(map(str, compiled.sources()))
    assert {str(compiled.source_of(module)) for module in compiled.MODULES} <= sources
    assert "games/variants/dazhong/fan_table.py" in sources
    assert "games/mahjong/tiles.py" in sources
    assert all((ROOT / source).is_file() for source in sources)


def test_without_a_compiler_nothing_is_built_and_the_reason_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was built before goes too: it may be of other sources."""
    (tmp_path / compiled.PACKAGE).mkdir()
    (tmp_path / f"{compiled.PACKAGE}.pth").touch()
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path))
    assert compiled.main() == 1
    assert capsys.readouterr().out == "no C compiler: one of cc, gcc, clang\n"
    assert os.listdir(tmp_path) == []


def test_nothing_compiled_lies_in_the_tree() -> None:
    assert [path for room in ("games", "deploy", "tests") for path in (ROOT / room).rglob("*.so")] == []
