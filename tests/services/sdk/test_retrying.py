"""How long a client tries on, and what it says meanwhile."""

import logging

import grpc
import pytest

from cardroom_client import CallRefused
from cardroom_client.retrying import Patience

pytestmark = pytest.mark.fast

AWAY = CallRefused("", grpc.StatusCode.UNAVAILABLE, message="connection refused")


@pytest.fixture(autouse=True)
def _pauses_take_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cardroom_client.retrying.LAST_PAUSE_SECONDS", 0.0)


class _Outage:
    """Patience that is asked at given seconds."""

    def __init__(self) -> None:
        self.now = 0.0
        self.patience = Patience(60.0, lambda: self.now)

    async def fails_at(self, *seconds: float) -> None:
        for self.now in seconds:
            await self.patience.pause(AWAY)


async def test_an_outage_is_told_once_when_it_lasts_and_again_when_it_comes_back(
    caplog: pytest.LogCaptureFixture,
) -> None:
    outage = _Outage()
    with caplog.at_level(logging.WARNING, logger="cardroom_client"):
        await outage.fails_at(0.0, 2.9)
        assert caplog.messages == []  # a service that restarts is nothing to tell
        await outage.fails_at(3.0, 20.0, 59.0)
        assert caplog.messages == ["no answer for 3 s, trying on for 57 s: UNAVAILABLE: connection refused"]
        outage.patience.succeeded()
        await outage.fails_at(100.0, 104.0)
        assert len(caplog.messages) == 2


async def test_patience_ends_with_the_refusal_itself() -> None:
    outage = _Outage()
    await outage.fails_at(0.0, 59.9)
    with pytest.raises(CallRefused, match="connection refused"):
        await outage.fails_at(60.0)
