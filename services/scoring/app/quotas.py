"""How much a caller may ask: so many hands a second, with a burst, by key.

A bucket a key: it fills at the key's rate up to its burst, and an answer takes what it costs. What does not fit is
refused with the time after which it will. Counted by this replica alone.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from refusals import Reason, Refusal

BUCKET_COUNT_MAX = 4_096
"""Keys remembered; the one that was quiet the longest is forgotten, and starts full when it comes back."""


@dataclass(slots=True)
class _Bucket:
    left: float
    at_ms: int


class Quotas:
    """The buckets of all keys.

    Args:
        clock_ms: a clock that never goes back.
        burst_seconds: a full bucket holds what comes in this time, and never less than `least_burst`.
        least_burst: hands that the greatest single question costs, so that it can ever be asked.
    """

    def __init__(self, clock_ms: Callable[[], int], *, burst_seconds: int, least_burst: int) -> None:
        self._clock_ms = clock_ms
        self._burst_seconds = burst_seconds
        self._least_burst = least_burst
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    @property
    def key_count(self) -> int:
        """Keys remembered."""
        return len(self._buckets)

    def take(self, key: str, rate: int, hands: int) -> None:
        """Take what a question costs.

        Args:
            key: whose quota.
            rate: hands a second; 0 for no limit.
            hands: what the question costs.

        Raises:
            Refusal: QUOTA_EXCEEDED, with the time after which it fits; nothing is taken.
        """
        if not rate:
            return
        now_ms = self._clock_ms()
        most = float(max(rate * self._burst_seconds, self._least_burst))
        bucket = self._buckets.get(key)
        if bucket is None:
            if len(self._buckets) >= BUCKET_COUNT_MAX:
                self._buckets.popitem(last=False)
            bucket = self._buckets[key] = _Bucket(most, now_ms)
        self._buckets.move_to_end(key)
        bucket.left = min(most, bucket.left + (now_ms - bucket.at_ms) * rate / 1000)
        bucket.at_ms = now_ms
        if hands > bucket.left:
            wait_ms = int((hands - bucket.left) * 1000 / rate) + 1
            raise Refusal(
                Reason.QUOTA_EXCEEDED,
                detail=f"The quota of {rate} hands a second is used up; this call fits in {wait_ms} ms.",
                metadata={"hands_per_second": str(rate), "cost_hands": str(hands)},
                retry_after_ms=wait_ms,
            )
        bucket.left -= hands
