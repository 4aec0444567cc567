"""What no file of the tree may say. The words are put together here, so that this file does not say them."""

import re
from pathlib import Path

import pytest

from tests.tidy.tree import ROOT, files, text, texts

LINE_COUNT_MAX = 600
SOURCE = (".py", ".sh", ".proto", ".lua")


def one_of(*words: str) -> str:
    return "(?:" + "|".join(words) + ")"


FORBIDDEN = {
    "the address of a package index": one_of(
        "py" + r"pi\.(?:org|python)", "python" + r"hosted\.org", "npm" + r"js\.(?:org|com)", "npm" + "mirror"
    ),
    "an option that names a package index": "--(?:extra-)?index" + "-url",
    "a link to a package archive": r"https?://[^\s]*/" + one_of("simple", "packages") + "/",
    "a path of one machine": r"(?<![\w.:/}])/" + one_of("work", "root", "home", "Users", "tmp") + r"/\w",
    "a folder outside the tree": r"\.\./" + "shared",
}
LEFT_OPEN = r"\b" + one_of("TO" + "DO", "FIX" + "ME", "X" + "XX", "NotImplemented" + "Error") + r"\b"
SWITCHED_OFF = one_of("mark" + r"\.skip", "x" + r"fail\b", r"pytest\.sk" + r"ip\(")
CANNOT_FAIL = r"^\s*assert (?:True|1)\s*(?:$|#|,)" + r"|except(?: (?:Base)?Exception)?:\s*pass\b"


def places(pattern: str, sources: dict[Path, str]) -> list[str]:
    compiled = re.compile(pattern, re.MULTILINE)
    return [
        f"{path}:{content.count(chr(10), 0, found.start()) + 1}: {found.group(0).strip()}"
        for path, content in sources.items()
        for found in compiled.finditer(content)
    ]


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_names(what: str) -> None:
    assert places(FORBIDDEN[what], texts()) == []


@pytest.mark.parametrize(
    ("what", "planted"),
    [
        ("the address of a package index", "see https://" + "py" + "pi.org"),
        ("an option that names a package index", "pip install --index" + "-url x"),
        ("a link to a package archive", "https://example.org/" + "simple/grpcio"),
        ("a path of one machine", "cd /ho" + "me/somebody"),
        ("a folder outside the tree", "read ../" + "shared/cases"),
    ],
)
def test_a_planted_word_is_found(what: str, planted: str) -> None:
    assert places(FORBIDDEN[what], {Path("planted.md"): planted}) != []


@pytest.mark.parametrize("pattern", [LEFT_OPEN, SWITCHED_OFF, CANNOT_FAIL], ids=["open", "off", "cannot fail"])
def test_no_source_leaves_something_open(pattern: str) -> None:
    assert places(pattern, texts(*SOURCE)) == []


def test_no_source_file_is_too_long() -> None:
    lengths = {path: content.count("\n") for path, content in texts(*SOURCE).items()}
    assert {path: length for path, length in lengths.items() if length > LINE_COUNT_MAX} == {}


def test_made_things_are_not_in_the_tree() -> None:
    made = re.compile(r"_pb2(?:_grpc)?\.pyi?$|\.pyc$|(?:^|/)(?:generated|\.venv|\.cardroom|__pycache__)/")
    assert [path for path in files() if made.search(str(path))] == []


def test_every_text_file_ends_with_a_line_end() -> None:
    assert [path for path, content in texts().items() if content and not content.endswith("\n")] == []


def test_the_tree_is_read() -> None:
    assert Path("pyproject.toml") in files()
    assert text(Path("protos/released.binpb")) is None
    assert (ROOT / "Makefile").exists()
