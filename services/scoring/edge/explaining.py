"""Reasons, waits and advice on the wire."""

from collections.abc import Callable, Mapping
from functools import cache

from cardroom.scoring.v1 import explanation_pb2, scoring_pb2

from games.catalog import variant_of
from games.mahjong.advice import Advised, WaitSeen
from games.mahjong.explanation import Explanation, Part, Unpaid
from games.mahjong.hand import Score
from games.mahjong.ruleset import Ruleset
from games.mahjong.tiles import show
from games.mahjong.variant import Variant
from services.scoring.app.questions import ExplainedWait
from wire.mahjong import score_fields


@cache
def _names(variant_id: str, version: int) -> Mapping[str, str]:
    """Chinese name of each fan."""
    variant = variant_of(variant_id, version)
    assert isinstance(variant, Variant), variant_id
    return {row.fan_id: row.name_zh for row in variant.fan_table}


def explanation_to_proto(rules: Ruleset, one: Explanation) -> explanation_pb2.Explanation:
    """Why a hand is worth what it is worth."""
    names = _names(rules.variant, rules.version)
    return explanation_pb2.Explanation(
        shape=one.shape,
        parts=map(_part, one.parts),
        grounds=[
            explanation_pb2.FanGround(
                fan_id=ground.fan_id,
                name_zh=names[ground.fan_id],
                value=ground.value,
                parts=ground.parts,
                basis=ground.basis,
            )
            for ground in one.grounds
        ],
        unpaid=[_unpaid(names, fan) for fan in one.unpaid],
        qualifying_fan=one.qualifying,
        flower_fan=one.flowers,
        total_fan=one.qualifying + one.flowers,
        reading_count=one.reading_count,
        sums=[explanation_pb2.SumLine(points=line.points, part=line.part, what=line.what) for line in one.sums],
        capped=one.capped,
    )


def _part(part: Part) -> explanation_pb2.ReadingPart:
    return explanation_pb2.ReadingPart(
        kind=part.kind, tiles=part.tiles, notation=show(part.tiles), melded=part.melded, winning=part.wins
    )


def _unpaid(names: Mapping[str, str], fan: Unpaid) -> explanation_pb2.UnpaidFan:
    return explanation_pb2.UnpaidFan(
        fan_id=fan.fan_id,
        name_zh=names[fan.fan_id],
        value=fan.value,
        parts=fan.parts,
        by_fan_ids=fan.by,
        principle=fan.principle,
        rule=fan.rule,
    )


def win_to_proto(rules: Ruleset, score: Score | None, why: Explanation | None = None) -> scoring_pb2.Win | None:
    """What a hand is worth; None if it does not win."""
    if score is None:
        return None
    explanation = None if why is None else explanation_to_proto(rules, why)
    return scoring_pb2.Win(**score_fields(score), explanation=explanation)


def wait_to_proto(rules: Ruleset, one: ExplainedWait) -> scoring_pb2.Wait:
    """A wait with its reasons."""
    return _wait(rules, one.wait, one.by_discard, one.by_self)


def _wait(
    rules: Ruleset, wait: WaitSeen, by_discard: Explanation | None, by_self: Explanation | None
) -> scoring_pb2.Wait:
    return scoring_pb2.Wait(
        tile=wait.tile,
        notation=show([wait.tile]),
        by_discard=win_to_proto(rules, wait.by_discard, by_discard),
        by_self=win_to_proto(rules, wait.by_self, by_self),
        left=wait.left,
        dead=wait.left == 0,
    )


def discard_to_proto(rules: Ruleset) -> Callable[[Advised], scoring_pb2.DiscardAdvice]:
    """What makes advice about one discard a message."""

    def discard(one: Advised) -> scoring_pb2.DiscardAdvice:
        return scoring_pb2.DiscardAdvice(
            tile=one.tile,
            notation=show([one.tile]),
            distance=one.distance,
            useful=[
                scoring_pb2.UsefulTile(tile=each.tile, notation=show([each.tile]), left=each.count)
                for each in one.useful
            ],
            useful_left=one.left,
            waits=[_wait(rules, wait, None, None) for wait in one.waits],
            best=win_to_proto(rules, one.best),
        )

    return discard
