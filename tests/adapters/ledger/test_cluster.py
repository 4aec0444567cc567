"""The ledger on a Redis Cluster: each asset is one slot, and assets lie on several nodes."""

import asyncio
from pathlib import Path
from typing import Any
from uuid import uuid4

import grpc
import pytest
from cardroom.ledger.v1 import admin_pb2, audit_pb2, ledger_pb2

from refusals import Reason
from services.ledger.adapters.keys import Keys
from serving.errors import StartError
from serving.store import connect_redis
from tests.adapters.ledger.cluster import SLOTS, running_cluster
from tests.conftest import STORE_PATIENCE_MS, Mint
from tests.services.ledger.rig import new_asset
from tests.services.ledger.wire import Wire, open_wire, refused


def slot_of(key: str) -> int:
    """The slot of a key by its hash tag: CRC16 (XMODEM) of what stands in braces."""
    crc = 0
    for byte in key[key.index("{") + 1 : key.index("}")].encode():
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc % SLOTS


def asset_of_node(node: int) -> str:
    """An asset whose slot is on this node."""
    share = SLOTS // 3 + 1
    return next(asset for asset in iter(new_asset, "") if slot_of(Keys.of(asset).journal) // share == node)


@pytest.mark.fast
def test_all_keys_of_an_asset_have_one_slot() -> None:
    keys = Keys.of("coins")
    assert len({slot_of(key) for key in (*keys.scripted(keys.requests), keys.table("t1"), keys.table("t2"))}) == 1
    assert slot_of("{123456789}") == 0x31C3 % SLOTS  # the check value of the CRC


async def _deals(wire: Wire, assets: list[str]) -> None:
    """At one table an asset: stakes, settlements by many callers at once, a penalty, release."""
    login, table = wire.ledger("login"), wire.ledger()
    for account in ("ann", "bob"):
        await login.OpenAccount(ledger_pb2.OpenAccountRequest(account_id=account))
    for asset in assets:
        await table.ReserveStake(
            ledger_pb2.ReserveStakeRequest(
                table_id="t1", epoch=1, deal_id="d1", asset=asset, account_ids=["ann", "bob"], least_balance=1
            )
        )
    payment = ledger_pb2.LedgerPayment(payer="ann", payee="bob", amount=5, reason="win")
    asked = [
        ledger_pb2.SettleRequest(table_id="t1", epoch=1, seq=1, deal_id="d1", asset=asset, payments=[payment])
        for asset in assets
        for _ in range(40)
    ]
    answers = await asyncio.gather(*(table.Settle(one) for one in asked))
    assert sum(not answer.duplicate for answer in answers) == len(assets)
    for asset in assets:
        await table.Penalize(
            ledger_pb2.PenalizeRequest(
                table_id="t1", epoch=1, seq=2, deal_id="d1", asset=asset, account_id="bob", amount=7
            )
        )
        await table.ReleaseStake(ledger_pb2.ReleaseStakeRequest(table_id="t1", epoch=1, deal_id="d1", asset=asset))


async def test_the_whole_ledger_runs_on_a_cluster_of_three_nodes(tmp_path: Path, keys: Path, mint: Mint) -> None:
    assets = [asset_of_node(node) for node in range(3)]
    with running_cluster(tmp_path / "nodes") as nodes:
        changed: dict[str, Any] = {
            "ledger_cluster": True,
            "opening_grants": dict.fromkeys(assets, 100),
            "ledger_archive_dir": tmp_path / "archive",
            "archive_every_ms": 20,
        }
        async with open_wire(nodes[1].url, keys, mint, **changed) as wire:
            await _deals(wire, assets)
            admin = wire.admin()
            freeze = admin_pb2.FreezeAccountRequest(request_id=str(uuid4()), account_id="ann", reason="a check")
            assert [row.frozen for row in (await admin.FreezeAccount(freeze)).balances] == [True, True, True]
            for asset in assets:
                books = await wire.audit().VerifyBooks(audit_pb2.VerifyBooksRequest(asset=asset))
                assert (books.ok, books.players_total, books.penalties_total) == (True, 193, 7), books.faults
                totals = await wire.audit().GetTotals(audit_pb2.GetTotalsRequest(asset=asset))
                assert (totals.journal_number, totals.account_count, totals.frozen_count) == (7, 2, 1)

            nodes[2].kill()
            request = ledger_pb2.ReleaseStakeRequest(table_id="t1", epoch=2, deal_id="d1", asset=assets[2])
            code, refusal = await refused(wire.ledger().ReleaseStake(request))
            assert (code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, Reason.STORE_UNAVAILABLE)


async def test_one_server_is_no_cluster(ledger_redis_url: str, keys: Path, mint: Mint) -> None:
    with pytest.raises(StartError, match="is no cluster"):
        async with open_wire(ledger_redis_url, keys, mint, ledger_cluster=True):
            pass


async def test_a_node_that_may_lose_writes_is_named(tmp_path: Path, keys: Path, mint: Mint) -> None:
    with running_cluster(tmp_path) as nodes:
        client = await connect_redis(nodes[2].url, timeout_ms=STORE_PATIENCE_MS)
        await client.config_set("appendfsync", "everysec")
        await client.aclose()
        with pytest.raises(StartError, match=f"node .*:{nodes[2].port} has appendfsync everysec"):
            async with open_wire(nodes[0].url, keys, mint, ledger_cluster=True):
                pass
