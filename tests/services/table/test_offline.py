"""A log read without a table (reliability 19), and the command that prints a deal (PF-41)."""

import asyncio
import json
import sys
from pathlib import Path

import pytest
from cardroom.matchmaker.v1 import matchmaker_pb2

from cardroom_client import Player
from games.mahjong.state import State
from services.table import offline
from services.table.model import play
from services.table.model.play import GameEvent, GameState
from tests.services.sdk.scripted_table import ScriptedMatchmaker, served_matchmaker
from tests.services.table.logs import table_with_settlements
from tests.services.table.rig import Pods, Seated, eventually, first_option, gathered, new_table_id, playing
from tests.services.table.test_replays import played, replayed
from tests.services.table.test_verifier import joined


async def test_the_same_log_gives_the_same_states(pods: Pods, tmp_path: Path) -> None:
    """State for state as the owner of the table had them."""
    pod = await pods.start(table_archive_dir=tmp_path)
    seated = await pod.create(table_with_settlements(pod, 1))
    table = pod.component.pod.tables[seated.table_id]
    await played(seated)
    await eventually(lambda: pod.sample("cardroom_table_archived_total") == 1)
    lines: list[str] = []
    assert offline.main([str(tmp_path), seated.table_id], lines.append) == offline.SOUND
    assert [int(line.split()[0]) for line in lines[:-1]] == list(range(1, table.current.state.seq + 1))
    assert lines[-1].endswith(f"last state {offline.digest(table.current.state)}")
    again: list[str] = []
    offline.main([str(tmp_path), seated.table_id], again.append)
    assert again == lines
    assert offline.main([str(tmp_path), "no-such-table"], lines.append) == offline.MISSING


async def test_a_quarantined_table_s_log_shows_its_fault(
    pods: Pods, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reliability 19: where the rules fail on it, and how; a fault that is mended is gone from the same log."""
    pod = await pods.start("table-0", table_archive_dir=tmp_path)
    seated = await pod.create(new_table_id())
    await playing(seated)
    await pod.crash()
    evolve = play.evolve

    def faulty(state: GameState, event: GameEvent) -> GameState:
        if isinstance(state, State) and type(event).__name__ == "Dealt":
            raise ArithmeticError("the sum is wrong")
        return evolve(state, event)

    monkeypatch.setattr(play, "evolve", faulty)
    again = await pods.start("table-0", table_archive_dir=tmp_path)
    await eventually(lambda: again.sample("cardroom_table_archived_total") == 1)
    lines: list[str] = []
    assert offline.main([str(tmp_path), seated.table_id], lines.append) == offline.FAULTY
    (fault,) = [line for line in lines if "FAULT" in line.split()]
    assert " Dealt " in fault
    assert fault.endswith("FAULT ArithmeticError: the sum is wrong")
    assert "closed: fault" in lines[-1]
    monkeypatch.setattr(play, "evolve", evolve)
    mended: list[str] = []
    assert offline.main([str(tmp_path), seated.table_id], mended.append) == offline.SOUND


async def test_the_command_prints_what_getreplay_gives(pods: Pods, keys: Path) -> None:
    """PF-41: `cardroom replay TABLE DEAL`."""
    pod = await pods.start()
    seated = await pod.create(table_with_settlements(pod, 1))
    await played(seated)
    words = ("replay", seated.table_id, "1", "--table", pod.authority, "--keys", str(keys))
    done = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "clients.cli.main", *words, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await done.communicate()
    assert done.returncode == 0
    operator = pod.mint("operator", "tests")
    assert json.loads(out) == joined(await replayed(pod, operator, seated.table_id))


async def test_a_client_spectates_and_replays(pods: Pods) -> None:
    """The client library's way: a place by GetSpectatorToken, then the same `watch` as a player's."""
    pod = await pods.start()
    seated = await pod.create(table_with_settlements(pod, 1), spectators_allowed=True, deals_max=2)
    place = matchmaker_pb2.GetSpectatorTokenResponse(
        table_id=seated.table_id,
        spectator_token=pod.mint("spectator", "guest", table_id=seated.table_id),
        endpoint=matchmaker_pb2.Endpoint(authority=pod.authority, pod=pod.name),
    )
    matchmaker = ScriptedMatchmaker(answers=[place])
    async with served_matchmaker(matchmaker) as at, Player("login", at.authority) as player:  # noqa: SIM117
        async with await player.spectate(seated.table_id) as session:
            assert (session.seat.seat, "token" in repr(session.seat)) == (-1, False)
            playing_on = asyncio.create_task(_one_deal(seated))
            kinds = []
            async for update in session.watch():
                kinds.append(update.WhichOneof("kind"))
                if update.HasField("event") and update.event.HasField("deal_settled"):
                    break
            await playing_on
            assert kinds[0] == "snapshot"
            head, entries = await session.replay(1)
            assert head.deal_id == f"{seated.table_id}.1"
            assert entries[-1].event.HasField("deal_settled")


async def _one_deal(seated: Seated) -> None:
    players = await gathered(seated)
    for each in players:
        each.play(first_option)
    for each in players:
        await each.ready()
    for each in players:
        await each.until("event", "deal_settled")
