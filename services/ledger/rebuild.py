"""Rebuilds a lost store from the archive: ``python -m services.ledger.rebuild``, with the ledger's own settings.

The store must be empty and the ledger stopped. Everything up to the archive's last entry comes back: balances, stakes,
frozen accounts, results of settlements and of operators' calls.
"""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError
from pydantic_settings import SettingsError
from redis.exceptions import RedisError

from services.ledger.adapters.rebuilding import is_empty, write_state
from services.ledger.adapters.segments import SegmentArchive
from services.ledger.app.entries import parse_body
from services.ledger.app.fold import Fold
from services.ledger.app.replay import Replay
from services.ledger.ports import ArchiveFault
from services.ledger.settings import LedgerSettings
from services.ledger.values import Entry
from serving.errors import StartError
from serving.runtime import SystemClock
from serving.store import connect_redis

_BATCH = 1_000
_REBUILT, _NOT_REBUILT = 0, 2


async def rebuild(settings: LedgerSettings, folder: Path, say: Callable[[str], None]) -> None:
    """Rebuilds every asset of the settings.

    Raises: StartError: the store is out of reach or not empty, or the archive is damaged or held by a running ledger;
        nothing was written. RedisError: it went away or refused since; it may hold a part.
    """
    archive = SegmentArchive(folder, segment_count=settings.archive_segment_entries)
    if not archive.hold():
        raise StartError(f"another process writes {folder}; stop the ledger first")
    client = await connect_redis(
        settings.ledger_redis_url,
        need_fsync=True,
        trust_store=settings.trust_store,
        timeout_ms=settings.store_timeout_ms,
    )
    try:
        for asset in settings.opening_grants:
            if not await is_empty(client, asset):
                raise StartError(f"the store has books of {asset}: empty it first, or use another one")
        read = {asset: read_archive(archive, asset, settings.journal_kept_entries) for asset in settings.opening_grants}
        if not any(state.head.number for state, _ in read.values()):
            raise StartError(f"{folder} has no entry of {', '.join(read)}: is it the archive?")
        now_ms = SystemClock().now_ms()
        for asset, (state, tail) in read.items():
            await write_state(client, state, tail, now_ms=now_ms, record_kept_days=settings.table_record_days)
            say(
                f"{asset}: {state.head.number} entries, {len(state.balances)} accounts, {len(state.locks)} of them "
                f"reserved by tables, rebuilt up to {state.head.hash or '-'}"
            )
    finally:
        await client.aclose()
        archive.let_go()


def read_archive(archive: SegmentArchive, asset: str, kept_count: int) -> tuple[Replay, list[Entry]]:
    """What the archive of an asset comes to, and its newest entries. Raises: StartError: it is damaged."""
    for number, detail in archive.faults(asset):
        raise StartError(f"the archive of {asset} is damaged at entry {number}: {detail}")
    state, fold, tail = Replay(asset), Fold(), list[Entry]()
    head = archive.head(asset)
    while state.head.number < head.number:
        for entry in archive.entries(asset, state.head.number, _BATCH):
            fold.add(entry)
            try:
                state.add(entry, parse_body(entry.body))
            except (ValueError, LookupError) as error:  # or it lacks what an entry of its kind has
                detail = str(error) if isinstance(error, ValueError) else "it is not what the ledger writes"
                raise StartError(f"the archive of {asset} is wrong at entry {entry.number}: {detail}") from error
            if entry.number > head.number - kept_count:
                tail.append(entry)
    for fault in fold.faults:
        raise StartError(f"the archive of {asset} is wrong at entry {fault.number}: {fault.account} {fault.detail}")
    return state, tail


def main() -> int:
    """The process's exit status: 0 rebuilt, 2 not, after one line that says why."""
    try:
        settings = LedgerSettings()
        if settings.ledger_archive_dir is None:
            raise StartError("set CARDROOM_LEDGER_ARCHIVE_DIR to the archive")
        asyncio.run(rebuild(settings, settings.ledger_archive_dir, print))
    except RedisError as error:
        why = "the store refused or went away; it may hold a part, so empty it and repeat"
        sys.stderr.write(f"cardroom ledger rebuild: {why}: {error}\n")
        return _NOT_REBUILT
    except (StartError, ArchiveFault, ValidationError, SettingsError) as error:
        sys.stderr.write(f"cardroom ledger rebuild: {error}\n")
        return _NOT_REBUILT
    return _REBUILT


if __name__ == "__main__":
    sys.exit(main())
