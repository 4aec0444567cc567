"""A table pod put together: which adapter stands behind which port."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import grpc.aio
from cardroom.table.v1 import control_pb2_grpc
from redis.asyncio import Redis

from games.catalog import compiled_modules
from services.table.adapters.archive_files import FileArchive
from services.table.adapters.chance import SystemEntropy
from services.table.adapters.checkpoints import NoCheckpoints
from services.table.adapters.connection import Connection
from services.table.adapters.ledger import GrpcLedger
from services.table.adapters.meters import TableMeters
from services.table.adapters.pods import RegistryPods
from services.table.adapters.redis_log import RedisLog, scripts
from services.table.adapters.scoring import GrpcScoring
from services.table.adapters.seats import GrpcSeats
from services.table.adapters.traces import CallTraces
from services.table.adapters.unchecked import RedisUnchecked
from services.table.app.outside import Limits, Outside
from services.table.app.pod import Pod
from services.table.app.replays import Replays
from services.table.app.store_health import StoreHealth
from services.table.app.table_time import Alarms, TableTime
from services.table.edge.codec import ProtobufCodec
from services.table.edge.presenter import ProtobufPresenter
from services.table.edge.servicers import CONTROL_SERVICE, TableControlServicer, TableServicer
from services.table.ports import Checkpoints, Entropy, Ledger, Scoring, Seats, StoreAway
from services.table.settings import TableSettings
from serving.channels import connect
from serving.errors import StartError
from serving.registry import PodRegistry
from serving.runtime import Clock, Runtime
from serving.store import connect_redis
from serving.tasks import end_tasks
from serving.tokens import ServiceTokens


class TableComponent:
    """A table pod. Its health stays SERVING while it drains: its tables still answer."""

    serving_while_draining = True

    def __init__(
        self,
        runtime: Runtime,
        redis: Redis,
        *,
        checkpoints: Checkpoints,
        entropy: Entropy,
        ledger: Ledger | None,
        seats: Seats | None,
        scoring: Scoring | None,
    ) -> None:
        """`redis`: for the registry; `ledger`, `seats`: instead of those the settings name."""
        settings = cast("TableSettings", runtime.settings)
        clock = runtime.clock
        self._runtime = runtime
        self._settings = settings
        self._redis = redis
        token = ServiceTokens(settings.service_key_file, "table", settings.pod, clock=clock)
        self._channels = [
            connect(address, token=token) for address in (settings.ledger_address, settings.matchmaker_address)
        ]
        health = StoreHealth()
        meters = TableMeters(runtime.metrics, settings.slot_count)
        self._connection = Connection(
            settings.redis_url,
            patience_ms=settings.store_patience_ms,
            on_away=health.lost,
            on_back=health.found,
            scripts=scripts(),
        )
        time = TableTime(clock)
        self._presenter = ProtobufPresenter(clock)
        self._outside = Outside(
            pod=settings.pod,
            log=RedisLog(self._connection, meters.appended),
            codec=ProtobufCodec(),
            presenter=self._presenter,
            ledger=ledger or GrpcLedger(self._channels[0]),
            seats=seats or GrpcSeats(self._channels[1]),
            scoring=scoring or self._scoring(settings, token, clock),
            unchecked=RedisUnchecked(self._connection, count_max=settings.unchecked_count_max),
            entropy=entropy,
            clock=clock,
            time=time,
            alarms=Alarms(time, clock),
            health=health,
            checkpoints=checkpoints,
            meters=meters,
            traces=CallTraces(),
            journal=runtime.log,
            limits=Limits(
                slots=settings.slot_count,
                mailbox_count_max=settings.mailbox_count_max,
                recent_count=settings.recent_count,
                resume_count_max=settings.resume_count_max,
                spectator_count_max=settings.spectator_count_max,
                stream_max_age_ms=settings.stream_max_age_ms,
                linger_ms=settings.linger_ms,
                keep_log_ms=settings.keep_log_ms,
                keep_faulted_log_ms=settings.keep_faulted_log_ms,
                presence_limit_ms=settings.presence_limit_ms,
                heartbeat_ms=settings.heartbeat_ms,
                check_later_ms=settings.check_later_ms,
                bot_delay_min_ms=settings.bot_delay_min_ms,
                bot_delay_max_ms=settings.bot_delay_max_ms,
            ),
            archive=None
            if settings.table_archive_dir is None
            else FileArchive(settings.table_archive_dir, settings.pod),
        )
        self.pod = Pod(self._outside)

    def _scoring(self, settings: TableSettings, token: ServiceTokens, clock: Clock) -> Scoring:
        channel = None
        if settings.scoring_address:
            channel = connect(settings.scoring_address, token=token)
            self._channels.append(channel)
        return GrpcScoring(channel, clock, patience_ms=settings.scoring_patience_ms, pause_ms=settings.scoring_pause_ms)

    def register(self, server: grpc.aio.Server) -> Sequence[str]:
        """Adds both services."""
        name = TableServicer(self.pod, self._presenter, Replays(self._outside)).add_to(server)
        control_pb2_grpc.add_TableControlServiceServicer_to_server(TableControlServicer(self.pod), server)
        return (name, CONTROL_SERVICE.full_name)

    async def start(self) -> None:
        """Takes over what earlier processes of this pod left, and enters the registry."""
        settings = self._settings
        authority = settings.advertise_authority or f"{settings.grpc_host}:{self._runtime.port}"
        pods = RegistryPods(
            PodRegistry(self._redis, lease_ms=settings.pod_lease_ms),
            pod=settings.pod,
            authority=authority,
            control_authority=settings.advertise_control_authority or authority,
            slots=settings.slot_count,
        )
        _make_archive(settings.table_archive_dir)
        try:
            await self._connection.open()
            await self.pod.start(pods, authority)
        except StoreAway:
            raise StartError("the store of tables went away; start it or set CARDROOM_REDIS_URL") from None

    async def drain(self) -> None:
        """Lets all tables go where they stand and says goodbye to their viewers."""
        await self.pod.drain()

    async def stop(self) -> None:
        """Closes all connections."""
        await self.pod.stop()
        await end_tasks(*self.pod.tasks)
        await self._connection.close()
        await asyncio.gather(*(channel.close() for channel in self._channels))
        await self._redis.aclose()


def _make_archive(folder: Path | None) -> None:
    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StartError(f"cannot write to {folder} ({error.strerror}); set CARDROOM_TABLE_ARCHIVE_DIR") from error


async def build(
    runtime: Runtime,
    *,
    checkpoints: Checkpoints | None = None,
    entropy: Entropy | None = None,
    ledger: Ledger | None = None,
    seats: Seats | None = None,
    scoring: Scoring | None = None,
) -> TableComponent:
    """A table pod as the settings say.

    Args:
        checkpoints: told of each place that is reached in the work; none in production.
        entropy: chance; the machine's in production.
        ledger: instead of the one at `ledger_address`.
        seats: instead of those at `matchmaker_address`.
        scoring: instead of the one at `scoring_address`.
    Raises: StartError: a store or a key is missing.
    """
    settings = cast("TableSettings", runtime.settings)
    runtime.log.info("rules", compiled=bool(compiled_modules()))
    redis = await connect_redis(settings.redis_url, trust_store=settings.trust_store, log=runtime.log)
    return TableComponent(
        runtime,
        redis,
        checkpoints=checkpoints or NoCheckpoints(),
        entropy=entropy or SystemEntropy(),
        ledger=ledger,
        seats=seats,
        scoring=scoring,
    )
