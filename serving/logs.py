"""One JSON object a line on standard output, with the correlation id of the call that it is about.

Nothing of an exception's text is written above debug, nor a line of source: either may name a hidden tile (PF-40).
What is written is its type and where it arose.
"""

import logging
import sys
import traceback
from collections.abc import MutableMapping
from typing import Any, BinaryIO

import orjson
import structlog
from structlog.typing import FilteringBoundLogger

from serving.calls import CURRENT


def _to_json(event: Any, **_: object) -> bytes:
    return orjson.dumps(event, default=str)


FRAME_COUNT = 6
"""Frames told of an exception, the innermost last."""


def whereabouts(error: BaseException) -> dict[str, object]:
    """An exception without its text: its type, and function and line of the innermost frames."""
    frames = traceback.extract_tb(error.__traceback__)[-FRAME_COUNT:]
    return {"error": type(error).__name__, "where": [f"{frame.name}:{frame.lineno}" for frame in frames]}


def _without_text(_: object, level: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Turn `exc_info` into whereabouts, but at debug."""
    error = event.get("exc_info")
    if level == "debug" or "exc_info" not in event:
        return event
    del event["exc_info"]
    if error is True or error is None:
        error = sys.exc_info()[1]
    if isinstance(error, tuple):
        error = error[1]
    if isinstance(error, BaseException):
        event.update(whereabouts(error))
    return event


def _with_correlation(_: object, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Name the call that the line is about, where one runs."""
    call = CURRENT.get()
    if call is not None and call.correlation_id:
        event.setdefault("correlation_id", call.correlation_id)
    return event


class _Library(logging.Handler):
    """What libraries log, in our form: which one, and where a fault arose; its words only at debug."""

    def __init__(self, log: FilteringBoundLogger) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """See `logging.Handler`."""
        fault = {"exc_info": record.exc_info} if record.exc_info else {}
        try:
            self._log.warning("library", library=record.name, **fault)
            self._log.debug("library", library=record.name, text=record.getMessage())
        except ValueError:  # what it writes to is closed: a library that says its last word must not fail by it
            self.handleError(record)


def take_over_libraries(log: FilteringBoundLogger) -> None:
    """Have what libraries log written by this log, and nowhere else."""
    logging.root.handlers[:] = [_Library(log)]


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
            _without_text,
            _with_correlation,
            structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(serializer=_to_json),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        cache_logger_on_first_use=True,
    )
    return log.bind(service=service)
