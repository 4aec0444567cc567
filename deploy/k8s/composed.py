"""deploy/compose.yaml against the code: the same settings, ports and stores as in a cluster."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from deploy.build.prepare import ROOT
from deploy.k8s.image import image_user, writable_folders
from deploy.k8s.overlay import LOOPBACK, STORES
from deploy.k8s.policed import STORE_PORT
from deploy.k8s.services import PREFIX, SETTINGS, fields_of, is_used, module_of, variable_of
from serving.settings import ServiceSettings
from serving.tokens import KEY_FILES

COMPOSE = ROOT / "deploy" / "compose.yaml"
_DATA = "/data"
"""Where the image of the stores lets its user write."""


def _mounted(row: dict[str, Any]) -> dict[str, bool]:
    """Folders where volumes are -> whether they may be written."""
    parts = [str(each).split(":") for each in row.get("volumes", ())]
    return {part[1]: part[2:] != ["ro"] for part in parts}


def compose_disagreements(file: dict[str, Any] | None = None) -> Iterator[str]:
    """Everything in which the file and the code disagree, one line each.

    Args:
        file: the file, read; the tree's where absent.
    """
    services = (file or yaml.safe_load(COMPOSE.read_text()))["services"]
    for name in sorted(SETTINGS.keys() - services.keys()):
        yield f"compose: {name} is left out"
    for name in SETTINGS.keys() & services.keys():
        yield from (f"compose: {name}: {fault}" for fault in _service(name, services[name], services))
    written = {folder for row in services.values() for folder, may in _mounted(row).items() if may}
    for folder in sorted(written - writable_folders() - {_DATA}):
        yield f"compose: the image makes no folder {folder} for its user, who could not write a new volume there"
    for name in services.keys() - {store for store, _ in STORES.values()}:
        if str(services[name].get("user", image_user())).partition(":")[0] != str(image_user()):
            yield f"compose: {name}: it is not the user of the image"
    for name, wanted in STORES.values():
        if not _mounted(services.get(name, {})).get(_DATA):
            yield f"compose: {name}: what it writes to {_DATA} goes with the container"
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
    if settings.grpc_host.startswith(LOOPBACK):
        yield f"it listens on {settings.grpc_host}, where nobody else is"
    yield from _folders(name, row, settings)
    yield from _stores(name, row, settings)
    if row.get("read_only") is not True or row.get("cap_drop") != ["ALL"]:
        yield "it may do more than in a cluster"
    if int(str(row.get("stop_grace_period", "10s")).removesuffix("s")) * 1000 <= settings.drain_limit_ms:
        yield "it is killed before it may end in order"


def _folders(name: str, row: dict[str, Any], settings: ServiceSettings) -> Iterator[str]:
    """Keys and archives lie on volumes."""
    mounted = _mounted(row)
    for field, value in settings:
        kept, read = field.endswith("_dir"), Path(str(value)).name in KEY_FILES and is_used(name, field)
        above = [may for folder, may in mounted.items() if Path(str(value)).is_relative_to(folder)]
        if (kept or read) and not any(may or read for may in above):
            yield f"{variable_of(field)} is {value}, where no volume is"


def _stores(name: str, row: dict[str, Any], settings: ServiceSettings) -> Iterator[str]:
    for field, (store, _) in STORES.items():
        value = getattr(settings, field, None)
        if value is not None and value != f"redis://{store}:{STORE_PORT}":
            yield f"{variable_of(field)} is {value}, which is not {store}"
    control = getattr(settings, "advertise_control_authority", None)
    if control is not None and control != f"{name}:{settings.grpc_port}":
        yield f"other services are sent to {control}, where it is not"
    outside = getattr(settings, "advertise_authority", None)
    if outside is not None and f"{outside}:{settings.grpc_port}" not in row.get("ports", ()):
        yield f"game clients are sent to {outside}, where it is not"
