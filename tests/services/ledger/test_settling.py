"""Settlements through the checks and the script, on a real store."""

import asyncio
import json
from dataclasses import replace

import pytest

from refusals import Reason
from services.ledger.values import RING, UNITS_MAX, Group, Leg, Line, Settlement, Void
from tests.services.ledger.rig import CALL, Rig, refused


def paid(lines: tuple[Line, ...]) -> list[int]:
    return [line.paid for line in lines]


async def test_a_payer_pays_at_most_what_he_has_left_and_the_lines_say_so(rig: Rig) -> None:
    """PF-51."""
    asset = await rig.seated("t1", {"ann": 5, "bob": 1})
    settled = await rig.settle(asset, 1, [Leg("ann", "bob", 3, "win"), Leg("ann", "bob", 3, "rain")])
    assert settled.lines == (
        Line("ann", "bob", 3, 3, 2, 4, "win"),
        Line("ann", "bob", 3, 2, 0, 6, "rain"),
    )
    assert await rig.units(asset, "ann", "bob") == [0, 6]


async def test_money_won_in_an_earlier_leg_pays_a_later_one(rig: Rig) -> None:
    """PF-51: the legs go in order."""
    asset = await rig.seated("t1", {"ann": 5, "bob": 0, "cyd": 0})
    forwards = await rig.settle(asset, 1, [Leg("ann", "bob", 5, "win"), Leg("bob", "cyd", 4, "win")])
    assert paid(forwards.lines) == [5, 4]
    backwards = await rig.settle(asset, 2, [Leg("ann", "cyd", 4, "win"), Leg("cyd", "bob", 9, "win")])
    assert paid(backwards.lines) == [0, 4]


async def test_legs_of_nothing_are_settled_and_journaled(rig: Rig) -> None:
    """PF-56: the player asks why he got nothing."""
    asset = await rig.seated("t1", {"ann": 0, "bob": 0})
    settled = await rig.settle(asset, 1, [Leg("ann", "bob", 7, "win"), Leg("bob", "ann", 0, "win")])
    assert paid(settled.lines) == [0, 0]
    assert (await rig.store.head(asset)).number == settled.number


@pytest.mark.parametrize(
    ("has", "asks", "remainder_to", "shares"),
    [
        (10, (8, 8, 8), "", [4, 3, 3]),
        (10, (2, 8, 8), "", [2, 4, 4]),
        (10, (3, 8, 8), "", [3, 4, 3]),
        (14, (0, 10, 10), "", [0, 7, 7]),
        (1, (5, 5), "", [1, 0]),
        (1, (5, 5), "p1", [0, 1]),
        (11, (8, 8, 8), "p2", [4, 3, 4]),
        (11, (2, 8, 8), "p2", [2, 4, 5]),
        (10, (2, 8, 8), "p0", [2, 4, 4]),
        (24, (8, 8, 8), "p2", [8, 8, 8]),
        (99, (8, 0, 8), "", [8, 0, 8]),
        (0, (8, 8), "p1", [0, 0]),
        (UNITS_MAX - 2, (UNITS_MAX, UNITS_MAX, 1), "p1", [(UNITS_MAX - 3) // 2, (UNITS_MAX - 3) // 2, 1]),
        (UNITS_MAX - 3, (UNITS_MAX, UNITS_MAX, 1), "p1", [2**52 - 3, 2**52 - 2, 1]),
    ],
)
async def test_a_group_shares_a_shortfall_equally(
    rig: Rig, has: int, asks: tuple[int, ...], remainder_to: str, shares: list[int]
) -> None:
    """PF-52: nobody more than asked, odd units one each in order, the named one first."""
    asset = await rig.seated("t1", {"payer": has, **{f"p{place}": 0 for place in range(len(asks))}})
    legs = [Leg("payer", f"p{place}", ask, "win", 1) for place, ask in enumerate(asks)]
    settled = await rig.settle(asset, 1, legs, [Group(1, remainder_to)])
    assert paid(settled.lines) == shares
    assert await rig.units(asset, *(f"p{place}" for place in range(len(asks)))) == shares


async def test_groups_and_single_legs_take_turns(rig: Rig) -> None:
    """PF-51, PF-52: a group stands where its legs stand."""
    asset = await rig.seated("t1", {"ann": 9, "bob": 0, "cyd": 0})
    legs = [
        Leg("ann", "bob", 2, "win"),
        Leg("ann", "bob", 5, "rain", 7),
        Leg("ann", "cyd", 5, "rain", 7),
        Leg("bob", "ann", 9, "check"),
        Leg("cyd", "ann", 2, "check", 4),
        Leg("cyd", "bob", 2, "check", 4),
    ]
    settled = await rig.settle(asset, 1, legs, [Group(4, "bob"), Group(7)])
    assert paid(settled.lines) == [2, 4, 3, 6, 1, 2]
    assert await rig.units(asset, "ann", "bob", "cyd") == [7, 2, 0]


async def test_a_penalty_goes_to_the_system_and_is_clamped(rig: Rig) -> None:
    """PF-54."""
    asset = await rig.seated("t1", {"ann": 5, "bob": 1})
    settled = await rig.settle(asset, 1, [Leg("ann", "system", 8, "penalty")])
    assert settled.lines == (Line("ann", "system", 8, 5, 0, 5, "penalty"),)
    assert await rig.units(asset, "ann", "penalties", "issuance") == [0, 5, -6]


async def test_the_same_settlement_again_returns_the_first_result_and_moves_nothing(rig: Rig) -> None:
    """PF-53; whoever owns the table by then."""
    asset = await rig.seated("t1", {"ann": 5, "bob": 1})
    legs = [Leg("ann", "bob", 3, "win")]
    first = await rig.settle(asset, 1, legs)
    await rig.settle(asset, 2, [Leg("bob", "ann", 1, "win")])
    rig.clock.advance(seconds=5)
    again = await rig.settle(asset, 1, legs, epoch=9)
    assert (again.number, again.lines, again.duplicate) == (first.number, first.lines, True)
    assert await rig.units(asset, "ann", "bob") == [3, 3]
    assert (await rig.store.head(asset)).number == 5


@pytest.mark.parametrize(
    ("legs", "groups", "deal"),
    [
        ([Leg("ann", "bob", 4, "win")], [], "d1"),
        ([Leg("ann", "bob", 3, "rain")], [], "d1"),
        ([Leg("bob", "ann", 3, "win")], [], "d1"),
        ([Leg("ann", "bob", 3, "win"), Leg("bob", "ann", 3, "win")], [], "d1"),
        ([Leg("ann", "bob", 3, "win", 1)], [Group(1)], "d1"),
        ([Leg("ann", "bob", 3, "win")], [], "d2"),
    ],
)
async def test_the_same_seq_with_other_content_is_refused(
    rig: Rig, legs: list[Leg], groups: list[Group], deal: str
) -> None:
    """PF-53."""
    asset = await rig.seated("t1", {"ann": 5, "bob": 5})
    await rig.settle(asset, 1, [Leg("ann", "bob", 3, "win")])
    refusal = await refused(rig.settle(asset, 1, legs, groups, deal=deal))
    assert refusal.reason is Reason.SETTLEMENT_CONFLICT
    assert await rig.units(asset, "ann", "bob") == [2, 8]


async def test_seqs_have_no_gaps(rig: Rig) -> None:
    """The first winner is paid first."""
    asset = await rig.seated("t1", {"ann": 50, "bob": 0})
    gap = await refused(rig.settle(asset, 2, [Leg("ann", "bob", 1, "win")]))
    assert (gap.reason, dict(gap.metadata)) == (Reason.SETTLEMENT_GAP, {"last_seq": "0"})
    await rig.settle(asset, 1, [Leg("ann", "bob", 1, "win")])
    assert (await refused(rig.settle(asset, 3, [Leg("ann", "bob", 1, "win")]))).reason is Reason.SETTLEMENT_GAP
    assert await rig.units(asset, "bob") == [1]


async def test_settlements_the_record_has_forgotten_are_found_in_the_journal(rig: Rig) -> None:
    """PF-53: the record of a table remembers sixteen; older ones are answered all the same, and nothing moves."""
    asset = await rig.seated("t1", {"ann": 500, "bob": 0, "cyd": 500, "dan": 0})
    groups = [Group(1, "dan")]
    first_legs = [Leg("ann", "bob", 3, "rain", 1), Leg("ann", "dan", 4, "rain", 1)]
    first = await rig.settle(asset, 1, first_legs, groups)
    voided = await rig.books(asset).void(Void("t1", 1, 2, "d1", asset, "a fault"), CALL)
    await rig.store.release("t1", 1, "d1", asset, CALL)
    await rig.reserve(asset, "t1", ["ann", "bob", "cyd", "dan"], deal="d2")
    for seq in range(3, 5 * RING):
        await rig.settle(asset, seq, [Leg("cyd", "bob", 1, "win")], deal="d2")
    before = await rig.units(asset, "ann", "bob", "cyd", "dan")

    await rig.store.claim("t1", 3, asset, CALL)
    asked = Settlement("t1", 3, 1, "d1", asset, tuple(first_legs), tuple(groups))
    old = await refused(rig.store.settle(asked, "print", CALL))
    assert old.reason is Reason.SETTLEMENT_OLD
    again = await rig.settle(asset, 1, first_legs, groups, epoch=3)
    assert (again.number, again.lines, again.duplicate) == (first.number, first.lines, True)
    again = await rig.books(asset).void(Void("t1", 3, 2, "d1", asset, "a fault"), CALL)
    assert (again.number, again.voided, again.duplicate) == (voided.number, True, True)
    for legs, others in (([first_legs[0]], groups), (first_legs, [Group(1)]), (first_legs[::-1], groups)):
        assert (await refused(rig.settle(asset, 1, legs, others, epoch=3))).reason in (
            Reason.SETTLEMENT_CONFLICT, Reason.INVALID_FIELD,
        )  # fmt: skip
    assert (await refused(rig.settle(asset, 2, first_legs, groups, epoch=3))).reason is Reason.SETTLEMENT_CONFLICT
    assert (await refused(rig.settle(asset, 1, first_legs, groups, epoch=2))).reason is Reason.FENCED
    assert await rig.units(asset, "ann", "bob", "cyd", "dan") == before


async def test_a_voided_seq_is_taken_and_cannot_be_settled_any_more(rig: Rig) -> None:
    asset = await rig.seated("t1", {"ann": 5, "bob": 5})
    books, void = rig.books(asset), Void("t1", 1, 1, "d1", asset, "the deal was called off")
    voided = await books.void(void, CALL)
    assert (voided.voided, voided.duplicate) == (True, False)
    assert (await books.void(replace(void, epoch=4), CALL)) == replace(voided, duplicate=True)
    assert (await refused(books.void(replace(void, why="another"), CALL))).reason is Reason.FENCED
    changed = replace(void, epoch=4, why="another")
    assert (await refused(books.void(changed, CALL))).reason is Reason.SETTLEMENT_CONFLICT
    legs = [Leg("ann", "bob", 1, "win")]
    assert (await refused(rig.settle(asset, 1, legs, epoch=4))).reason is Reason.SETTLEMENT_CONFLICT
    await rig.settle(asset, 2, legs, epoch=4)
    settled_already = replace(void, epoch=4, seq=2)
    assert (await refused(books.void(settled_already, CALL))).reason is Reason.SETTLEMENT_CONFLICT
    claimed = await rig.store.claim("t1", 5, asset, CALL)
    assert (claimed.last_seq, claimed.last_result and claimed.last_result.voided) == (2, False)
    body = json.loads((await rig.store.entries(asset, voided.number - 1, 1))[0].body)
    assert (body["kind"], body["why"], body["seq"], body["legs"]) == ("void", void.why, 1, [])


async def test_a_penalty_is_a_settlement_under_the_tables_numbers(rig: Rig) -> None:
    """PF-54: taken once, clamped, for the system."""
    asset = await rig.seated("t1", {"ann": 5, "bob": 5})
    books, asked = rig.books(asset), Settlement("t1", 1, 1, "d1", asset, ())
    settled = await books.penalize(asked, "ann", 8, CALL)
    assert settled.lines == (Line("ann", "system", 8, 5, 0, 5, "penalty"),)
    assert (await books.penalize(asked, "ann", 8, CALL)).duplicate
    assert (await refused(books.penalize(asked, "ann", 9, CALL))).reason is Reason.SETTLEMENT_CONFLICT
    assert (await rig.settle(asset, 1, [Leg("ann", "system", 8, "penalty")])).duplicate
    assert await rig.units(asset, "ann", "penalties") == [0, 5]
    late = replace(asked, seq=2, deal="d2")
    assert (await refused(books.penalize(late, "bob", 1, CALL))).reason is Reason.STAKE_MISSING


async def test_a_claim_returns_the_last_result_also_after_many(rig: Rig) -> None:
    asset = await rig.seated("t1", {"ann": 50, "bob": 0})
    for seq in range(1, RING + 4):
        last = await rig.settle(asset, seq, [Leg("ann", "bob", seq, "win")])
    claimed = await rig.store.claim("t1", 2, asset, CALL)
    assert claimed.last_result is not None
    assert (claimed.last_seq, claimed.last_result.lines) == (RING + 3, last.lines)


async def test_a_stale_owner_is_fenced_and_a_refusal_takes_no_seq(rig: Rig) -> None:
    """Reliability 4: even a settlement it sent before is not answered to a stale owner."""
    asset = await rig.seated("t1", {"ann": 5, "bob": 0})
    await rig.settle(asset, 1, [Leg("ann", "bob", 1, "win")])
    claimed = await rig.store.claim("t1", 2, asset, CALL)
    assert (claimed.last_seq, claimed.last_result and claimed.last_result.number) == (1, 4)
    for seq in (1, 2):
        refusal = await refused(rig.settle(asset, seq, [Leg("ann", "bob", 1, "win")]))
        assert (refusal.reason, dict(refusal.metadata)) == (Reason.FENCED, {"epoch": "2"})
    assert (await refused(rig.store.claim("t1", 1, asset, CALL))).reason is Reason.FENCED
    assert not (await rig.settle(asset, 2, [Leg("ann", "bob", 1, "win")], epoch=2)).duplicate


async def test_a_newer_owner_fences_by_settling_too(rig: Rig) -> None:
    asset = await rig.seated("t1", {"ann": 5, "bob": 0})
    await rig.settle(asset, 1, [Leg("ann", "bob", 1, "win")], epoch=7)
    assert (await refused(rig.settle(asset, 2, [Leg("ann", "bob", 1, "win")], epoch=6))).reason is Reason.FENCED


async def test_an_unknown_account_stops_everything(rig: Rig) -> None:
    asset = await rig.seated("t1", {"ann": 5, "bob": 0})
    refusal = await refused(rig.settle(asset, 1, [Leg("ann", "bob", 1, "win"), Leg("ann", "nobody", 1, "win")]))
    assert (refusal.reason, dict(refusal.metadata)) == (Reason.ACCOUNT_UNKNOWN, {"account_id": "nobody"})
    assert await rig.units(asset, "ann", "bob") == [5, 0]
    assert (await rig.store.head(asset)).number == 3


async def test_only_the_table_that_holds_the_stake_debits_it_and_others_may_credit(rig: Rig) -> None:
    """PF-55."""
    asset = await rig.seated("t1", {"ann": 5, "bob": 5})
    await rig.open("cyd", asset, 5)
    await rig.reserve(asset, "t2", ["cyd"])
    by_other = await refused(rig.settle(asset, 1, [Leg("ann", "cyd", 1, "win")], table="t2"))
    assert (by_other.reason, dict(by_other.metadata)) == (Reason.STAKE_MISSING, {"account_id": "ann"})
    other_deal = await refused(rig.settle(asset, 1, [Leg("ann", "bob", 1, "win")], deal="d2"))
    assert other_deal.reason is Reason.STAKE_MISSING
    await rig.settle(asset, 1, [Leg("cyd", "ann", 2, "win")], table="t2")
    assert await rig.units(asset, "ann", "cyd") == [7, 3]


async def test_big_amounts_stay_whole(rig: Rig) -> None:
    """Numbers of the scripts are doubles: nothing is rounded, nothing turns into 1e+15."""
    asset = await rig.seated("t1", {"ann": UNITS_MAX, "bob": 0})
    await rig.settle(asset, 1, [Leg("ann", "bob", UNITS_MAX - 1, "win")])
    await rig.settle(asset, 2, [Leg("bob", "ann", 4503599627370497, "win")])
    assert await rig.units(asset, "ann", "bob", "issuance") == [4503599627370498, 4503599627370493, -UNITS_MAX]
    assert not (await rig.verify(asset)).faults


async def test_one_settlement_from_very_many_callers_is_applied_once_with_one_answer(rig: Rig) -> None:
    """Reliability 32."""
    asset = await rig.seated("t1", {"ann": 50, "bob": 0})
    answers = await asyncio.gather(*(rig.settle(asset, 1, [Leg("ann", "bob", 1, "win")]) for _ in range(1000)))
    assert len({(answer.number, answer.lines) for answer in answers}) == 1
    assert sum(not answer.duplicate for answer in answers) == 1
    assert await rig.units(asset, "ann", "bob") == [49, 1]


async def test_tables_settle_side_by_side_and_nothing_is_lost_or_made(rig: Rig) -> None:
    """Reliability 33: no balance below zero, the sum constant, while the books are verified in between."""
    players = [f"p{number}" for number in range(16)]
    asset = await rig.seated("t0", dict.fromkeys(players[:4], 20))
    for table in range(1, 4):
        for player in players[4 * table : 4 * table + 4]:
            await rig.open(player, asset, 20)
        await rig.reserve(asset, f"t{table}", players[4 * table : 4 * table + 4])

    async def play(table: int) -> None:
        seats = players[4 * table : 4 * table + 4]
        for seq in range(1, 26):
            payer = seats[seq % 4]
            legs = [Leg(payer, seats[(seq + step) % 4], 3 * seq, "win") for step in (1, 2, 3)]
            # Credits cross tables, debits do not.
            await rig.settle(
                asset,
                seq,
                [*legs, Leg(seats[(seq + 1) % 4], players[seq % 16], 1, "rain")]
                if players[seq % 16] != seats[(seq + 1) % 4]
                else legs,
                table=f"t{table}",
            )

    async def watch() -> None:
        for _ in range(5):
            assert not (await rig.verify(asset)).faults

    await asyncio.gather(*(play(table) for table in range(4)), watch())
    state = await rig.verify(asset)
    assert not state.faults
    assert (state.players_total, state.supply, state.entry_count) == (320, 320, 16 + 4 + 100)
