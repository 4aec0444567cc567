"""What the tables of a pod share."""

from dataclasses import dataclass

from services.table.app.store_health import StoreHealth
from services.table.app.table_time import Alarms, Clock, TableTime
from services.table.archives import ArchiveStore
from services.table.ports import (
    Checkpoints,
    Codec,
    Entropy,
    Journal,
    Ledger,
    Meters,
    Presenter,
    Scoring,
    Seats,
    TableLog,
    Traces,
    Unchecked,
)

PAGE_COUNT = 500
"""Entries read from the log at once."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a pod.

    Attributes:
        slots: tables at most.
        mailbox_count_max: requests that may wait at one table.
        recent_count: entries kept in memory for viewers that come back.
        resume_count_max: entries a viewer may be behind and still be sent one by one.
        spectator_count_max: spectators at one table.
        stream_max_age_ms: after so long a viewer is asked to connect again.
        linger_ms: how long a table that is over stays here, for viewers whose stream broke before its last entries.
        keep_log_ms: how long the log of a finished table is kept.
        keep_faulted_log_ms: the same after a fault.
        presence_limit_ms: a player who is silent for so long is lost (PF-24).
        heartbeat_ms: how often a stream says that it is alive.
        check_later_ms: pause between two looks whether scoring is back for what was left unchecked.
        bot_delay_min_ms, bot_delay_max_ms: bounds of the time a bot takes to make up its mind; 0 and 0 for none.
    """

    slots: int = 500
    mailbox_count_max: int = 256
    recent_count: int = 64
    resume_count_max: int = 2_000
    spectator_count_max: int = 200
    stream_max_age_ms: int = 3_600_000
    linger_ms: int = 0
    keep_log_ms: int = 7 * 86_400_000
    keep_faulted_log_ms: int = 30 * 86_400_000
    presence_limit_ms: int = 15_000
    heartbeat_ms: int = 5_000
    check_later_ms: int = 30_000
    bot_delay_min_ms: int = 0
    bot_delay_max_ms: int = 0


@dataclass(frozen=True, slots=True)
class Outside:
    """What the tables of a pod share, and what is around them.

    Without an archive logs of finished tables stay in the store until they expire.
    """

    pod: str
    log: TableLog
    codec: Codec
    presenter: Presenter
    ledger: Ledger
    seats: Seats
    scoring: Scoring
    unchecked: Unchecked
    entropy: Entropy
    clock: Clock
    time: TableTime
    alarms: Alarms
    health: StoreHealth
    checkpoints: Checkpoints
    meters: Meters
    traces: Traces
    journal: Journal
    limits: Limits
    archive: ArchiveStore | None = None
