"""What can be set for `make run`: environment variables `CARDROOM_...`."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from deploy.local.state import DEFAULT_DIRECTORY
from serving.errors import StartError

SERVICES = ("matchmaker", "table", "scoring", "ledger")
"""The services, in the order of their ports."""

METRICS_OFFSET = 2000
"""From a service's gRPC port to that of its metrics, where nothing else is set."""

_Port = Field(default=None, ge=0, le=65535, description="Port; 0 takes any free one; unset follows the port base.")


class LocalSettings(BaseSettings):
    """Settings of a run on this machine.

    Ports follow `port_base`: gRPC at base + 1 ... base + 4 in the order of `SERVICES`, metrics 2000 higher.
    """

    model_config = SettingsConfigDict(env_prefix="CARDROOM_", frozen=True, extra="forbid")

    state_directory: Path = Field(default=DEFAULT_DIRECTORY, description="Where data, keys, logs and process ids lie.")
    port_base: int = Field(default=7100, ge=0, le=63000, description="The ports' base; 0 takes any free ones.")
    matchmaker_port: int | None = _Port
    table_port: int | None = _Port
    scoring_port: int | None = _Port
    ledger_port: int | None = _Port
    matchmaker_metrics_port: int | None = _Port
    table_metrics_port: int | None = _Port
    scoring_metrics_port: int | None = _Port
    ledger_metrics_port: int | None = _Port
    redis_url: str | None = Field(default=None, description="Redis for tables and queues; unset: one is started.")
    ledger_redis_url: str | None = Field(default=None, description="Redis of the ledger; unset: one is started.")
    trust_store: bool = Field(default=False, description="Do not ask given stores for their settings.")
    start_limit_seconds: float = Field(default=60.0, gt=0, description="Longest wait until a service is healthy.")
    demonstration_limit_seconds: float = Field(default=600.0, gt=0, description="Longest demonstration of one variant.")

    def ports(self) -> Mapping[str, int]:
        """Port of each service, and of each service's metrics under "NAME metrics"; 0 for any free one."""
        chosen: dict[str, int] = {}
        for place, service in enumerate(SERVICES, start=1):
            default = self.port_base + place if self.port_base else 0
            port = getattr(self, f"{service}_port")
            metrics = getattr(self, f"{service}_metrics_port")
            chosen[service] = default if port is None else port
            chosen[f"{service} metrics"] = (default and default + METRICS_OFFSET) if metrics is None else metrics
        return chosen


def local_settings() -> LocalSettings:
    """The settings of the environment.

    Raises: StartError: one of them cannot be; the text names it.
    """
    try:
        return LocalSettings()
    except ValidationError as error:
        fault = error.errors()[0]
        name = "_".join(str(part) for part in fault["loc"]).upper()
        raise StartError(f"CARDROOM_{name}: {fault['msg']} (got {fault['input']!r})") from None
