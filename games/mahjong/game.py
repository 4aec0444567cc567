"""The family as one `Game`: the functions of its rooms under the names of the kernel."""

from games.kernel import Seat
from games.mahjong import checks, views
from games.mahjong import decide as deciding
from games.mahjong.actions import Action, PlayerAction
from games.mahjong.events import Event, Opened
from games.mahjong.evolve import evolve
from games.mahjong.ruleset import Ruleset
from games.mahjong.state import State, initial
from games.mahjong.tiles import Tile
from games.mahjong.wall import DIE, dice_counts, wall_start


class MahjongGame:
    """The rules of the family; stateless, one instance serves every table."""

    def initial(self, ruleset: Ruleset, dealer: Seat, *, deal_index: int = 0, draws_in_row: int = 0) -> State:
        """See `games.mahjong.state.initial`."""
        return initial(ruleset, dealer, deal_index=deal_index, draws_in_row=draws_in_row)

    def dice_count(self, ruleset: Ruleset) -> int:
        """How many dice `open` takes: the opening's, then one for each kong there can be."""
        return sum(dice_counts(ruleset))

    def open(
        self,
        state: State,
        wall: tuple[Tile, ...],
        dice: tuple[int, ...],
        *,
        tail_count: int = 0,
        undrawn_count: int | None = None,
    ) -> tuple[Event, ...]:
        """The first event of a deal: wall and dice come in whole (BB-3).

        Args:
            wall: tiles in their physical order; an arranged one may be shorter than the game's.
            dice: the dealer's two, then any thrown back, then those for kongs (DZ-5).
            tail_count: tiles at the end that only replacements take; for arranged walls.
            undrawn_count: tiles that stay in the wall (DZ-6); None for as many as the rules say.
        """
        rules = state.ruleset
        opening, for_kongs = dice_counts(rules)
        assert len(dice) == opening + for_kongs and all(die in DIE for die in dice), dice
        if undrawn_count is None:
            undrawn_count = max(0, len(wall) - rules.live_tiles)
        return (
            Opened(
                ruleset=rules,
                dealer=state.dealer,
                dice=dice[:opening],
                wall=wall,
                wall_start=wall_start(rules, state.dealer, dice[:opening], len(wall)),
                tail_count=tail_count,
                deal_index=state.deal_index,
                draws_in_row=state.draws_in_row,
                undrawn_count=undrawn_count,
                kong_dice=dice[opening:],
            ),
        )

    def decide(self, state: State, action: Action) -> tuple[Event, ...]:
        """See `games.mahjong.decide.decide`."""
        return deciding.decide(state, action)

    def evolve(self, state: State, event: Event) -> State:
        """See `games.mahjong.evolve.evolve`."""
        return evolve(state, event)

    def legal(self, state: State, seat: Seat) -> tuple[PlayerAction, ...]:
        """See `games.mahjong.checks.legal`."""
        return checks.legal(state, seat)

    def awaiting(self, state: State) -> frozenset[Seat]:
        """See `games.mahjong.checks.awaiting`."""
        return checks.awaiting(state)

    def redact(self, event: Event, seat: Seat | None) -> Event | None:
        """See `games.mahjong.views.redact`."""
        return views.redact(event, seat)

    def view(self, state: State, seat: Seat | None) -> State:
        """See `games.mahjong.views.view`."""
        return views.view(state, seat)


GAME = MahjongGame()
