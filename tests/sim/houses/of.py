"""Which house a variant has."""

from functools import cache

from tests.sim.houses.bloody import Bloody4, Bloody6
from tests.sim.houses.dazhong import Dazhong
from tests.sim.houses.house import House
from tests.sim.houses.shanghai import Shanghai

HOUSES: dict[str, type[House]] = {"bloody4": Bloody4, "bloody6": Bloody6, "shanghai": Shanghai, "dazhong": Dazhong}


@cache
def house_of(variant_id: str) -> House:
    """The one house of a variant."""
    return HOUSES[variant_id]()
