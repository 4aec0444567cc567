"""What scoring can be told from outside."""

from pydantic import Field

from serving.settings import ServiceSettings


class ScoringSettings(ServiceSettings):
    """Settings of scoring: environment variables ``CARDROOM_...``."""

    grpc_port: int = Field(default=7103, ge=0, le=65535, description="gRPC port; 0 takes any free one.")
    metrics_port: int = Field(default=9103, ge=0, le=65535, description="Port of GET /metrics; 0 serves none.")
