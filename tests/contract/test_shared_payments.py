"""Payments that share a shortfall equally (PF-52)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.kernel import Group, Payment, pay, shared


@pytest.mark.parametrize(
    ("available", "asks", "paid"),
    [
        (10, (8, 8, 8), [4, 3, 3]),
        (10, (2, 8, 8), [2, 4, 4]),
        (14, (0, 10, 10), [0, 7, 7]),
        (1, (5, 5), [1, 0]),
        (0, (5, 5), [0, 0]),
        (100, (5, 6), [5, 6]),
        (11, (1, 9, 2), [1, 8, 2]),
    ],
)
def test_everybody_gets_the_same_and_nobody_more_than_he_asks(
    available: int, asks: tuple[int, ...], paid: list[int]
) -> None:
    assert shared(asks, available, range(len(asks))) == paid


@given(asks=st.lists(st.integers(0, 30), min_size=1, max_size=6), available=st.integers(0, 120), data=st.data())
@settings(max_examples=200, deadline=None, derandomize=True, database=None)
def test_a_share_is_fair(asks: list[int], available: int, data: st.DataObject) -> None:
    """All is given that is asked; who gets less than he asks gets as much as anybody, but for one odd unit in order."""
    order = data.draw(st.permutations(range(len(asks))))
    got = shared(asks, available, order)
    assert sum(got) == min(available, sum(asks))
    assert all(0 <= one <= ask for one, ask in zip(got, asks, strict=True))
    short = [place for place in order if got[place] < asks[place]]
    if short:
        least = min(got[place] for place in short)
        assert max(got) <= least + 1
        assert [got[place] for place in short] == sorted((got[place] for place in short), reverse=True)


def test_a_group_moves_as_one_and_keeps_its_order() -> None:
    """PF-51, PF-52: money that a member receives is there for the next payment, not for the group."""
    group = Group(1, remainder_to=2)
    payments = (Payment(0, 1, 8, "win", group), Payment(0, 2, 8, "win", group), Payment(1, 0, 5, "win"))
    settled = pay((7, 0, 0), payments)
    assert [line.paid for line in settled.lines] == [3, 4, 3]
    assert settled.balances == (3, 0, 4)


def test_two_groups_of_one_payer_follow_each_other() -> None:
    first, second = Group(1), Group(2)
    payments = tuple(Payment(0, payee, 4, "win", group) for group in (first, second) for payee in (1, 2))
    assert [line.paid for line in pay((11, 0, 0), payments).lines] == [4, 4, 2, 1]


def test_payments_without_a_group_are_paid_in_order() -> None:
    payments = (Payment(0, 1, 8, "win"), Payment(0, 2, 8, "win"))
    assert [line.paid for line in pay((10, 0, 0), payments).lines] == [8, 2]


@pytest.mark.parametrize(
    "payments",
    [
        (Payment(0, 1, 1, "win", Group(1)), Payment(2, 1, 1, "win", Group(1))),
        (Payment(0, 1, 1, "win", Group(1)), Payment(0, 1, 1, "win", Group(1))),
        (Payment(0, 1, 1, "win", Group(1, remainder_to=3)),),
        (Payment(0, 1, 1, "win", Group(1)), Payment(0, 2, 1, "win"), Payment(0, 2, 1, "win", Group(1))),
    ],
    ids=["two payers", "a payee twice", "remainder to a stranger", "not side by side"],
)
def test_a_group_is_one_payers_side_by_side(payments: tuple[Payment, ...]) -> None:
    with pytest.raises(AssertionError):
        pay((9, 9, 9), payments)
