"""Starts scoring: ``python -m services.scoring.main``."""

import sys
from collections.abc import Sequence

from serving.early import end_when_told

if __name__ == "__main__":
    end_when_told()  # before what takes long to import

import grpc.aio
from cardroom.scoring.v1 import scoring_pb2, scoring_pb2_grpc

from games.catalog import compiled_modules
from services.scoring.edge.callers import Callers
from services.scoring.edge.servicer import STREAM_SECONDS, ScoringServicer
from services.scoring.settings import ScoringSettings
from serving.main import serve
from serving.runtime import Runtime

SERVICE = "scoring"


class ScoringComponent:
    """Scoring's insides: nothing to connect, nothing to keep."""

    def __init__(self, callers: Callers | None = None, stream_seconds: float = STREAM_SECONDS) -> None:
        """As `ScoringServicer`."""
        self._servicer = ScoringServicer(callers, stream_seconds)

    def register(self, server: grpc.aio.Server) -> Sequence[str]:
        """Adds the service."""
        scoring_pb2_grpc.add_ScoringServiceServicer_to_server(self._servicer, server)
        return (scoring_pb2.DESCRIPTOR.services_by_name["ScoringService"].full_name,)

    async def start(self) -> None:
        """Nothing to start."""

    async def drain(self) -> None:
        """Ends the streams; their callers go on elsewhere."""
        self._servicer.drain()

    async def stop(self) -> None:
        """Nothing to release."""


async def build(runtime: Runtime) -> ScoringComponent:
    """The component; it needs nothing from outside."""
    settings = runtime.settings
    assert isinstance(settings, ScoringSettings), settings
    runtime.log.info("rules", compiled=bool(compiled_modules()))
    return ScoringComponent(Callers.of(runtime, settings), settings.stream_max_age_ms / 1000)


def main() -> int:
    """The process's exit status: 0 after an orderly end, 2 if it did not start."""
    return serve(SERVICE, ScoringSettings, build)


if __name__ == "__main__":
    sys.exit(main())
