"""大众麻将: 81 fans, flowers, winds, one winner (rules DZ)."""

from games.mahjong.variant import FanRow, Variant
from games.variants.dazhong.fan_table import FANS
from games.variants.dazhong.options import OPTIONS
from games.variants.dazhong.ruleset import VERSION, dazhong

VARIANTS = (
    Variant(
        variant_id="dazhong",
        name_zh="大众麻将",
        version=VERSION,
        seat_count=4,
        options=OPTIONS,
        make_ruleset=dazhong,
        fan_table=tuple(
            FanRow(
                fan.fan_id,
                fan.name_zh,
                fan.name_en,
                fan.value,
                fan.rule,
                fan.number,
                excludes=tuple(fan.excludes.split()),
                implies=tuple(fan.contains.split()),
            )
            for fan in FANS
        ),
    ),
)
"""What the catalogue finds here."""
