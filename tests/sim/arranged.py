"""Arranged deals: golden playthroughs and deals of the cases with seats turned round, suits exchanged, other money.

Some things are too rare to wait for (天胡, a kong robbed by three, rain of a chain). Each such deal
is played once as it is written, by other seats; then with suits exchanged, other money and other
options, up to a point at random, and on from there by the style's policy.
"""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from games.catalog import variants_of
from games.mahjong import actions as asked
from games.mahjong.actions import Action
from games.mahjong.ruleset import Ruleset
from games.mahjong.tiles import BAMBOO, DOTS, Tile, parse
from games.mahjong.variant import Variant
from games.mahjong.wall import arrange
from tests.contract.playthrough import Playthrough, golden_files, read
from tests.sim.deals import Setup, Style, random_balances, random_dice, random_ruleset

FAITHFUL = 0.75
"""Share of the changed deals that go by the file to its end."""


CASES_ROOM = Path(__file__).parents[1] / "contract" / "cases"


def goldens(variant_id: str) -> list[Playthrough]:
    """All golden playthroughs of a variant, then its deals among the cases."""
    return [*golden_playthroughs(variant_id), *_cases(variant_id)]


@cache
def golden_playthroughs(variant_id: str) -> tuple[Playthrough, ...]:
    """All golden playthroughs of a variant."""
    return tuple(golden for golden in map(read, golden_files()) if golden.variant == variant_id)


@cache
def _cases(variant_id: str) -> tuple[Playthrough, ...]:
    """Deals of the case files that can be dealt, as if they were golden texts."""
    files = sorted(CASES_ROOM.glob(f"*{variant_id}_deal.jsonl"))
    rows = (json.loads(line) for path in files for line in path.read_text(encoding="utf-8").splitlines())
    return tuple(_as_playthrough(row) for row in rows if "error" not in row["expect"])


def _as_playthrough(row: dict[str, Any]) -> Playthrough:
    doubled = row.get("doubled", 0)
    return Playthrough(
        name=row["id"],
        head=[],
        actions=row["actions"],
        text="",
        variant=row["variant"],
        options=dict(row.get("options", {})),
        dealer=row["dealer"],
        hands={seat: parse(hand) for seat, hand in enumerate(row["hands"])},
        draws=parse(row["draws"]),
        replacements=parse(row.get("replacements", "")),
        draws_in_row=int(doubled),
        balances=tuple(row["balances"]),
    )


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
    if golden.dice:
        dice = (*golden.dice, *dice[len(golden.dice) :])
    draws = [_tile(tile, swap) for tile in golden.draws]
    replacements = [_tile(tile, swap) for tile in golden.replacements]
    wishes = [_turned(move, turn, count, swap) for move in golden.moves()]
    if not as_written and chance.random() > FAITHFUL:
        del wishes[chance.randrange(len(wishes)) :]
    return Setup(
        name=name,
        style=style,
        ruleset=ruleset,
        dealer=dealer,
        wall=arrange(ruleset, dealer, hands, draws, dice, replacements),
        dice=dice,
        balances=balances if as_written else random_balances(count, ruleset.stake, chance),
        wishes=tuple(wishes),
        tail_count=len(replacements),
        deal_index=golden.deal_index,
        draws_in_row=golden.draws_in_row,
        silence_passes=not golden.text,
    )


def _other_ruleset(golden: Playthrough, chance: Random) -> Ruleset:
    """Random options and stake; the options that the file names stay."""
    variant = variants_of(Variant)[golden.variant]
    drawn = random_ruleset(variant, chance)
    named = {option: value for option, value in golden.options.items() if option not in ("stake", "escape_penalty")}
    return variant.ruleset(dict(drawn.options) | named, drawn.stake, drawn.escape_penalty)


def _tile(tile: Tile, swap: bool) -> Tile:
    """The tile, or its like in the other suit of the two that are exchanged; all others stay what they are."""
    if swap and tile in DOTS:
        return BAMBOO[DOTS.index(tile)]
    if swap and tile in BAMBOO:
        return DOTS[BAMBOO.index(tile)]
    return tile


def _turned(move: Action, turn: int, seat_count: int, swap: bool) -> Action:
    """The move by the seat that has these tiles now, as `legal` writes it."""
    if isinstance(move, asked.CloseQuestion | asked.Deal):
        return move
    seat = (move.seat + turn) % seat_count
    if isinstance(move, asked.Discard):
        return asked.Discard(seat, _tile(move.tile, swap))
    if isinstance(move, asked.Chow):
        return asked.Chow(seat, (_tile(move.tiles[0], swap), _tile(move.tiles[1], swap)))
    if isinstance(move, asked.Kong):
        return asked.Kong(seat, None if move.tile is None else _tile(move.tile, swap))
    return replace(move, seat=seat)
