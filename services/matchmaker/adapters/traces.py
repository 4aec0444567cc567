"""Correlation ids as the calls of this process have them."""

from serving.calls import CURRENT, Call


class CallTraces:
    """`Traces` by the call that runs."""

    def resume(self, correlation_id: str) -> None:
        """See `Traces`."""
        CURRENT.set(Call(correlation_id))
