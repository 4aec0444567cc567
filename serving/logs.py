"""One JSON object a line on standard output."""

import logging
import sys
from typing import Any, BinaryIO

import orjson
import structlog
from structlog.typing import FilteringBoundLogger


def _to_json(event: Any, **_: object) -> bytes:
    return orjson.dumps(event, default=str)


def make_log(service: str, level: str, stream: BinaryIO | None = None) -> FilteringBoundLogger:
    """A logger that writes JSON lines with ``at``, ``level``, ``service`` and ``event``.

    Args:
        service: short name, e.g. ``table``.
        level: least level written: debug, info, warning, error.
        stream: where to; standard output if absent.
    """
    log: FilteringBoundLogger = structlog.wrap_logger(
        structlog.BytesLogger(stream or sys.stdout.buffer),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(serializer=_to_json),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        cache_logger_on_first_use=True,
    )
    return log.bind(service=service)
