"""The shuffle against a second one written from the rule's words alone (PF-41)."""

import hashlib
import hmac
from collections import Counter
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from services.table.model import shuffle
from services.table.model.events import DealSettled, DealStarted, Move
from tests.services.table.logs import stored
from tests.services.table.rig import RunningPod, first_option, gathered, new_table_id

TILES = [tile for tile in range(9, 27) for _ in range(4)]


def numbers(key: bytes, label: bytes, deal_id: str) -> Iterator[int]:
    counter = 0
    while True:
        block = hmac.new(key, label + deal_id.encode() + counter.to_bytes(8, "big"), hashlib.sha256).digest()
        yield from (int.from_bytes(block[i : i + 4], "big") for i in range(0, 32, 4))
        counter += 1


def below(stream: Iterator[int], limit: int) -> int:
    while True:
        word = next(stream)
        if word < 2**32 - 2**32 % limit:
            return word % limit


def checked_wall(seed: bytes, nonces: list[bytes], deal_id: str) -> tuple[int, ...]:
    key = hmac.new(seed, b"".join(nonces), hashlib.sha256).digest()
    stream, wall = numbers(key, b"cardroom/shuffle/v1", deal_id), list(TILES)
    for i in range(len(wall) - 1, 0, -1):
        j = below(stream, i + 1)
        wall[i], wall[j] = wall[j], wall[i]
    return tuple(wall)


@given(st.binary(min_size=32, max_size=32), st.lists(st.binary(max_size=32), min_size=4, max_size=4), st.text())
def test_two_shuffles_from_the_same_words_agree_pf_41(seed: bytes, nonces: list[bytes], deal_id: str) -> None:
    wall = shuffle.shuffled(TILES, seed=seed, nonces=nonces, deal_id=deal_id)
    assert wall == checked_wall(seed, nonces, deal_id)
    assert Counter(wall) == Counter(TILES)


def test_seed_nonces_and_deal_each_change_the_wall_pf_41() -> None:
    def wall(seed: bytes = b"s" * 32, nonce: bytes = b"", deal_id: str = "d.1") -> tuple[int, ...]:
        return shuffle.shuffled(TILES, seed=seed, nonces=[nonce, b"", b"", b""], deal_id=deal_id)

    assert len({wall(), wall(seed=b"t" * 32), wall(nonce=b"n"), wall(deal_id="d.2")}) == 4


def test_every_place_is_equally_likely_pf_41() -> None:
    """Where the first tile goes, over 2,000 seeds and 8 places: no place is off by more than a third."""
    places = Counter(
        shuffle.shuffled(range(8), seed=i.to_bytes(32, "big"), nonces=[], deal_id="d").index(0) for i in range(2_000)
    )
    assert set(places) == set(range(8))
    assert all(abs(count - 250) < 84 for count in places.values())


def test_dice_come_from_a_stream_of_their_own_pf_41() -> None:
    dice = [shuffle.dice(4, seed=i.to_bytes(32, "big"), nonces=[], deal_id="d") for i in range(500)]
    assert Counter(face for row in dice for face in row).keys() == {1, 2, 3, 4, 5, 6}


async def test_a_deal_is_committed_to_before_and_can_be_checked_after_pf_41(pod: RunningPod, redis_url: str) -> None:
    seated = await pod.create(new_table_id())
    players = await gathered(seated)
    nonces = [bytes([player.seat]) * 8 for player in players]
    for player in players:
        player.play(first_option)
    for player, nonce in zip(players, nonces, strict=True):
        await player.ready(nonce)
    for player in players:
        await player.ended()
    started = next(m.event.deal_started for m in players[0].messages if m.event.HasField("deal_started"))
    settled = next(m.event.deal_settled for m in players[0].messages if m.event.HasField("deal_settled"))
    assert started.seed == ""
    assert [bytes.fromhex(nonce) for nonce in started.nonces] == nonces
    assert hashlib.sha256(bytes.fromhex(settled.seed)).hexdigest() == started.seed_commitment
    log = await stored(redis_url, seated.table_id)
    opened = next(event.event for event in log if isinstance(event, Move))
    assert opened.wall == checked_wall(bytes.fromhex(settled.seed), nonces, started.deal_id)  # type: ignore[union-attr]
    seed = next(event.seed for event in log if isinstance(event, DealStarted))
    shown = [m for m in players[1].messages if seed is not None and seed.hex() in str(m)]
    assert [m.event.WhichOneof("kind") for m in shown] == ["deal_settled"]
    assert any(isinstance(event, DealSettled) for event in log)
