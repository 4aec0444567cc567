"""Books that are closed because entries are lost, until an operator decides."""

from collections.abc import Callable

from refusals import Reason, Refusal


class Stops:
    """Which assets' books are closed, and why.

    Args:
        told: called with the asset and the reason when books close, and with an empty one when they open.
    """

    def __init__(self, told: Callable[[str, str], None] = lambda asset, why: None) -> None:
        self._told = told
        self._why: dict[str, str] = {}

    def why(self, asset: str) -> str:
        """Why the books of an asset are closed; empty while they are open."""
        return self._why.get(asset, "")

    def stop(self, asset: str, why: str) -> None:
        """Close the books of an asset; the first reason stands."""
        if asset not in self._why:
            self._why[asset] = why
            self._told(asset, why)

    def clear(self, asset: str) -> None:
        """Open them again."""
        if self._why.pop(asset, None) is not None:
            self._told(asset, "")

    def guard(self, *assets: str) -> None:
        """Raises: Refusal BOOKS_STOPPED: the books of one of them are closed."""
        for asset in assets:
            if asset in self._why:
                raise Refusal(Reason.BOOKS_STOPPED, metadata={"asset": asset})
