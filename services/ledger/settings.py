"""What the ledger can be told from outside."""

from pathlib import Path
from typing import Self

from pydantic import Field, field_validator, model_validator

from services.ledger.values import RELIEF_FUND, ROBOTS_FUND, UNITS_MAX
from serving.settings import ServiceSettings


class LedgerSettings(ServiceSettings):
    """Settings of the ledger: environment variables ``CARDROOM_...``."""

    grpc_port: int = Field(7104, ge=0, le=65535, description="gRPC port; 0 takes any free one.")
    metrics_port: int = Field(9104, ge=0, le=65535, description="Port of GET /metrics; 0 serves none.")
    ledger_redis_url: str = Field("redis://127.0.0.1:7380", description="The ledger's own Redis, syncing every write.")
    trust_store: bool = Field(False, description="Do not ask whether the store is durable: a managed one cannot tell.")
    store_timeout_ms: int = Field(2_000, gt=0, description="Longest wait for the store's answer.")
    opening_grants: dict[str, int] = Field(
        {"points": 1_000, "coins": 10_000}, description="Assets, and what a new account begins with in each (JSON)."
    )
    batch_count_max: int = Field(64, gt=0, description="Most calls sent to the store together.")
    waiting_count_max: int = Field(2_048, gt=0, description="Most calls that wait for the store; more are refused.")
    table_record_days: int = Field(30, gt=0, description="Days that the record of a table without a stake is kept.")
    robot_budget: dict[str, int] = Field(
        {"points": 1_000_000, "coins": 10_000_000},
        description="By asset, what the fund that robots begin with has when the first one is opened (JSON).",
    )
    relief_budget: dict[str, int] = Field(
        {"points": 100_000, "coins": 1_000_000},
        description="By asset, what the relief fund has when it is first used (JSON).",
    )
    ledger_replicas: int = Field(0, ge=0, description="Replicas that must have a change before it is answered.")
    barrier_timeout_ms: int = Field(1_000, gt=0, description="Longest wait for them; at most half the store's.")
    ledger_cluster: bool = Field(False, description="Whether the store is a Redis Cluster; its URL is any node's.")
    ledger_archive_dir: Path | None = Field(
        None, description="Folder of the journal's archive; unset: nothing is archived, and nothing trimmed."
    )
    archive_every_ms: int = Field(1_000, gt=0, description="Pause between two copies of new entries to the archive.")
    archive_segment_entries: int = Field(10_000, gt=0, description="Entries of a segment; then it is sealed.")
    journal_kept_entries: int = Field(100_000, gt=0, description="Newest entries that stay in the store once archived.")
    audit_every_minutes: int = Field(
        60, ge=0, description="Pause between two checks of the books by the service itself; 0 for none."
    )

    @property
    def budgets(self) -> dict[str, dict[str, int]]:
        """What each fund begins with, by asset."""
        return {ROBOTS_FUND: self.robot_budget, RELIEF_FUND: self.relief_budget}

    @model_validator(mode="after")
    def _waits_fit(self) -> Self:
        if self.ledger_replicas and 2 * self.barrier_timeout_ms > self.store_timeout_ms:
            raise ValueError("CARDROOM_BARRIER_TIMEOUT_MS must be at most half of CARDROOM_STORE_TIMEOUT_MS")
        if self.ledger_replicas and self.ledger_cluster:
            raise ValueError("CARDROOM_LEDGER_REPLICAS needs a store that is no cluster")
        return self

    @field_validator("robot_budget", "relief_budget")
    @classmethod
    def _budgets_fit(cls, budgets: dict[str, int]) -> dict[str, int]:
        if not all(0 <= units <= UNITS_MAX for units in budgets.values()):
            raise ValueError("a budget is 0 .. 2^53 - 1 units")
        return budgets

    @field_validator("opening_grants")
    @classmethod
    def _grants_fit(cls, grants: dict[str, int]) -> dict[str, int]:
        for asset, units in grants.items():
            if not (asset.isascii() and asset.isalnum() and asset.islower() and len(asset) <= 32):
                raise ValueError("an asset's name is 1-32 of a-z 0-9")
            if not 0 <= units <= UNITS_MAX:
                raise ValueError("an opening grant is 0 .. 2^53 - 1 units")
        if not grants:
            raise ValueError("the books need an asset")
        return grants
