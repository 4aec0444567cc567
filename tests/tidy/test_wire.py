"""The wire's promise: lint, the breaking check, and the image both are held to."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.build.release_wire import IMAGE, digest, newest_wire_section, with_digest
from tests.tidy.tree import ROOT

BUF = Path(sys.executable).with_name("buf")


def buf(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([BUF, *arguments], cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the protos, with the image made from them."""
    shutil.copytree(ROOT / "protos", tmp_path / "protos")
    shutil.copy(ROOT / "buf.yaml", tmp_path)
    assert buf(tmp_path, "build", "--output", "protos/released.binpb").returncode == 0
    return tmp_path


def breaking(folder: Path) -> subprocess.CompletedProcess[str]:
    return buf(folder, "breaking", "--against", "protos/released.binpb")


def edit(path: Path, pattern: str, replacement: str) -> None:
    before = path.read_text()
    after = re.sub(pattern, replacement, before, count=1, flags=re.MULTILINE)
    assert after != before, f"nothing to edit in {path.name}"
    path.write_text(after)


def test_a_wire_that_did_not_change_is_green(copy: Path) -> None:
    assert breaking(copy).returncode == 0
    assert buf(copy, "lint").returncode == 0


def test_a_deleted_field_is_red(copy: Path) -> None:
    edit(copy / "protos/cardroom/table/v1/table.proto", r"^  string table_id = \d+;\n", "")
    red = breaking(copy)
    assert red.returncode != 0
    assert "table_id" in red.stdout


def test_a_field_of_another_type_is_red(copy: Path) -> None:
    edit(copy / "protos/cardroom/table/v1/table.proto", r"^  string table_id = ", "  int64 table_id = ")
    assert breaking(copy).returncode != 0


def test_a_renumbered_reason_is_red(copy: Path) -> None:
    edit(copy / "protos/cardroom/errors/v1/reason.proto", r"REASON_TOKEN_MISSING = 2;", "REASON_TOKEN_MISSING = 999;")
    assert breaking(copy).returncode != 0


def test_a_new_field_is_green(copy: Path) -> None:
    edit(
        copy / "protos/cardroom/table/v1/table.proto",
        r"^message WatchRequest \{\n",
        "message WatchRequest {\n  // A field of next year.\n  string next_year = 999;\n",
    )
    assert breaking(copy).returncode == 0


def test_a_field_without_comment_is_red(copy: Path) -> None:
    edit(
        copy / "protos/cardroom/table/v1/table.proto",
        r"^message WatchRequest \{\n",
        "message WatchRequest {\n  string bare = 999;\n",
    )
    assert "bare" in buf(copy, "lint").stdout


def test_the_image_is_the_one_the_changelog_names() -> None:
    assert digest(IMAGE.read_bytes()) in (ROOT / "CHANGELOG.md").read_text()


def test_a_renewed_image_takes_the_place_of_the_old_in_the_same_entry() -> None:
    changelog = "# Changelog\n\n## Unreleased\n\n### Wire\n- A new field.\n\n### Added\n- Nothing.\n"
    once = with_digest(changelog, "0" * 16)
    assert newest_wire_section(once) == f"- A new field.\n\nImage: `{'0' * 16}`\n\n"
    assert with_digest(once, "1" * 16) == once.replace("0" * 16, "1" * 16)
    assert once.endswith("### Added\n- Nothing.\n")
