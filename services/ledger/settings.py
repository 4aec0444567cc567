"""What the ledger can be told from outside."""

from pydantic import Field, field_validator

from services.ledger.values import UNITS_MAX
from serving.settings import ServiceSettings


class LedgerSettings(ServiceSettings):
    """Settings of the ledger: environment variables ``CARDROOM_...``."""

    grpc_port: int = Field(7104, ge=0, le=65535, description="gRPC port; 0 takes any free one.")
    ledger_redis_url: str = Field("redis://127.0.0.1:7380", description="The ledger's own Redis, syncing every write.")
    trust_store: bool = Field(False, description="Do not ask whether the store is durable: a managed one cannot tell.")
    store_timeout_ms: int = Field(2_000, gt=0, description="Longest wait for the store's answer.")
    opening_grants: dict[str, int] = Field(
        {"points": 1_000, "coins": 10_000}, description="Assets, and what a new account begins with in each (JSON)."
    )
    batch_count_max: int = Field(64, gt=0, description="Most calls sent to the store together.")
    waiting_count_max: int = Field(2_048, gt=0, description="Most calls that wait for the store; more are refused.")
    table_record_days: int = Field(30, gt=0, description="Days that the record of a table without a stake is kept.")

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
