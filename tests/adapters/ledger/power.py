"""A power cut, modelled: the store dies; of its file stays what it had synced, and of the rest what chance wills.

``kill -9`` alone proves nothing: the kernel keeps what was written. Prerequisite: a C compiler (cc, gcc or clang).
"""

import os
import random
import shutil
import subprocess
from pathlib import Path

from deploy.local.redis_server import Fsync, RedisServer

_SOURCE = Path(__file__).with_name("fsync_log.c")
COMPILERS = ("cc", "gcc", "clang")


def build_shim(folder: Path) -> Path:
    """The library that notes every fsync. Raises: AssertionError: there is no compiler."""
    compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
    assert compiler, f"the test of power cuts needs a C compiler: one of {', '.join(COMPILERS)}"
    library = folder / "fsync_log.so"
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", library, _SOURCE, "-ldl"], check=True, timeout=60)
    return library


class MortalStore:
    """A store whose power can be cut.

    Args:
        folder: for its files and the notes of what it synced.
        fsync: when it syncs.
        shim: what ``build_shim`` made.
        chance: decides how much stays of what was not synced.
        binary: of the server.
    """

    def __init__(self, folder: Path, fsync: Fsync, shim: Path, chance: random.Random, binary: Path) -> None:
        self._binary = binary
        self._folder = folder
        self._fsync = fsync
        self._shim = shim
        self._chance = chance
        self._log = folder.with_suffix(".synced")
        self.server = self._start(0)

    @property
    def url(self) -> str:
        """Where it is."""
        return self.server.url

    def cut_power(self) -> int:
        """It dies; returns how many bytes that were written are gone. ``start_again`` is what comes next."""
        self.server.kill()
        synced: dict[int, int] = {}
        for line in self._log.read_text().splitlines():
            inode, size = line.split()
            synced[int(inode)] = int(size)
        self._log.unlink()
        gone = 0
        for file in (self._folder / "appendonlydir").glob("*.incr.aof"):
            status = file.stat()
            kept = synced.get(status.st_ino, 0)
            if self._chance.random() < 0.5:  # a disk may have written more than it was asked to, up to any byte
                kept = self._chance.randint(kept, max(kept, status.st_size))
            gone += status.st_size - kept
            os.truncate(file, kept)
        return gone

    def start_again(self) -> None:
        """The power is back."""
        self.server = self._start(self.server.port)

    def _start(self, port: int) -> RedisServer:
        inherited = {name: os.environ.get(name) for name in ("LD_PRELOAD", "FSYNC_LOG")}
        os.environ |= {"LD_PRELOAD": str(self._shim), "FSYNC_LOG": str(self._log)}
        try:
            return RedisServer.start(self._folder, port, self._fsync, binary=self._binary)
        finally:
            for name, value in inherited.items():
                if value is None:
                    os.environ.pop(name)
                else:
                    os.environ[name] = value
