"""Whether the stores keep what they must, and are where the services look for them."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from deploy.k8s.overlay import LOOPBACK, NAME, STORES, Overlay
from deploy.k8s.policed import STORE_PORT
from deploy.k8s.services import SETTINGS, variable_of

_BYTES = {"": 1, "kb": 2**10, "mb": 2**20, "gb": 2**30, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}


def configuration(overlay: Overlay, store: str) -> dict[str, str]:
    """What a store is told, by name."""
    lines = (overlay.find("ConfigMap", store) or {}).get("data", {}).get("redis.conf", "").splitlines()
    return dict(line.split(maxsplit=1) for line in lines if line.strip())


def _stores_keep_what_they_must(overlay: Overlay) -> Iterator[str]:
    for store, wanted in STORES.values():
        found = configuration(overlay, store)
        for name, value in wanted.items():
            if found.get(name) != value:
                yield f"{store}: its configuration has {name} {found.get(name)}, the services ask for {value}"
        _, volume = overlay.mounts(store).get(found.get("dir", ""), ({}, {}))
        if "persistentVolumeClaim" not in volume:
            yield f"{store}: it writes to {found.get('dir')}, where no lasting volume is mounted"
        limit = overlay.container(store)["resources"]["limits"]["memory"]
        if not 0 < _bytes(found.get("maxmemory", "0")) < _bytes(limit):
            yield f"{store}: its maxmemory {found.get('maxmemory')} is not below its limit {limit}"


def _stores_are_told(overlay: Overlay) -> Iterator[str]:
    for store, _ in STORES.values():
        mounts, command = overlay.mounts(store), overlay.container(store).get("command", [])
        _, volume = mounts.get(command[-1], ({}, {}))
        if len(command) != 2 or volume.get("configMap", {}).get("name") != store:
            yield f"{store}: its command {command} does not read its configuration"
        users = PurePosixPath(configuration(overlay, store).get("aclfile", ""))
        _, volume = mounts.get(str(users.parent), ({}, {}))
        secret = volume.get("secret", {})
        if secret.get("secretName") != f"{store}-access" or users.name not in [row["key"] for row in secret["items"]]:
            yield f"{store}: its users are not read from the secret {store}-access"


def _stores_are_found(overlay: Overlay) -> Iterator[str]:
    for store, _ in STORES.values():
        told = configuration(overlay, store)
        if told.get("port") != str(STORE_PORT) or overlay.ports(store) != {"redis": STORE_PORT}:
            yield f"{store}: it does not listen on port {STORE_PORT}, where the services look for it"
        if told.get("bind", "").startswith(LOOPBACK) or told.get("protected-mode") != "no":
            yield f"{store}: it answers its own pod only (bind, or protected-mode while a user has no password)"
        headless = overlay.find("Service", store) or {"spec": {}}
        ports = [(row["port"], row["targetPort"]) for row in headless["spec"].get("ports", ())]
        if ports != [(STORE_PORT, "redis")] or headless["spec"].get("selector") != {NAME: store}:
            yield f"{store}: its Service does not lead to it"
    for service, settings in SETTINGS.items():
        for name in STORES.keys() & settings.model_fields.keys():
            rows = [row for row in overlay.container(service)["env"] if row["name"] == variable_of(name)]
            wanted = {"name": f"{STORES[name][0]}-access", "key": "url"}
            if [row.get("valueFrom", {}).get("secretKeyRef") for row in rows] != [wanted]:
                yield f"{service}: {variable_of(name)} is not the url in the secret {wanted['name']}"


def _bytes(text: str) -> int:
    found = re.fullmatch(r"(\d+)(\w*)", text)
    return int(found.group(1)) * _BYTES.get(found.group(2), 0) if found else 0


CHECKS = (_stores_keep_what_they_must, _stores_are_told, _stores_are_found)
