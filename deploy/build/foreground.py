"""Runs a module with the terminal to itself: python deploy/build/foreground.py MODULE [ARGUMENT...]

`make` dies of the Ctrl-C that its recipe wants to answer: both stand in the terminal's foreground group. Here the
module gets a group of its own, put in front, so that Ctrl-C reaches it alone; it drains and ends, and `make` reports
its status. Without a terminal the module simply replaces this process.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys


def in_front(group: int) -> None:
    """Gives the terminal to a process group; also from the background, where the terminal would stop the caller."""
    before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    try:
        os.tcsetpgrp(0, group)
    finally:
        signal.signal(signal.SIGTTOU, before)


def own_group_in_front() -> None:
    """In the child, before the module starts. Ctrl-Z would leave `make` waiting unseen, so it does nothing here."""
    os.setpgid(0, 0)
    in_front(os.getpid())
    signal.signal(signal.SIGTSTP, signal.SIG_IGN)


def holds_terminal() -> bool:
    """Whether standard input is a terminal and this process stands in its foreground."""
    return os.isatty(0) and os.tcgetpgrp(0) == os.getpgrp()


def main(arguments: list[str]) -> int:
    """Returns the module's exit status; 128 + n when signal n ended it."""
    command = [sys.executable, "-m", *arguments]
    if not holds_terminal():
        os.execv(sys.executable, command)
    mine = os.getpgrp()
    child = subprocess.Popen(command, preexec_fn=own_group_in_front)
    # A SIGTERM or SIGHUP meant for `make` is passed on; the child decides when it is done.
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, lambda received, _frame: child.send_signal(received))
    try:
        status = child.wait()
    finally:
        in_front(mine)
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
