"""Brings a checkout to where its code runs: environment, locked packages, stubs, the tree itself installed.

Runs on the bare interpreter (python -m deploy.build.prepare; standard library only, 3.11 or newer) and again before
every `make` target: each step keeps a fingerprint of what it was made from beside the environment and is left out while
that is unchanged.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from deploy.build import compiled

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMPS = VENV / ".made"
RULES_RUN = STAMPS / "rules-run"
"""How the hot rules run, in words."""
GENERATED = ROOT / "generated"
PROTOS = ROOT / "protos"
PIP_INSTALL = [
    *(str(PYTHON), "-m", "pip", "install"),
    *("--quiet", "--disable-pip-version-check", "--no-input", "--no-deps"),
]
WHEELS_ONLY = ("--only-binary", ":all:")

# The uses of the tree, each with a lock of its own, from narrow to wide: a later lock contains the earlier ones.
USES = ("services", "local", "all")


class SetupError(Exception):
    """A step failed; the text is one line that says what to do."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step: its name (also its stamp's), what it is made from, how it is made."""

    name: str
    title: str
    fingerprint: str
    make: Callable[[], None]


def fingerprint(paths: Iterable[Path], *more: str) -> str:
    """SHA-256 over names and contents of the files, in order, and over further words."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(f"{path.relative_to(ROOT)}\0".encode())
        digest.update(path.read_bytes())
    for word in more:
        digest.update(f"\0{word}".encode())
    return digest.hexdigest()


def run(failure: str, *commands: list[str]) -> None:
    """Runs commands side by side, quietly; what one printed is shown only when it fails.

    Raises: SetupError: a command ended with another status than 0.
    """
    started = [
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for command in commands
    ]
    outputs = [process.communicate()[0] for process in started]
    failed = [output for process, output in zip(started, outputs, strict=True) if process.returncode != 0]
    if failed:
        sys.stderr.write("".join(output[-6000:] for output in failed))
        raise SetupError(failure)


def environment_works() -> bool:
    """Whether .venv stands where it was made (its scripts name the place) and its interpreter runs and has pip."""
    place = STAMPS / "place"
    if not PYTHON.exists() or (place.exists() and place.read_text() != str(ROOT)):
        return False
    probe = [str(PYTHON), "-c", "import pip, sys; sys.exit(sys.version_info < (3, 11))"]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


def make_environment() -> None:
    """Makes .venv, replacing one that no longer runs (its interpreter was removed, the folder was moved)."""
    try:
        venv.EnvBuilder(clear=True, symlinks=True, with_pip=True).create(VENV)
    except (OSError, subprocess.CalledProcessError) as error:
        raise SetupError(
            f"{sys.executable} could not make a virtual environment ({type(error).__name__}); "
            "install its venv package (Debian, Ubuntu: python3-venv) or name another: make PYTHON=..."
        ) from error


def lock_of(use: str) -> Path:
    """The lock file of a use."""
    return ROOT / "requirements" / f"{use}.lock"


def requirements_in(lock: Path) -> list[str]:
    """The requirements of a lock, each with its hashes."""
    lines = [line for line in lock.read_text().splitlines() if line and not line.lstrip().startswith("#")]
    starts = [index for index, line in enumerate(lines) if not line.startswith(" ")]
    return ["\n".join(lines[start:end]) for start, end in zip(starts, [*starts[1:], len(lines)], strict=True)]


def install_lock(use: str) -> None:
    """Installs one lock, every archive checked against its hash.

    pip spends its time reading index pages, one after another; the lock already says all there is to resolve, so each
    core gets a share of it.
    """
    for other in USES:
        # What another lock put there may now be another release: its stamp says nothing any more.
        (STAMPS / other).unlink(missing_ok=True)
    lock = lock_of(use)
    requirements = requirements_in(lock)
    share_count = min(os.cpu_count() or 1, 4)
    with tempfile.TemporaryDirectory() as folder:
        shares = [Path(folder) / f"share-{index}.lock" for index in range(share_count)]
        for index, share in enumerate(shares):
            share.write_text("\n".join(requirements[index::share_count]) + "\n")
        run(
            f"installing {lock.relative_to(ROOT)} failed (above); is a package index reachable? then run make again",
            *([*PIP_INSTALL, "--no-compile", "--require-hashes", *WHEELS_ONLY, "-r", str(share)] for share in shares),
        )


def compile_stubs() -> None:
    """Compiles every .proto into `generated/`, file by file in place, and removes what has no source any more."""
    sources = sorted(str(path.relative_to(PROTOS)) for path in PROTOS.rglob("*.proto"))
    if not sources:
        raise SetupError("protos/ holds no .proto file; is the checkout whole?")
    GENERATED.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=GENERATED, prefix=".new-") as name:
        fresh = Path(name)
        outputs = [f"--{kind}_out={fresh}" for kind in ("python", "grpc_python", "mypy", "mypy_grpc")]
        plugins = [f"--plugin={tool}={VENV / 'bin' / tool}" for tool in ("protoc-gen-mypy", "protoc-gen-mypy_grpc")]
        run(
            "compiling the stubs failed (above)",
            [str(PYTHON), "-m", "grpc_tools.protoc", f"-I{PROTOS}", *outputs, *plugins, *sources],
        )
        made = {path.relative_to(fresh) for path in fresh.rglob("*.py*")}
        for relative in sorted(made):
            (GENERATED / relative).parent.mkdir(parents=True, exist_ok=True)
            os.replace(fresh / relative, GENERATED / relative)
    for path in sorted(GENERATED.rglob("*.py*")):
        if "__pycache__" not in path.parts and path.relative_to(GENERATED) not in made:
            path.unlink()


def install_tree() -> None:
    """Installs the checkout itself, editable: its rooms, the stubs and the client library become importable."""
    run(
        "installing the tree itself failed (above)",
        [*PIP_INSTALL, "--no-build-isolation", "--editable", str(ROOT)],
    )
    shutil.rmtree(ROOT / "build", ignore_errors=True)


def compile_rules() -> None:
    """Compiles the hot rules where that is possible; where it is not, the sources run, and why is said."""
    command = [str(PYTHON), "-m", "deploy.build.compiled"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    reason = (done.stdout.splitlines() or ["the compiler's process ended"])[-1]
    RULES_RUN.write_text("compiled" if done.returncode == 0 else f"as plain Python ({reason})")


def rules_made_from() -> str:
    """What the compiled rules depend on: their sources, what compiles them, the Python they are for."""
    builders = [ROOT / source for source in compiled.sources()]
    builders += [ROOT / "deploy" / "build" / name for name in ("compiled.py", "compiled_finder.py")]
    return fingerprint(
        [*builders, lock_of("all")], sys.version, compiled.compiler(), str(compiled.has_headers()), compiled.OPTIMISE
    )


def rooms() -> list[str]:
    """The top-level packages now in the tree; a new one must be installed to be importable."""
    packages = [path.parent for path in ROOT.glob("*/__init__.py")] + list((ROOT / "clients" / "sdk").glob("*/"))
    return sorted(str(path.relative_to(ROOT)) for path in packages)


def steps(use: str) -> Iterator[Step]:
    """The steps of one use, in order; each fingerprint is taken when its turn comes."""
    lock = lock_of(use)
    if not any(is_done(wider, fingerprint([lock_of(wider)])) for wider in USES[USES.index(use) :]):
        yield Step(use, f"installing {lock.relative_to(ROOT)}", fingerprint([lock]), lambda: install_lock(use))
    if use == "services":
        return
    compiled_from = [*sorted(PROTOS.rglob("*.proto")), lock_of("local")]
    yield Step("stubs", "compiling protos/ into generated/", fingerprint(compiled_from), compile_stubs)
    yield Step("tree", "installing the tree (editable)", fingerprint([ROOT / "pyproject.toml"], *rooms()), install_tree)
    if use == "all":
        yield Step("rules", "compiling the hot rules", rules_made_from(), compile_rules)


def is_done(name: str, wanted: str) -> bool:
    """Whether the stamp of that name carries this fingerprint."""
    stamp = STAMPS / name
    if name == "stubs" and not any(GENERATED.rglob("*_pb2.py")):
        return False
    return stamp.exists() and stamp.read_text() == wanted


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Holds a lock on the checkout, so that two `make` in two terminals do not build at the same time."""
    with Path(__file__).open() as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def prepare(use: str) -> None:
    """Carries out what is missing for one use: `services`, `local` (`make run`) or `all` (`make test`).

    Raises: SetupError: a step failed.
    """
    if not environment_works():
        print("setup: making .venv", flush=True)
        make_environment()
    STAMPS.mkdir(exist_ok=True)
    (STAMPS / "place").write_text(str(ROOT))
    for step in steps(use):
        if is_done(step.name, step.fingerprint):
            continue
        print(f"setup: {step.title}", flush=True)
        step.make()
        (STAMPS / step.name).write_text(step.fingerprint)
    if use == "all":
        print(f"setup: the rules of dazhong run {RULES_RUN.read_text()}", flush=True)


def main(arguments: list[str]) -> int:
    """Entry: 0 when everything is in place, 2 after one line on standard error that says what to do."""
    use = arguments[0] if arguments else "all"
    if use not in USES:
        print(f"setup: unknown use {use!r}; one of {', '.join(USES)}", file=sys.stderr)
        return 2
    try:
        with alone():
            prepare(use)
    except SetupError as error:
        print(f"setup: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("setup: interrupted; the next make goes on from here", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
