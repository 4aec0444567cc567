"""A deal in words, as it is played: a few moves a line, what matters on lines of its own."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from cardroom.landlord.v1 import event_pb2 as landlord_pb2
from cardroom.mahjong.v1 import event_pb2 as mahjong_pb2
from cardroom.table.v1 import event_pb2, table_pb2

from deploy.local.landlord_tale import LEGEND as CARD_LEGEND
from deploy.local.landlord_tale import LandlordTale
from games.catalog import variant_of
from games.mahjong.tiles import show

WIDTH = 100
"""Columns after which a line of moves ends."""

KONG_WORDS = {
    mahjong_pb2.KONG_KIND_EXPOSED: "引杠 exposed",
    mahjong_pb2.KONG_KIND_ADDED: "巴杠 added",
    mahjong_pb2.KONG_KIND_CONCEALED: "暗杠 concealed",
}
OUTCOME_WORDS = {
    mahjong_pb2.KONG_OUTCOME_UNSPECIFIED: "open",
    mahjong_pb2.KONG_OUTCOME_PAID: "paid",
    mahjong_pb2.KONG_OUTCOME_TRANSFERRED: "transferred",
    mahjong_pb2.KONG_OUTCOME_VOID: "void",
}
END_WORDS = {
    mahjong_pb2.END_CAUSE_WALL_EMPTY: "the wall is empty",
    mahjong_pb2.END_CAUSE_ONE_LEFT: "only one player has not won",
    mahjong_pb2.END_CAUSE_WON: "it is won",
    mahjong_pb2.END_CAUSE_ESCAPED: "a player has left",
}
CLOSE_WORDS = {
    event_pb2.TABLE_CLOSE_CAUSE_NOT_READY: "somebody was not ready in time",
    event_pb2.TABLE_CLOSE_CAUSE_BALANCE: "a balance is below the room's least",
    event_pb2.TABLE_CLOSE_CAUSE_DEALS_PLAYED: "the room's number of deals is played",
    event_pb2.TABLE_CLOSE_CAUSE_FAULT: "a fault; the deal is void",
    event_pb2.TABLE_CLOSE_CAUSE_STAKE: "a stake could not be reserved",
    event_pb2.TABLE_CLOSE_CAUSE_VOIDED: "the deal is void; what it moved is moved back",
    event_pb2.TABLE_CLOSE_CAUSE_SCORING: "table and scoring do not agree; the deal is void",
    event_pb2.TABLE_CLOSE_CAUSE_LEFT: "a player has left",
    event_pb2.TABLE_CLOSE_CAUSE_ESCAPED: "a player has escaped",
}
REPLACEMENTS = frozenset({mahjong_pb2.DRAW_SOURCE_REPLACEMENT, mahjong_pb2.DRAW_SOURCE_FLOWER})
LEGEND = "moves: 0+5p-3s = seat 0 draws 5p and discards 3s; tiles m p s = characters, dots, bamboo"

LEGENDS = {"mahjong": LEGEND, "landlord": CARD_LEGEND}
"""How moves are written, by family."""


def _asked_text(winner: mahjong_pb2.WinnerResult) -> str:
    """What the payers are asked for: not the same of each where the giver pays more (DZ-40)."""
    if len({row.amount for row in winner.payments}) < 2:
        return f"{winner.amount} a payer"
    return ", ".join(f"{row.amount} of seat {row.payer_seat}" for row in winner.payments)


class Narrator:
    """Tells the entries of one table's log, in order."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._moves: list[str] = []
        self._cards = LandlordTale(self._line, self._move)
        self._legend = LEGEND

    def introduce(self, snapshot: table_pb2.Snapshot) -> None:
        """Tell who sits where, and for what they play."""
        room = snapshot.room
        self._legend = LEGENDS[variant_of(room.variant).family]
        seats = sorted(snapshot.seats, key=lambda seat: seat.seat)
        beside = ", points by the score beside" if room.moves_points else ""
        self._line(f"room {room.room_id}, {room.name}: {room.variant}, stake {room.stake} {room.asset}{beside}")
        self._line("  " + ", ".join(f"seat {seat.seat} {seat.player_id}" for seat in seats))

    def resume(self, snapshot: table_pb2.Snapshot) -> None:
        """Tell where a deal stands that was left in an earlier run."""
        view = snapshot.mahjong
        if snapshot.HasField("landlord"):
            where = self._cards.resume(snapshot.landlord)
        else:
            where = f"{view.wall_left} tiles in the wall, {len(view.discards)} discards, {len(view.wins)} wins"
        self._line(f"deal {snapshot.deal_number} goes on where it was left: {where}")

    def tell(self, event: event_pb2.TableEvent) -> None:
        """Tell one entry."""
        kind = event.WhichOneof("kind")
        if kind is not None and kind in _TABLE:
            _TABLE[kind](self, getattr(event, kind))

    def close(self) -> None:
        """Tell moves not told yet."""
        if self._moves:
            moves, self._moves = self._moves, []
            self._say("  " + "  ".join(moves))

    def _line(self, text: str) -> None:
        self.close()
        self._say(text)

    def _move(self, text: str) -> None:
        if self._moves and sum(map(len, self._moves)) + 2 * len(self._moves) + len(text) > WIDTH:
            self.close()
        self._moves.append(text)

    def _tell_deal_started(self, started: event_pb2.DealStarted) -> None:
        points = f", points {balances(started.points)}" if started.points else ""
        held = f"balances {balances(started.balances)}{points}"
        self._line(f"deal {started.deal_number}: dealer {started.dealer}, {held}")
        self._line(f"  shuffle committed to {started.seed_commitment[:16]}..., deal id {started.deal_id}")
        self._line(f"  {self._legend}")

    def _tell_mahjong(self, event: mahjong_pb2.Event) -> None:
        kind = event.WhichOneof("kind")
        if kind is not None and kind in _MAHJONG:
            _MAHJONG[kind](self, getattr(event, kind))

    def _tell_landlord(self, event: landlord_pb2.Event) -> None:
        self._cards.tell(event)

    def _tell_opened(self, opened: mahjong_pb2.Opened) -> None:
        first, second, *back = opened.dice
        thrown_back = f", thrown back {'+'.join(map(str, back))}" if back else ""
        self._line(f"  dice {first}+{second}{thrown_back}; {opened.wall_count} tiles")

    def _tell_dealt(self, dealt: mahjong_pb2.Dealt) -> None:
        for seat, hand in enumerate(dealt.hands):
            self._line(f"  seat {seat} {hand_text(hand)}")

    def _tell_drawn(self, drawn: mahjong_pb2.Drawn) -> None:
        mark = "++" if drawn.source in REPLACEMENTS else "+"
        self._move(f"{drawn.seat}{mark}{tile_text(drawn)}")

    def _tell_discarded(self, discarded: mahjong_pb2.Discarded) -> None:
        own_draw = bool(self._moves) and self._moves[-1].startswith(f"{discarded.seat}+")
        text = f"-{show((discarded.tile,))}"
        if own_draw:
            self._moves[-1] += text
        else:
            self._move(f"{discarded.seat}{text}")

    def _tell_melded(self, melded: mahjong_pb2.Melded) -> None:
        if melded.HasField("lowest"):
            meld = f"chow {show(range(melded.lowest, melded.lowest + 3))}"
        else:
            meld = f"pung {show((melded.tile,) * 3)}"
        self._move(f"{melded.seat} {meld} from {melded.from_seat}")

    def _tell_konged(self, konged: mahjong_pb2.Konged) -> None:
        source = f" from seat {konged.from_seat}" if konged.HasField("from_seat") else ""
        owing = ", ".join(map(str, konged.owing_seats)) or "nobody"
        self._line(
            f"  KONG seat {konged.seat}: {KONG_WORDS[konged.kind]} {show((konged.tile,) * 4)}{source}; owing: {owing}"
        )

    def _tell_won(self, won: mahjong_pb2.Won) -> None:
        how = {
            mahjong_pb2.WIN_BY_SELF: "自摸 self-draw",
            mahjong_pb2.WIN_BY_DISCARD: f"on the discard of seat {won.from_seat}",
            mahjong_pb2.WIN_BY_ROB: f"抢杠 robbing the kong of seat {won.from_seat}",
        }[won.by]
        tile = f" {show((won.tile,))}" if won.HasField("tile") else ""
        for winner in won.winners:
            self._line(
                f"  WIN seat {winner.seat}, number {winner.rank}:{tile} {how}: {fans_text(winner.fans)}"
                f" = {worth_text(winner)}, {_asked_text(winner)}"
            )
        if won.transferred_kongs:
            self._line(f"  呼叫转移: the rain of {len(won.transferred_kongs)} kong(s) goes to the winner(s)")

    def _tell_locked(self, locked: mahjong_pb2.Locked) -> None:
        self._line(f"  听牌 seat {locked.seat} locks its ready hand")

    def _tell_declared(self, declared: mahjong_pb2.Declared) -> None:
        seats = ", ".join(f"seat {seat}" for seat in declared.seats) or "nobody"
        self._line(f"  报叫 {seats} declares a ready hand")

    def _tell_flowered(self, flowered: mahjong_pb2.Flowered) -> None:
        self._move(f"{flowered.seat} flower {show((flowered.tile,))}")

    def _tell_declined(self, declined: mahjong_pb2.Declined) -> None:
        self._line(f"  seat {declined.seat} declines the win for all flowers")

    def _tell_began(self, began: mahjong_pb2.Began) -> None:
        self._line("  the opening is over, nobody holds a flower")

    def _tell_went_away(self, away: mahjong_pb2.WentAway) -> None:
        self._line(f"  seat {away.seat} is away; the server plays for it")

    def _tell_came_back(self, back: mahjong_pb2.CameBack) -> None:
        self._line(f"  seat {back.seat} is back")

    def _tell_ended(self, ended: mahjong_pb2.Ended) -> None:
        next_dealer = f"seat {ended.next_dealer}" if ended.HasField("next_dealer") else "nobody"
        self._line(f"  END {END_WORDS[ended.cause]}; next dealer: {next_dealer}")
        for seat, hand in enumerate(ended.hands):
            self._line(f"  seat {seat} {hand_text(hand) or '(nothing concealed)'}")
        if ended.checks:
            self._line(f"  查叫 ready check: {', '.join(map(check_text, ended.checks))}")
        if ended.kong_outcomes:
            self._line(f"  kongs, in order: {', '.join(OUTCOME_WORDS[outcome] for outcome in ended.kong_outcomes)}")

    def _tell_payments_made(self, made: event_pb2.PaymentsMade) -> None:
        for payment in made.payments:
            payee = payment.payee_seat if payment.HasField("payee_seat") else "system"
            self._line(
                f"    {payment.cause}: seat {payment.payer_seat} -> {payee}, asked {payment.asked}, paid {payment.paid}"
            )
        self._line(f"    settlement {made.settlement_seq} in {made.asset}: balances {balances(made.balances)}")

    def _tell_deal_settled(self, settled: event_pb2.DealSettled) -> None:
        points = f", points {balances(settled.points)}" if settled.points else ""
        self._line(f"  settled: balances {balances(settled.balances)}{points}; seed {settled.seed[:16]}...")

    def _tell_closed(self, closed: event_pb2.TableClosed) -> None:
        requeued = ", ".join(f"seat {seat}" for seat in closed.requeued_seats)
        back = f"; back to the queue: {requeued}" if requeued else ""
        self._line(f"  table dissolved: {CLOSE_WORDS.get(closed.cause, 'no cause told')}{back}")

    def _tell_left(self, left: event_pb2.SeatLeft) -> None:
        after_deal = left.when == event_pb2.LEAVE_WHEN_AFTER_DEAL
        self._line(f"  seat {left.seat} leaves{' after the deal' if after_deal else ''}")

    def _tell_trustee(self, trustee: event_pb2.TrusteeSet) -> None:
        by_whom = "the server" if trustee.by_server else "its player"
        self._line(f"  托管 seat {trustee.seat}: trustee switched {'on' if trustee.on else 'off'} by {by_whom}")

    def _tell_timed_out(self, timed_out: event_pb2.TurnTimedOut) -> None:
        self._line(f"  seat {timed_out.seat} was too slow")


_TABLE: Mapping[str, Callable[[Narrator, Any], None]] = {
    "deal_started": Narrator._tell_deal_started,
    "mahjong": Narrator._tell_mahjong,
    "landlord": Narrator._tell_landlord,
    "payments_made": Narrator._tell_payments_made,
    "deal_settled": Narrator._tell_deal_settled,
    "left": Narrator._tell_left,
    "trustee": Narrator._tell_trustee,
    "timed_out": Narrator._tell_timed_out,
    "closed": Narrator._tell_closed,
}
"""Entries of a table's log that are told; the others say nothing a reader misses."""

_MAHJONG: Mapping[str, Callable[[Narrator, Any], None]] = {
    "opened": Narrator._tell_opened,
    "dealt": Narrator._tell_dealt,
    "drawn": Narrator._tell_drawn,
    "discarded": Narrator._tell_discarded,
    "melded": Narrator._tell_melded,
    "konged": Narrator._tell_konged,
    "won": Narrator._tell_won,
    "locked": Narrator._tell_locked,
    "declared": Narrator._tell_declared,
    "flowered": Narrator._tell_flowered,
    "declined": Narrator._tell_declined,
    "began": Narrator._tell_began,
    "went_away": Narrator._tell_went_away,
    "came_back": Narrator._tell_came_back,
    "ended": Narrator._tell_ended,
}


def balances(rows: Iterable[event_pb2.SeatBalance]) -> str:
    """Balances in seat order."""
    return " ".join(str(row.balance) for row in sorted(rows, key=lambda row: row.seat))


def hand_text(hand: mahjong_pb2.Hand) -> str:
    """A hand in notation; tiles face down as question marks."""
    return show(hand.tiles) + "?" * hand.hidden_count


def tile_text(drawn: mahjong_pb2.Drawn) -> str:
    """A drawn tile in notation, or a question mark."""
    return show((drawn.tile,)) if drawn.HasField("tile") else "?"


def fans_text(fans: Iterable[mahjong_pb2.FanCount]) -> str:
    """Fans with both names; a hand without any is plain."""
    return ", ".join(f"{fan.name_zh} {fan.fan_id} +{fan.value}" for fan in fans) or "推倒胡 plain"


def worth_text(winner: mahjong_pb2.WinnerResult) -> str:
    """What a hand comes to: fans, or a base sum and caps where the game has them (SH-20, SH-31)."""
    if winner.HasField("base_sum"):
        return f"base sum {winner.base_sum}, {winner.fan_total} lezi"
    return f"{winner.fan_total} fan"


def check_text(row: mahjong_pb2.ReadyCheck) -> str:
    """One seat at the ready check."""
    return f"seat {row.seat} " + (f"ready for {row.amount}" if row.ready else "not ready")
