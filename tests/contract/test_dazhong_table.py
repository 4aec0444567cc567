"""大众 at the table: what the wall gives, when it is empty, winds, and claims that only this game has."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from games.catalog import variants_of
from games.kernel import OptionError
from games.mahjong import actions as asked
from games.mahjong.drawing import take
from games.mahjong.events import DrawSource, EndCause, Opened
from games.mahjong.game import GAME
from games.mahjong.ruleset import Ruleset
from games.mahjong.script import Arranged, Played, play
from games.mahjong.state import QUESTIONS, Phase, State
from games.mahjong.tiles import parse
from games.mahjong.variant import Variant
from games.mahjong.wall import HIDDEN_DIE, KONG_DICE_COUNT, arrange, tiles_in_order

pytestmark = pytest.mark.fast


def rules(**options: object) -> Ruleset:
    return variants_of(Variant)["dazhong"].ruleset(options, 1)


def opened(seed: int, *, deal_index: int = 0, **options: object) -> State:
    """A table whose wall is built; the dealer is seat 0."""
    chance = Random(seed)
    before = GAME.initial(rules(**options), 0, deal_index=deal_index)
    wall = chance.sample(tiles_in_order(before.ruleset), len(tiles_in_order(before.ruleset)))
    dice = tuple(chance.randint(1, 6) for _ in range(GAME.dice_count(before.ruleset)))
    (event,) = GAME.open(before, tuple(wall), dice)
    return GAME.evolve(before, event)


# --- the wall ---------------------------------------------------------------------------------------


class Stacks:
    """A wall as it stands on a table: stacks of two, taken from by hand."""

    def __init__(self, wall: Sequence[int]) -> None:
        self.stacks = [list(wall[place : place + 2]) for place in range(0, len(wall), 2)]

    def front(self) -> int:
        stack = next(stack for stack in self.stacks if stack)
        return stack.pop(0)

    def flower(self) -> int:
        stack = next(stack for stack in reversed(self.stacks) if stack)
        return stack.pop()

    def kong(self, die: int) -> int:
        """The die's stack from the end; where it is gone the nearest to the end, then to the front."""
        from_end = self.stacks[::-1]
        order = [*from_end[die - 1 :: -1], *from_end[die:]]
        return next(stack for stack in order if stack).pop(0)


@pytest.mark.parametrize("seed", range(30))
def test_replacements_come_from_the_stack_the_die_counts(seed: int) -> None:
    """DZ-4, DZ-5: flowers and kongs in any order, and draws from the front until nothing is left."""
    chance = Random(seed)
    state = opened(seed)
    table = Stacks(state.wall)
    while state.wall:
        source = chance.choice((DrawSource.WALL, DrawSource.REPLACEMENT, DrawSource.FLOWER))
        die = chance.randint(1, 6) if source is DrawSource.REPLACEMENT else None
        taken = take(state, source, die)
        by_hand = {DrawSource.WALL: table.front, DrawSource.FLOWER: table.flower}
        expected = by_hand[source]() if die is None else table.kong(die)
        assert taken.tile == expected, (source, die)
        state = replace(state, wall=taken.wall, end_stacks=taken.end_stacks)
        assert list(state.wall) == [tile for stack in table.stacks for tile in stack]


def test_dice_for_kongs_are_hidden_until_thrown() -> None:
    """DZ-5, PF-40: they come in with the first event, and a view knows how many are left."""
    state = opened(1)
    assert len(state.kong_dice) == KONG_DICE_COUNT
    for seat in (0, None):
        assert GAME.view(state, seat).kong_dice == (HIDDEN_DIE,) * KONG_DICE_COUNT
    before = GAME.initial(rules(), 0)
    (event,) = GAME.open(before, tuple(tiles_in_order(before.ruleset)), (1,) * GAME.dice_count(before.ruleset))
    shown = GAME.redact(event, 0)
    assert isinstance(shown, Opened)
    assert set(shown.kong_dice) == {HIDDEN_DIE}
    assert shown.dice == (1, 1)


def to_the_end(state: State) -> State:
    """Everybody discards what he draws, and claims nothing."""
    for event in GAME.decide(state, asked.Deal()):
        state = GAME.evolve(state, event)
    while state.phase is not Phase.OVER:
        action = asked.CloseQuestion() if state.phase in QUESTIONS else asked.Timeout(state.turn)
        for event in GAME.decide(state, action):
            state = GAME.evolve(state, event)
    return state


@pytest.mark.parametrize(("live_tiles", "left"), [(120, 24), (144, 0)])
def test_so_many_tiles_leave_the_wall(live_tiles: int, left: int) -> None:
    """DZ-6: deal, draws and replacements count; then the dealer's next player deals, DZ-12."""
    state = to_the_end(opened(4, live_tiles=live_tiles))
    assert state.result is not None
    assert state.result.cause is EndCause.WALL_EMPTY
    assert state.result.next_dealer == 1
    assert len(state.wall) == left


def test_an_arranged_wall_ends_where_it_ends() -> None:
    """DZ-6: rules that count from the end count from the wall given."""
    before = GAME.initial(rules(), 0)
    wall = tuple(tiles_in_order(before.ruleset)[:130])
    (event,) = GAME.open(before, wall, (1,) * GAME.dice_count(before.ruleset))
    assert isinstance(event, Opened)
    assert event.undrawn_count == 10


# --- winds, options ---------------------------------------------------------------------------------


def test_winds_go_round() -> None:
    """DZ-13: the dealer is East; the round's wind changes every four deals."""
    winds = parse("ESWN")
    rounds = [GAME.initial(rules(), 0, deal_index=number).round_wind() for number in range(20)]
    assert rounds == [winds[number // 4 % 4] for number in range(20)]
    state = GAME.initial(rules(), 2)
    assert [state.seat_wind(seat) for seat in (2, 3, 0, 1)] == list(winds)
    assert GAME.initial(variants_of(Variant)["shanghai"].ruleset({}, 1), 0).round_wind() is None


@pytest.mark.parametrize(
    ("name", "value"),
    [("minimum_fan", -1), ("minimum_fan", 101), ("base_points", True), ("live_tiles", 130), ("chow_from", "all")],
)
def test_options_have_their_values(name: str, value: object) -> None:
    """DZ-6, DZ-9, DZ-21, DZ-40."""
    with pytest.raises(OptionError) as refusal:
        rules(**{name: value})
    assert refusal.value.field == name


# --- claims -----------------------------------------------------------------------------------------

HANDS = ("258m26p369sESWCFP", "347m147p147sEWFP", "469m47p269sSWNFP", "348m369p158sWNCP")


def claimed(chow_from: str, *lines: str) -> Played:
    """Seat 0 discards 5m; the others hold two tiles that make a run with it."""
    arranged = Arranged(0, tuple(map(parse, HANDS)), parse("9m9m9p9p9s"))
    return play(rules(chow_from=chow_from), arranged, ["0 discard 5m", *lines])


def test_only_the_next_player_may_chow() -> None:
    """DZ-9: by default."""
    assert claimed("before", "1 chow 34m").refusal is None
    assert claimed("before", "2 chow 46m").illegal == 1


def test_anybody_may_chow_where_the_option_says_so_and_the_first_in_turn_order_gets_it() -> None:
    """DZ-9: option chow_from; whichever place the tile takes in the run."""
    assert [meld.tile for meld in claimed("any", "3 chow 34m").state.melds[3]] == [2]
    both = claimed("any", "3 chow 34m", "2 chow 46m").state
    assert [len(melds) for melds in both.melds] == [0, 0, 1, 0]


LONE_WAIT = ("36m27p159sESWNCFP", "456m13p34567899s", "37m259p37sESWNCP", "259m27p147sESWCP")
"""Seat 1 waits for 2p alone; the others hold one each."""


@pytest.mark.parametrize(("discarded", "paid"), [("2p", True), ("C", False)])
def test_the_fourth_of_its_kind_is_paid_when_the_other_three_lie_open(discarded: str, paid: bool) -> None:
    """DZ#58: on the tile that he draws himself; two open and one in a hand are not enough."""
    arranged = Arranged(0, tuple(map(parse, LONE_WAIT)), parse("9mF9p8m2p7s"))
    lines = ["0 discard 2p", "1 discard 9m", "2 discard 2p", f"3 discard {discarded}", "0 discard 8m", "1 win"]
    state = play(rules(), arranged, lines).state
    (winner,) = state.winners()
    assert winner.seat == 1
    assert ("last_of_kind" in [fan.fan_id for fan in winner.fans]) is paid


def test_the_seats_wind_and_the_rounds_are_paid_at_the_table() -> None:
    """DZ-13, DZ#60, DZ#61: seat 1 holds pungs of its own wind; in the fifth deal South is the round's wind too."""
    hands = ("36m27p159sEWNCFPP", "456m13p345p99sSSS", "37m259p37sEEWNCP", "259m27p147sWWCFP")
    for deal_index, winds in ((0, ["seat_wind"]), (4, ["prevalent_wind", "seat_wind"])):
        state = dealt(hands, deal_index)
        found = [fan.fan_id for fan in state.winners()[0].fans if fan.fan_id.endswith("_wind")]
        assert [fan for fan in found if fan in ("prevalent_wind", "seat_wind")] == winds


def dealt(hands: Sequence[str], deal_index: int) -> State:
    """Seat 0 discards 2p, and seat 1 wins on it."""
    state = GAME.initial(rules(), 0, deal_index=deal_index)
    dice = (1,) * GAME.dice_count(state.ruleset)
    wall = arrange(state.ruleset, 0, tuple(map(parse, hands)), parse("9m9m"), dice)
    for event in GAME.open(state, wall, dice):
        state = GAME.evolve(state, event)
    moves = (asked.Deal(), asked.Discard(0, parse("2p")[0]), asked.Win(1), asked.CloseQuestion())
    for move in moves:
        for event in GAME.decide(state, move):
            state = GAME.evolve(state, event)
    return state
