"""An overlay's documents, found by what they are about, and what the process of each service finds there."""

from collections.abc import Iterator, Mapping
from typing import Any

from deploy.k8s.rendering import Document
from deploy.k8s.services import PREFIX, SETTINGS, fields_of
from serving.settings import ServiceSettings
from serving.store import KEEPS_EVERY_WRITE, KEEPS_EVERYTHING

_WORKLOADS = frozenset({"Deployment", "StatefulSet"})
NAME = "app.kubernetes.io/name"
SAMPLES = {"metadata.name": "table-0", "metadata.namespace": "cardroom"}
"""What the cluster would put in place of a field reference."""
_SECRET_URL = "redis://user:password@{}:6379"
STORES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "redis_url": ("redis", {"appendonly": "yes", **KEEPS_EVERYTHING}),
    "ledger_redis_url": ("redis-ledger", KEEPS_EVERY_WRITE),
}
"""A setting that names a store -> the store's name and what its configuration must say."""
LOOPBACK = ("127.", "localhost", "::1")


class Overlay:
    """The documents of one overlay, found by what they are about."""

    def __init__(self, documents: list[Document]) -> None:
        self.documents = documents
        self._settings: dict[str, ServiceSettings] = {}
        self.workloads = {row["metadata"]["name"]: row for row in documents if row["kind"] in _WORKLOADS}

    def find(self, kind: str, name: str) -> Document | None:
        """The document of this kind and name."""
        rows = (row for row in self.documents if row["kind"] == kind and row["metadata"]["name"] == name)
        return next(rows, None)

    def pod(self, name: str) -> dict[str, Any]:
        """A workload's pod."""
        spec: dict[str, Any] = self.workloads[name]["spec"]["template"]["spec"]
        return spec

    def container(self, name: str) -> dict[str, Any]:
        """A workload's one container."""
        (container,) = self.pod(name)["containers"]
        row: dict[str, Any] = container
        return row

    def environment(self, name: str) -> dict[str, str]:
        """What a service's process finds in its environment; secrets are samples."""
        container = self.container(name)
        found: dict[str, str] = {}
        for source in container.get("envFrom", ()):
            settings = self.find("ConfigMap", source["configMapRef"]["name"])
            found.update(settings["data"] if settings else {})
        for row in container.get("env", ()):
            found[row["name"]] = _value(row, found)
        return found

    def settings(self, name: str) -> ServiceSettings:
        """A service's settings as its process would have them. Raises: ValidationError."""
        if name in self._settings:
            return self._settings[name]
        known = fields_of(SETTINGS[name])
        given = {key: text for key, text in self.environment(name).items() if key in known}
        fields = {key.removeprefix(PREFIX).lower(): text for key, text in given.items()}
        settings = self._settings[name] = SETTINGS[name].model_validate(fields)
        return settings

    def mounts(self, name: str) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
        """A container's mounts by path: the mount, and the volume behind it."""
        volumes = {row["name"]: row for row in self.pod(name).get("volumes", ())}
        claimed = self.workloads[name]["spec"].get("volumeClaimTemplates", ())
        volumes |= {row["metadata"]["name"]: {"persistentVolumeClaim": {}} for row in claimed}
        return {row["mountPath"]: (row, volumes[row["name"]]) for row in self.container(name)["volumeMounts"]}

    def ports(self, name: str) -> dict[str, int]:
        """A container's ports by name."""
        return {row["name"]: row["containerPort"] for row in self.container(name)["ports"]}


def _value(row: Mapping[str, Any], before: Mapping[str, str]) -> str:
    source = row.get("valueFrom", {})
    if "fieldRef" in source:
        return SAMPLES[source["fieldRef"]["fieldPath"]]
    if "secretKeyRef" in source:
        return _SECRET_URL.format(source["secretKeyRef"]["name"].removesuffix("-access"))
    text = str(row["value"])
    for name, value in before.items():
        text = text.replace(f"$({name})", value)
    return text


def addresses(overlay: Overlay, service: str) -> Iterator[tuple[str, str]]:
    """Settings of a service that name another one, and what they say."""
    for name, value in overlay.settings(service):
        if name.endswith("_address"):
            yield name, str(value)
