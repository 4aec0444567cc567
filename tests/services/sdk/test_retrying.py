"""How long a client tries on, and what it says meanwhile."""

import logging

import grpc
import pytest

from cardroom_client import CallRefused, Scoring
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


LATER = CallRefused("QUOTA_EXCEEDED", grpc.StatusCode.RESOURCE_EXHAUSTED, retry_after=256.0)


async def test_who_is_told_to_come_later_than_patience_lasts_does_not_wait_for_it() -> None:
    outage = _Outage()
    with pytest.raises(CallRefused, match="QUOTA_EXCEEDED"):
        await outage.patience.pause(LATER)


def test_a_scoring_call_is_refused_at_once_when_its_quota_asks_for_more_than_patience(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("cardroom_client.scoring.time.sleep", pauses.append)
    monkeypatch.setattr("cardroom_client.scoring.refused", lambda _: LATER)
    with (
        Scoring("127.0.0.1:1", timeout_seconds=0.01, patience_seconds=1.0) as scoring,
        pytest.raises(CallRefused, match="QUOTA_EXCEEDED"),
    ):
        scoring.list_rulesets()
    assert pauses == []
