"""The Dockerfile under its linter."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from deploy.build.prepare import ROOT

DOCKERFILE = ROOT / "deploy" / "Dockerfile"


def dockerfile_faults() -> Iterator[str]:
    """What hadolint says against it, one line each."""
    hadolint = Path(sys.executable).with_name("hadolint")
    done = subprocess.run([hadolint, "--no-color", DOCKERFILE], capture_output=True, text=True, check=False)
    yield from (done.stdout + done.stderr).splitlines()
