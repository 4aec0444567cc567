"""What tests and bench compare ours with: built where it is asked for, beside the environment.

The evaluator of dazhong hands comes as source and needs a C++ compiler, so no lock of ours names it: a machine without
one runs and tests everything else. RLCard's plays of cards are plain Python, and nobody but the bench needs them.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deploy.build.compiled import has_headers

LOCK = Path(__file__).resolve().parents[2] / "requirements" / "reference.lock"
CARDS_LOCK = LOCK.with_name("cards.lock")
COMPILERS = ("c++", "g++", "clang++")


class NotInstalled(Exception):
    """It could not be built here; the text says why, in one line."""


def installed(lock: Path = LOCK) -> Path:
    """The folder it lies in, for a process's PYTHONPATH; builds it first where it is not there yet.

    Args:
        lock: what is wanted.
    Raises: NotInstalled: there is no compiler, or no package index in reach.
    """
    release = hashlib.sha256(lock.read_bytes()).hexdigest()[:16]
    folder = Path(sys.prefix) / f"{lock.stem}-{sysconfig.get_config_var('SOABI')}-{release}"
    with _alone():
        if not folder.exists():
            if lock == LOCK:
                _check_compiler()
            _build(folder, lock)
    return folder


def environment() -> dict[str, str]:
    """The environment of a process that may import it.

    Raises: NotInstalled: as `installed`.
    """
    paths = [str(installed()), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


@contextmanager
def _alone() -> Iterator[None]:
    """One builds, the others wait."""
    with LOCK.open() as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _check_compiler() -> None:
    if not any(map(shutil.which, COMPILERS)):
        raise NotInstalled(f"no C++ compiler: one of {', '.join(COMPILERS)}")
    if not has_headers():
        raise NotInstalled("no Python.h: install Python's development package (Debian, Ubuntu: python3-dev)")


def _build(folder: Path, lock: Path) -> None:
    with tempfile.TemporaryDirectory(dir=folder.parent) as fresh:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
        command += ["--no-deps", "--no-build-isolation", "--no-binary", ":all:", "--require-hashes"]
        command += ["--target", str(Path(fresh) / "made"), "--requirement", str(lock)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            said = [line for line in done.stderr.splitlines() if line.strip()]
            raise NotInstalled(f"pip could not build it: {said[-1] if said else 'it said nothing'}")
        os.replace(Path(fresh) / "made", folder)
