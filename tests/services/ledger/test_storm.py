"""Everybody at once, and the store dies in between: the books are right, and so is the archive (reliability 33, 34)."""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TypeVar
from uuid import uuid4

from click.testing import CliRunner

from clients.cli.main import cardroom
from refusals import Reason, Refusal
from services.ledger.app.books import Books
from services.ledger.app.corrections import Corrections
from services.ledger.app.funds import Funds
from services.ledger.values import (
    PENALTIES,
    RELIEF_FUND,
    EntryKind,
    Freeze,
    Grant,
    Group,
    Leg,
    Reversal,
    Settlement,
    Stake,
    Void,
)
from tests.services.ledger.rig import CALL, Rig, new_asset
from tests.services.ledger.vault import Vault

SEED = 20_260_515
PLAYERS = tuple(f"p{number}" for number in range(12))
TABLES = 6
STEPS = 60
KILLS = 3
DAYS_MAX = 10
OPENING = 40

_T = TypeVar("_T")


class Storm:
    """Tables that play with players they have not always got, and operators who meddle; all on one asset.

    Each call is repeated as it was until its outcome is known, as the callers do; ``seen`` counts what came of it.
    """

    def __init__(self, rig: Rig, asset: str, chance: random.Random) -> None:
        self._asset, self._chance, self._store = asset, chance, rig.store
        funds = Funds({asset: OPENING}, {RELIEF_FUND: {asset: 50}})
        self._books, self._operators = Books(rig.store, funds), Corrections(rig.store, funds)
        self.numbers: list[int] = []
        self.seen: Counter[str] = Counter()

    @property
    def missing(self) -> set[str]:
        """What must come up, and has not yet."""
        return {kind for kind in EXPECTED if not self.seen[kind]}

    async def open(self) -> None:
        for player in PLAYERS:
            await self._books.open_account(player, CALL)

    async def table(self, name: str) -> None:
        """A table's life: a new deal now and then, an owner that is stale now and then; nobody is held at its end."""
        epoch = seq = deal = 0
        players: tuple[str, ...] = PLAYERS[:2]
        for _ in range(STEPS):
            step = self._chance.random()
            if step < 0.15 or not epoch:
                epoch += 1
                claimed = await self._known("claim", partial(self._store.claim, name, epoch, self._asset, CALL))
                seq = claimed.last_seq if claimed else seq
            elif step < 0.35:
                await self._known("release", partial(self._store.release, name, epoch, f"d{deal}", self._asset, CALL))
                deal += 1
                players = tuple(self._chance.sample(PLAYERS, 3))
                stake = Stake(name, epoch, f"d{deal}", self._asset, players, 0)
                await self._known("reserve", partial(self._books.reserve, stake, CALL))
            else:
                asked = self._settlement(name, max(epoch - (step > 0.97), 1), seq + 1, f"d{deal}", players)
                seq += await self._known("settle", partial(self._play, asked, step)) is not None
        await self._known("release", partial(self._store.release, name, epoch, f"d{deal}", self._asset, CALL))

    def _play(self, asked: Settlement, step: float) -> Awaitable[object]:
        if step < 0.45:
            return self._books.penalize(asked, asked.legs[0].payer, 7, CALL)
        if step < 0.50:
            return self._books.void(Void(asked.table, asked.epoch, asked.seq, asked.deal, self._asset, "so"), CALL)
        return self._settle(asked)

    async def _settle(self, asked: Settlement) -> object:
        settled = await self._books.settle(asked, CALL)
        self.numbers.append(settled.number)
        return settled

    def _settlement(self, table: str, epoch: int, seq: int, deal: str, players: tuple[str, ...]) -> Settlement:
        payer, *payees = self._chance.sample(players, len(players))
        legs = [Leg(payer, payee, self._chance.randint(0, 30), "rain", 1) for payee in payees]
        legs.append(Leg(payees[0], self._chance.choice([each for each in PLAYERS if each != payees[0]]), 9, "win"))
        return Settlement(table, epoch, seq, deal, self._asset, tuple(legs), (Group(1, payees[-1]),))

    async def operator(self) -> None:
        """Grants, helps out, freezes, frees, moves back, also what was moved back before."""
        for _ in range(STEPS):
            request, player = str(uuid4()), self._chance.choice(PLAYERS)
            kind = self._chance.choice(("grant", "relief", "freeze", "unfreeze", *["reverse"] * 4))
            await self._known(kind, self._correction(kind, request, player))
            await asyncio.sleep(0)

    def _correction(self, kind: str, request: str, player: str) -> Callable[[], Awaitable[object]]:
        gift = Grant(request, player, self._asset, self._chance.randint(1, 9), "so")
        number = self._chance.choice(self.numbers or [1])
        calls: dict[str, Callable[[], Awaitable[object]]] = {
            "grant": lambda: self._operators.grant(gift, CALL),
            "relief": lambda: self._operators.relieve(gift, CALL),
            "freeze": lambda: self._operators.freeze(Freeze(request, player, EntryKind.FREEZE, "so"), CALL),
            "unfreeze": lambda: self._operators.freeze(Freeze(request, player, EntryKind.UNFREEZE, "so"), CALL),
            "reverse": lambda: self._reverse(Reversal(request, self._asset, number, "so")),
        }
        return calls[kind]

    async def _reverse(self, reversal: Reversal) -> object:
        moved = await self._operators.reverse(reversal, CALL)
        self.numbers.append(moved.number)
        return moved

    async def _known(self, kind: str, call: Callable[[], Awaitable[_T]]) -> _T | None:
        while True:
            try:
                answer = await call()
            except Refusal as refusal:
                self.seen[f"{kind} {refusal.reason}"] += 1
                if refusal.reason is not Reason.STORE_UNAVAILABLE:
                    return None
                await asyncio.sleep(0.01)
            else:
                self.seen[kind] += 1
                return answer


async def _copy(vault: Vault, storm: Storm) -> None:
    """The archiver at work, and a check of the books after each copy; both may find the store away."""
    while True:
        try:
            await vault.archiver.copy(vault.asset)
            storm.seen["copied"] += 1
            state = await vault.verify()
        except Refusal:
            storm.seen["copy interrupted"] += 1
        else:
            assert not state.faults, state.faults
        await asyncio.sleep(0)


async def _play(storm: Storm, rig: Rig, chance: random.Random, name: str) -> None:
    """Everybody at once, and the store dies in between."""
    people = [storm.table(f"{name}-{number}") for number in range(TABLES)] + [storm.operator() for _ in range(3)]
    living = asyncio.gather(*people)
    for _ in range(KILLS):
        await asyncio.sleep(0.1 + chance.random() * 0.2)
        await rig.kill_and_restart()
    await living


async def test_everybody_at_once_and_the_store_dies_in_between(own_rig: Rig, tmp_path: Path) -> None:
    """PF-50..55: tables, stale owners, operators, reversals of reversals, an archiver that trims, kill -9.

    Who comes first hangs on the machine: there are further days until everything has come up.
    """
    chance = random.Random(SEED)
    vault = Vault(own_rig, new_asset(), tmp_path / "archive")
    storm = Storm(own_rig, vault.asset, chance)
    await storm.open()
    copying = asyncio.create_task(_copy(vault, storm))
    for day in range(DAYS_MAX):
        await _play(storm, own_rig, chance, f"t{day}")
        if not storm.missing:
            break
    copying.cancel()
    await asyncio.wait([copying])
    assert copying.cancelled(), copying.exception()
    await vault.archiver.copy(vault.asset)

    state = await vault.verify()
    assert not state.faults, state.faults
    assert state.sum_total == 0
    balances = await own_rig.store.balances([*PLAYERS, PENALTIES, RELIEF_FUND], vault.asset)
    assert all(balance is not None and balance.units >= 0 for balance in balances)
    assert sum(balance.units for balance in balances if balance) == state.supply
    checked = CliRunner().invoke(cardroom, ["books", "verify", str(tmp_path / "archive")])
    assert checked.exit_code == 0, checked.output
    assert f"{vault.asset}: {state.entry_count} entries" in checked.output
    assert storm.missing == set(), storm.seen


EXPECTED = (
    *("claim", "reserve", "release", "settle", "grant", "relief", "freeze", "unfreeze", "reverse", "copied"),
    *("settle FENCED", "settle STAKE_MISSING", "reverse ENTRY_REVERSED", "reverse LOCKED_ELSEWHERE"),
    *("relief BUDGET_EXHAUSTED", "settle STORE_UNAVAILABLE"),
)
"""What must have come up, or the test tests little."""
