"""What each call costs its caller, and whose quota it is taken from."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum

from cardroom.scoring.v1 import columns_pb2
from prometheus_client import Counter

from refusals import Refusal
from services.scoring.app.batches import EXPLAINED_HANDS_MAX, HANDS_MAX
from services.scoring.app.quotas import Quotas
from services.scoring.settings import ScoringSettings
from serving.auth import Caller, current_caller
from serving.roles import ANONYMOUS
from serving.runtime import Runtime

QUOTA_CLAIM = "hands_per_second"
"""Claim of a token that gives its holder another quota than the usual; 0 for none."""
QUOTA_ROLE = "scoring-caller"
"""The role that has quotas; the platform's own services have none."""
EXPLAINED_HAND_COST = 8
"""Hands that an explained one in a batch costs."""
ENTRIES_A_HAND = 64
"""Entries of all columns that are looked at for the price of a hand; none that can be has so many."""


class Cost(IntEnum):
    """What a call costs, in hands scored; a batch costs its hands."""

    SCORE_WIN = 8
    LIST_WAITS = 16
    ADVISE_DISCARD = 256
    READ_CARDS = 1
    LIST_PLAYS = 256
    RECORD = 512
    RULESETS = 4


LEAST_BURST = max(*Cost, HANDS_MAX, EXPLAINED_HANDS_MAX * EXPLAINED_HAND_COST)
"""What the dearest question costs: a full quota always allows it."""


def batch_cost(columns: columns_pb2.HandColumns, *, explain: bool) -> int:
    """What a message of a batch costs, in hands: never nothing, since columns are read before they are refused."""
    entries = sum(len(column) for _, column in columns.ListFields())
    hands = max(len(columns.tile_counts), entries // ENTRIES_A_HAND, 1)
    if explain:
        return EXPLAINED_HAND_COST * min(hands, EXPLAINED_HANDS_MAX)
    return min(hands, HANDS_MAX)


class Callers:
    """Charges each call to the caller's key: its subject, or all that have no token together."""

    def __init__(self, quotas: Quotas, *, usual_rate: int, anonymous_rate: int, refused: Counter | None = None) -> None:
        self._quotas = quotas
        self._usual_rate = usual_rate
        self._anonymous_rate = anonymous_rate
        self._refused = refused
        self._caller: Callable[[], Caller | None] = current_caller

    @classmethod
    def of(cls, runtime: Runtime, settings: ScoringSettings) -> Callers:
        """The quotas of a running service."""
        quotas = Quotas(runtime.clock.monotonic_ms, burst_seconds=settings.quota_burst_seconds, least_burst=LEAST_BURST)
        refused = runtime.metrics.counter(
            "cardroom_scoring_quota_refusals_total", "Calls refused because a quota was used up.", ("role",)
        )
        return cls(
            quotas,
            usual_rate=settings.quota_hands_per_second,
            anonymous_rate=settings.anonymous_hands_per_second,
            refused=refused,
        )

    @classmethod
    def unlimited(cls) -> Callers:
        """Nobody has a quota; nobody is asked for."""
        callers = cls(Quotas(lambda: 0, burst_seconds=1, least_burst=1), usual_rate=0, anonymous_rate=0)
        callers._caller = lambda: None
        return callers

    def charge(self, hands: int) -> None:
        """Take what the call that runs costs from its caller's quota.

        Raises:
            Refusal: QUOTA_EXCEEDED.
        """
        caller = self._caller()
        if caller is None:
            return
        try:
            self._take(caller, hands)
        except Refusal:
            if self._refused is not None:
                self._refused.labels(caller.role).inc()
            raise

    def _take(self, caller: Caller, hands: int) -> None:
        if caller.role == QUOTA_ROLE:
            self._quotas.take(f"key {caller.subject}", self._rate(caller), hands)
        elif caller.role == ANONYMOUS:
            self._quotas.take(ANONYMOUS, self._anonymous_rate, hands)

    def _rate(self, caller: Caller) -> int:
        claimed = caller.claims.get(QUOTA_CLAIM)
        return claimed if type(claimed) is int and claimed >= 0 else self._usual_rate
