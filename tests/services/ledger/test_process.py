"""The ledger as a process: it starts in order, or says in one line why not."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.services.ledger.rig import new_asset


def _run(keys: Path, **changed: str) -> "subprocess.CompletedProcess[str]":
    given = {
        "GRPC_PORT": "0",
        "METRICS_PORT": "0",
        "JWKS_FILE": str(keys / "jwks.json"),
        "SERVICE_KEY_FILE": str(keys / "service.pem"),
        "OPENING_GRANTS": f'{{"{new_asset()}": 1}}',
        **changed,
    }
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    environment |= {f"CARDROOM_{name}": value for name, value in given.items()}
    return subprocess.run(
        [sys.executable, "-m", "services.ledger.main"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


@pytest.mark.parametrize(
    ("url", "changed", "says"),
    [
        ("everysec", {}, "CONFIG SET appendfsync always"),
        ("redis://127.0.0.1:1", {}, "does not answer"),
        ("redis://127.0.0.1:1", {"OPENING_GRANTS": '{"Gold!": 1}'}, "CARDROOM_OPENING_GRANTS"),
    ],
)
def test_a_ledger_that_cannot_start_says_why_in_one_line(
    redis_url: str, keys: Path, url: str, changed: dict[str, str], says: str
) -> None:
    ended = _run(keys, LEDGER_REDIS_URL=redis_url if url == "everysec" else url, **changed)
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    assert says in ended.stderr
