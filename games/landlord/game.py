"""The family as one `Game`: the functions of its rooms under the names of the kernel."""

from games.kernel import Seat
from games.landlord import checks, views
from games.landlord import decide as deciding
from games.landlord.actions import Action, Play, PlayerAction
from games.landlord.cards import DECK, Card
from games.landlord.events import Event, Opened
from games.landlord.evolve import evolve
from games.landlord.ruleset import Ruleset
from games.landlord.state import State, initial


class LandlordGame:
    """The rules of the family; stateless, one instance serves every table."""

    def initial(self, ruleset: Ruleset, dealer: Seat) -> State:
        """A table before its cards are shuffled; `dealer` bids first."""
        return initial(ruleset, dealer)

    def deck(self, ruleset: Ruleset) -> tuple[Card, ...]:
        """All cards in the order of the specification: what is shuffled (PF-41)."""
        assert ruleset.card_count == len(DECK), ruleset
        return DECK

    def dice_count(self, ruleset: Ruleset) -> int:
        """How many dice `open` takes: cards need none."""
        return 0

    def open(self, state: State, wall: tuple[Card, ...], dice: tuple[int, ...] = ()) -> tuple[Event, ...]:
        """The first event of a deal: the shuffled pack comes in whole.

        Args:
            wall: all cards in the order they are dealt, the bottom cards last.
            dice: none.
        """
        assert not dice, dice
        assert sorted(wall) == list(self.deck(state.ruleset)), wall
        return (Opened(state.ruleset, state.dealer, wall),)

    def decide(self, state: State, action: Action) -> tuple[Event, ...]:
        """See `games.landlord.decide.decide`."""
        return deciding.decide(state, action)

    def evolve(self, state: State, event: Event) -> State:
        """See `games.landlord.evolve.evolve`."""
        return evolve(state, event)

    def legal(self, state: State, seat: Seat) -> tuple[PlayerAction, ...]:
        """See `games.landlord.checks.legal`."""
        return checks.legal(state, seat)

    def hints(self, state: State, seat: Seat) -> tuple[Play, ...]:
        """The legal plays, the best hint first; see `games.landlord.hints`."""
        return checks.hints(state, seat)

    def awaiting(self, state: State) -> frozenset[Seat]:
        """See `games.landlord.checks.awaiting`."""
        return checks.awaiting(state)

    def redact(self, event: Event, seat: Seat | None) -> Event:
        """See `games.landlord.views.redact`; no event is private to a seat."""
        return views.redact(event, seat)

    def view(self, state: State, seat: Seat | None) -> State:
        """See `games.landlord.views.view`."""
        return views.view(state, seat)


GAME = LandlordGame()
