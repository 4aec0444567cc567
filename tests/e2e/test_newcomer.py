"""What the README tells a newcomer to do works as it stands there."""

import json
import re
import subprocess
import sys
from pathlib import Path

from tests.e2e.conftest import ROOT, Start

README = (ROOT / "README.md").read_text()
NAMES = ("ann", "ben", "cat", "dan")
LIMIT_SECONDS = 120


def cardroom(state: Path, *arguments: str) -> str:
    """The `cardroom` command on a run's state directory; what it printed."""
    command = [sys.executable, "-m", "clients.cli.main", *arguments]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={"CARDROOM_STATE_DIRECTORY": str(state)},
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_SECONDS,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def waiting(state: Path, room_id: str) -> int:
    """How many queue for a room."""
    rooms = json.loads(cardroom(state, "status", "--json"))["rooms"]
    return next(int(row["waiting"]) for row in rooms if row["room"] == room_id)


def test_the_client_of_the_readme_plays_a_deal_to_its_settlement(start: Start, tmp_path: Path) -> None:
    """Also after one like it was killed while its players queued (PF-11)."""
    run = start("--variant", "bloody4")
    run.wait_for("serving until Ctrl-C")
    endpoints = json.loads((run.state / "endpoints.json").read_text())
    program = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert program
    client = tmp_path / "play.py"
    client.write_text(program.group(1).replace("127.0.0.1:7101", endpoints["matchmaker"]))
    opened = [cardroom(run.state, "account", name) for name in NAMES]
    assert cardroom(run.state, "account", NAMES[0]) == opened[0], "opened once"
    tokens = [cardroom(run.state, "token", name) for name in NAMES]
    killed = subprocess.Popen([sys.executable, client, *tokens[:3]], cwd=ROOT)
    try:
        while waiting(run.state, "bloody4-demo") < len(tokens[:3]):
            assert killed.poll() is None
    finally:
        killed.kill()
        killed.wait()
    played = subprocess.run(
        [sys.executable, client, *tokens],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_SECONDS,
    )
    assert played.returncode == 0, played.stderr
    for seat in range(4):
        assert re.search(rf"^{seat} \d+ deal_settled$", played.stdout, re.MULTILINE), played.stdout
