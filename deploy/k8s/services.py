"""What the code says of each service: its module and its settings."""

from collections.abc import Mapping
from types import MappingProxyType

from services.ledger.settings import LedgerSettings
from services.matchmaker.settings import MatchmakerSettings
from services.scoring.settings import ScoringSettings
from services.table.settings import TableSettings
from serving.settings import ServiceSettings

SETTINGS: Mapping[str, type[ServiceSettings]] = MappingProxyType(
    {
        "matchmaker": MatchmakerSettings,
        "table": TableSettings,
        "scoring": ScoringSettings,
        "ledger": LedgerSettings,
    }
)
"""The services, and what each can be told."""

PREFIX = "CARDROOM_"


def module_of(service: str) -> str:
    """The module that starts a service's process."""
    return f"services.{service}.main"


def variable_of(field: str) -> str:
    """The environment variable that sets a field."""
    return f"{PREFIX}{field.upper()}"


def fields_of(settings: type[ServiceSettings]) -> frozenset[str]:
    """The environment variables that a service reads."""
    return frozenset(map(variable_of, settings.model_fields))


def is_used(service: str, field: str) -> bool:
    """Whether a service reads the file of that setting: one that calls no other signs nothing."""
    return field != "service_key_file" or any(name.endswith("_address") for name in SETTINGS[service].model_fields)
