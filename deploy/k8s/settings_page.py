"""docs/settings.md: every setting of every service, made from the code."""

import json
from collections.abc import Iterator
from pathlib import Path

from annotated_types import Ge, Gt, Le, Lt
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined
from pydantic_settings import BaseSettings

from deploy.k8s.services import SETTINGS, variable_of
from deploy.local.settings import LocalSettings
from serving.settings import ServiceSettings

_HEAD = """# Settings

Made from the code by `make format`; do not edit. Every setting is an environment variable. A value that cannot be stops
the start with one line that names the variable; what is not set has the default.
"""

_BOUNDS = {Ge: ("ge", "at least {}"), Gt: ("gt", "above {}"), Le: ("le", "at most {}"), Lt: ("lt", "below {}")}


def page() -> str:
    """The page as Markdown."""
    common = set(ServiceSettings.model_fields)
    parts = [_HEAD, _section("All services", ServiceSettings, sorted(common))]
    for service, settings in SETTINGS.items():
        own = [name for name, field in settings.model_fields.items() if name not in common or _differs(name, field)]
        parts.append(_section(service, settings, own))
    parts.append(_section("`make run`", LocalSettings, list(LocalSettings.model_fields)))
    return "\n".join(parts)


def _differs(name: str, field: FieldInfo) -> bool:
    return bool(field.default != ServiceSettings.model_fields[name].default)


def _section(title: str, settings: type[BaseSettings], names: list[str]) -> str:
    rows = "\n".join(_row(name, settings.model_fields[name]) for name in names)
    return f"## {title}\n\n| variable | default | what it is |\n| --- | --- | --- |\n{rows}\n"


def _row(name: str, field: FieldInfo) -> str:
    bounds = ", ".join(_bounds(field))
    description = (field.description or "").replace("|", "\\|")
    return f"| `{variable_of(name)}` | {_default(field.default)} | {description}{f' ({bounds})' if bounds else ''} |"


def _bounds(field: FieldInfo) -> Iterator[str]:
    for bound in field.metadata:
        if type(bound) in _BOUNDS:
            attribute, words = _BOUNDS[type(bound)]
            yield words.format(getattr(bound, attribute))


def _default(value: object) -> str:
    match value:
        case _ if value is PydanticUndefined:
            return "must be set"
        case None | "":
            return "not set"
        case bool():
            return f"`{str(value).lower()}`"
        case dict():
            return f"`{json.dumps(value)}`"
        case Path():
            return f"`{value.as_posix()}`"
        case _:
            return f"`{value}`"
