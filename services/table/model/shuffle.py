"""The shuffle that can be checked afterwards (PF-41): a pure function of seed, nonces and deal id.

    key    = HMAC-SHA256(seed, nonces in seat order, one after another)
    stream = HMAC-SHA256(key, label || deal id || counter), counter 0, 1, 2 ... as 8 bytes, big end first

The stream is read as 32-bit numbers, big end first. A number below `n` is one of them modulo `n`; numbers from the
highest multiple of `n` below 2^32 on are rejected, so that all results are equally likely.
"""

import hashlib
import hmac
from collections.abc import Iterator, Sequence

SHUFFLE_LABEL = b"cardroom/shuffle/v1"
DICE_LABEL = b"cardroom/dice/v1"
SEED_BYTES = 32
NONCE_BYTES_MAX = 32

_WORD_BYTES = 4
_WORDS = 1 << 32
_COUNTER_BYTES = 8
_FACES = 6


def commitment(seed: bytes) -> bytes:
    """What is published before the deal: SHA-256 of the seed."""
    return hashlib.sha256(seed).digest()


def shuffled(tiles: Sequence[int], *, seed: bytes, nonces: Sequence[bytes], deal_id: str) -> tuple[int, ...]:
    """The tiles, given in the order of the specification, in the order of the wall: Fisher-Yates from the top."""
    wall = list(tiles)
    words = _words(_key(seed, nonces), SHUFFLE_LABEL, deal_id)
    for top in range(len(wall) - 1, 0, -1):
        other = _below(words, top + 1)
        wall[top], wall[other] = wall[other], wall[top]
    return tuple(wall)


def dice(count: int, *, seed: bytes, nonces: Sequence[bytes], deal_id: str) -> tuple[int, ...]:
    """So many dice, 1..6 each, from a stream of their own."""
    words = _words(_key(seed, nonces), DICE_LABEL, deal_id)
    return tuple(1 + _below(words, _FACES) for _ in range(count))


def _key(seed: bytes, nonces: Sequence[bytes]) -> bytes:
    return hmac.digest(seed, b"".join(nonces), "sha256")


def _words(key: bytes, label: bytes, deal_id: str) -> Iterator[int]:
    prefix = label + deal_id.encode()
    counter = 0
    while True:
        block = hmac.digest(key, prefix + counter.to_bytes(_COUNTER_BYTES, "big"), "sha256")
        for start in range(0, len(block), _WORD_BYTES):
            yield int.from_bytes(block[start : start + _WORD_BYTES], "big")
        counter += 1


def _below(words: Iterator[int], limit: int) -> int:
    """A number 0..limit-1."""
    accepted = _WORDS - _WORDS % limit
    return next(word for word in words if word < accepted) % limit
