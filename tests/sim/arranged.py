"""Arranged deals: the golden playthroughs again, with seats turned round, suits exchanged and other money.

Some things are too rare to wait for (天胡, a kong robbed by three, rain of a chain). Each golden deal
is played once as it is written, by other seats; then with suits exchanged, other money and other
options, up to a point at random, and on from there by the style's policy.
"""

from dataclasses import replace
from random import Random

from games.catalog import variants_of
from games.mahjong import actions as asked
from games.mahjong.actions import Action
from games.mahjong.ruleset import Ruleset
from games.mahjong.tiles import BAMBOO, DOTS, Tile
from games.mahjong.variant import Variant
from games.mahjong.wall import arrange
from tests.contract.playthrough import Playthrough, golden_files, read
from tests.sim.deals import Setup, Style, random_balances, random_dice, random_ruleset

FAITHFUL = 0.75
"""Share of the changed deals that go by the file to its end."""


def goldens(variant_id: str) -> list[Playthrough]:
    """All golden playthroughs of a variant."""
    return [golden for golden in map(read, golden_files()) if golden.variant == variant_id]


def arranged_setup(golden: Playthrough, style: Style, name: str, chance: Random, *, as_written: bool) -> Setup:
    """A golden deal in other clothes.

    Args:
        as_written: only the seats are turned round; else options the file does not name, the
            stake and the balances are random, suits may be exchanged and the end is open.
    """
    variant = variants_of(Variant)[golden.variant]
    count = variant.seat_count
    turn, swap = chance.randrange(count), not as_written and chance.random() < 0.5
    ruleset = golden.ruleset() if as_written else _other_ruleset(golden, chance)
    balances = tuple(golden.balances[(seat - turn) % count] for seat in range(count))
    hands = [[_tile(tile, swap) for tile in golden.hands[(seat - turn) % count]] for seat in range(count)]
    dealer = (golden.dealer + turn) % count
    dice = random_dice(ruleset, chance)
    draws = [_tile(tile, swap) for tile in golden.draws]
    wishes = [_turned(move, turn, count, swap) for move in golden.moves()]
    if not as_written and chance.random() > FAITHFUL:
        del wishes[chance.randrange(len(wishes)) :]
    return Setup(
        name=name,
        style=style,
        ruleset=ruleset,
        dealer=dealer,
        wall=arrange(ruleset, dealer, hands, draws, dice),
        dice=dice,
        balances=balances if as_written else random_balances(count, ruleset.stake, chance),
        wishes=tuple(wishes),
    )


def _other_ruleset(golden: Playthrough, chance: Random) -> Ruleset:
    """Random options and stake; the options that the file names stay."""
    variant = variants_of(Variant)[golden.variant]
    drawn = random_ruleset(variant, chance)
    named = {option: value for option, value in golden.options.items() if option != "stake"}
    return variant.ruleset(dict(drawn.options) | named, drawn.stake)


def _tile(tile: Tile, swap: bool) -> Tile:
    """The tile, or its like in the other suit."""
    if not swap:
        return tile
    return tile + len(DOTS) if tile in DOTS else tile - len(BAMBOO)


def _turned(move: Action, turn: int, seat_count: int, swap: bool) -> Action:
    """The move by the seat that has these tiles now, as `legal` writes it."""
    if isinstance(move, asked.CloseQuestion | asked.Deal):
        return move
    seat = (move.seat + turn) % seat_count
    if isinstance(move, asked.Discard):
        return asked.Discard(seat, _tile(move.tile, swap))
    if isinstance(move, asked.Kong):
        return asked.Kong(seat, None if move.tile is None else _tile(move.tile, swap))
    return replace(move, seat=seat)
