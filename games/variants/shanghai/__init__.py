"""上海麻将: flowers, a cap of lezi, liability (rules SH)."""

from games.mahjong.variant import FanRow, Variant
from games.variants.shanghai.fan_table import KINDS
from games.variants.shanghai.ruleset import OPTIONS, VERSION, shanghai

VARIANTS = (
    Variant(
        variant_id="shanghai",
        name_zh="上海麻将",
        version=VERSION,
        seat_count=4,
        options=OPTIONS,
        make_ruleset=shanghai,
        fan_table=tuple(
            FanRow(kind.kind_id, kind.name_zh, kind.name_en, kind.lezi, kind.rule, kind.number) for kind in KINDS
        ),
    ),
)
"""What the catalogue finds here."""
