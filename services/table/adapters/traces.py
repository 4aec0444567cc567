"""Correlation ids as the calls of this process have them."""

from serving.calls import CURRENT, Call, correlation_id


class CallTraces:
    """`Traces` by the call that runs."""

    def current(self) -> str:
        """See `Traces`."""
        return correlation_id()

    def resume(self, correlation_id: str) -> None:
        """See `Traces`."""
        CURRENT.set(Call(correlation_id))
