"""What every service can be told from outside: environment variables ``CARDROOM_...``."""

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

_PREFIX = "CARDROOM_"
_KEYS = Path(".cardroom/keys")


class ServiceSettings(BaseSettings):
    """Settings of any service; each service adds its own in ``services/<name>/settings.py``.

    A field ``grpc_port`` is set by ``CARDROOM_GRPC_PORT``; arguments win over the environment.
    """

    model_config = SettingsConfigDict(env_prefix=_PREFIX, frozen=True, extra="forbid")

    grpc_host: Annotated[str, Field(description="Address to listen on, for gRPC and metrics.")] = "127.0.0.1"
    grpc_port: Annotated[int, Field(ge=0, le=65535, description="gRPC port; 0 takes any free one.")] = 0
    metrics_port: Annotated[int, Field(ge=0, le=65535, description="Port of GET /metrics; 0 serves none.")] = 0
    log_level: Annotated[
        str, Field(pattern="^(debug|info|warning|error)$", description="Least level that is logged.")
    ] = "info"
    jwks_file: Annotated[Path, Field(description="Public keys that tokens are checked with.")] = _KEYS / "jwks.json"
    service_key_file: Annotated[Path, Field(description="Private key for this service's own tokens.")] = (
        _KEYS / "service.pem"
    )
    anonymous_allowed: Annotated[
        bool, Field(description="Whether methods open to the role anonymous need no token.")
    ] = False
    default_deadline_ms: Annotated[int, Field(gt=0, description="Deadline of a unary call that has none.")] = 5_000
    deadline_cap_ms: Annotated[int, Field(gt=0, description="Longest deadline of a unary call.")] = 30_000
    stream_max_age_ms: Annotated[
        int, Field(gt=0, description="Age at which a stream asks its client to reconnect.")
    ] = 3_600_000
    connection_max_age_ms: Annotated[
        int,
        Field(gt=0, description="Age at which a connection takes no new calls, so that its client finds new pods."),
    ] = 600_000
    message_bytes_max: Annotated[int, Field(gt=0, description="Largest message that is received.")] = 65_536
    call_count_max: Annotated[int, Field(gt=0, description="Most calls and streams at once; more are refused.")] = (
        10_000
    )
    drain_limit_ms: Annotated[int, Field(gt=0, description="Longest time from SIGTERM to a hard stop.")] = 20_000


_ALIKE = 0.9
"""How alike two names must be for one to be taken for a slip of the pen. Few slips hit the first letter, and names of
two settings that differ in it alone (batch, match) are both right."""


def misspelt(settings: type[BaseSettings], given: Mapping[str, str]) -> dict[str, str]:
    """Variables that are nearly, but not quite, named as a setting: they set nothing. Each with the name meant.

    Args:
        given: the environment; services share one, so a name that is like none of these settings is another's.
    """
    known = {f"{_PREFIX}{name.upper()}" for name in settings.model_fields}
    at = len(_PREFIX)
    nearest = {
        name: get_close_matches(name, [one for one in known if one[at] == name[at : at + 1]], n=1, cutoff=_ALIKE)
        for name in sorted(given)
        if name.startswith(_PREFIX) and name not in known
    }
    return {name: names[0] for name, names in nearest.items() if names}
