"""deploy/compose.yaml against the code: the same settings, ports and stores as in a cluster."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import yaml
from pydantic import ValidationError

from deploy.build.prepare import ROOT
from deploy.k8s.services import PREFIX, SETTINGS, fields_of, module_of, variable_of
from serving.store import KEEPS_EVERY_WRITE, KEEPS_EVERYTHING

COMPOSE = ROOT / "deploy" / "compose.yaml"
_STORES = {"redis": {"appendonly": "yes", **KEEPS_EVERYTHING}, "redis-ledger": KEEPS_EVERY_WRITE}


def compose_disagreements(file: dict[str, Any] | None = None) -> Iterator[str]:
    """Everything in which the file and the code disagree, one line each.

    Args:
        file: the file, read; the tree's where absent.
    """
    services = (file or yaml.safe_load(COMPOSE.read_text()))["services"]
    for name in SETTINGS:
        yield from (f"compose: {name}: {fault}" for fault in _service(name, services.get(name, {}), services))
    for name, wanted in _STORES.items():
        given = services.get(name, {}).get("command", [])
        found = {option.removeprefix("--"): value for option, value in pairwise(given)}
        for setting, value in wanted.items():
            if found.get(setting) != value:
                yield f"compose: {name}: {setting} is {found.get(setting)}, not {value}"


def _service(name: str, row: dict[str, Any], services: dict[str, Any]) -> Iterator[str]:
    if row.get("command") != ["python", "-m", module_of(name)]:
        yield f"its command is {row.get('command')}"
    environment: dict[str, str] = row.get("environment", {})
    known = fields_of(SETTINGS[name])
    yield from (f"{each} is no setting of it" for each in environment if each.startswith(PREFIX) and each not in known)
    fields = {each.removeprefix(PREFIX).lower(): text for each, text in environment.items() if each in known}
    try:
        settings = SETTINGS[name].model_validate(fields)
    except ValidationError as error:
        yield from (f"{variable_of('_'.join(map(str, fault['loc'])))}: {fault['msg']}" for fault in error.errors())
        return
    inside = {int(str(port).rpartition(":")[2]) for port in row.get("ports", ())}
    if not inside <= {settings.grpc_port, settings.metrics_port}:
        yield f"it shows ports {sorted(inside)}, where it does not listen"
    for field, value in settings:
        if field.endswith("_address"):
            host, _, port = str(value).partition(":")
            if host not in services or str(SETTINGS[host].model_fields["grpc_port"].default) != port:
                yield f"{variable_of(field)} is {value}, where nothing listens"
    if row.get("read_only") is not True or row.get("cap_drop") != ["ALL"]:
        yield "it may do more than in a cluster"
    if int(str(row.get("stop_grace_period", "10s")).removesuffix("s")) * 1000 <= settings.drain_limit_ms:
        yield "it is killed before it may end in order"
