"""Batches on the wire: columns of hands in, columns of their worth out."""

from collections.abc import Mapping
from functools import cache

from cardroom.errors.v1 import reason_pb2
from cardroom.scoring.v1 import columns_pb2

from games.catalog import variant_of
from games.mahjong.hand import WinBy
from games.mahjong.melds import MeldKind
from games.mahjong.ruleset import Ruleset
from games.mahjong.variant import Variant
from services.scoring.app.batches import Batched, HandColumns, HandFault
from services.scoring.edge.explaining import explanation_to_proto
from wire.mahjong import MELD_KINDS, WIN_BYS

_BY_OF: Mapping[int, WinBy] = {number: by for by, number in WIN_BYS.items()}
_KIND_OF: Mapping[int, MeldKind] = {number: kind for kind, number in MELD_KINDS.items()}
_WIN, _NO_WIN, _ERROR = (
    columns_pb2.HAND_OUTCOME_WIN,
    columns_pb2.HAND_OUTCOME_NO_WIN,
    columns_pb2.HAND_OUTCOME_ERROR,
)


def columns_of(message: columns_pb2.HandColumns) -> HandColumns:
    """The hands of a message."""
    return HandColumns(
        ids=tuple(message.ids),
        tile_counts=tuple(message.tile_counts),
        tiles=tuple(message.tiles),
        win_tiles=tuple(message.win_tiles),
        bys=tuple(map(_BY_OF.get, message.bys)),
        meld_counts=tuple(message.meld_counts),
        meld_kinds=tuple(map(_KIND_OF.get, message.meld_kinds)),
        meld_tiles=tuple(message.meld_tiles),
        flowers=tuple(message.flowers),
        situations=tuple(message.situations),
        seat_winds=tuple(message.seat_winds),
        round_winds=tuple(message.round_winds),
    )


def wins_to_proto(rules: Ruleset, columns: HandColumns, batched: Batched) -> columns_pb2.WinColumns:
    """What the hands are worth, in their order."""
    rows = _rows(rules.variant, rules.version)
    ids = columns.ids or range(len(batched.scores))
    faulty = {fault.index for fault in batched.faults}
    outcomes, totals, amounts, sums, counts = [], [], [], [], []
    fan_rows, fan_times, fan_values = [], [], []
    for index, score in enumerate(batched.scores):
        if score is None:
            outcomes.append(_ERROR if index in faulty else _NO_WIN)
            totals.append(0)
            amounts.append(0)
            sums.append(0)
            counts.append(0)
            continue
        outcomes.append(_WIN)
        totals.append(score.fan_total)
        amounts.append(score.amount)
        sums.append(score.base_sum or 0)
        counts.append(len(score.fans))
        for fan in score.fans:
            fan_rows.append(rows[fan.fan_id])
            fan_times.append(fan.times)
            fan_values.append(fan.value)
    return columns_pb2.WinColumns(
        ids=ids,
        outcomes=outcomes,
        fan_totals=totals,
        amounts=amounts,
        base_sums=sums if any(sums) else (),
        fan_counts=counts,
        fan_rows=fan_rows,
        fan_times=fan_times,
        fan_values=fan_values,
        errors=[_fault(fault, ids[fault.index]) for fault in batched.faults],
        explanations=[explanation_to_proto(rules, one) for one in batched.explanations],
    )


def _fault(fault: HandFault, hand_id: int) -> columns_pb2.HandError:
    refusal = fault.refusal
    return columns_pb2.HandError(
        index=fault.index,
        id=hand_id,
        reason=reason_pb2.Reason.Value(f"REASON_{refusal.reason}"),
        field=refusal.field or "",
        detail=refusal.detail,
        rule=refusal.rule or "",
    )


@cache
def _rows(variant_id: str, version: int) -> Mapping[str, int]:
    """Place of each fan in the fan table."""
    variant = variant_of(variant_id, version)
    assert isinstance(variant, Variant), variant_id
    return {row.fan_id: place for place, row in enumerate(variant.fan_table)}
