"""Makes the locks in requirements/ from pyproject.toml: python -m deploy.build.lock [--upgrade].

One resolution for all machines and all supported versions of Python, hashed, without the address of any package index.
Pins that still fit stay as they are unless --upgrade is given.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from deploy.build.prepare import ROOT, lock_of, requirements_in

# From wide to narrow: the narrower locks take their releases from the widest.
EXTRAS = {"all": ("local", "dev"), "local": ("local",), "services": ()}


def compile_lock(uv: str, use: str, constraints: Path | None, *, upgrade: bool) -> None:
    """Writes the lock of one use.

    Args:
        constraints: releases that must be taken; None to choose.
        upgrade: take the newest releases instead of those the lock names now.
    """
    command = [uv, "pip", "compile", "--quiet", "--universal", "--python-version", "3.11", "--generate-hashes"]
    command += ["--no-annotate", *(part for extra in EXTRAS[use] for part in ("--extra", extra))]
    command += ["--constraints", str(constraints)] if constraints else []
    command += ["--upgrade"] if upgrade else []
    command += ["pyproject.toml", "--output-file", str(lock_of(use).relative_to(ROOT))]
    subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, "UV_CUSTOM_COMPILE_COMMAND": "make lock"})


def main(arguments: list[str]) -> int:
    """Entry: 0 when all locks are written, 2 after one line that says what is missing."""
    beside = Path(sys.executable).with_name("uv")
    uv = str(beside) if beside.exists() else shutil.which("uv")
    if uv is None:
        print("lock: needs uv, which is in no lock: .venv/bin/pip install uv", file=sys.stderr)
        return 2
    try:
        compile_lock(uv, "all", None, upgrade="--upgrade" in arguments)
        with tempfile.TemporaryDirectory() as folder:
            pins = Path(folder) / "pins.txt"
            pins.write_text("\n".join(text.split(" \\")[0] for text in requirements_in(lock_of("all"))))
            for use in ("local", "services"):
                compile_lock(uv, use, pins, upgrade=False)
    except subprocess.CalledProcessError:
        print("lock: uv found no answer (above)", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
