"""The independent verifier of PF-41, as it stands in the docs, on real deals and on altered ones."""

import copy
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict, MessageToJson

from tests.services.table.rig import Pods, Seated, first_option, gathered, new_table_id
from tests.services.table.test_replays import replayed

PAGE = Path(__file__).parents[3] / "docs" / "verify-shuffle.md"
VARIANTS: Mapping[str, int] = {"bloody4": 4, "bloody6": 6, "shanghai": 4, "dazhong": 4}
LINES_MAX = 60

Replay = dict[str, Any]


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return program_in(tmp_path_factory.mktemp("verifier"))


def program_in(directory: Path) -> Path:
    """The page's program as a file."""
    (text,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    assert len(text.splitlines()) <= LINES_MAX
    file = directory / "verify.py"
    file.write_text(text, "utf-8")
    return file


def verified(program: Path, text: str) -> tuple[int, list[str]]:
    """Status, and what does not hold; run where nothing of this project can be found."""
    done = subprocess.run(
        [sys.executable, "-I", program.name],
        input=text,
        capture_output=True,
        text=True,
        cwd=program.parent,
        env={},
        timeout=60,
        check=False,
    )
    assert not done.stderr, done.stderr
    return done.returncode, [line[4:] for line in done.stdout.splitlines() if line.startswith("NO")]


async def deal(pods: Pods, variant: str) -> Seated:
    """A table at which a deal has been played to its end; some players have sent nonces, some have not."""
    pod = await pods.start()
    names = [f"{variant}-{seat}" for seat in range(VARIANTS[variant])]
    seated = await pod.create(new_table_id(), players=names, variant=variant, room_id=variant)
    players = await gathered(seated)
    for player in players:
        player.play(first_option)
    for player in players:
        await player.ready(nonce=bytes(range(7 * (player.seat % 3))))
    for player in players:
        await player.ended()
    return seated


def joined(messages: list[Any]) -> Replay:
    """The form that `cardroom replay` prints."""
    head, *rest = [MessageToDict(message, preserving_proto_field_name=True) for message in messages]
    return {"head": head["head"], "entries": [row for each in rest for row in each["entries"]["entries"]]}


def opened(replay: Replay) -> dict[str, Any]:
    (found,) = [
        row["event"]["mahjong"]["opened"] for row in replay["entries"] if "opened" in row["event"].get("mahjong", {})
    ]
    return found  # type: ignore[no-any-return]


def started(replay: Replay) -> dict[str, Any]:
    (found,) = [row["event"]["deal_started"] for row in replay["entries"] if "deal_started" in row["event"]]
    return found  # type: ignore[no-any-return]


def _two_tiles(replay: Replay) -> None:
    wall = opened(replay)["wall"]
    other = next(at for at, tile in enumerate(wall) if tile != wall[0])
    wall[0], wall[other] = wall[other], wall[0]


def _another_tile(replay: Replay) -> None:
    opened(replay)["wall"][-1] = (opened(replay)["wall"][-1] + 1) % 34


def _a_die(replay: Replay) -> None:
    dice = opened(replay)["dice"]
    dice[0] = dice[0] % 6 + 1


def _no_dice(replay: Replay) -> None:
    del opened(replay)["dice"]


def _flipped(text: str, at: int = 0) -> str:
    return text[:at] + ("1" if text[at] == "0" else "0") + text[at + 1 :]


def _the_head_alone(replay: Replay) -> None:
    replay["head"]["seed_commitment"] = _flipped(replay["head"]["seed_commitment"])


def _the_seed(replay: Replay, number: int) -> None:
    for place in (replay["head"], started(replay)):
        place["seed"] = _flipped(place["seed"], number)


def _seed_and_commitment(replay: Replay, number: int) -> None:
    """A server that would have liked to have committed to another seed."""
    for place in (replay["head"], started(replay)):
        place["seed"] = _flipped(place["seed"], number)
        place["seed_commitment"] = hashlib.sha256(bytes.fromhex(place["seed"])).hexdigest()


def _a_nonce(replay: Replay, number: int) -> None:
    for place in (replay["head"], started(replay)):
        place["nonces"][1] = f"{number:02x}" + place["nonces"][1]


def _the_deal(replay: Replay, number: int) -> None:
    for place in (replay["head"], started(replay)):
        place["deal_id"] += str(number)


WALL, DICE = "the wall follows from seed and nonces", "the dice follow from seed and nonces"
SEED, HEAD = "the seed is the one committed to", "head and record agree"
ALTERED: Mapping[Callable[[Replay], None], set[str]] = {
    _two_tiles: {WALL},
    _another_tile: {WALL},
    _a_die: {DICE},
    _no_dice: {DICE},
    _the_head_alone: {SEED, HEAD},
}
DRAWN_ANEW: Mapping[Callable[[Replay, int], None], set[str]] = {
    _the_seed: {SEED, WALL},
    _seed_and_commitment: {WALL},
    _a_nonce: {WALL},
    _the_deal: {WALL},
}
"""What another wall and other dice would follow from: the dice may by chance be the same, the wall never."""
DRAW_COUNT_MAX = 8


@pytest.mark.parametrize("variant", VARIANTS)
async def test_a_real_deal_is_found_right_and_each_alteration_wrong(pods: Pods, program: Path, variant: str) -> None:
    """PF-41: through GetReplay, as its JSON and as `cardroom replay` prints it."""
    seated = await deal(pods, variant)
    token = seated.pod.mint("operator", "tests")
    messages = await replayed(seated.pod, token, seated.table_id)
    assert verified(program, "\n".join(MessageToJson(message) for message in messages)) == (0, [])
    right = joined(messages)
    assert verified(program, json.dumps(right)) == (0, [])
    for alter, expected in ALTERED.items():
        wrong = copy.deepcopy(right)
        alter(wrong)
        assert wrong != right
        status, failed = verified(program, json.dumps(wrong))
        assert status == 1, alter
        assert set(failed) == expected, alter
    for draw, expected in DRAWN_ANEW.items():
        dice_found_wrong = False
        for number in range(DRAW_COUNT_MAX):
            wrong = copy.deepcopy(right)
            draw(wrong, number)
            status, failed = verified(program, json.dumps(wrong))
            assert status == 1, draw
            assert set(failed) - {DICE} == expected, draw
            dice_found_wrong = DICE in failed
            if dice_found_wrong:
                break
        assert dice_found_wrong, draw
