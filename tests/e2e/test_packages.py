"""The packages for other teams, from an empty environment: the guide's examples run, the rules answer their cases."""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from deploy.packages.build import build
from refusals import Reason
from tests.conftest import Mint
from tests.faults.scoring_process import ScoringProcess, scoring_process
from tests.tidy.tree import ROOT

GUIDE = (ROOT / "docs" / "scoring.md").read_text("utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
TOOL = next(
    block for block in re.findall(r"^```sh\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL) if "buf curl" in block
)
SHOWN = (
    "21 + 1 = 22",
    "2s dead",
    "7s distance 0 useful 2sx2 left 2",
    "1 HAND_IMPOSSIBLE hands.tiles",
    "dazhong 大众麻将 4 players, versions [1]",
    "differs at 5 won",
)
"""What each example prints, among other things."""


def empty_environment(directory: Path, wheel: Path) -> Path:
    """A new environment with a wheel and what it asks for; returns its interpreter."""
    subprocess.run([sys.executable, "-m", "venv", str(directory)], check=True)
    python = directory / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
    subprocess.run([*pip, str(wheel)], check=True)
    return python


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that has the client package and nothing of this tree."""
    directory = tmp_path_factory.mktemp("client")
    return empty_environment(directory / "venv", build("client", directory / "dist"))


@pytest.fixture
async def service(keys: Path, tmp_path: Path) -> AsyncIterator[ScoringProcess]:
    """A real scoring service."""
    async with scoring_process(keys, tmp_path / "scoring.log") as served:
        yield served


async def run(command: list[str], cwd: Path, **variables: str) -> tuple[int, str]:
    """Run a command that sees nothing of this tree; returns its status and all it prints."""
    known = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "CARDROOM_"))}
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=cwd,
        env={**known, **variables},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    out, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode()


async def test_every_example_of_the_guide_runs_with_the_client_package_alone(
    client: Path, service: ScoringProcess, mint: Mint, tmp_path: Path
) -> None:
    assert len(EXAMPLES) == len(SHOWN) == 6
    key = mint("scoring-caller", "team-a")
    for text, shown in zip(EXAMPLES, SHOWN, strict=True):
        status, out = await run([str(client), "-c", text], tmp_path, SCORING=service.address, KEY=key)
        assert (status, shown in out) == (0, True), f"{text}\n{out}"


async def test_the_client_package_holds_nothing_of_the_services(client: Path, tmp_path: Path) -> None:
    rooms = "games refusals wire serving services clients deploy bench redis pydantic"
    text = f"import importlib.util as u; print([r for r in '{rooms}'.split() if u.find_spec(r)])"
    assert await run([str(client), "-c", text], tmp_path) == (0, "[]\n")


async def test_a_generic_tool_asks_over_reflection(service: ScoringProcess, mint: Mint, tmp_path: Path) -> None:
    command = TOOL.replace("127.0.0.1:7103", service.address)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    home = str(tmp_path)
    status, out = await run(["sh", "-c", command], tmp_path, PATH=path, KEY=mint("scoring-caller", "team-a"), HOME=home)
    assert (status, '"variant": "bloody4"' in out) == (0, True), out


async def test_the_rules_are_a_package_that_answers_its_own_cases(tmp_path: Path) -> None:
    """Nothing is needed beside it."""
    python = await asyncio.to_thread(lambda: empty_environment(tmp_path / "venv", build("rules", tmp_path / "dist")))
    status, out = await run([str(python), "-m", "cardroom_rules"], tmp_path)
    assert status == 0, out[-2000:]
    passed, failed = re.findall(r"(\d+) passed, (\d+) failed", out)[-1]
    assert (int(passed) > 1_000, failed) == (True, "0")


def test_reasons_named_in_the_guide_exist() -> None:
    table = GUIDE[GUIDE.index("## What errors mean") : GUIDE.index("## Keys, quotas")]
    firsts = [line.split("|")[1] for line in table.splitlines() if line.startswith("| ")]
    named = {name for first in firsts for name in re.findall(r"\b[A-Z]+_[A-Z_]+\b", first)} - {"RESOURCE_EXHAUSTED"}
    assert len(named) > 8
    assert named <= set(Reason.__members__)
