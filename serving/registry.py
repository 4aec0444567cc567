"""The registry of table pods: tables write it, the matchmaker and others read it.

A pod announces itself with a card every third of its lease, and at once when a slot is taken or freed: readers send
tables by the card. The lease is measured with the store's own clock, so that pods and readers on other machines agree;
a pod whose lease is over is not listed any more, whatever its card says. All keys carry the tag `{pods}`.

A name (`table-0`) outlives its processes. Each process takes a rising `incarnation` before its first announcement;
the store refuses the card of an older one, so that a process that was stopped for a while and wakes up beside its
successor cannot point players at itself.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, cast

import orjson
from redis.asyncio import Redis

LEASE_MS_DEFAULT = 5_000
"""A pod that has not announced itself for this long is dead."""

_PREFIX = "{pods}"
_LEASES = f"{_PREFIX}:leases"
_CARDS = f"{_PREFIX}:cards"
_INCARNATIONS = f"{_PREFIX}:incarnations"
_COUNTER = f"{_PREFIX}:counter"

_NOW = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
"""

_ANNOUNCE = (
    _NOW
    + """
local pod, incarnation, card, lease_ms = ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
if tonumber(redis.call('HGET', KEYS[3], pod) or '0') > incarnation then return 0 end
redis.call('HSET', KEYS[3], pod, incarnation)
redis.call('HSET', KEYS[2], pod, card)
redis.call('ZADD', KEYS[1], now + lease_ms, pod)
return 1
"""
)

_WITHDRAW = """
local pod, incarnation = ARGV[1], tonumber(ARGV[2])
if tonumber(redis.call('HGET', KEYS[3], pod) or '0') > incarnation then return 0 end
redis.call('HDEL', KEYS[2], pod)
return redis.call('ZREM', KEYS[1], pod)
"""

# Also forgets the cards of pods that have been dead for an hour: names do not pile up where pods come and go. The
# incarnations stay: two numbers a name, and they are what fences.
_LIVE = (
    _NOW
    + """
local dead = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '(' .. (now - 3600000))
for _, pod in ipairs(dead) do
  redis.call('ZREM', KEYS[1], pod)
  redis.call('HDEL', KEYS[2], pod)
end
local cards = {}
for _, pod in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. now, '+inf')) do
  local card = redis.call('HGET', KEYS[2], pod)
  if card then cards[#cards + 1] = card end
end
return cards
"""
)


_SILENCES = (
    _NOW
    + """
return {now, redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')}
"""
)


@dataclass(frozen=True, slots=True)
class PodCard:
    """What a table pod says about itself.

    Attributes:
        pod: name of the pod, as clients send it in metadata `x-table-pod`.
        authority: `host:port` game clients connect to.
        control_authority: `host:port` services call `TableControlService` at; may equal `authority`.
        version: version of the software; readers may refuse what they cannot talk to.
        slots_total: tables the pod takes at most.
        slots_used: tables it has now, 0..slots_total.
        draining: takes no new table; the ones it has are still served.
        incarnation: number of the process under this name, from `PodRegistry.enter`.
    """

    pod: str
    authority: str
    control_authority: str
    version: str
    slots_total: int
    slots_used: int
    draining: bool
    incarnation: int

    @property
    def slots_free(self) -> int:
        """Tables the pod would still take; 0 while it drains."""
        return 0 if self.draining else max(0, self.slots_total - self.slots_used)


_FIELDS = frozenset(field.name for field in fields(PodCard))


def _read_card(data: bytes | str) -> PodCard:
    """A card out of the store. What a newer version says besides is left out: one such pod must not hide all others."""
    return PodCard(**{name: value for name, value in orjson.loads(data).items() if name in _FIELDS})


class PodRegistry:
    """The registry in Redis. Errors of the store pass through as `redis.exceptions.RedisError`."""

    def __init__(self, redis: Redis, *, lease_ms: int = LEASE_MS_DEFAULT) -> None:
        """`lease_ms`: how long an announcement counts, in milliseconds, above zero."""
        if lease_ms <= 0:
            raise ValueError(f"lease_ms must be above zero, not {lease_ms}")
        self.lease_ms = lease_ms
        self._redis = redis
        self._announce = redis.register_script(_ANNOUNCE)
        self._withdraw = redis.register_script(_WITHDRAW)
        self._live = redis.register_script(_LIVE)
        self._silences = redis.register_script(_SILENCES)

    async def enter(self) -> int:
        """A new incarnation, greater than every earlier one of any pod. Once a process, before `announce`."""
        return int(await self._redis.incr(_COUNTER))

    async def announce(self, card: PodCard) -> bool:
        """Publishes a card for the next `lease_ms`.

        Returns: False if a newer process has announced itself under the same name; nothing is written then and
        the caller must take itself for dead.
        """
        keys = (_LEASES, _CARDS, _INCARNATIONS)
        args = (card.pod, card.incarnation, orjson.dumps(asdict(card)), self.lease_ms)
        return bool(await self._announce(keys=keys, args=args))

    async def withdraw(self, pod: str, incarnation: int) -> bool:
        """Takes a pod off the list at once, at its orderly end.

        Returns: whether it was listed; a newer incarnation under the same name stays listed (False).
        """
        return bool(await self._withdraw(keys=(_LEASES, _CARDS, _INCARNATIONS), args=(pod, incarnation)))

    async def live(self) -> tuple[PodCard, ...]:
        """Cards of all pods whose lease runs, by name; full and draining ones too."""
        cards = cast("list[bytes | str]", await self._live(keys=(_LEASES, _CARDS), args=()))
        return tuple(sorted(map(_read_card, cards), key=lambda card: card.pod))

    async def silent_ms(self) -> Mapping[str, int]:
        """For each pod that announced itself and has not withdrawn: milliseconds since it last did so, by the store's
        clock. Above `lease_ms` it is dead. Pods dead for an hour are forgotten.
        """
        now_ms, rows = cast("tuple[int, list[Any]]", await self._silences(keys=(_LEASES,), args=()))
        return {
            pod.decode() if isinstance(pod, bytes) else pod: now_ms - (int(float(ends)) - self.lease_ms)
            for pod, ends in zip(rows[::2], rows[1::2], strict=True)
        }

    async def find(self, pod: str) -> PodCard | None:
        """The card of one pod, None if its lease is over or it never announced itself."""
        return next((card for card in await self.live() if card.pod == pod), None)
