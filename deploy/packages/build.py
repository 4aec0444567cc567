"""Builds the packages for other teams: python -m deploy.packages.build [--out DIRECTORY].

Each is put together in a directory of its own, from the tree's files as they are, and built there; nothing is
fetched. A package's version is that of its ruleset or wire, in its own toml.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from deploy.build.prepare import ROOT

HERE = Path(__file__).parent
_IGNORED = shutil.ignore_patterns("__pycache__", "*.pyc", "*.so", "golden_*.py")


def _stage_rules(stage: Path) -> None:
    """The rules, and their cases."""
    shutil.copytree(ROOT / "games", stage / "games", ignore=_IGNORED)
    (stage / "games" / "py.typed").touch()
    shutil.copytree(HERE / "rules", stage / "cardroom_rules", ignore=_IGNORED)
    shutil.copytree(ROOT / "tests" / "contract" / "cases", stage / "cardroom_rules" / "cases")
    shutil.copyfile(HERE / "rules.md", stage / "README.md")


def _stage_client(stage: Path) -> None:
    """The client library, and the stubs."""
    sdk = ROOT / "clients" / "sdk"
    shutil.copytree(sdk / "cardroom_client", stage / "cardroom_client", ignore=_IGNORED)
    shutil.copytree(ROOT / "generated" / "cardroom", stage / "cardroom", ignore=_IGNORED)
    shutil.copyfile(sdk / "README.md", stage / "README.md")


PACKAGES: Mapping[str, Callable[[Path], None]] = {"rules": _stage_rules, "client": _stage_client}
"""The packages, and what puts each together."""


def build(name: str, out: Path) -> Path:
    """Build one package; returns its wheel.

    Raises: subprocess.CalledProcessError: the build failed; its output says why.
    """
    with tempfile.TemporaryDirectory(prefix=f"cardroom-{name}-") as directory:
        stage = Path(directory) / "tree"
        stage.mkdir()
        PACKAGES[name](stage)
        shutil.copyfile(HERE / f"{name}.toml", stage / "pyproject.toml")
        shutil.copyfile(ROOT / "LICENSE", stage / "LICENSE")
        made = Path(directory) / "made"
        subprocess.run(
            [
                *(sys.executable, "-m", "pip", "wheel"),
                *("--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation"),
                *("--wheel-dir", str(made), str(stage)),
            ],
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        (wheel,) = made.glob("*.whl")
        out.mkdir(parents=True, exist_ok=True)
        return Path(shutil.move(wheel, out / wheel.name))


def main(arguments: Sequence[str]) -> int:
    """Entry: 0 when all are built."""
    parser = argparse.ArgumentParser(prog="deploy.packages.build", description="Build the packages for other teams.")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="directory of the wheels")
    given = parser.parse_args(arguments)
    for name in PACKAGES:
        print(build(name, given.out))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
