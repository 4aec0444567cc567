"""Many hands in one question, as columns."""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field

from games.mahjong import scoring
from games.mahjong.explanation import Explanation
from games.mahjong.hand import HandError, Score, Situation, WinBy, WinningHand
from games.mahjong.melds import Meld, MeldKind
from games.mahjong.ruleset import Ruleset
from games.mahjong.tiles import FLOWERS, HONOURS, KIND_COUNT, Tile
from refusals import Reason, Refusal
from services.scoring.app.hands import invalid

HANDS_MAX = 512
"""Hands of one message."""
EXPLAINED_HANDS_MAX = 64
"""Hands of one message with explanations."""
TILE_COUNT_MAX = 32
"""Concealed tiles of one hand that are looked at; no game has more than 13."""
MELD_COUNT_MAX = 8

SITUATIONS = tuple(Situation)
"""The situations by their bits, from the lowest."""
_SITUATION_SETS: dict[int, frozenset[Situation]] = {0: frozenset()}
_NOTHING: frozenset[Situation] = frozenset()


@dataclass(frozen=True, slots=True)
class HandColumns:
    """Hands as columns: one entry a hand, or empty where most have none.

    `bys` has None, `meld_kinds` has None where a number stands for nothing. Counts say how many tiles and melds are
    whose.
    """

    ids: Sequence[int]
    tile_counts: Sequence[int]
    tiles: Sequence[int]
    win_tiles: Sequence[int]
    bys: Sequence[WinBy | None]
    meld_counts: Sequence[int] = ()
    meld_kinds: Sequence[MeldKind | None] = ()
    meld_tiles: Sequence[int] = ()
    flowers: Sequence[int] = ()
    situations: Sequence[int] = ()
    seat_winds: Sequence[int] = ()
    round_winds: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class HandFault:
    """Why a hand was not scored."""

    index: int
    refusal: Refusal


@dataclass(slots=True)
class Batched:
    """What the hands of a batch are worth, in order: a score, or None where a hand does not win or cannot be.

    Attributes:
        scores: one a hand.
        faults: hands that cannot be, in order.
        explanations: one a winning hand, where they were asked for.
    """

    scores: list[Score | None] = field(default_factory=list)
    faults: list[HandFault] = field(default_factory=list)
    explanations: list[Explanation] = field(default_factory=list)


def check_columns(columns: HandColumns, *, explain: bool) -> None:
    """Refuse columns that do not fit together: then nothing says which hand is meant.

    Raises:
        Refusal: INVALID_FIELD, naming the column.
    """
    count = len(columns.tile_counts)
    most = EXPLAINED_HANDS_MAX if explain else HANDS_MAX
    if count > most:
        raise invalid(
            "hands.tile_counts", f"at most {most} hands a message" + (" with explanations" if explain else "")
        )
    for name in ("win_tiles", "bys"):
        if len(getattr(columns, name)) != count:
            raise invalid(f"hands.{name}", f"one a hand: {count}")
    for name in ("ids", "meld_counts", "flowers", "situations", "seat_winds", "round_winds"):
        if len(getattr(columns, name)) not in (0, count):
            raise invalid(f"hands.{name}", f"one a hand, or none: {count}")
    _check_counts("tile_counts", columns.tile_counts, TILE_COUNT_MAX)
    _check_counts("meld_counts", columns.meld_counts, MELD_COUNT_MAX)
    for name, counts in (
        ("tiles", columns.tile_counts),
        ("meld_kinds", columns.meld_counts),
        ("meld_tiles", columns.meld_counts),
    ):
        if len(getattr(columns, name)) != sum(counts):
            raise invalid(f"hands.{name}", f"as many as the counts say: {sum(counts)}")


def _check_counts(name: str, counts: Sequence[int], most: int) -> None:
    for index, count in enumerate(counts):
        if count > most:
            raise invalid(f"hands.{name}[{index}]", f"at most {most}")


def score_columns(rules: Ruleset, columns: HandColumns, *, explain: bool) -> Generator[None, None, Batched]:
    """Score hand after hand; yields after each. The columns fit together."""
    batched = Batched()
    scores, faults = batched.scores, batched.faults
    reading = _Reading(columns)
    for index in range(len(columns.tile_counts)):
        score: Score | None = None
        try:
            hand = reading.hand(index)
            score = scoring.score_win(rules, hand)
            if score is not None and explain:
                explanation = rules.judgement.explain(rules, hand)
                assert explanation is not None, hand
                batched.explanations.append(explanation)
        except HandError as error:
            faults.append(HandFault(index, reading.refusal(index, error)))
        except Refusal as refusal:
            faults.append(HandFault(index, refusal))
        scores.append(score)
        reading.advance(index)
        yield
    return batched


class _Reading:
    """Columns read hand by hand."""

    def __init__(self, columns: HandColumns) -> None:
        self._columns = columns
        self._tiles_at = 0
        self._melds_at = 0
        self._tiles = tuple(columns.tiles)

    def hand(self, index: int) -> WinningHand:
        """The hand at a place.

        Raises:
            Refusal: INVALID_FIELD, HAND_IMPOSSIBLE: naming the column and the place in it.
        """
        columns = self._columns
        start = self._tiles_at
        concealed = self._tiles[start : start + columns.tile_counts[index]]
        if concealed and max(concealed) >= FLOWERS.stop:
            wrong = next(place for place, tile in enumerate(concealed) if tile >= FLOWERS.stop)
            raise _impossible(f"hands.tiles[{start + wrong}]", f"a tile is an id from 0 to {FLOWERS.stop - 1}")
        tile = columns.win_tiles[index]
        if tile >= FLOWERS.stop:
            raise _impossible(f"hands.win_tiles[{index}]", f"a tile is an id from 0 to {FLOWERS.stop - 1}")
        by = columns.bys[index]
        if by is None:
            raise invalid(f"hands.bys[{index}]", "how it is won: by oneself, on a discard, or by robbing a kong")
        return WinningHand(
            concealed=concealed,
            melds=self._melds(index) if columns.meld_counts and columns.meld_counts[index] else (),
            tile=tile,
            by=by,
            situations=_situations(index, columns.situations[index]) if columns.situations else _NOTHING,
            flowers=_flowers(index, columns.flowers[index]) if columns.flowers else (),
            seat_wind=columns.seat_winds[index] if columns.seat_winds else None,
            round_wind=columns.round_winds[index] if columns.round_winds else None,
        )

    def advance(self, index: int) -> None:
        """Go on to the next hand."""
        self._tiles_at += self._columns.tile_counts[index]
        if self._columns.meld_counts:
            self._melds_at += self._columns.meld_counts[index]

    def refusal(self, index: int, error: HandError) -> Refusal:
        """What the rules say against a hand, with the column at fault."""
        name = _COLUMNS.get(error.field, error.field)
        if name == "tiles":
            place = self._tiles_at + (error.index or 0)
        elif name == "meld_tiles":
            place = self._melds_at + (error.index or 0)
        else:
            place = index
        field_name = f"hands.{name}[{place}]" if error.index is not None or name not in _MANY else f"hands.{name}"
        return _impossible(field_name, f"{error.detail} ({error.rule})", error.rule)

    def _melds(self, index: int) -> tuple[Meld, ...]:
        start = self._melds_at
        return tuple(self._meld(place) for place in range(start, start + self._columns.meld_counts[index]))

    def _meld(self, place: int) -> Meld:
        kind, tile = self._columns.meld_kinds[place], self._columns.meld_tiles[place]
        if kind is None:
            raise _impossible(f"hands.meld_kinds[{place}]", "no such kind of meld")
        meld = _MELDS.get((kind, tile))
        if meld is None:
            raise _impossible(f"hands.meld_tiles[{place}]", f"no {kind} begins with this tile")
        return meld


_COLUMNS: Mapping[str, str] = {
    "hand": "tiles",
    "melds": "meld_tiles",
    "win": "win_tiles",
    "by": "bys",
    "situation": "situations",
    "seat_wind": "seat_winds",
    "round_wind": "round_winds",
}
"""The columns of the parts of a hand."""
_MANY = frozenset({"tiles", "meld_tiles"})
"""Columns of which a hand has several places."""


def _starts_chow(tile: Tile) -> bool:
    return tile < HONOURS.start and tile % 9 <= 6


_MELDS: Mapping[tuple[MeldKind, Tile], Meld] = {
    (kind, tile): Meld(kind, tile)
    for kind in MeldKind
    for tile in range(KIND_COUNT)
    if kind is not MeldKind.CHOW or _starts_chow(tile)
}


def _situations(index: int, bits: int) -> frozenset[Situation]:
    found = _SITUATION_SETS.get(bits)
    if found is None:
        if bits >> len(SITUATIONS):
            raise _impossible(f"hands.situations[{index}]", f"bits of {len(SITUATIONS)} situations")
        found = frozenset(one for place, one in enumerate(SITUATIONS) if bits >> place & 1)
        _SITUATION_SETS[bits] = found
    return found


def _flowers(index: int, bits: int) -> tuple[Tile, ...]:
    if bits >> len(FLOWERS):
        raise _impossible(f"hands.flowers[{index}]", f"bits of {len(FLOWERS)} flowers")
    return tuple(tile for place, tile in enumerate(FLOWERS) if bits >> place & 1)


def _impossible(field_name: str, detail: str, rule: str | None = None) -> Refusal:
    return Refusal(Reason.HAND_IMPOSSIBLE, field=field_name, detail=detail, rule=rule)
