"""Rulesets on the wire."""

from collections.abc import Sequence

from cardroom.scoring.v1 import ruleset_pb2, scoring_pb2
from google.protobuf.struct_pb2 import Value

from games.kernel import Variant as AnyVariant
from games.mahjong.variant import FanRow, Variant
from services.scoring.app.rulesets import Listed, versions_of

RANGE_LEAST = 8
"""Numbers in a row that are told by the least and the greatest."""


def rulesets_response(listed: Listed) -> scoring_pb2.ListRulesetsResponse:
    """A page of variants."""
    return scoring_pb2.ListRulesetsResponse(
        rulesets=[
            ruleset_pb2.RulesetSummary(
                variant=variant.variant_id,
                name_zh=variant.name_zh,
                family=variant.family,
                seat_count=variant.seat_count,
                versions=versions,
            )
            for variant, versions in listed.variants
        ],
        next_page_token=listed.next_page_token,
    )


def ruleset_response(variant: AnyVariant) -> scoring_pb2.GetRulesetResponse:
    """A variant in one version, with all that a caller needs to ask about it."""
    response = scoring_pb2.GetRulesetResponse(
        variant=variant.variant_id,
        version=variant.version,
        name_zh=variant.name_zh,
        family=variant.family,
        seat_count=variant.seat_count,
        versions=versions_of(variant.variant_id),
    )
    plain = variant.ruleset({}, 1)
    chosen = dict(plain.options)
    for name, allowed in variant.options.items():
        response.options.append(_option(name, allowed, chosen.get(name, getattr(plain, name, None))))
    if isinstance(variant, Variant):
        rules = variant.ruleset({}, 1)
        response.fans.extend(map(_row, variant.fan_table))
        response.tile_kinds.extend(rules.kinds)
        response.flowers.extend(rules.flowers)
        response.hand_size = rules.hand_size
        response.winds = rules.winds
        response.win_situations.extend(sorted(rules.hand_situations))
        response.wait_situations.extend(sorted(rules.wait_situations))
    return response


def _row(row: FanRow) -> ruleset_pb2.FanRow:
    return ruleset_pb2.FanRow(
        fan_id=row.fan_id,
        name_zh=row.name_zh,
        name_en=row.name_en,
        value=row.value,
        rule=row.rule,
        number=row.number,
        excluded_fan_ids=row.excludes,
        implied_fan_ids=row.implies,
    )


def _option(name: str, allowed: Sequence[object], default: object) -> ruleset_pb2.RulesetOption:
    option = ruleset_pb2.RulesetOption(name=name, kind=_kind(allowed))
    if default is not None:
        option.default_value.CopyFrom(_value(default))
    numbers = [value for value in allowed[: RANGE_LEAST + 1] if type(value) is int]
    if len(numbers) > RANGE_LEAST:
        option.least, option.greatest = _bounds(allowed)
    else:
        option.allowed_values.extend(map(_value, allowed))
    return option


def _bounds(allowed: Sequence[object]) -> tuple[int, int]:
    if isinstance(allowed, range):
        return min(allowed[0], allowed[-1]), max(allowed[0], allowed[-1])
    numbers = [value for value in allowed if isinstance(value, int)]
    return min(numbers), max(numbers)


def _kind(allowed: Sequence[object]) -> str:
    first = allowed[0]
    return "boolean" if isinstance(first, bool) else "number" if isinstance(first, int) else "word"


def _value(value: object) -> Value:
    if isinstance(value, bool):
        return Value(bool_value=value)
    if isinstance(value, int):
        return Value(number_value=value)
    assert isinstance(value, str), value
    return Value(string_value=value)
