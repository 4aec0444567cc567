"""Which clauses a variant has."""

from tests.sim.clauses.bloody import BLOODY4
from tests.sim.clauses.bloody6 import BLOODY6
from tests.sim.clauses.dazhong import DAZHONG
from tests.sim.clauses.rows import Clauses
from tests.sim.clauses.shanghai import SHANGHAI

CLAUSES: dict[str, Clauses] = {"bloody4": BLOODY4, "bloody6": BLOODY6, "shanghai": SHANGHAI, "dazhong": DAZHONG}
