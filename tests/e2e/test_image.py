"""The Dockerfile's own steps, in an empty folder and without privileges: no image can be built where tests run."""

import asyncio
import contextlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from deploy.k8s.linting import DOCKERFILE
from serving.server import ALIVE
from serving.tokens import create_keys
from tests.channels import bare_channel
from tests.e2e.conftest import ROOT

NOBODY = 65534
LIMIT_SECONDS = 600

pytestmark = pytest.mark.timeout(2 * LIMIT_SECONDS)  # a whole environment is installed and compiled


def steps() -> list[str]:
    """The commands of the build stage, in order, but for those that install Debian's packages."""
    text = DOCKERFILE.read_text().split("\nFROM ")[1].replace("\\\n", " ")
    found = [command for command in re.findall(r"^RUN (.*)$", text, re.MULTILINE) if "apt-get" not in command]
    assert found, "the Dockerfile builds nothing"
    return found


def start_command() -> list[str]:
    """How a manifest starts scoring."""
    return ["python", "-m", "services.scoring.main"]


class Unprivileged:
    """Runs commands as a user who owns nothing but one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        root = os.geteuid() == 0
        self.user: dict[str, Any] = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if root else {}
        if root:
            folder.chmod(0o755)
            os.chown(folder, NOBODY, NOBODY)
        self._path, self._libraries = self._interpreter()

    def _interpreter(self) -> tuple[Path, str]:
        """Folder of a Python that this user may run, and of its libraries: one of the machine's, or a copy."""
        home = Path(sys.base_prefix)
        for found in (home / "bin", Path("/usr/bin")):
            command: list[str | Path] = [
                found / "python3",
                "-c",
                "import ensurepip, ssl, sys, venv; sys.exit(sys.version_info < (3, 11))",
            ]
            with contextlib.suppress(OSError):
                if subprocess.run(command, check=False, capture_output=True, **self.user).returncode == 0:
                    return found, ""
        copy = self.folder / "python"
        left_out = shutil.ignore_patterns("test", "tests", "site-packages", "__pycache__", "*.a", "share", "include")
        shutil.copytree(home, copy, symlinks=True, ignore=left_out)
        return copy / "bin", str(copy / "lib")

    def environment(self, **more: str) -> dict[str, str]:
        """What is left of this process's environment: the package index, and a home of its own."""
        kept = {name: text for name, text in os.environ.items() if name.startswith(("PIP_", "SSL_", "REQUESTS_"))}
        libraries = {"LD_LIBRARY_PATH": self._libraries} if self._libraries else {}
        return {**kept, **libraries, "PATH": f"{self._path}:/usr/bin:/bin", "HOME": str(self.folder), **more}

    def run(self, command: str, cwd: Path) -> None:
        """Run one step; what it said is shown when it fails."""
        done = subprocess.run(
            ["sh", "-ec", command],
            cwd=cwd,
            env=self.environment(CARDROOM_OPTIMISE="0"),  # how fast its rules run is no affair of these tests
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT_SECONDS,
            **self.user,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


def exported(folder: Path, owner: Unprivileged) -> Path:
    """The tree as `COPY . .` takes it."""
    source = folder / "src"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    archive = subprocess.run(
        ["tar", "-c", "--null", "-T", "-"], cwd=ROOT, input=listed.stdout, capture_output=True, check=True
    )
    source.mkdir()
    if owner.user:
        os.chown(source, NOBODY, NOBODY)
    unpack = ["tar", "-x", "--no-same-owner", "--no-same-permissions"]
    subprocess.run(unpack, cwd=source, input=archive.stdout, check=True, **owner.user)
    return source


@pytest.fixture(scope="module")
def image() -> Iterator[tuple[Unprivileged, Path]]:
    """The folder that the image has as /opt/cardroom, built by the Dockerfile's steps."""
    with tempfile.TemporaryDirectory() as name:  # not pytest's own, whose parents only its owner may read
        folder = Path(name)
        builder = Unprivileged(folder)
        source, target = exported(folder, builder), folder / "opt"
        for step in steps():
            builder.run(step.replace("/opt/cardroom", str(target)).replace("/wheels", str(folder / "wheels")), source)
        yield builder, target


async def test_the_image_starts_a_service_that_answers_probes_and_ends_with_0(
    image: tuple[Unprivileged, Path],
) -> None:
    nobody, target = image
    keys = target.parent / "keys"
    create_keys(keys)
    settings = {
        "CARDROOM_JWKS_FILE": str(keys / "jwks.json"),
        "CARDROOM_GRPC_PORT": "0",
        "CARDROOM_METRICS_PORT": "0",
        "PATH": f"{target}/bin:/usr/bin:/bin",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
    }
    keys.chmod(0o755)
    process = await asyncio.create_subprocess_exec(
        target / "bin" / "python",
        *start_command()[1:],
        cwd="/",
        env=nobody.environment(**settings),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        **nobody.user,
    )
    try:
        found = await _port_said_by(process)
        async with bare_channel(f"127.0.0.1:{found}") as channel:
            stub = health_pb2_grpc.HealthStub(channel)
            for service in (ALIVE, ""):
                answer = await stub.Check(health_pb2.HealthCheckRequest(service=service))
                assert answer.status == health_pb2.HealthCheckResponse.SERVING
        process.terminate()
        assert await asyncio.wait_for(process.wait(), LIMIT_SECONDS) == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def _port_said_by(process: asyncio.subprocess.Process) -> int:
    """The port in the line that says that the service is up."""
    assert process.stdout is not None
    assert process.stderr is not None
    async for line in process.stdout:
        row = json.loads(line)
        if row["event"] == "serving":
            return int(row["port"])
    raise AssertionError((await process.stderr.read()).decode())


def test_the_image_has_all_services_and_the_command_and_nothing_of_the_build(image: tuple[Unprivileged, Path]) -> None:
    _, target = image
    python = shlex.quote(str(target / "bin" / "python"))
    for name in ("matchmaker", "table", "scoring", "ledger"):
        subprocess.run(["sh", "-c", f"{python} -c 'import services.{name}.main'"], cwd="/", env={}, check=True)
    shown = subprocess.run(
        [target / "bin" / "cardroom", "--version"], capture_output=True, text=True, check=True, env={}
    )
    assert "version" in shown.stdout
    installed = {path.name.partition("-")[0] for path in (target / "lib").rglob("*.dist-info")}
    assert not installed & {"grpcio_tools", "pytest", "mypy", "ruff"}
    which = f"{python} -c 'import games.variants.dazhong.scoring as s; print(s.__file__)'"
    rules = subprocess.run(["sh", "-c", which], cwd="/", env={}, check=True, capture_output=True, text=True)
    assert rules.stdout.strip().endswith(".so"), "the rules run uncompiled"
