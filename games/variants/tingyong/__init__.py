"""听用斗地主: one landlord against two, with a wild card (rules TY)."""

from games.landlord.variant import LandlordVariant
from games.variants.tingyong.ruleset import OPTIONS, VERSION, tingyong

VARIANTS = (
    LandlordVariant(
        variant_id="tingyong",
        name_zh="听用斗地主",
        version=VERSION,
        seat_count=3,
        options=OPTIONS,
        make_ruleset=tingyong,
    ),
)
"""What the catalogue finds here."""
