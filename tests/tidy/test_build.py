"""The build's own promises: targets listed, a clear word where something is missing, Ctrl-C to the right process."""

import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.build import prepare
from deploy.build.pages import anchor, dead_links
from tests.tidy.tree import ROOT

MAKEFILE = (ROOT / "Makefile").read_text()
PUBLIC = {
    "help",
    "setup",
    "run",
    "stop",
    "test",
    "check",
    "bench",
    "sim",
    "packages",
    "format",
    "lock",
    "release-wire",
    "clean",
}


# A make inside a make would speak as its part.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["make", *arguments], cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, check=False)


def test_help_lists_every_target_in_one_line() -> None:
    listed = {line.split()[1]: line for line in make("help").stdout.splitlines()}
    assert set(listed) == PUBLIC
    assert all(len(line.split()) > 3 for line in listed.values())


def test_every_target_brings_its_own_set_up() -> None:
    recipes = re.findall(r"^([a-z-]+):(.*)\n((?:\t.*\n)*)", MAKEFILE, re.MULTILINE)
    without = {
        name
        for name, needs, recipe in recipes
        if "setup" not in needs.split("##")[0].split() and "$(PREPARE)" not in recipe
    }
    assert without == {"help", "clean"}


def test_readme_and_ci_name_the_same_commands() -> None:
    readme = (ROOT / "README.md").read_text()
    assert readme.index("make run") < readme.index("make test") < readme.index("## Rooms")
    assert re.search(r"^make test$", (ROOT / ".ci" / "run").read_text(), re.MULTILINE)


def test_a_machine_without_python_is_told_so_in_one_line() -> None:
    done = subprocess.run(
        ["sh", "deploy/build/prepare.sh", "all"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "PYTHON": "no-such-python"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert re.fullmatch(r"setup: no Python 3\.11 or newer found .*\n", done.stderr)


def test_a_prepared_tree_is_left_alone() -> None:
    def stamps() -> dict[str, int]:
        return {path.name: path.stat().st_mtime_ns for path in prepare.STAMPS.iterdir() if path.name != "place"}

    before = stamps()
    assert before
    assert prepare.main(["local"]) == 0
    assert stamps() == before


def test_a_tree_that_was_moved_gets_a_new_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert prepare.environment_works()
    monkeypatch.setattr(prepare, "ROOT", tmp_path)
    assert not prepare.environment_works()


def test_an_unknown_use_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert prepare.main(["everything"]) == 2
    assert "everything" in capsys.readouterr().err


def test_a_changed_file_changes_the_fingerprint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepare, "ROOT", tmp_path)
    file = tmp_path / "some.lock"
    file.write_text("one==1\n")
    before = prepare.fingerprint([file])
    file.write_text("one==2\n")
    assert prepare.fingerprint([file]) != before


def test_a_failed_step_shows_what_its_command_said(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(prepare.SetupError, match="it failed"):
        prepare.run("it failed", ["sh", "-c", "echo because; exit 3"], ["true"])
    assert capfd.readouterr().err == "because\n"


def test_a_lock_is_cut_into_whole_requirements(tmp_path: Path) -> None:
    lock = tmp_path / "a.lock"
    lock.write_text(
        "# made\n"
        "one==1 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\n"
        "two==2 ; python_version < '4' \\\n    --hash=sha256:cc\n"
    )
    one, two = prepare.requirements_in(lock)
    assert one.splitlines()[-1].strip() == "--hash=sha256:bb"
    assert two.startswith("two==2")


def test_a_dead_link_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("deploy.build.pages.ROOT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text("# One `thing`, two\n[good](#one-thing-two) [bad](#three) [gone](gone.md) `[code](no.md)`\n")
    assert list(dead_links(page)) == ["page.md: #three names no heading", "page.md: gone.md leads nowhere"]
    assert anchor("One `thing`, two") == "one-thing-two"


MODULE = """
import signal, sys, time
def ended(number, frame):
    print("drained", flush=True)
    sys.exit(0)
signal.signal(signal.SIGINT, ended)
print("ready", flush=True)
time.sleep(30)
"""


def test_ctrl_c_reaches_the_module_and_make_reports_its_status(tmp_path: Path) -> None:
    """The module drains and exits 0; `make`, in the same terminal, neither dies nor complains."""
    (tmp_path / "serving_until_told.py").write_text(MODULE)
    foreground = ROOT / "deploy" / "build" / "foreground.py"
    (tmp_path / "Makefile").write_text(f"run:\n\t@{sys.executable} {foreground} serving_until_told\n")
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(tmp_path)
        os.execvpe("make", ["make", "run"], {**ENVIRONMENT, "PYTHONPATH": str(tmp_path)})
    said = read_until(terminal, "ready")
    os.write(terminal, b"\x03")
    said += read_until(terminal, "drained")
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 0
    assert "Interrupt" not in said
    assert "Error" not in said


def read_until(terminal: int, word: str) -> str:
    """What the terminal shows up to a word; all it showed if it closes first."""
    said = ""
    while word not in said:
        try:
            said += os.read(terminal, 1024).decode()
        except OSError:
            break
    return said


def test_without_a_terminal_the_module_takes_the_place_of_its_starter(tmp_path: Path) -> None:
    (tmp_path / "serving_until_told.py").write_text(MODULE)
    running = subprocess.Popen(
        [sys.executable, ROOT / "deploy" / "build" / "foreground.py", "serving_until_told"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert running.stdout is not None
    assert running.stdout.readline() == "ready\n"
    running.send_signal(signal.SIGINT)
    assert running.communicate(timeout=60)[0] == "drained\n"
    assert running.returncode == 0
