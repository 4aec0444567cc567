"""`make run`: start everything on this machine, play a demonstration, serve until Ctrl-C."""

import argparse
import asyncio
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence

from serving.early import end_when_told

if __name__ == "__main__":
    end_when_told(signal.SIGINT, signal.SIGTERM)  # before what takes long to import

from deploy.local.demonstration import demonstrate
from deploy.local.settings import SERVICES, LocalSettings, local_settings
from deploy.local.stack import Stack
from games.catalog import compiled_modules, variants
from games.kernel import Variant
from serving.errors import StartError
from serving.settings import misspelt

OK, FAILED, NOT_STARTED = 0, 1, 2

ASK_EVERY_SECONDS = 0.5
RESTART_COUNT_MAX = 5
RESTART_SPAN_SECONDS = 60.0
SAME_KEYPRESS_SECONDS = 0.5


def say(text: str) -> None:
    """One line for the person at the terminal, at once."""
    print(text, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry.

    Returns: 0 after an orderly end; 1 if the demonstration failed or something had to be killed; 2 if it did not
        start, after one line on standard error that says what to do.
    """
    parser = argparse.ArgumentParser(prog="make run", description=__doc__)
    parser.add_argument("--once", action="store_true", help="stop after the demonstration (ONCE=1)")
    parser.add_argument("--fresh", action="store_true", help="forget the state of earlier runs (FRESH=1)")
    parser.add_argument("--variant", default="", help="show this game only (VARIANT=shanghai)")
    chosen = parser.parse_args(arguments)
    try:
        shown = _shown(chosen.variant)
        return asyncio.run(_main(local_settings(), shown, once=chosen.once, fresh=chosen.fresh))
    except StartError as error:
        print(f"cardroom: {error}", file=sys.stderr)
        return NOT_STARTED


def _shown(variant_id: str) -> Sequence[Variant]:
    """The games to show: all where none is named. Raises: StartError: there is no such game."""
    known = variants()
    if variant_id and variant_id not in known:
        raise StartError(f"no variant {variant_id!r}; there are {', '.join(known)}")
    return [known[variant_id]] if variant_id else list(known.values())


async def _main(settings: LocalSettings, shown: Sequence[Variant], *, once: bool, fresh: bool) -> int:
    stack = Stack(settings, fresh=fresh, say=say)
    interruption = _Interruption(stack)
    work = asyncio.create_task(_work(stack, settings, shown, once=once))
    waiting = asyncio.create_task(interruption.first.wait())
    await asyncio.wait({work, waiting}, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    if not work.done():
        say("draining; a deal that runs stays in its log and goes on at the next start")
        work.cancel()
    try:
        status = await work
    except asyncio.CancelledError:
        status = OK
    except BaseException:  # a fault of ours must leave nothing running either
        await stack.stop()
        raise
    if not await stack.stop():
        say("a service did not end in order; see the logs")
        return status or FAILED
    say("stopped")
    return status


async def _work(stack: Stack, settings: LocalSettings, shown: Sequence[Variant], *, once: bool) -> int:
    """Everything between the start and the drain. Returns: the status to exit with."""
    began = time.monotonic()
    for given, meant in misspelt(LocalSettings, os.environ).items():
        say(f"{given} sets nothing; did you mean {meant}?")
    await stack.start()
    how = "compiled" if compiled_modules() else "as plain Python; `make setup` compiles them where a C compiler is"
    say(f"ready after {time.monotonic() - began:.1f} s; the rules of dazhong run {how}")
    showing = asyncio.create_task(_show(stack, settings, shown))
    watching = asyncio.create_task(keep_running(stack, say))
    try:
        await asyncio.wait({showing, watching}, return_when=asyncio.FIRST_COMPLETED)
        if not showing.done():
            return FAILED
        status = FAILED if showing.result() else OK
        if once:
            return status
        for line in how_to_connect(stack):
            say(line)
        await watching
        return FAILED
    finally:
        for task in (showing, watching):
            task.cancel()
        await asyncio.gather(showing, watching, return_exceptions=True)


async def _show(stack: Stack, settings: LocalSettings, shown: Sequence[Variant]) -> list[str]:
    faults: list[str] = []
    for variant in shown:
        faults += await demonstrate(
            stack, variant.variant_id, variant.seat_count, settings.demonstration_limit_seconds, say
        )
    return faults


async def keep_running(stack: Stack, tell: Callable[[str], None]) -> None:
    """Start again what ends without being told to; returns when that no longer helps."""
    restarts: deque[float] = deque(maxlen=RESTART_COUNT_MAX)
    while True:
        await asyncio.sleep(ASK_EVERY_SECONDS)
        again: list[tuple[str, Callable[[str], Awaitable[None]]]] = [
            *((name, stack.stores.restart) for name in stack.stores.ended()),
            *((name, stack.start_service) for name in stack.ended()),
        ]
        for name, restart in again:
            now = time.monotonic()
            if len(restarts) == RESTART_COUNT_MAX and now - restarts[0] < RESTART_SPAN_SECONDS:
                tell(f"{name} keeps ending; giving up, see {stack.state.log(name)}")
                return
            restarts.append(now)
            tell(f"{name} ended; starting it again")
            try:
                await restart(name)
                tell(f"{name} runs again")
            except StartError as error:
                tell(str(error))


def how_to_connect(stack: Stack) -> list[str]:
    """What a person needs to go on, a line each."""
    services = ", ".join(f"{name} {stack.address(name)}" for name in SERVICES)
    return [
        f"serving until Ctrl-C; gRPC: {services}",
        f"addresses, metrics and keys: {stack.state.endpoints}; logs: {stack.state.path / 'logs'}",
        "a player for your own client: .venv/bin/cardroom account NAME, then .venv/bin/cardroom token NAME; "
        "a client in 15 lines: clients/sdk/README.md",
    ]


class _Interruption:
    """Ctrl-C, SIGTERM and SIGHUP: the first asks to drain, a later one ends the services at once."""

    def __init__(self, stack: Stack) -> None:
        self.first = asyncio.Event()
        self._stack = stack
        self._at = 0.0
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._received)

    def _received(self) -> None:
        if not self.first.is_set():
            self._at = time.monotonic()
            self.first.set()
        elif time.monotonic() - self._at > SAME_KEYPRESS_SECONDS:
            self._stack.kill_services()


if __name__ == "__main__":
    sys.exit(main())
