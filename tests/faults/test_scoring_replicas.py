"""A replica of scoring dies under load: the client's retry finds another, and gets the same bytes (reliability 31)."""

import asyncio
from pathlib import Path

from cardroom.scoring.v1 import scoring_pb2

from cardroom_client.scoring import BATCH_HANDS, Hand, HandScored, Scoring, ruleset
from tests.conftest import Mint
from tests.contract.winning_hands import winning_hands
from tests.faults.scoring_process import ScoringProcess, lines, scoring_process
from tests.services.scoring.columns import columns
from tests.services.scoring.test_hostile import dazhong

RULES = ruleset("dazhong")
BATCHES = 12


def batch() -> scoring_pb2.BatchScoreWinsRequest:
    """Hands with reasons: the same question for every replica."""
    return scoring_pb2.BatchScoreWinsRequest(
        ruleset=RULES, hands=columns(winning_hands(dazhong(), 40, seed=31)), explain=True
    )


def hands() -> list[Hand]:
    """Many hands in notation."""
    return [Hand("123m456p789s11p55s", win="5s", by="self", seat_wind="E", round_wind="S")] * (BATCHES * BATCH_HANDS)


async def test_a_replica_dies_under_load_and_the_retry_gets_the_same_bytes(
    tmp_path: Path, keys: Path, mint: Mint
) -> None:
    key = mint("scoring-caller", "team-a", hands_per_second=0)
    async with (
        scoring_process(keys, tmp_path / "first.log") as first,
        scoring_process(keys, tmp_path / "second.log") as second,
    ):
        answers = [await asyncio.to_thread(_bytes_of, replica, key) for replica in (first, second)]
        assert answers[0] == answers[1]
        scored = asyncio.ensure_future(asyncio.to_thread(_all_scored, (first.address, second.address), key))
        await _busy(first, tmp_path / "first.log", answered=3)
        first.kill()
        results = await scored
        assert len(results) == BATCHES * BATCH_HANDS
        assert len({(one.wins, one.fan_total, one.amount) for one in results}) == 1
        assert results[0].wins
        assert await asyncio.to_thread(_bytes_of, second, key) == answers[0]


def _bytes_of(replica: ScoringProcess, key: str) -> bytes:
    with Scoring(replica.address, key=key) as scoring:
        answer: bytes = scoring.send("BatchScoreWins", batch()).SerializeToString(deterministic=True)
        return answer


def _all_scored(addresses: tuple[str, str], key: str) -> list[HandScored]:
    found: list[HandScored] = []
    with Scoring(*addresses, key=key, first=0) as scoring:
        for one in scoring.score_hands(RULES, hands()):
            found.append(one)
    return found


async def _busy(replica: ScoringProcess, log: Path, *, answered: int) -> None:
    """Wait until a replica has answered so many calls, or would have died of age."""
    while sum(b'"event":"call"' in line for line in lines(log)) < answered:
        assert replica.process.returncode is None
        await asyncio.sleep(0.001)
