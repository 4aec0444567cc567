"""血战麻将: the deal goes on after a win (rules BB)."""

from games.mahjong.variant import Variant
from games.variants.bloody.fan_table import fans_of
from games.variants.bloody.ruleset import OPTIONS, VERSION, bloody4, bloody6

VARIANTS = (
    Variant(
        variant_id="bloody4",
        name_zh="四人血战",
        version=VERSION,
        seat_count=4,
        options=OPTIONS,
        make_ruleset=bloody4,
        fan_names=tuple((fan.fan_id, fan.name_zh, fan.name_en) for fan in fans_of(4)),
    ),
    Variant(
        variant_id="bloody6",
        name_zh="六人血战",
        version=VERSION,
        seat_count=6,
        options=OPTIONS,
        make_ruleset=bloody6,
        fan_names=tuple((fan.fan_id, fan.name_zh, fan.name_en) for fan in fans_of(6)),
    ),
)
"""What the catalogue finds here."""
