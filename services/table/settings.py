"""What a table pod can be told from outside."""

from pathlib import Path
from typing import Self

from pydantic import Field, model_validator

from serving.registry import LEASE_MS_DEFAULT
from serving.settings import ServiceSettings

_DAY_MS = 86_400_000


class TableSettings(ServiceSettings):
    """Settings of a table pod, `CARDROOM_...` in the environment."""

    grpc_port: int = Field(7102, ge=0, le=65535, description="gRPC port; 0 takes any free one.")
    metrics_port: int = Field(9102, ge=0, le=65535, description="Port of GET /metrics; 0 serves none.")
    redis_url: str = Field("redis://127.0.0.1:7379", description="Store of tables and of the registry of pods.")
    trust_store: bool = Field(False, description="Do not ask the store for its settings.")
    ledger_address: str = Field("127.0.0.1:7104", description="host:port of the ledger.")
    matchmaker_address: str = Field("127.0.0.1:7101", description="host:port of the matchmaker.")
    pod: str = Field(
        "table-0", pattern="^[A-Za-z0-9._-]{1,63}$", description="Name of this pod; one process at a time has it."
    )
    advertise_authority: str = Field("", description="host:port game clients reach; empty: where it listens.")
    advertise_control_authority: str = Field("", description="The same for services; empty: as for game clients.")
    slot_count: int = Field(500, gt=0, description="Tables at most.")
    pod_lease_ms: int = Field(LEASE_MS_DEFAULT, gt=0, description="After so long a silence this pod is dead.")
    store_patience_ms: int = Field(150, gt=0, description="Without an answer for so long the store is away.")
    mailbox_count_max: int = Field(256, gt=0, description="Requests that may wait at one table.")
    recent_count: int = Field(64, gt=0, description="Entries of each log kept in memory for viewers that come back.")
    resume_count_max: int = Field(2_000, gt=0, description="Entries a viewer may be behind and get one by one.")
    spectator_count_max: int = Field(200, gt=0, description="Spectators at one table.")
    linger_ms: int = Field(30_000, ge=0, description="How long a table that is over can still be watched (PF-34).")
    table_archive_dir: Path | None = Field(
        None,
        description="Folder of the archive of logs, shared by pods; unset: they stay in the store till they expire.",
    )
    keep_log_ms: int = Field(7 * _DAY_MS, gt=0, description="How long the log of a finished table is kept.")
    presence_limit_ms: int = Field(15_000, gt=0, description="A player who is silent for so long is lost (PF-24).")
    heartbeat_ms: int = Field(5_000, gt=0, description="How often a stream says that it is alive.")
    scoring_address: str = Field("127.0.0.1:7103", description="host:port of scoring; empty: nothing is compared.")
    scoring_patience_ms: int = Field(400, gt=0, description="Longest wait for scoring before money moves.")
    scoring_pause_ms: int = Field(2_000, ge=0, description="After a vain wait, how long scoring is not asked.")
    check_later_ms: int = Field(30_000, gt=0, description="Pause between two looks at what was left unchecked.")
    unchecked_count_max: int = Field(20_000, gt=0, description="Deals left unchecked that are kept at most.")
    bot_delay_min_ms: int = Field(400, ge=0, description="Least time a bot takes to make up its mind.")
    bot_delay_max_ms: int = Field(1_200, ge=0, description="Most time a bot takes; 0 for none.")
    keep_faulted_log_ms: int = Field(30 * _DAY_MS, gt=0, description="The same after a fault.")

    @model_validator(mode="after")
    def _delays_fit(self) -> Self:
        if self.bot_delay_min_ms > self.bot_delay_max_ms:
            raise ValueError("bot_delay_min_ms must not be above bot_delay_max_ms")
        return self
