"""What scoring can be told from outside."""

from pydantic import Field

from serving.settings import ServiceSettings


class ScoringSettings(ServiceSettings):
    """Settings of scoring: environment variables ``CARDROOM_...``."""

    grpc_port: int = Field(default=7103, ge=0, le=65535, description="gRPC port; 0 takes any free one.")
    metrics_port: int = Field(default=9103, ge=0, le=65535, description="Port of GET /metrics; 0 serves none.")
    quota_hands_per_second: int = Field(
        default=5_000, ge=0, description="Hands a second that a key may ask, unless its token says more; 0: no limit."
    )
    anonymous_hands_per_second: int = Field(
        default=200, ge=0, description="Hands a second that all callers without a token share; 0: no limit."
    )
    quota_burst_seconds: int = Field(default=4, ge=1, description="Seconds of a quota that may be asked at once.")
