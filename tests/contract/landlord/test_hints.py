"""Hints: everything a hand can play, what spoils least of it first (TY-21..24)."""

from random import Random

import pytest

from games.landlord.cards import DECK, RANK_COUNT, Counts, chosen, count, counts_of, of, parse, show
from games.landlord.combinations import Kind, Reading
from games.landlord.hints import broken_bombs
from games.landlord.plan import turns
from games.landlord.scoring import CardsError, list_plays, read_cards
from games.landlord.table import play_table
from games.variants.tingyong.ruleset import KICKERS
from tests.contract.landlord.deals import rules_of

RULES = rules_of({})
PAIR_7 = Reading(Kind.PAIR, 4, 2)
SINGLE_7 = Reading(Kind.SINGLE, 4, 1)


def hinted(hand: str, last: Reading | None = None) -> list[str]:
    return [f"{show(held.cards)} {held.reading.kind}" for held in list_plays(RULES, parse(hand), last)]


def test_bombs_stay_whole_and_the_wild_card_free() -> None:
    """A lone pair, then one that costs a turn, then those that tear a bomb or take the wild card, bombs last."""
    hints = hinted("S8 H8 S9 H9 D9 C9 SA HA DA * S4", PAIR_7)
    assert hints[0] == "S8 H8 pair"
    assert hints[1] == "SA HA pair"
    assert hints.index("SA HA pair") < hints.index("S9 H9 pair")
    assert hints[-1].endswith(("bomb", "deep_bomb"))
    bombs = [hint for hint in hints if "bomb" in hint]
    assert hints[-len(bombs) :] == bombs
    assert "S9 H9 D9 C9 bomb" in bombs


def test_the_rocket_stays_together() -> None:
    hints = hinted("S9 BJ RJ", SINGLE_7)
    assert hints == ["S9 single", "BJ single", "RJ single", "BJ RJ rocket"]


def test_a_play_that_empties_the_hand_comes_first() -> None:
    """Even a bomb."""
    assert hinted("S9 H9 D9 C9", SINGLE_7)[0] == "S9 H9 D9 C9 bomb"
    assert hinted("S4 S5 S6 S7 S8")[0] == "S4 S5 S6 S7 S8 straight"


def test_a_straight_is_not_torn_for_a_single() -> None:
    assert hinted("S5 S6 S7 S8 S9 SK", Reading(Kind.SINGLE, 1, 1))[0] == "SK single"


def test_what_cannot_be_beaten_has_no_hint() -> None:
    assert hinted("S4 H4 S5", Reading(Kind.DEEP_ROCKET, 14, 3)) == []


def slow_plays(hand: Counts) -> set[tuple[Counts, Reading]]:
    """The whole table, play by play."""
    return {
        (play, reading)
        for play, readings in play_table(KICKERS).readings.items()
        if all(count(play, rank) <= count(hand, rank) for rank in range(RANK_COUNT))
        for reading in readings
    }


@pytest.mark.parametrize("seed", range(3))
def test_every_play_of_a_hand_is_listed_once(seed: int) -> None:
    """TY-22: and, to follow, every play that beats the last."""
    chance = Random(seed)
    hand = sorted(chance.sample(DECK, 17)) if seed else sorted((*range(8), *range(13, 21), 49, 50))
    plays = play_table(KICKERS).readings
    lasts = [None, *(chance.choice(plays[play]) for play in chance.sample(list(plays), 12)), SINGLE_7, PAIR_7]
    held_plays = slow_plays(counts_of(hand))
    for last in lasts:
        listed = [(counts_of(held.cards), held.reading) for held in list_plays(RULES, hand, last)]
        assert len(listed) == len(set(listed))
        assert set(listed) == {(play, one) for play, one in held_plays if last is None or one.beats(last)}


def test_cards_that_cannot_be_are_refused() -> None:
    """TY-1, TY-21."""
    for cards in ((51,), (-1,), (3, 3)):
        with pytest.raises(CardsError):
            read_cards(RULES, cards)
        with pytest.raises(CardsError):
            list_plays(RULES, cards)
    for last in (Reading(Kind.PAIR, 13, 2), Reading(Kind.STRAIGHT, 3, 5), Reading(Kind.SINGLE, 4, 2)):
        with pytest.raises(CardsError) as refused:
            read_cards(RULES, (1,), last)
        assert refused.value.field == "last"


@pytest.mark.parametrize(
    ("hand", "wanted"),
    [
        ("", 0),
        ("S4", 1),
        ("*", 1),
        ("BJ RJ", 1),
        ("S4 *", 1),
        ("S4 H4 D4 S5", 1),
        ("S4 H4 D4 S5 H5", 1),
        ("S4 H4 D4 S5 H5 D5 S9 SK", 1),
        ("S4 S5 S6 S7 S8", 1),
        ("S4 S5 S6 S7 S8 H8", 2),
        ("S4 H4 S5 H5 S6 H6", 1),
        ("S4 H4 D4 C4 S9", 2),
        ("S4 S6 S8 ST", 4),
    ],
)
def test_turns_of_a_hand(hand: str, wanted: int) -> None:
    assert turns(counts_of(parse(hand))) == wanted


def test_turns_go_down_by_one_play_at_most() -> None:
    """Some play of a hand always saves a turn, and an empty hand needs none."""
    chance = Random(5)
    for _ in range(20):
        hand = counts_of(chance.sample(DECK, 10))
        while hand:
            best = min((hand - play for play, _ in play_table(KICKERS).plays(hand)), key=turns)
            assert turns(best) < turns(hand)
            hand = best


def test_what_breaks_a_bomb() -> None:
    hand = counts_of(parse("S4 H4 D4 C4 S9 BJ RJ"))
    four, pair, nine = of(1, 4), of(1, 2), of(6)
    assert broken_bombs(hand, four, Reading(Kind.BOMB, 1, 4)) == 0
    assert broken_bombs(hand, pair, Reading(Kind.PAIR, 1, 2)) == 1
    assert broken_bombs(hand, nine, Reading(Kind.SINGLE, 6, 1)) == 0
    assert broken_bombs(hand, of(13), Reading(Kind.SINGLE, 13, 1)) == 1
    assert broken_bombs(hand, four + nine + of(13), Reading(Kind.FOUR_TWO, 1, 6)) == 2


def test_chosen_cards_are_the_first_of_each_rank() -> None:
    hand = parse("C4 H4 S4 RJ S5")
    assert show(chosen(hand, of(1, 2) + of(14))) == "S4 H4 RJ"
