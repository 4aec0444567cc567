"""The vocabulary of refusals for all services: pure data, without a wire or a server."""

from refusals.catalogue import CATALOGUE, Entry
from refusals.reason import Reason
from refusals.refusal import Refusal, Violation

__all__ = ["CATALOGUE", "Entry", "Reason", "Refusal", "Violation"]
