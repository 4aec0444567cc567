"""The import contracts catch what they are there for: one planted import for each."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tidy.tree import ROOT, files

LINTER = Path(sys.executable).with_name("lint-imports")
ROOMS = ("bench", "clients", "deploy", "games", "refusals", "services", "serving", "wire")

# Contract, by a part of its name -> (module, the import planted there).
PLANTED = {
    "games import nothing that moves": ("games/kernel/planted.py", "import random"),
    "bots and catalog over variants": ("games/kernel/planted_up.py", "import games.catalog"),
    "variants know no sibling": ("games/variants/planted/__init__.py", "import games.variants.bloody"),
    "refusals are data": ("refusals/planted.py", "import grpc"),
    "wire maps between games and messages": ("wire/planted.py", "import serving.settings"),
    "serving knows no service and no game": ("serving/planted.py", "import games.catalog"),
    "services never import services": ("services/scoring/edge/planted.py", "import services.ledger.settings"),
    "services know no client": ("services/ledger/edge/planted.py", "import cardroom_client"),
    "in a service: main over edge": ("services/ledger/app/planted.py", "import services.ledger.edge"),
    "app and ports import games, refusals": ("services/table/app/planted.py", "import redis"),
    "the client library depends on the stubs": ("clients/sdk/cardroom_client/planted.py", "import games.catalog"),
    "clients and deployment reach services by gRPC": ("clients/cli/planted.py", "import services.table"),
}


def broken_contracts(folder: Path) -> tuple[set[str], str]:
    """Runs the linter on a copy of the tree; names of the contracts it finds broken, and all it said."""
    python_path = f"{folder}:{folder / 'clients' / 'sdk'}"
    done = subprocess.run(
        [sys.executable, "-S", "-c", _LINT, str(folder), *sys.path],
        cwd=folder,
        env={"PYTHONPATH": python_path, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stdout + done.stderr
    return set(re.findall(r"^(.+) BROKEN", said, re.MULTILINE)), said


# The copy must be found before the tree that is installed: no site hooks, and the copy first on the path.
_LINT = """
import sys
folder, *path = sys.argv[1:]
sys.path[:] = [folder, folder + "/clients/sdk", *path]
from importlinter.cli import lint_imports
sys.exit(lint_imports(no_cache=True))
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree's code with its contracts."""
    folder = tmp_path_factory.mktemp("tree")
    for path in files():
        if path.suffix == ".py" and path.parts[0] in ROOMS:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, folder / path)
    shutil.copy(ROOT / ".importlinter", folder)
    return folder


def test_the_tree_keeps_every_arrow_and_planted_imports_do_not(copy: Path) -> None:
    broken, said = broken_contracts(copy)
    assert broken == set(), said
    for module, statement in PLANTED.values():
        (copy / module).parent.mkdir(exist_ok=True)
        (copy / module).write_text(f"{statement}  # planted\n")
    broken, said = broken_contracts(copy)
    missed = [part for part in PLANTED if not any(part in name for name in broken)]
    assert missed == [], said


def test_every_contract_has_a_planted_import() -> None:
    names = re.findall(r"^name = (.+)$", (ROOT / ".importlinter").read_text(), re.MULTILINE)
    assert [name for name in names if not any(part in name for part in PLANTED)] == []
