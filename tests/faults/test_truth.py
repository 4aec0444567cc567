"""The judge is judged: each fault planted into what a deal left behind is found, and a sound deal is not accused."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace

import pytest
import pytest_asyncio
from cardroom.table.v1 import table_pb2

from games.kernel import IllegalAction
from tests.faults.machine import Machine
from tests.faults.ordeal import SEEDED, assert_whole
from tests.faults.truth import Entry, Log, assert_kept, assert_paid, assert_seen, read_log
from tests.faults.witnesses import Witness, play

TABLE = "judged"
PLAYERS = [f"judged.{number}" for number in range(4)]


@dataclass
class Evidence:
    """What a deal that was played to its end has left behind."""

    log: Log
    witnesses: list[Witness]

    def judge(self) -> None:
        """Fails where it is not sound."""
        for witness in self.witnesses:
            assert_seen(self.log, witness.played.seat, witness.played.entries)
        assert_paid(self.log)
        assert_kept(self.log, self.witnesses)

    def messages(self) -> list[table_pb2.WatchResponse]:
        """What seat 0 was sent."""
        return self.witnesses[0].played.entries

    def entry(self, kind: str) -> Entry:
        """The first entry of a kind, as it stands in the log."""
        return next(entry for entry in self.log.entries if entry.kind == kind)

    def replace_entry(self, entry: Entry) -> None:
        """Put another entry in the place of one."""
        entries = list(self.log.entries)
        entries[entry.seq - 1] = entry
        self.log = replace(self.log, entries=tuple(entries))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sound(machine: Machine, seed: int) -> Evidence:
    await machine.open_accounts(PLAYERS)
    pod = machine.pod("table-0")
    await pod.up(SEEDED, str(seed))
    await machine.create_table(pod, TABLE, PLAYERS)
    witnesses = await play([machine.seat(pod, TABLE, seat, player) for seat, player in enumerate(PLAYERS)])
    log = await read_log(machine.tables, TABLE)
    await assert_whole(machine, TABLE, log, witnesses, PLAYERS)
    return Evidence(log, witnesses)


def a_message_is_lost(found: Evidence) -> None:
    del found.messages()[20]


def a_message_comes_twice(found: Evidence) -> None:
    found.messages().insert(20, found.messages()[20])


def two_messages_change_places(found: Evidence) -> None:
    messages = found.messages()
    messages[20], messages[21] = messages[21], messages[20]


def the_last_message_never_comes(found: Evidence) -> None:
    del found.messages()[-1]


def a_snapshot_covers_a_gap(found: Evidence) -> None:
    message = found.messages()[20]
    message.snapshot.SetInParent()


def everybodys_tiles_are_shown(found: Evidence) -> None:
    dealt = next(message for message in found.messages() if message.event.mahjong.HasField("dealt"))
    dealt.event.CopyFrom(found.log.entries[dealt.seq - 1].event)


def the_seed_is_shown_early(found: Evidence) -> None:
    started = next(message for message in found.messages() if message.event.HasField("deal_started"))
    started.event.deal_started.seed = found.entry("deal_started").event.deal_started.seed


def a_move_that_was_promised_is_not_there(found: Evidence) -> None:
    promises = found.witnesses[0].promises
    promises.append(replace(promises[-1], seq=promises[-1].seq + 1))


def a_move_is_there_that_was_never_made(found: Evidence) -> None:
    found.witnesses[0].promises.pop(0)


def another_tile_is_discarded_than_was_promised(found: Evidence) -> None:
    promises = found.witnesses[0].promises
    place = next(index for index, promise in enumerate(promises) if promise.action.HasField("discard"))
    other = deepcopy(promises[place])
    other.action.discard.tile = (other.action.discard.tile + 1) % 27
    promises[place] = other


def a_claim_is_taken_for_a_pass(found: Evidence) -> None:
    for witness in found.witnesses:
        for promise in witness.promises:
            if promise.queued and not promise.action.HasField("pass_claim"):
                promise.action.pass_claim.SetInParent()
                return
    raise AssertionError("nobody claimed anything")


def less_is_paid_than_asked(found: Evidence) -> None:
    found.entry("payments_made").event.payments_made.payments[0].paid -= 1


def more_is_due_than_the_rules_ask(found: Evidence) -> None:
    found.entry("payments_due").event.payments_due.payments[0].asked += 1


def a_settlement_is_recorded_twice(found: Evidence) -> None:
    made = found.entry("payments_made")
    found.replace_entry(replace(made, seq=made.seq + 1))


def a_balance_is_not_what_its_settlements_lead_to(found: Evidence) -> None:
    found.entry("deal_settled").event.deal_settled.balances[0].balance += 1


FAULTS: Mapping[str, Callable[[Evidence], None]] = {
    fault.__name__: fault
    for fault in (
        a_message_is_lost,
        a_message_comes_twice,
        two_messages_change_places,
        the_last_message_never_comes,
        a_snapshot_covers_a_gap,
        everybodys_tiles_are_shown,
        the_seed_is_shown_early,
        a_move_that_was_promised_is_not_there,
        a_move_is_there_that_was_never_made,
        another_tile_is_discarded_than_was_promised,
        a_claim_is_taken_for_a_pass,
        less_is_paid_than_asked,
        more_is_due_than_the_rules_ask,
        a_settlement_is_recorded_twice,
        a_balance_is_not_what_its_settlements_lead_to,
    )
}


@pytest.mark.asyncio(loop_scope="module")
async def test_a_sound_deal_is_not_accused(sound: Evidence) -> None:
    deepcopy(sound).judge()
    assert len(sound.log.entries) > 30


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_planted_fault_is_found(sound: Evidence, fault: str) -> None:
    found = deepcopy(sound)
    FAULTS[fault](found)
    with pytest.raises((AssertionError, IllegalAction)):
        found.judge()
