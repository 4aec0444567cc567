"""What holds for every deal of the family at every step, whatever its rules are.

A law that does not hold raises `Broken`. Law 1: folding the log as a viewer may know it gives
the viewer's view. Law 2: exchanging what a viewer cannot see changes neither his view nor
what he may do. Both are checked on values and on what crosses the wire.
"""

from collections.abc import Iterator
from random import Random

from cardroom.landlord.v1 import action_pb2, event_pb2, view_pb2

from games.kernel import Seat, pay
from games.landlord.actions import PlayerAction
from games.landlord.cards import DECK, HIDDEN, Card
from games.landlord.events import EndCause, Ended, Event
from games.landlord.game import GAME
from games.landlord.replay import replay
from games.landlord.state import ASKING, Phase, State
from tests.sim.landlord.deals import Setup, Step
from tests.sim.landlord.shuffling import shuffled
from wire.landlord import (
    action_from_proto,
    action_to_proto,
    event_from_proto,
    event_to_proto,
    view_from_proto,
    view_to_proto,
)

Viewer = Seat | None
"""A seat, or None for a spectator."""

OPTIONS_SHARE = 0.1
"""Share of moments at which the options are also asked of the exchanged state: they follow from the view anyway."""
WIRE_SHARE = 0.1
"""Share of views that go over the wire, those of an ended deal beside: each holds all moves so far again."""


class Broken(AssertionError):
    """A law or a rule does not hold; `law` says which."""

    def __init__(self, law: str, detail: str = "") -> None:
        super().__init__(f"{law}: {detail}")
        self.law = law


def hold(condition: bool, law: str, detail: object = "") -> None:
    """Raise Broken unless the condition holds."""
    if not condition:
        raise Broken(law, str(detail))


def over_the_wire(event: Event) -> Event:
    """The event after the way to bytes and back."""
    return event_from_proto(event_pb2.Event.FromString(event_to_proto(event).SerializeToString()))


def view_over_the_wire(view: State) -> State:
    """The view after the way to bytes and back."""
    return view_from_proto(view_pb2.View.FromString(view_to_proto(view).SerializeToString()))


def action_over_the_wire(action: PlayerAction) -> PlayerAction:
    """The move after the way to bytes and back."""
    message = action_pb2.Action.FromString(action_to_proto(action).SerializeToString())
    return action_from_proto(message, action.seat)


class Laws:
    """Watches one deal."""

    def __init__(self, setup: Setup, chance: Random) -> None:
        start = GAME.initial(setup.ruleset, setup.dealer)
        self._setup = setup
        self._chance = chance
        self._start = start
        self._log: list[Event] = []
        self._viewers: tuple[Viewer, ...] = (*start.seats, None)
        self._folded = dict.fromkeys(self._viewers, start)
        self.balances = setup.balances

    def check(self, step: Step) -> None:
        """Everything that holds at every step."""
        state = step.before
        for event in step.events:
            state = GAME.evolve(state, event)
            self._log.append(event)
            self._law_1(event, state)
            hold(sorted(cards_in_play(state)) == list(DECK), "51 cards are conserved", event)
        hold(state == step.after, "folding the events of an action gives the state after it")
        hold(state.phase not in (Phase.TAKING, Phase.SETTLING), "a deal rests where somebody decides", state.phase)
        hold(all(list(hand) == sorted(hand) for hand in state.hands), "hands lie in display order")
        self._law_2(state)
        if state.phase is Phase.OVER:
            assert state.result is not None
            self._money(state.result)
            self._replay(state)

    # --- money ----------------------------------------------------------------------------

    def _money(self, ended: Ended) -> None:
        """Nobody below zero, nothing made or lost, and the scores add up (PF-50, PF-51, PF-54)."""
        before = self.balances
        for balances, payments in ((before, ended.payments), ((10**9,) * 3, ended.point_payments)):
            paid = pay(balances, payments)
            hold(min(paid.balances) >= 0, "nobody goes below zero", paid)
            hold(sum(paid.balances) + paid.system == sum(balances), "zero sum with the system", paid)
            hold(all(line.paid <= line.payment.amount for line in paid.lines), "nobody pays more than is asked", paid)
            hold(
                all((line.payment.payee is None) == (line.payment.cause == "penalty") for line in paid.lines),
                "penalties go to the system, and nothing else",
                paid,
            )
        moved = tuple(after - 10**9 for after in pay((10**9,) * 3, ended.point_payments).balances)
        hold(moved == ended.scores, "the payments in points are the scores", ended)
        hold(sum(ended.scores) == 0 or ended.cause is EndCause.ESCAPED, "scores sum up to zero", ended)
        self.balances = pay(before, ended.payments).balances

    # --- law 1 ----------------------------------------------------------------------------

    def _law_1(self, event: Event, state: State) -> None:
        """The log as a viewer may know it folds into his view; nothing of it is lost on the wire."""
        hold(over_the_wire(event) == event, "an event survives the wire", event)
        for viewer in self._viewers:
            told = GAME.redact(event, viewer)
            hold(type(told) is type(event), "everybody sees as many events of the same kind", (viewer, event))
            if told != event:
                hold(over_the_wire(told) == told, "a redacted event survives the wire", (viewer, told))
            self._folded[viewer] = GAME.evolve(self._folded[viewer], told)
            view = GAME.view(state, viewer)
            hold(self._folded[viewer] == view, "law 1: the redacted log folds into the view", (viewer, event))

    # --- law 2 ----------------------------------------------------------------------------

    def _law_2(self, state: State) -> None:
        """What a viewer cannot see changes neither his view nor his options."""
        for viewer in self._viewers:
            view = self._folded[viewer]
            other = shuffled(state, viewer, self._chance)
            hold(GAME.view(other, viewer) == view, "law 2: what is hidden does not change the view", viewer)
            if self._chance.random() < WIRE_SHARE or not GAME.awaiting(state):
                hold(view_over_the_wire(view) == view, "a view survives the wire", viewer)
            hold(GAME.awaiting(view) == GAME.awaiting(state), "everybody knows whose turn it is", viewer)
            if viewer is not None:
                self._options(state, other, view, viewer)
        hold(bool(GAME.awaiting(state)) == (state.phase in ASKING), "somebody is asked until the end", state.phase)

    def _options(self, state: State, other: State, view: State, seat: Seat) -> None:
        options = GAME.legal(state, seat)
        hold(bool(options) == (seat in GAME.awaiting(state)), "who is asked has options, nobody else", seat)
        if options:
            hold(GAME.legal(view, seat) == options, "a seat's options follow from its view", seat)
            hold(all(action_over_the_wire(one) == one for one in options[-8:]), "a move survives the wire", options)
            if self._chance.random() < OPTIONS_SHARE:
                hold(GAME.legal(other, seat) == options, "law 2: what is hidden does not change the options", seat)

    def _replay(self, state: State) -> None:
        """The whole log again from the start, folded, as it is sent, and decided anew."""
        replayed = received = self._start
        for event in self._log:
            replayed = GAME.evolve(replayed, event)
            received = GAME.evolve(received, over_the_wire(event))
        hold(replayed == state, "replay equals live")
        hold(received == state, "replay over the wire equals live")
        hold(replay(self._log) == state, "a record played again equals live")


def cards_in_play(state: State) -> Iterator[Card]:
    """Every card once: the pack, hands, what was played, and the bottom cards until they are in a hand."""
    yield from state.wall
    for hand in state.hands:
        yield from hand
    for play in state.plays:
        yield from play.cards
    held = sum(map(len, state.hands)) + sum(len(play.cards) for play in state.plays)
    if not state.wall and held < len(DECK):
        yield from state.bottom
    assert HIDDEN not in state.wall
