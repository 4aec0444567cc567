"""What the matchmaker can be told from outside."""

from pathlib import Path
from typing import Self

from pydantic import Field, model_validator

from serving.registry import LEASE_MS_DEFAULT
from serving.settings import ServiceSettings


class MatchmakerSettings(ServiceSettings):
    """Settings of the matchmaker, `CARDROOM_...` in the environment."""

    grpc_port: int = Field(7101, ge=0, le=65535, description="gRPC port; 0 takes any free one.")
    metrics_port: int = Field(9101, ge=0, le=65535, description="Port of GET /metrics; 0 serves none.")
    redis_url: str = Field("redis://127.0.0.1:7379", description="Store of rooms, queues, seats and the registry.")
    trust_store: bool = Field(False, description="Do not ask the store for its settings.")
    ledger_address: str = Field("127.0.0.1:7104", description="host:port of the ledger.")
    seat_key_file: Path = Field(Path(".cardroom/keys/seat.pem"), description="Private key that signs seat tokens.")
    rooms_file: Path | None = Field(None, description="Rooms to begin with (TOML); the shipped ones where absent.")
    seat_token_seconds: int = Field(6 * 3600, gt=0, description="Life of a seat token; GetMySeat gives a new one.")
    match_lease_ms: int = Field(3_000, gt=0, description="Without a step for so long, a match is another replica's.")
    match_give_up_ms: int = Field(8_000, gt=0, description="Age at which a match without a table is undone.")
    create_deadline_ms: int = Field(1_500, gt=0, description="Longest wait for a pod's answer to CreateTable.")
    create_retry_ms: int = Field(200, gt=0, description="Pause after a round of pods that gave no definite answer.")
    queue_poll_ms: int = Field(500, gt=0, description="How often queues are looked at without news.")
    rest_ms: int = Field(1_000, ge=0, description="Rest of a pod that is full, and of a room whose match led nowhere.")
    sweep_every_ms: int = Field(60_000, gt=0, description="How often tables are looked for that are gone.")
    place_refresh_ms: int = Field(1_000, gt=0, description="How often a waiting player's place is looked up.")
    match_count_max: int = Field(16, gt=0, description="Matches in the making at once.")
    follower_count_max: int = Field(8_000, gt=0, description="Streams of tickets at once.")
    memory_ms: int = Field(3_600_000, gt=0, description="How long requests and ended tickets are remembered.")
    pod_lease_ms: int = Field(LEASE_MS_DEFAULT, gt=0, description="Lease of a table pod in the registry.")

    @model_validator(mode="after")
    def _lease_outlasts_a_call(self) -> Self:
        # A handler that waits for a pod must not lose its match to another replica meanwhile.
        if self.match_lease_ms <= self.create_deadline_ms:
            raise ValueError("match_lease_ms must be above create_deadline_ms")
        return self
