"""A deal of cards, asked again at the scoring service: plays must read the same there, and money move the same."""

from collections.abc import Awaitable, Callable, Sequence

from cardroom.landlord.v1 import event_pb2
from cardroom.scoring.v1 import scoring_pb2
from cardroom.table.v1 import event_pb2 as table_pb2

from games.landlord.cards import RANK_NAMES
from games.landlord.script import Arranged, arrange
from wire.landlord import KINDS, ruleset_from_opened

ReadCards = Callable[[scoring_pb2.ReadCardsRequest], Awaitable[scoring_pb2.ReadCardsResponse]]
SettleDeal = Callable[[scoring_pb2.SettleDealRequest], Awaitable[scoring_pb2.SettleDealResponse]]

_KIND_OF = {number: kind for kind, number in KINDS.items()}
POINTS = "points"
Moved = tuple[int, int | None, int, int, str]
"""Payer, payee (None: the system), units asked and paid, cause."""


class CardCheck:
    """Collects the entries of a deal as all seats together know it; `ask` asks scoring about them."""

    def __init__(self) -> None:
        self._events: list[event_pb2.Event] = []
        self._started = table_pb2.DealStarted()
        self._moved: dict[str, list[Moved]] = {}

    @property
    def play_count(self) -> int:
        """Plays collected."""
        return sum(event.HasField("played") for event in self._events)

    def take(self, event: table_pb2.TableEvent) -> None:
        """Take an entry of the table's log."""
        kind = event.WhichOneof("kind")
        if kind == "deal_started":
            self._started = event.deal_started
            self._events.clear()
            self._moved.clear()
        elif kind == "landlord":
            self._events.append(event.landlord)
        elif kind == "payments_made":
            made = event.payments_made
            rows = [(row.payer_seat, _payee(row), row.asked, row.paid, row.cause) for row in made.payments]
            self._moved.setdefault(made.asset, []).extend(rows)

    async def ask(self, read_cards: ReadCards, settle_deal: SettleDeal) -> Sequence[str]:
        """Ask about every play and about the deal. Returns: what differs, in words; empty if nothing does."""
        faults: list[str] = []
        if not self._events or not self._events[0].HasField("opened"):
            return faults  # the deal was begun in an earlier run: not all of it is known
        ruleset = _ruleset(self._events[0].opened)
        for event in self._events:
            if event.HasField("played"):
                faults += await _differing_play(read_cards, ruleset, event.played)
        if faults:
            return faults  # scoring would refuse the record for the same reason
        settled = await settle_deal(
            scoring_pb2.SettleDealRequest(
                ruleset=ruleset,
                landlord_events=self._record(),
                balances=_in_seat_order(self._started.balances),
                points=_in_seat_order(self._started.points),
            )
        )
        points = self._moved.pop(POINTS, []) if self._started.points else []
        played_for = [row for rows in self._moved.values() for row in rows]
        there = (settled.payments, settled.point_payments if self._started.points else ())
        return [*faults, *_differing_money(played_for, there[0]), *_differing_money(points, there[1])]

    def _record(self) -> list[event_pb2.Event]:
        """The deal's record with all cards face up: any pack that deals these hands is as good as the real one."""
        record = [event_pb2.Event.FromString(event.SerializeToString()) for event in self._events]
        opened, dealt, ended = record[0].opened, record[1].dealt, record[-1].ended
        dealt.bottom.CopyFrom(ended.bottom)
        hands = tuple(tuple(hand.cards) for hand in dealt.hands)
        arranged = Arranged(opened.first_bidder, hands, tuple(ended.bottom.cards))
        opened.pack.extend(arrange(ruleset_from_opened(opened), arranged))
        for event in record:
            if event.HasField("called") and not event.called.blind:
                event.called.bottom.CopyFrom(ended.bottom)
        return record


async def _differing_play(
    read_cards: ReadCards, ruleset: scoring_pb2.Ruleset, played: event_pb2.Played
) -> Sequence[str]:
    answer = await read_cards(scoring_pb2.ReadCardsRequest(ruleset=ruleset, card_ids=played.cards))
    reading = played.reading
    told = (_KIND_OF[reading.kind].value, RANK_NAMES[reading.rank], reading.count)
    if told in [(one.kind, one.rank, one.count) for one in answer.readings]:
        return ()
    return (f"seat {played.seat}: {told} at the table, {list(answer.readings)} at scoring",)


def _differing_money(here: Sequence[Moved], rows: Sequence[scoring_pb2.SettledPayment]) -> list[str]:
    there = [(row.payer_seat, _payee(row), row.asked, row.paid, row.cause) for row in rows]
    return [] if there == here else [f"{here} moved at the table, {there} at scoring"]


def _ruleset(opened: event_pb2.Opened) -> scoring_pb2.Ruleset:
    return scoring_pb2.Ruleset(
        variant=opened.variant, version=opened.rules_version, options=opened.options, stake=opened.stake
    )


def _payee(row: table_pb2.TablePayment | scoring_pb2.SettledPayment) -> int | None:
    return row.payee_seat if row.HasField("payee_seat") else None


def _in_seat_order(rows: Sequence[table_pb2.SeatBalance]) -> list[int]:
    return [row.balance for row in sorted(rows, key=lambda row: row.seat)]
