"""The family as one `Game`: the functions of its rooms under the names of the kernel."""

from games.kernel import Seat
from games.mahjong import decide as deciding
from games.mahjong import views
from games.mahjong.actions import Action, PlayerAction
from games.mahjong.events import Event, Opened
from games.mahjong.evolve import evolve
from games.mahjong.ruleset import Ruleset
from games.mahjong.state import State, initial
from games.mahjong.tiles import Tile
from games.mahjong.wall import wall_start


class MahjongGame:
    """The rules of the family; stateless, one instance serves every table."""

    def initial(self, ruleset: Ruleset, dealer: Seat) -> State:
        """A table before its wall is built."""
        return initial(ruleset, dealer)

    def open(self, state: State, wall: tuple[Tile, ...], dice: tuple[int, ...]) -> tuple[Event, ...]:
        """The first event of a deal: wall and dice come in whole (BB-3).

        Args:
            wall: tiles in their physical order; an arranged one may be shorter than the game's.
            dice: the dealer's two, then the two thrown back.
        """
        start = wall_start(state.ruleset, state.dealer, dice, len(wall))
        return (Opened(state.ruleset, state.dealer, dice, wall, start),)

    def decide(self, state: State, action: Action) -> tuple[Event, ...]:
        """See `games.mahjong.decide.decide`."""
        return deciding.decide(state, action)

    def evolve(self, state: State, event: Event) -> State:
        """See `games.mahjong.evolve.evolve`."""
        return evolve(state, event)

    def legal(self, state: State, seat: Seat) -> tuple[PlayerAction, ...]:
        """See `games.mahjong.decide.legal`."""
        return deciding.legal(state, seat)

    def awaiting(self, state: State) -> frozenset[Seat]:
        """See `games.mahjong.decide.awaiting`."""
        return deciding.awaiting(state)

    def redact(self, event: Event, seat: Seat | None) -> Event | None:
        """See `games.mahjong.views.redact`."""
        return views.redact(event, seat)

    def view(self, state: State, seat: Seat | None) -> State:
        """See `games.mahjong.views.view`."""
        return views.view(state, seat)


GAME = MahjongGame()
