"""A policy for games in which a hand's fans decide: it weighs what a hand may become against how soon.

Each plan it could still follow is worth its gain times the chance to complete it before somebody else ends the
deal; a hand that waits is worth what its waits really pay. It discards and claims whatever leaves it with the most.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp

from games.bots.nearest import less, near, unseen_by
from games.bots.plans import ALL, DAZHONG, FAR, SHANGHAI, Aim, Plan, Sort, aims, distance
from games.kernel import Seat
from games.mahjong.actions import Chow, Discard, Kong, Pass, PlayerAction, Pung, Win
from games.mahjong.decomposition import Packed, add, count, counts_of, pack
from games.mahjong.hand import Score, WinBy, WinningHand
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.state import State
from games.mahjong.tiles import Tile
from games.mahjong.waits import COPIES

AIMS_MAX = 5
"""Plans that are thought through at a decision: what looks best from afar."""
BY_SELF, BY_DISCARD = 0.35, 0.65
"""How wins come about, roughly."""
LAST_RATE = 2.6
DRAW_RATES = {Sort.SHAPE: 1.6, Sort.PUNGS: 2.0, Sort.FIGURE: 1.2, Sort.PAIRS: 1.0, Sort.SINGLES: 1.0}
"""Chances a turn, where a draw is one: claims and the discards of others come on top, most of all for the last tile."""
HAZARD, HAZARD_OF_ANY = 0.1, 0.25
"""Chance a turn that somebody else ends the deal: where few hands win, and where any shape does (DZ-21)."""
PLAYERS = 4
ENOUGH = 0.25
"""Share of hands that reach the least fan although their plan alone does not."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What a variant's plans gain.

    Attributes:
        plans: what to aim at.
        gain: what the winner is paid on average for so many fan, in stakes.
        won: the same of a score, by himself or by another's tile, in stakes.
        least: fan below which a hand does not win.
        hazard: chance a turn that somebody else ends the deal.
    """

    plans: tuple[Plan, ...]
    gain: Callable[[State, float], float]
    won: Callable[[State, Score, bool], float]
    least: Callable[[State], int]
    hazard: Callable[[State], float]


def _dazhong_base(state: State) -> int:
    base = state.ruleset.option("base_points")
    assert isinstance(base, int)
    return base


def _dazhong_won(state: State, score: Score, by_self: bool) -> float:
    """DZ-40."""
    return 3.0 * (_dazhong_base(state) + score.fan_total) if by_self else 3.0 * _dazhong_base(state) + score.fan_total


def _dazhong_least(state: State) -> int:
    least = state.ruleset.option("minimum_fan")
    assert isinstance(least, int)
    return least


def _shanghai_won(state: State, score: Score, by_self: bool) -> float:
    """SH-32."""
    return score.amount / state.ruleset.stake * (3 if by_self else 1)


ANY_SHAPE_FAN_MAX = 3
"""A least fan that nearly any shape has."""
AVERAGE_PAYERS = 3 * BY_SELF + BY_DISCARD

WEIGHTS: Mapping[str, Weights] = {
    "dazhong": Weights(
        DAZHONG,
        gain=lambda state, fan: 3 * _dazhong_base(state) + AVERAGE_PAYERS * fan,
        won=_dazhong_won,
        least=_dazhong_least,
        hazard=lambda state: HAZARD_OF_ANY if _dazhong_least(state) <= ANY_SHAPE_FAN_MAX else HAZARD,
    ),
    "shanghai": Weights(
        SHANGHAI,
        gain=lambda state, fan: AVERAGE_PAYERS * fan,
        won=_shanghai_won,
        least=lambda state: 0,
        hazard=lambda state: HAZARD,
    ),
}
"""Variants in which fans decide."""


def choose(view: State, seat: Seat, options: tuple[PlayerAction, ...]) -> PlayerAction:
    """What the seat does; the same for the same view and options.

    Args:
        view: what the seat knows, in a variant of WEIGHTS.
        options: what it may do now, at least one; one of them is returned.
    """
    for option in options:
        if isinstance(option, Win):
            return option
    thought = _Thought(view, seat)
    if any(isinstance(option, Pass) for option in options):
        return _answer(thought, options)
    return _move(thought, options)


class _Thought:
    """What the seat holds and sees at one decision."""

    def __init__(self, view: State, seat: Seat) -> None:
        self.view, self.seat = view, seat
        self.weights = WEIGHTS[view.ruleset.variant]
        self.melds = view.melds[seat]
        self.packed = pack(view.hands[seat])

    @cached_property
    def unseen(self) -> list[int]:
        """How many of each kind lie face down for the seat."""
        return unseen_by(self.view, self.packed)

    @cached_property
    def hidden(self) -> int:
        """Tiles that lie face down for the seat."""
        return max(sum(self.unseen), 1)

    @cached_property
    def hazard(self) -> float:
        """Chance a turn that the deal ends before the seat's next one, the wall's end included."""
        left = len(self.view.wall) - self.view.undrawn_count
        return self.weights.hazard(self.view) + 1 / max(left / PLAYERS, 1)

    def best(self, rests: Sequence[Packed], held: Packed, melds: tuple[Meld, ...]) -> list[float]:
        """What each of some hands beside the same melds is worth, in stakes; all of them come from the tiles held.

        A plan counts only where it is nearest: elsewhere a tile of it was given away.
        """
        worths: list[list[float]] = [[] for _ in rests]
        for aim in self._aims(held, melds):
            distances = [distance(aim, rest) for rest in rests]
            nearest = min(distances)
            for worth, rest, away in zip(worths, rests, distances, strict=True):
                if away == nearest <= AWAY_MAX:
                    worth.append(self._worth(aim, rest, away))
        return [max(_with_spare(worth), self._waiting(rest, melds)) for worth, rest in zip(worths, rests, strict=True)]

    def _aims(self, packed: Packed, melds: tuple[Meld, ...]) -> list[Aim]:
        """The plans that look best from afar: by gain, less for each tile that is missing; any shape is always one."""
        allowed = aims(self.weights.plans, melds, self.view.ruleset.set_count)
        ranked = sorted(allowed, key=lambda aim: -self._gain(aim.plan) * FAINTER ** max(distance(aim, packed), 0))
        plain = [aim for aim in ranked[AIMS_MAX:] if aim.plan.kinds is ALL and aim.plan.sort is Sort.SHAPE]
        return ranked[:AIMS_MAX] + plain

    def _worth(self, aim: Aim, packed: Packed, away: int) -> float:
        """A plan's gain times the chance to reach it."""
        useful = self._useful(aim, packed, away)
        chance = 1.0
        for step in range(away, -1, -1):
            then = useful * (step + 1) / (away + 1) if aim.plan.kinds is not ALL or aim.needed else FAR
            tiles = useful if step == away else min(then, USUAL[step])
            chance *= self._reached(tiles, LAST_RATE if step == 0 else DRAW_RATES[aim.plan.sort])
        return chance * self._gain(aim.plan)

    def _reached(self, tiles: float, rate: float) -> float:
        """The chance that one of so many tiles comes before the deal ends; it takes a turn at least."""
        turn = 1 - exp(-rate * tiles / self.hidden)
        return turn / (turn + self.hazard)

    def _gain(self, plan: Plan) -> float:
        """What a plan pays, less where it alone does not reach the least fan."""
        sure = 1.0 if plan.fan >= self.weights.least(self.view) else ENOUGH
        return sure * self.weights.gain(self.view, plan.fan)

    def _useful(self, aim: Aim, packed: Packed, away: int) -> int:
        """Unseen tiles that bring a hand nearer to the plan."""
        unseen, kinds = self.unseen, aim.plan.kinds
        if aim.plan.sort is Sort.SINGLES:
            return sum(unseen[tile] for tile in kinds if not count(packed, tile))
        close = {*near(packed, tuple(kinds)), *(tile for tile, _ in aim.needed)}
        return sum(unseen[tile] for tile in close if unseen[tile] and distance(aim, add(packed, tile)) < away)

    def _waiting(self, packed: Packed, melds: tuple[Meld, ...]) -> float:
        """What the waits of a hand really pay, each by how many of it are left; 0 if it does not wait."""
        rules = self.view.ruleset
        concealed = tuple(tile for tile, held in counts_of(packed) for _ in range(held))
        total = left = 0.0
        for tile in rules.judgement.waits(rules, concealed, melds):
            for by, share in ((WinBy.SELF, BY_SELF), (WinBy.DISCARD, BY_DISCARD)):
                score = rules.judgement.score(rules, self._hand(concealed, melds, tile, by))
                if score is not None:
                    tiles = self.unseen[tile] * share
                    left += tiles
                    total += tiles * self.weights.won(self.view, score, by is WinBy.SELF)
        return total / left * self._reached(left, LAST_RATE) if left else 0.0

    def _hand(self, concealed: tuple[Tile, ...], melds: tuple[Meld, ...], tile: Tile, by: WinBy) -> WinningHand:
        winds = self.view.ruleset.winds
        return WinningHand(
            concealed=concealed,
            melds=melds,
            tile=tile,
            by=by,
            flowers=self.view.flowers[self.seat],
            seat_wind=self.view.seat_wind(self.seat) if winds else None,
            round_wind=self.view.round_wind() if winds else None,
        )

    def after_discard(self, held: Packed, melds: tuple[Meld, ...], tiles: Sequence[Tile]) -> tuple[float, Tile]:
        """The best of some discards: what the hand is worth then, and which."""
        values = self.best([less(held, tile, 1) for tile in tiles], held, melds)
        worth, _, tile = max((value, -self.unseen[tile], tile) for value, tile in zip(values, tiles, strict=True))
        return worth, tile

    def value(self, held: Packed, melds: tuple[Meld, ...]) -> float:
        """What a hand is worth that waits for its turn."""
        return self.best([held], held, melds)[0]


def _with_spare(worths: Sequence[float]) -> float:
    """The best plan, and a share of the next: a hand that can turn to another is worth more."""
    ranked = sorted(worths, reverse=True)
    return (ranked[0] if ranked else 0.0) + (SPARE * ranked[1] if len(ranked) > 1 else 0.0)


SPARE = 0.25
"""What a second plan adds: a hand that can turn to it is worth more."""
USUAL = (6, 14, 24, 36, 48, 60)
"""Tiles that usually help a hand at each distance: how many will when it gets there nobody knows yet."""
AWAY_MAX = 5
"""A plan so far away is no aim."""
FAINTER = 0.38
"""How much less a plan is worth for each tile it is farther away, as a first look."""


def _move(thought: _Thought, options: Sequence[PlayerAction]) -> PlayerAction:
    """A kong or a discard; where neither is offered, what is."""
    discards = {option.tile: option for option in options if isinstance(option, Discard)}
    if not discards:
        return options[0]
    best, tile = thought.after_discard(thought.packed, thought.melds, sorted(discards))
    for option in options:
        if isinstance(option, Kong) and option.tile is not None and _kong_value(thought, option.tile) >= best:
            return option
    return discards[tile]


def _kong_value(thought: _Thought, tile: Tile) -> float:
    """What the hand is worth once the kong of its own tiles stands, before the replacement."""
    held, melds = count(thought.packed, tile), thought.melds
    if held < COPIES:
        melds = tuple(Meld(MeldKind.ADDED_KONG, tile) if meld == Meld(MeldKind.PUNG, tile) else meld for meld in melds)
    else:
        melds = (*melds, Meld(MeldKind.CONCEALED_KONG, tile))
    return thought.value(less(thought.packed, tile, held), melds)


def _answer(thought: _Thought, options: Sequence[PlayerAction]) -> PlayerAction:
    """The claim after which the hand is worth most, if that is more than it is worth now."""
    chosen: PlayerAction = next(option for option in options if isinstance(option, Pass))
    claims = [option for option in options if isinstance(option, Pung | Chow | Kong)]
    question = thought.view.question
    if not claims or question is None or question.tile is None:
        return chosen
    best = thought.value(thought.packed, thought.melds)
    for option in claims:
        worth = _claim_value(thought, option, question.tile)
        if worth > best:
            best, chosen = worth, option
    return chosen


def _claim_value(thought: _Thought, option: Pung | Chow | Kong, tile: Tile) -> float:
    """What the hand is worth after the claim and the best discard."""
    rest = thought.packed
    if isinstance(option, Chow):
        for own in option.tiles:
            rest = less(rest, own, 1)
        meld = Meld(MeldKind.CHOW, min(tile, *option.tiles))
    elif isinstance(option, Pung):
        rest, meld = less(rest, tile, 2), Meld(MeldKind.PUNG, tile)
    else:
        rest, meld = less(rest, tile, 3), Meld(MeldKind.EXPOSED_KONG, tile)
    melds = (*thought.melds, meld)
    if isinstance(option, Kong):
        return thought.value(rest, melds)
    return thought.after_discard(rest, melds, [other for other, _ in counts_of(rest)])[0]
