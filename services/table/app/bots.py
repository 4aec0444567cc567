"""Bots that have seats at a table (PF-10).

They live beside the table that they play at and know no more than a player: the view of their own seat and what it
may do. What they do goes through the table's mailbox like any player's request. They follow from the log alone,
so that a new owner of the table has the same ones at once.
"""

import asyncio
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from games.bots import landlord, policy, uniform
from games.kernel import Seat
from refusals import Reason, Refusal
from services.table.app.current import Current
from services.table.app.mailbox import Act, Answer, Letter, Request, SetReady
from services.table.app.outside import Outside
from services.table.app.table_time import Alarm
from services.table.model import flow, play
from services.table.model.play import GameState, PlayerAction, Rest
from services.table.model.state import GATHERING, Stage

RETRY_MS = 500
"""After a request that could not be taken, until the bot looks again."""
_OPEN = (Rest.TURN, Rest.QUESTION)
_OVERTAKEN = frozenset(
    {Reason.DECISION_STALE, Reason.ALREADY_ANSWERED, Reason.WRONG_TABLE_STATE, Reason.TABLE_CLOSED, Reason.NO_DECISION}
)
"""Refusals of a move that something else was faster than: the bot looks at what is asked now."""
_NAMES = uuid.UUID("5f0b9c52-3c5e-4c0e-9d3a-8a1d7c1f2b60")

Choose = Callable[[Any, Seat, tuple[Any, ...]], Any]
"""A policy: what the seat knows, which seat it is, what it may do -> what it does."""

SENSIBLE: Mapping[str, Choose] = {"mahjong": policy.choose, "landlord": landlord.choose}
"""By family."""

assert set(SENSIBLE) == set(play.FAMILIES)


class Bots:
    """The bots of one table. `look` whenever something may have changed."""

    def __init__(self, outside: Outside, current: Current, post: Callable[[Letter], None]) -> None:
        """`post` puts a letter into the table's mailbox; it may raise Refusal OVERLOADED."""
        self._outside = outside
        self._current = current
        self._post = post
        self._seats = tuple(seat for seat, name in enumerate(current.state.bots) if name)
        self._thinks_about: dict[Seat, str] = {}
        self._alarms: dict[Seat, Alarm] = {}
        self._gone = False

    def look(self) -> None:
        """Let every bot that is asked something set about it."""
        if self._gone or not self._seats or self._current.progress.stopped:
            return
        for seat in self._seats:
            self._look(seat)

    def stop(self) -> None:
        """The table is let go: nothing more is done."""
        self._gone = True
        for alarm in self._alarms.values():
            alarm.cancel()

    def _look(self, seat: Seat) -> None:
        asked = self._asked(seat)
        if asked is None or self._thinks_about.get(seat) == asked:
            return
        self._thinks_about[seat] = asked
        state = self._current.state
        if state.stage in GATHERING:  # ready at once (PF-12)
            self._send(seat, SetReady(seat, self._request_id(seat, asked), b""))
            return
        self._after(seat, self._delay_ms(), lambda: self._move(seat, asked))

    def _asked(self, seat: Seat) -> str | None:
        """The name of what the table waits for from this seat; None if for nothing."""
        state = self._current.state
        if state.stage in GATHERING:
            return None if state.ready[seat] is not None else f"ready {state.deal_number}"
        deal = state.deal
        if state.stage is Stage.CLOSED or deal is None or state.rest not in _OPEN:
            return None
        return flow.decision_id(deal.opened_seq, seat) if seat in play.awaiting(deal.game) else None

    def _delay_ms(self) -> int:
        """How long a bot takes to make up its mind: a natural little, and never half of the clock."""
        limits, room = self._outside.limits, self._current.state.room
        if not limits.bot_delay_max_ms:
            return 0
        drawn = self._outside.entropy.between(limits.bot_delay_min_ms, limits.bot_delay_max_ms)
        clock_ms = room.claim_limit_ms if self._current.state.rest is Rest.QUESTION else room.turn_limit_ms
        return min(drawn, clock_ms // 2)

    def _after(self, seat: Seat, delay_ms: int, then: Callable[[], None]) -> None:
        if delay_ms <= 0:
            then()
            return
        self._alarms[seat] = self._outside.alarms.set(self._outside.time.now_ms() + delay_ms, then)

    def _move(self, seat: Seat, asked: str) -> None:
        deal = self._current.state.deal
        if self._gone or deal is None or self._asked(seat) != asked:
            return
        try:
            action = self._chosen(deal.game, seat)
        except Exception as error:  # the clock plays for a bot that cannot (PF-21)
            self._outside.journal.error("bot_failed", table_id=self._current.state.table_id, error=type(error).__name__)
            return
        self._send(seat, Act(seat, self._request_id(seat, asked), asked, action))

    def _chosen(self, game: GameState, seat: Seat) -> PlayerAction:
        """What the seat's policy does, which is shown the seat's own view and nothing else (PF-40)."""
        options = play.legal(game, seat)
        if self._current.state.bots[seat] == "uniform":
            return uniform.choose(options, lambda count: self._outside.entropy.between(0, count - 1))
        chosen: PlayerAction = SENSIBLE[play.family_of(game).name](play.view(game, seat), seat, options)
        return chosen

    def _request_id(self, seat: Seat, asked: str) -> str:
        """The same for every owner of the table: what was stored once is not done again."""
        return str(uuid.uuid5(_NAMES, f"{self._current.state.table_id} {seat} {asked}"))

    def _send(self, seat: Seat, request: Request) -> None:
        reply: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()
        reply.add_done_callback(lambda done: self._answered(seat, done))
        try:
            self._post(Letter(request, reply))
        except Refusal as refusal:
            reply.set_exception(refusal)

    def _answered(self, seat: Seat, reply: "asyncio.Future[Answer | None]") -> None:
        """A request is decided; one that was not taken is made again, unless something was faster."""
        error = None if reply.cancelled() else reply.exception()
        if error is None or self._gone:
            return
        reason = error.reason if isinstance(error, Refusal) else Reason.INTERNAL
        if reason not in _OVERTAKEN:
            self._outside.journal.debug("bot_refused", table_id=self._current.state.table_id, reason=reason)
        self._after(seat, RETRY_MS, lambda: self._look_again(seat))

    def _look_again(self, seat: Seat) -> None:
        self._thinks_about.pop(seat, None)
        self.look()
