"""What holds for every game of the family at every step, whatever its rules are.

A law that does not hold raises `Broken`. Law 1: folding the log as a viewer may know it gives
the viewer's view. Law 2: shuffling what a viewer cannot see changes neither his view nor what
he may do. Both are checked on values and on what crosses the wire.
"""

from collections import Counter
from collections.abc import Iterator
from random import Random

from cardroom.mahjong.v1 import event_pb2, view_pb2

from games.kernel import Seat, pay
from games.mahjong.actions import PlayerAction
from games.mahjong.events import PRIVATE_EVENTS, Declined, EndCause, Ended, Event, Flowered, KongOutcome, Won
from games.mahjong.game import GAME
from games.mahjong.hand import WinBy
from games.mahjong.state import QUESTIONS, Fate, Phase, State
from games.mahjong.tiles import Tile
from tests.sim.deals import Setup, Step
from tests.sim.deals import start as start_of
from tests.sim.shuffling import shuffled
from wire.mahjong import event_from_proto, event_to_proto, view_from_proto, view_to_proto

Viewer = Seat | None
"""A seat, or None for a spectator."""

OPTIONS_SHARE = 0.2
"""Share of moments at which the options are also asked of the shuffled state: they follow from the view in any case."""


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
    """The event after the way to bytes and back; private ones have no message."""
    if isinstance(event, PRIVATE_EVENTS):
        return event
    return event_from_proto(event_pb2.Event.FromString(event_to_proto(event).SerializeToString()))


def view_over_the_wire(view: State, viewer: Viewer) -> State:
    """The view after the way to bytes and back."""
    return view_from_proto(view_pb2.View.FromString(view_to_proto(view, viewer).SerializeToString()), viewer)


class Laws:
    """Watches one deal.

    Args:
        views_share: moments at which views are compared with those of a shuffled state, beside the last.
        wire_share: changed views that are sent over the wire, beside the last.
    """

    def __init__(self, setup: Setup, chance: Random, *, views_share: float = 1.0, wire_share: float = 0.5) -> None:
        self._views_share, self._wire_share = views_share, wire_share
        start = start_of(setup)
        self._setup = setup
        self._chance = chance
        self._start = start
        self._log: list[Event] = []
        self._viewers: tuple[Viewer, ...] = (*start.seats, None)
        self._folded = dict.fromkeys(self._viewers, start)
        self._checked: dict[Viewer, State | None] = dict.fromkeys(self._viewers)
        self._options: dict[Seat, tuple[PlayerAction, ...]] = {}
        self._is_asked: dict[Seat, bool] = {}
        self._unreplaced: set[Seat] = set()
        self.balances = setup.balances

    def check(self, step: Step) -> None:
        """Everything that holds at every step."""
        state = step.before
        for event in step.events:
            earlier, state = state, GAME.evolve(state, event)
            self._log.append(event)
            self._money(event)
            self._kongs(earlier, state)
            if isinstance(event, Flowered | Declined) and state.phase is Phase.TURN:
                self._unreplaced.add(event.seat)
            self._law_1(event, state)
            hold(tiles_in_play(state) == Counter(self._setup.wall), "tiles are conserved", event)
        hold(state == step.after, "folding the events of an action gives the state after it")
        hold(state.phase is not Phase.MOVING, "a deal rests where somebody decides", state.phase)
        self._hand_sizes(state)
        if state.phase is Phase.OVER or self._chance.random() < self._views_share:
            self._law_2(state)
        if state.phase is Phase.OVER:
            self._replay(state)

    # --- money ----------------------------------------------------------------------------

    def _money(self, event: Event) -> None:
        """Nobody below zero, nothing made or lost, each pays what he has left (PF-51, BB-51)."""
        if not isinstance(event, Won | Ended):
            return
        before = self.balances
        paid = pay(before, event.payments)
        left = list(before)
        for line in paid.lines:
            payer, payee, amount = line.payment.payer, line.payment.payee, line.payment.amount
            hold((payee is None) == (line.payment.cause == "penalty"), "only penalties go to the system", line)
            hold(amount > 0, "money moves", line)
            hold(line.paid == min(amount, left[payer]), "each pays what he has left", line)
            left[payer] -= line.paid
            if payee is not None:
                left[payee] += line.paid
        hold(tuple(left) == paid.balances, "balances are what was paid", paid)
        hold(min(left) >= 0, "nobody goes below zero", left)
        hold(sum(left) + paid.system == sum(before), "money is conserved", left)
        self.balances = paid.balances

    def _kongs(self, earlier: State, state: State) -> None:
        """A kong's record ends in exactly one way and does not change again (BB-32)."""
        hold(len(state.kongs) >= len(earlier.kongs), "kongs are not forgotten")
        for index, kong in enumerate(state.kongs):
            before = earlier.kongs[index].outcome if index < len(earlier.kongs) else KongOutcome.OPEN
            hold(before in (KongOutcome.OPEN, kong.outcome), "a kong's outcome stands", (index, before, kong.outcome))
            has_receivers = kong.outcome is KongOutcome.TRANSFERRED
            hold(bool(kong.receivers) == has_receivers, "a transferred kong has receivers, no other has", kong)
            if state.phase is Phase.OVER:
                settled = kong.outcome is not KongOutcome.OPEN or not kong.amount
                hold(settled, "a kong that costs something is paid, transferred or void", kong)

    # --- tiles ----------------------------------------------------------------------------

    def _hand_sizes(self, state: State) -> None:
        """Every hand holds what its melds leave: one more on its turn, one less after a flower as the last tile."""
        escaped = state.result is not None and state.result.cause is EndCause.ESCAPED
        if escaped or not state.began or state.phase in (Phase.CLOSED, Phase.OPENED, Phase.OFFER):
            return
        drawn = {winner.seat for won in state.wins if won.by is WinBy.SELF for winner in won.winners}
        drawn -= {seat for seat in drawn if len(state.flowers[seat]) == state.ruleset.flower_offer_count > 0}
        if state.phase in (Phase.TURN, Phase.DECLARING):
            drawn.add(state.turn)
        for seat in state.seats:
            wanted = state.ruleset.hand_size - 3 * len(state.melds[seat]) + (seat in drawn) - (seat in self._unreplaced)
            hold(len(state.hands[seat]) == wanted, "hands have their size", (seat, state.hands[seat]))
            hold(list(state.hands[seat]) == sorted(state.hands[seat]), "hands lie in display order", seat)

    # --- law 1 ----------------------------------------------------------------------------

    def _law_1(self, event: Event, state: State) -> None:
        """The log as a viewer may know it folds into his view; nothing of it is lost on the wire.

        An event that comes back from the wire equal to itself folds into the same state, so
        this is the law over the wire too.
        """
        hold(over_the_wire(event) == event, "an event survives the wire", event)
        private = isinstance(event, PRIVATE_EVENTS)
        for viewer in self._viewers:
            shown = GAME.redact(event, viewer)
            own = private and getattr(event, "seat", None) == viewer
            hold((shown is not None) == (own or not private), "everybody sees as many events", (viewer, event))
            if shown is not None:
                hold(type(shown) is type(event), "a viewer sees the same kind of event", (viewer, event, shown))
                if shown != event:
                    hold(over_the_wire(shown) == shown, "a redacted event survives the wire", (viewer, shown))
                self._folded[viewer] = GAME.evolve(self._folded[viewer], shown)
            view = GAME.view(state, viewer)
            hold(self._folded[viewer] == view, "law 1: the redacted log folds into the view", (viewer, event))

    # --- law 2 ----------------------------------------------------------------------------

    def _law_2(self, state: State) -> None:
        """What a viewer cannot see changes neither his view nor his options."""
        asked = GAME.awaiting(state)
        for viewer in self._viewers:
            view = self._folded[viewer]
            other = shuffled(state, viewer, self._chance)
            hold(GAME.view(other, viewer) == view, "law 2: what is hidden does not change the view", viewer)
            if view != self._checked[viewer]:
                self._view_alone(view, viewer)
            if viewer is None:
                continue
            options = GAME.legal(state, viewer)
            hold(self._options[viewer] == options, "a seat's options follow from its view", viewer)
            hold(bool(options) or viewer not in asked, "a seat that is asked has options", viewer)
            hold(self._is_asked[viewer] == (viewer in asked), "whether a seat is asked follows from its view", viewer)
            if self._chance.random() < OPTIONS_SHARE:
                hold(GAME.legal(other, viewer) == options, "law 2: what is hidden does not change the options", viewer)

    def _view_alone(self, view: State, viewer: Viewer) -> None:
        """What depends on the view alone is worked out when it changes."""
        if view.phase is Phase.OVER or self._chance.random() < self._wire_share:
            hold(view_over_the_wire(view, viewer) == view, "a view survives the wire", viewer)
        self._checked[viewer] = view
        asked = GAME.awaiting(view)
        if viewer is None:
            hold(view.phase not in QUESTIONS or not asked, "a spectator does not learn who is asked", asked)
            return
        self._is_asked[viewer] = viewer in asked
        self._options[viewer] = GAME.legal(view, viewer)

    def _replay(self, state: State) -> None:
        """The whole log again from the start, private answers included, as stored and as sent."""
        replayed = received = self._start
        for event in self._log:
            replayed = GAME.evolve(replayed, event)
            received = GAME.evolve(received, over_the_wire(event))
        hold(replayed == state, "replay equals live")
        hold(received == state, "replay over the wire equals live")


def tiles_in_play(state: State) -> Counter[Tile]:
    """Every tile once: wall, hands, flowers, melds, discards that are in no meld, and robbed tiles.

    A claimed discard counts in its meld. A won one stays where it lies: the winner's hand
    does not take it, and a meld that shares it holds a virtual copy (BB-14). A robbed tile
    has left its owner's hand and the meld is a pung again, unless the kong stands (BB-15).
    """
    return Counter(_tiles_in_play(state))


def _tiles_in_play(state: State) -> Iterator[Tile]:
    yield from state.wall
    yield from state.tail
    for tiles in (*state.hands, *state.flowers):
        yield from tiles
    for melds in state.melds:
        for meld in melds:
            yield from meld.tiles[1:] if meld.shared else meld.tiles
    for discard in state.discards:
        if discard.fate is not Fate.MELDED:
            yield discard.tile
    for won in state.wins:
        if won.by is WinBy.ROB and not state.ruleset.robbed_kong_stands:
            assert won.tile is not None
            yield won.tile
