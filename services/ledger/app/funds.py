"""What accounts begin with and are helped with, and the budgets of the funds that pay for robots and relief."""

from collections.abc import Mapping
from types import MappingProxyType

from services.ledger.values import FUNDS, ISSUANCE, RELIEF_FUND, ROBOT_PREFIX, ROBOTS_FUND, Source

_NOTHING: Mapping[str, int] = MappingProxyType({})


class Funds:
    """Openings and budgets, by asset.

    Args:
        openings: units a new account begins with (PF-50); its keys are the assets there are.
        budgets: for each fund the units it begins with when it is first needed; nothing where it has no row.
    """

    def __init__(self, openings: Mapping[str, int], budgets: Mapping[str, Mapping[str, int]] | None = None) -> None:
        self._openings = dict(openings)
        self._budgets = {fund: dict(rows) for fund, rows in (budgets or {}).items()}

    @property
    def assets(self) -> tuple[str, ...]:
        """The assets there are, in the order of the settings."""
        return tuple(self._openings)

    def opening(self, asset: str) -> int:
        """Units a new account begins with."""
        return self._openings[asset]

    def opening_source(self, account: str, asset: str) -> Source:
        """A player begins with new money, a robot with money of the robots' fund."""
        return self._fund(ROBOTS_FUND, asset) if account.startswith(ROBOT_PREFIX) else Source()

    def grant_source(self, account: str, asset: str) -> Source:
        """Grants are new money; a fund that receives its first one has its budget besides."""
        return Source(ISSUANCE, self._budget(account, asset) if account in FUNDS else 0)

    def relief_source(self, account: str, asset: str) -> Source:
        """Players are helped by the relief fund, robots by theirs."""
        return self._fund(ROBOTS_FUND if account.startswith(ROBOT_PREFIX) else RELIEF_FUND, asset)

    def _fund(self, fund: str, asset: str) -> Source:
        return Source(fund, self._budget(fund, asset))

    def _budget(self, fund: str, asset: str) -> int:
        return self._budgets.get(fund, _NOTHING).get(asset, 0)
