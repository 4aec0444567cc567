"""血战麻将: the deal goes on after a win (rules BB)."""

from games.mahjong.variant import FanRow, Variant
from games.variants.bloody.fan_table import fans_of
from games.variants.bloody.ruleset import OPTIONS, VERSION, bloody4, bloody6


def _rows(seat_count: int) -> tuple[FanRow, ...]:
    return tuple(
        FanRow(fan.fan_id, fan.name_zh, fan.name_en, fan.value[seat_count], fan.rule) for fan in fans_of(seat_count)
    )


VARIANTS = (
    Variant(
        variant_id="bloody4",
        name_zh="四人血战",
        version=VERSION,
        seat_count=4,
        options=OPTIONS,
        make_ruleset=bloody4,
        fan_table=_rows(4),
        owner_deals_first=True,
    ),
    Variant(
        variant_id="bloody6",
        name_zh="六人血战",
        version=VERSION,
        seat_count=6,
        options=OPTIONS,
        make_ruleset=bloody6,
        fan_table=_rows(6),
        owner_deals_first=True,
    ),
)
"""What the catalogue finds here."""
