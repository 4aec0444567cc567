"""`make stop`: end what `make run` started, also after the run itself was killed."""

import asyncio
import sys

from deploy.local.leftovers import end, end_leftovers
from deploy.local.settings import local_settings
from deploy.local.state import RUNNER, StateDirectory
from serving.errors import StartError

RUN_LIMIT_SECONDS = 120.0
"""Longest drain of a whole run: each group of services has 25 s, each store 10."""


def main() -> int:
    """Entry. Returns: 0 when nothing of ours runs any more; 2 after one line on standard error that says what to do."""
    try:
        print(asyncio.run(stop(StateDirectory(local_settings().state_directory))))
    except StartError as error:
        print(f"cardroom: {error}", file=sys.stderr)
        return 2
    return 0


async def stop(state: StateDirectory) -> str:
    """Ask a run to drain and wait for its end; then end what is left of killed runs. Returns: what was done."""
    running = [record for record in state.records() if record.name == RUNNER and record.alive]
    await end(running, RUN_LIMIT_SECONDS)
    if not state.path.exists():
        return "nothing runs here"
    with state.held():
        left = await end_leftovers(state)
    if running:
        return "stopped"
    return f"ended what a killed run had left: {', '.join(left)}" if left else "nothing runs here"


if __name__ == "__main__":
    sys.exit(main())
