"""The wire's numbers for the family's words, and what a message that fits none of them gets."""

from __future__ import annotations

from collections.abc import Mapping

from cardroom.mahjong.v1 import event_pb2, view_pb2

from games.mahjong.events import DrawSource, EndCause, KongOutcome
from games.mahjong.hand import WinBy
from games.mahjong.melds import MeldKind
from games.mahjong.state import Fate, Phase
from games.mahjong.tiles import HIDDEN, Tile
from wire.words import WireError

TILE_COUNT_MAX = 144
"""Tiles of the largest game."""


DRAW_SOURCES: Mapping[DrawSource, event_pb2.DrawSource.ValueType] = {
    DrawSource.DEAL: event_pb2.DRAW_SOURCE_DEAL,
    DrawSource.WALL: event_pb2.DRAW_SOURCE_WALL,
    DrawSource.REPLACEMENT: event_pb2.DRAW_SOURCE_REPLACEMENT,
    DrawSource.CLAIM: event_pb2.DRAW_SOURCE_CLAIM,
    DrawSource.FLOWER: event_pb2.DRAW_SOURCE_FLOWER,
}

KONG_KINDS: Mapping[MeldKind, event_pb2.KongKind.ValueType] = {
    MeldKind.EXPOSED_KONG: event_pb2.KONG_KIND_EXPOSED,
    MeldKind.ADDED_KONG: event_pb2.KONG_KIND_ADDED,
    MeldKind.CONCEALED_KONG: event_pb2.KONG_KIND_CONCEALED,
}

WIN_BYS: Mapping[WinBy, event_pb2.WinBy.ValueType] = {
    WinBy.SELF: event_pb2.WIN_BY_SELF,
    WinBy.DISCARD: event_pb2.WIN_BY_DISCARD,
    WinBy.ROB: event_pb2.WIN_BY_ROB,
}

END_CAUSES: Mapping[EndCause, event_pb2.EndCause.ValueType] = {
    EndCause.WALL_EMPTY: event_pb2.END_CAUSE_WALL_EMPTY,
    EndCause.ONE_LEFT: event_pb2.END_CAUSE_ONE_LEFT,
    EndCause.WON: event_pb2.END_CAUSE_WON,
    EndCause.ESCAPED: event_pb2.END_CAUSE_ESCAPED,
}

KONG_OUTCOMES: Mapping[KongOutcome, event_pb2.KongOutcome.ValueType] = {
    KongOutcome.OPEN: event_pb2.KONG_OUTCOME_UNSPECIFIED,
    KongOutcome.PAID: event_pb2.KONG_OUTCOME_PAID,
    KongOutcome.TRANSFERRED: event_pb2.KONG_OUTCOME_TRANSFERRED,
    KongOutcome.VOID: event_pb2.KONG_OUTCOME_VOID,
}

PHASES: Mapping[Phase, view_pb2.Phase.ValueType] = {
    Phase.OPENED: view_pb2.PHASE_OPENED,
    Phase.TURN: view_pb2.PHASE_TURN,
    Phase.CLAIMS: view_pb2.PHASE_CLAIMS,
    Phase.ROBBERY: view_pb2.PHASE_ROBBERY,
    Phase.OVER: view_pb2.PHASE_OVER,
    Phase.DECLARING: view_pb2.PHASE_DECLARING,
    Phase.OPENING: view_pb2.PHASE_OPENING,
    Phase.OFFER: view_pb2.PHASE_OFFER,
}

MELD_KINDS: Mapping[MeldKind, view_pb2.MeldKind.ValueType] = {
    MeldKind.CHOW: view_pb2.MELD_KIND_CHOW,
    MeldKind.PUNG: view_pb2.MELD_KIND_PUNG,
    MeldKind.EXPOSED_KONG: view_pb2.MELD_KIND_EXPOSED_KONG,
    MeldKind.ADDED_KONG: view_pb2.MELD_KIND_ADDED_KONG,
    MeldKind.CONCEALED_KONG: view_pb2.MELD_KIND_CONCEALED_KONG,
}

FATES: Mapping[Fate, view_pb2.DiscardFate.ValueType] = {
    Fate.TABLE: view_pb2.DISCARD_FATE_UNSPECIFIED,
    Fate.MELDED: view_pb2.DISCARD_FATE_MELDED,
    Fate.WON: view_pb2.DISCARD_FATE_WON,
    Fate.SHARED: view_pb2.DISCARD_FATE_SHARED,
}


def face_down(number: int, field: str) -> tuple[Tile, ...]:
    """So many tiles face down. A message may claim any number, and must not fill the memory with them.

    Raises:
        WireError: more than any game has.
    """
    if number > TILE_COUNT_MAX:
        raise WireError(field, f"no game has more than {TILE_COUNT_MAX} tiles")
    return (HIDDEN,) * number
