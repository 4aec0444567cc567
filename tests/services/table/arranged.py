"""Deals that a test lays out tile by tile, at pods that run in this process."""

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from games.landlord.cards import DECK
from games.landlord.script import Arranged
from games.landlord.script import arrange as arrange_cards
from games.landlord.state import State as LandlordState
from games.mahjong.wall import arrange, tiles_in_order
from services.table.model import play

WallOf = Callable[[Any], Sequence[int]]
DIE = 1


def deals(monkeypatch: pytest.MonkeyPatch, wall_of: WallOf) -> None:
    """From now on every deal is played with the wall that `wall_of` makes for its state; every die shows 1."""

    def opening(state: play.GameState, **_: object) -> tuple[play.GameEvent, ...]:
        game = play.family_of(state).game
        events: tuple[play.GameEvent, ...] = game.open(state, tuple(wall_of(state)), dice(state))
        return events

    monkeypatch.setattr(play, "opening", opening)


def dice(state: play.GameState) -> tuple[int, ...]:
    """All ones, as many as the game takes."""
    count: int = play.family_of(state).game.dice_count(state.ruleset)
    return (DIE,) * count


def hands(*beginnings: Sequence[int]) -> WallOf:
    """A wall of mahjong by which the seats are dealt these tiles, the rest of each hand by chance; seat 0 deals."""

    def wall_of(state: Any) -> Sequence[int]:
        rules = state.ruleset
        rest = [tile for tile in tiles_in_order(rules) if tile not in rules.flowers]
        for tile in (tile for hand in beginnings for tile in hand):
            rest.remove(tile)
        random.Random(1).shuffle(rest)
        sizes = [14 if seat == 0 else 13 for seat in range(rules.seat_count)]
        full = [
            [*hand, *[rest.pop() for _ in range(size - len(hand))]]
            for hand, size in zip(beginnings, sizes, strict=True)
        ]
        return arrange(rules, 0, full, [*rest, *rules.flowers], dice(state))

    return wall_of


def cards(*beginnings: Sequence[int]) -> WallOf:
    """A pack of 听用斗地主 by which the seats are dealt these cards, then the highest that are left."""

    def wall_of(state: LandlordState) -> Sequence[int]:
        rest = [card for card in DECK if not any(card in hand for hand in beginnings)]
        size = state.ruleset.hand_size
        full = [(*hand, *[rest.pop() for _ in range(size - len(hand))]) for hand in beginnings]
        return arrange_cards(state.ruleset, Arranged(0, tuple(full), tuple(rest)))

    return wall_of
