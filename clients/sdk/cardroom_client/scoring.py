"""The scoring service for programs of other teams: plain calls, no event loop, retried on whichever replica lives.

with Scoring("scoring.example:7103", key=token) as scoring:
    answer = scoring.score_win(ruleset("dazhong"), Hand("123m456m789p23s55s", win="1s", by="self", seat_wind="E",
                                                        round_wind="E"))
    print(answer.win.fan_total)

Every question is answered from the question alone, so the same call may be sent again, and to any replica: the answer
is the same.
"""

import json
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Self

import grpc
from cardroom.errors.v1 import reason_pb2
from cardroom.mahjong.v1 import event_pb2, view_pb2
from cardroom.scoring.v1 import columns_pb2, scoring_pb2, scoring_pb2_grpc
from google.protobuf.json_format import ParseDict

from cardroom_client.link import OPTIONS, metadata_of
from cardroom_client.refused import CallRefused, refused
from cardroom_client.retrying import FIRST_PAUSE_SECONDS, LAST_PAUSE_SECONDS, passes

BATCH_HANDS = 256
"""Hands of one message, where the caller has more."""
TIMEOUT_SECONDS = 10.0
PATIENCE_SECONDS = 30.0

BYS = {
    "self": event_pb2.WIN_BY_SELF,
    "discard": event_pb2.WIN_BY_DISCARD,
    "rob": event_pb2.WIN_BY_ROB,
}
MELD_KINDS = {
    "chow": view_pb2.MELD_KIND_CHOW,
    "pung": view_pb2.MELD_KIND_PUNG,
    "kong": view_pb2.MELD_KIND_EXPOSED_KONG,
    "added": view_pb2.MELD_KIND_ADDED_KONG,
    "concealed": view_pb2.MELD_KIND_CONCEALED_KONG,
}
SITUATIONS = (
    "last_tile",
    "kong_replacement",
    "flower_replacement",
    "last_of_kind",
    "heavenly",
    "earthly",
    "after_kong",
    "declared",
    "payer_declared",
)
SUITS = "mps"
HONOURS = "ESWNCFP"
FIRST_HONOUR, FIRST_FLOWER = 27, 34


class NotationError(ValueError):
    """A text is not the notation of tiles."""


def tile_ids(notation: str) -> list[int]:
    """Ids of a notation such as "123m99pE" (characters m, dots p, bamboo s, E S W N C F P, flowers f).

    Raises: NotationError: with the position at fault.
    """
    found: list[int] = []
    digits: list[int] = []
    for position, letter in enumerate(notation):
        if letter in "123456789":
            digits.append(int(letter) - 1)
        elif letter in HONOURS and not digits:
            found.append(FIRST_HONOUR + HONOURS.index(letter))
        elif letter in SUITS and digits:
            found += [9 * SUITS.index(letter) + digit for digit in digits]
            digits = []
        elif letter == "f" and digits and max(digits) < 8:
            found += [FIRST_FLOWER + digit for digit in digits]
            digits = []
        elif letter != " ":
            raise NotationError(f"unexpected {letter!r} at position {position} of {notation!r}")
    if digits:
        raise NotationError(f"digits without a suit letter at position {len(notation)} of {notation!r}")
    return found


@dataclass(frozen=True)
class Hand:
    """A hand in notation.

    Attributes:
        tiles: concealed, without the winning tile.
        win: the winning tile; empty where none is asked about.
        by: "self", "discard" or "rob".
        melds: such as "pung EEE", "chow 123m", "concealed 5555p", in brackets or without.
        flowers: such as "1f5f".
        situations: what else holds, by the names of SITUATIONS.
        seat_wind, round_wind: letters, where the rules have winds.
    """

    tiles: str
    win: str = ""
    by: str = "discard"
    melds: Sequence[str] = ()
    flowers: str = ""
    situations: Sequence[str] = ()
    seat_wind: str = ""
    round_wind: str = ""


@dataclass(frozen=True)
class FanPaid:
    """A fan of a hand in a batch: its row in the fan table, how often it counts, and what it adds."""

    row: int
    times: int
    value: int


@dataclass(frozen=True)
class HandScored:
    """What became of one hand of many.

    Attributes:
        wins: whether it wins.
        fan_total, amount, base_sum: as in single calls; 0 where it does not win.
        fans: what counts.
        error: why it cannot be scored; None if it can.
        explanation: why it is worth this, where that was asked for.
    """

    wins: bool
    fan_total: int = 0
    amount: int = 0
    base_sum: int = 0
    fans: Sequence[FanPaid] = ()
    error: CallRefused | None = None
    explanation: Any = None


def ruleset(variant: str, *, version: int = 0, stake: int = 0, **options: bool | int | str) -> scoring_pb2.Ruleset:
    """Rules by name; version 0 is the newest, stake 0 is 1, options left out have their defaults."""
    message = scoring_pb2.Ruleset(variant=variant, version=version, stake=stake)
    message.options.update(options)
    return message


@dataclass
class _Spread:
    """Addresses in turn: a call that fails is sent to the next."""

    stubs: Sequence[Any]
    place: int

    def stub(self) -> Any:
        return self.stubs[self.place % len(self.stubs)]

    def next(self) -> None:
        self.place += 1


class Scoring:
    """A connection to one or more replicas of the scoring service."""

    def __init__(
        self,
        *addresses: str,
        key: str = "",
        credentials: grpc.ChannelCredentials | None = None,
        timeout_seconds: float = TIMEOUT_SECONDS,
        patience_seconds: float = PATIENCE_SECONDS,
        first: int | None = None,
    ) -> None:
        """Connects when first asked.

        Args:
            addresses: host:port of each replica.
            key: the token of role scoring-caller; empty where the service takes anonymous callers.
            credentials: for an encrypted connection.
            timeout_seconds: of one attempt.
            patience_seconds: how long a call that fails in passing is tried again.
            first: place of the address that is asked first; None for any.
        """
        if not addresses:
            raise ValueError("an address is needed")
        self._channels = [
            grpc.insecure_channel(one, OPTIONS)
            if credentials is None
            else grpc.secure_channel(one, credentials, OPTIONS)
            for one in addresses
        ]
        stubs = [scoring_pb2_grpc.ScoringServiceStub(channel) for channel in self._channels]
        self._spread = _Spread(stubs, random.randrange(len(stubs)) if first is None else first)
        self._metadata = metadata_of(key) if key else ()
        self._timeout_seconds = timeout_seconds
        self._patience_seconds = patience_seconds

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        for channel in self._channels:
            channel.close()

    # --- questions --------------------------------------------------------------------------------

    def score_win(
        self, rules: scoring_pb2.Ruleset, hand: Hand, seats: scoring_pb2.Seats | None = None
    ) -> scoring_pb2.ScoreWinResponse:
        """Whether a hand wins, what it is worth and why. Raises: CallRefused."""
        request = scoring_pb2.ScoreWinRequest(
            ruleset=rules,
            hand=_message(hand),
            win_notation=hand.win,
            by=BYS.get(hand.by, event_pb2.WIN_BY_UNSPECIFIED),
            situations=hand.situations,
            seat_wind=hand.seat_wind,
            round_wind=hand.round_wind,
            seats=seats,
        )
        answer: scoring_pb2.ScoreWinResponse = self.send("ScoreWin", request)
        return answer

    def list_waits(self, rules: scoring_pb2.Ruleset, hand: Hand, visible: str = "") -> scoring_pb2.ListWaitsResponse:
        """Which tiles complete a hand, what each is worth, how many are left. Raises: CallRefused."""
        answer: scoring_pb2.ListWaitsResponse = self.send(
            "ListWaits", scoring_pb2.ListWaitsRequest(**_waiting(rules, hand, visible))
        )
        return answer

    def advise_discard(
        self, rules: scoring_pb2.Ruleset, hand: Hand, visible: str = ""
    ) -> scoring_pb2.AdviseDiscardResponse:
        """What each discard of a hand leaves, best first. Raises: CallRefused."""
        answer: scoring_pb2.AdviseDiscardResponse = self.send(
            "AdviseDiscard", scoring_pb2.AdviseDiscardRequest(**_waiting(rules, hand, visible))
        )
        return answer

    def score_hands(
        self, rules: scoring_pb2.Ruleset, hands: Iterable[Hand], *, explain: bool = False
    ) -> Iterator[HandScored]:
        """What many hands are worth, in their order; some hundreds travel together.

        A hand that cannot be has its error; the others are scored.

        Raises: CallRefused: the rules are not known, or a quota stays used up; NotationError.
        """
        size = BATCH_HANDS // 4 if explain else BATCH_HANDS
        for some in _chunks(hands, size):
            request = scoring_pb2.BatchScoreWinsRequest(ruleset=rules, hands=columns(some), explain=explain)
            yield from _scored(self.send("BatchScoreWins", request).wins)

    def settle_deal(
        self, events: Sequence[event_pb2.Event], balances: Sequence[int] = ()
    ) -> scoring_pb2.SettleDealResponse:
        """The payments of a deal's record, in order. Raises: CallRefused."""
        answer: scoring_pb2.SettleDealResponse = self.send(
            "SettleDeal", scoring_pb2.SettleDealRequest(events=events, balances=balances)
        )
        return answer

    def replay_deal(self, events: Sequence[event_pb2.Event]) -> scoring_pb2.ReplayDealResponse:
        """The first event of a record that the rules do not allow, if there is one. Raises: CallRefused."""
        answer: scoring_pb2.ReplayDealResponse = self.send("ReplayDeal", scoring_pb2.ReplayDealRequest(events=events))
        return answer

    def list_rulesets(self) -> list[Any]:
        """Every variant with the versions that are answered. Raises: CallRefused."""
        found: list[Any] = []
        token = ""
        while True:
            page = self.send("ListRulesets", scoring_pb2.ListRulesetsRequest(page_token=token))
            found += page.rulesets
            token = page.next_page_token
            if not token:
                return found

    def get_ruleset(self, variant: str, version: int = 0) -> scoring_pb2.GetRulesetResponse:
        """Options and fan table of a variant. Raises: CallRefused."""
        answer: scoring_pb2.GetRulesetResponse = self.send(
            "GetRuleset", scoring_pb2.GetRulesetRequest(variant=variant, version=version)
        )
        return answer

    # --- sending ------------------------------------------------------------------------------------

    def send(self, method: str, request: Any) -> Any:
        """Send a call of the service by its name until it is answered.

        Raises: CallRefused: a refusal that stays, or nothing worked for `patience_seconds`.
        """
        ends = time.monotonic() + self._patience_seconds
        failure_count = 0
        while True:
            call: Callable[..., Any] = getattr(self._spread.stub(), method)
            try:
                return call(request, timeout=self._timeout_seconds, metadata=self._metadata)
            except grpc.RpcError as error:
                refusal = refused(error)
            # A quota may ask for hours: who would wait longer than he has patience is told at once.
            if not passes(refusal) or time.monotonic() + (refusal.retry_after or 0.0) >= ends:
                raise refusal
            self._spread.next()
            longest = min(FIRST_PAUSE_SECONDS * 2**failure_count, LAST_PAUSE_SECONDS)
            failure_count += 1
            time.sleep(max(refusal.retry_after or 0.0, random.uniform(longest / 2, longest)))


def _message(hand: Hand) -> scoring_pb2.Hand:
    return scoring_pb2.Hand(notation=hand.tiles, melds=hand.melds, flowers=hand.flowers)


def _waiting(rules: scoring_pb2.Ruleset, hand: Hand, visible: str) -> dict[str, Any]:
    return {
        "ruleset": rules,
        "hand": _message(hand),
        "situations": hand.situations,
        "seat_wind": hand.seat_wind,
        "round_wind": hand.round_wind,
        "visible_notation": visible,
    }


def _chunks(hands: Iterable[Hand], size: int) -> Iterator[list[Hand]]:
    some: list[Hand] = []
    for hand in hands:
        some.append(hand)
        if len(some) == size:
            yield some
            some = []
    if some:
        yield some


# --- columns --------------------------------------------------------------------------------------


def columns(hands: Sequence[Hand]) -> columns_pb2.HandColumns:
    """Hands as the columns of a batch. Raises: NotationError: a text that is no tiles, melds or situations."""
    found = columns_pb2.HandColumns()
    winds = any(hand.seat_wind or hand.round_wind for hand in hands)
    for hand in hands:
        tiles = tile_ids(hand.tiles)
        found.tile_counts.append(len(tiles))
        found.tiles.extend(tiles)
        found.win_tiles.append(_one(hand.win))
        found.bys.append(BYS.get(hand.by, event_pb2.WIN_BY_UNSPECIFIED))
        found.meld_counts.append(len(hand.melds))
        for meld in hand.melds:
            bare = meld[1:-1] if meld.startswith("[") and meld.endswith("]") else meld
            kind, _, rest = bare.partition(" ")
            if kind not in MELD_KINDS:
                raise NotationError(f"unknown kind of meld {kind!r}")
            found.meld_kinds.append(MELD_KINDS[kind])
            found.meld_tiles.append(min(tile_ids(rest), default=FIRST_FLOWER))
        found.flowers.append(sum(1 << (tile - FIRST_FLOWER) for tile in tile_ids(hand.flowers)))
        found.situations.append(sum({1 << _place(name) for name in hand.situations}))
        if winds:
            found.seat_winds.append(_one(hand.seat_wind))
            found.round_winds.append(_one(hand.round_wind))
    return found


def _one(notation: str) -> int:
    tiles = tile_ids(notation)
    if len(tiles) != 1:
        raise NotationError(f"exactly one tile, not {notation!r}")
    return tiles[0]


def _place(name: str) -> int:
    if name not in SITUATIONS:
        raise NotationError(f"unknown situation {name!r}")
    return SITUATIONS.index(name)


def _scored(wins: columns_pb2.WinColumns) -> Iterator[HandScored]:
    errors: Mapping[int, CallRefused] = {error.index: _refusal(error) for error in wins.errors}
    explanations = iter(wins.explanations)
    place = 0
    for index, outcome in enumerate(wins.outcomes):
        if outcome != columns_pb2.HAND_OUTCOME_WIN:
            yield HandScored(wins=False, error=errors.get(index))
            continue
        ends = place + wins.fan_counts[index]
        rows = zip(wins.fan_rows[place:ends], wins.fan_times[place:ends], wins.fan_values[place:ends], strict=True)
        place = ends
        yield HandScored(
            wins=True,
            fan_total=wins.fan_totals[index],
            amount=wins.amounts[index],
            base_sum=wins.base_sums[index] if wins.base_sums else 0,
            fans=[FanPaid(*row) for row in rows],
            explanation=next(explanations, None),
        )


def _refusal(error: columns_pb2.HandError) -> CallRefused:
    reason = reason_pb2.Reason.Name(error.reason).removeprefix("REASON_")
    return CallRefused(
        reason,
        grpc.StatusCode.INVALID_ARGUMENT,
        field=error.field or None,
        rule=error.rule or None,
        message=error.detail,
    )


def sample_deal() -> list[event_pb2.Event]:
    """The record of a short deal of 四人血战, to try `settle_deal` and `replay_deal` with."""
    rows = json.loads(files("cardroom_client").joinpath("sample_deal.json").read_text("utf-8"))
    return [ParseDict(row, event_pb2.Event()) for row in rows]
