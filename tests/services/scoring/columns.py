"""Hands as the columns of a batch."""

from collections.abc import Iterable

from cardroom.scoring.v1 import columns_pb2, scoring_pb2

from games.mahjong.hand import Situation, WinningHand
from games.mahjong.tiles import FLOWERS, show
from wire.mahjong import MELD_KINDS, WIN_BYS


def columns(hands: Iterable[WinningHand], ids: Iterable[int] = ()) -> columns_pb2.HandColumns:
    """The hands one after another."""
    found = columns_pb2.HandColumns(ids=ids)
    for hand in hands:
        found.tile_counts.append(len(hand.concealed))
        found.tiles.extend(hand.concealed)
        found.win_tiles.append(hand.tile)
        found.bys.append(WIN_BYS[hand.by])
        found.meld_counts.append(len(hand.melds))
        found.meld_kinds.extend(MELD_KINDS[meld.kind] for meld in hand.melds)
        found.meld_tiles.extend(meld.tile for meld in hand.melds)
        found.flowers.append(sum(1 << (flower - FLOWERS.start) for flower in hand.flowers))
        found.situations.append(sum(1 << place for place, one in enumerate(Situation) if one in hand.situations))
        if hand.seat_wind is not None and hand.round_wind is not None:
            found.seat_winds.append(hand.seat_wind)
            found.round_winds.append(hand.round_wind)
    return found


def single(rules: scoring_pb2.Ruleset, hand: WinningHand) -> scoring_pb2.ScoreWinRequest:
    """The same hand as a single question, in notation."""
    return scoring_pb2.ScoreWinRequest(
        ruleset=rules,
        hand=scoring_pb2.Hand(
            notation=show(hand.concealed),
            melds=[str(meld)[1:-1] for meld in hand.melds],
            flowers=show(hand.flowers),
        ),
        win_notation=show([hand.tile]),
        by=WIN_BYS[hand.by],
        situations=sorted(hand.situations),
        seat_wind="" if hand.seat_wind is None else show([hand.seat_wind]),
        round_wind="" if hand.round_wind is None else show([hand.round_wind]),
    )
