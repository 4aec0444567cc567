"""Hands as they are asked about: ids or notation in, the rules' own values out.

Everything is bounded before it is read, and every refusal names the field at fault.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from games.mahjong.hand import HandError, Situation, WinBy, WinningHand
from games.mahjong.melds import Meld, parse_meld
from games.mahjong.tiles import FLOWERS, WINDS, NotationError, Tile, parse
from refusals import Reason, Refusal

TILE_COUNT_MAX = 32
NOTATION_LENGTH_MAX = 64
MELD_COUNT_MAX = 8
SITUATION_COUNT_MAX = 64

TILES, NOTATION = "hand.tiles", "hand.notation"


@dataclass(frozen=True, slots=True)
class HandQuery:
    """A hand before its winning tile.

    Attributes:
        tiles: ids; or
        notation: the same as text; not both.
        melds: in notation, such as "pung 222s".
        flowers: in notation.
        situations: what else holds, by name.
        seat_wind, round_wind: letters, where the rules have winds.
    """

    tiles: Sequence[int] = ()
    notation: str = ""
    melds: Sequence[str] = ()
    flowers: str = ""
    situations: Sequence[str] = ()
    seat_wind: str = ""
    round_wind: str = ""


@dataclass(frozen=True, slots=True)
class WinQuery:
    """A hand and the tile it may win on, as an id or as text; `by` is None where none was named."""

    hand: HandQuery
    by: WinBy | None
    tile: int | None = None
    notation: str | None = None


@dataclass(frozen=True, slots=True)
class VisibleQuery:
    """Tiles that lie open elsewhere, as ids or as text; not both."""

    tiles: Sequence[int] = ()
    notation: str = ""


VISIBLE_COUNT_MAX = 144
VISIBLE_LENGTH_MAX = 288
NO_VISIBLE = VisibleQuery()


def visible_tiles(query: VisibleQuery) -> tuple[Tile, ...]:
    """The tiles that lie open elsewhere.

    Raises:
        Refusal: INVALID_FIELD: given twice, or more than a game has; HAND_IMPOSSIBLE: no such tiles.
    """
    if query.tiles and query.notation:
        raise invalid("visible_notation", "tiles as ids or in notation, not both")
    if query.notation:
        return _read("visible_notation", query.notation, VISIBLE_LENGTH_MAX)
    _check_count("visible", query.tiles, VISIBLE_COUNT_MAX)
    return tuple(_tile(f"visible[{index}]", tile) for index, tile in enumerate(query.tiles))


def hand_of(query: HandQuery) -> WinningHand:
    """The hand; its winning tile is still any tile.

    Raises:
        Refusal: INVALID_FIELD: given twice, or too long to be read; HAND_IMPOSSIBLE: no such tiles, melds, situations.
    """
    return WinningHand(
        concealed=_concealed(query),
        melds=_melds(query.melds),
        tile=0,
        by=WinBy.DISCARD,
        situations=_situations(query.situations),
        flowers=_read("hand.flowers", query.flowers),
        seat_wind=_wind("seat_wind", query.seat_wind),
        round_wind=_wind("round_wind", query.round_wind),
    )


def winning_tile(query: WinQuery) -> Tile:
    """The tile the hand may win on.

    Raises:
        Refusal: INVALID_FIELD: none is given; HAND_IMPOSSIBLE: it is not one tile.
    """
    if query.tile is not None:
        return _tile("win_tile", query.tile)
    if query.notation is None:
        raise invalid("win_tile", "a winning tile is needed")
    tiles = _read("win_notation", query.notation)
    if len(tiles) != 1:
        raise impossible("win_notation", "exactly one tile")
    return tiles[0]


def _wind(field: str, text: str) -> Tile | None:
    """A wind of its letter; None where none is named."""
    if not text:
        return None
    tiles = _read(field, text)
    if len(tiles) != 1 or tiles[0] not in WINDS:
        raise impossible(field, "one of E, S, W, N")
    return tiles[0]


def invalid(field: str, detail: str) -> Refusal:
    """A refusal INVALID_FIELD."""
    return Refusal(Reason.INVALID_FIELD, field=field, detail=detail)


def impossible(field: str, detail: str, rule: str | None = None) -> Refusal:
    """A refusal HAND_IMPOSSIBLE."""
    return Refusal(Reason.HAND_IMPOSSIBLE, field=field, detail=detail, rule=rule)


def hand_refusal(
    error: HandError, hand: HandQuery, win_field: str = "win_tile", visible: VisibleQuery = NO_VISIBLE
) -> Refusal:
    """What the rules say against a hand, with the request's own name for the part at fault."""
    names = {
        "hand": TILES if hand.tiles else NOTATION,
        "melds": "hand.melds",
        "flowers": "hand.flowers",
        "situation": "situations",
        "win": win_field,
        "visible": "visible" if visible.tiles else "visible_notation",
    }
    field = names.get(error.field, error.field)
    if error.index is not None and field not in (NOTATION, "visible_notation"):
        field = f"{field}[{error.index}]"
    return impossible(field, f"{error.detail} ({error.rule})", error.rule)


def _concealed(query: HandQuery) -> tuple[Tile, ...]:
    if query.tiles and query.notation:
        raise invalid(NOTATION, "tiles as ids or in notation, not both")
    if query.notation:
        return _read(NOTATION, query.notation)
    _check_count(TILES, query.tiles, TILE_COUNT_MAX)
    return tuple(_tile(f"{TILES}[{index}]", tile) for index, tile in enumerate(query.tiles))


def _tile(field: str, tile: int) -> Tile:
    if tile not in range(FLOWERS.stop):
        raise impossible(field, f"a tile is an id from 0 to {FLOWERS.stop - 1}")
    return tile


def _melds(texts: Sequence[str]) -> tuple[Meld, ...]:
    _check_count("hand.melds", texts, MELD_COUNT_MAX)
    return tuple(_meld(f"hand.melds[{index}]", text) for index, text in enumerate(texts))


def _meld(field: str, text: str) -> Meld:
    _check_length(field, text)
    try:
        return parse_meld(text)
    except NotationError as error:
        raise impossible(field, _where(error)) from None


def _situations(names: Sequence[str]) -> frozenset[Situation]:
    _check_count("situations", names, SITUATION_COUNT_MAX)
    return frozenset(_situation(f"situations[{index}]", name) for index, name in enumerate(names))


def _situation(field: str, name: str) -> Situation:
    try:
        return Situation(name)
    except ValueError:
        raise impossible(field, "no such situation; one of " + ", ".join(Situation)) from None


def _read(field: str, text: str, most: int = NOTATION_LENGTH_MAX) -> tuple[Tile, ...]:
    _check_length(field, text, most)
    try:
        return parse(text)
    except NotationError as error:
        raise impossible(field, _where(error)) from None


def _where(error: NotationError) -> str:
    return f"{error.detail} at position {error.position}"


def _check_length(field: str, text: str, most: int = NOTATION_LENGTH_MAX) -> None:
    if len(text) > most:
        raise invalid(field, f"at most {most} characters")


def _check_count(field: str, items: Sequence[object], most: int) -> None:
    if len(items) > most:
        raise invalid(field, f"at most {most}")
