"""Whether manifests and code say the same: ports, settings, health names, keys, stores, grace periods, policies.

Each check takes the documents of one overlay, as rendered, and gives one line a disagreement.
"""

import importlib.util
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from pydantic import ValidationError

from deploy.k8s.rendering import Document, name_of
from deploy.k8s.services import PREFIX, SETTINGS, fields_of, module_of, variable_of
from serving.server import ALIVE, RELEASE_LIMIT_SECONDS
from serving.settings import ServiceSettings
from serving.store import KEEPS_EVERY_WRITE, KEEPS_EVERYTHING
from serving.tokens import KEY_FILES

_WORKLOADS = frozenset({"Deployment", "StatefulSet"})
_NAME = "app.kubernetes.io/name"
_SAMPLES = {"metadata.name": "table-0", "metadata.namespace": "cardroom"}
"""What the cluster would put in place of a field reference."""
_SECRET_URL = "redis://user:password@{}:6379"
_STORES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "redis_url": ("redis", {"appendonly": "yes", **KEEPS_EVERYTHING}),
    "ledger_redis_url": ("redis-ledger", KEEPS_EVERY_WRITE),
}
"""A setting that names a store -> the store's name and what its configuration must say."""
_LOOPBACK = ("127.", "localhost", "::1")


class Overlay:
    """The documents of one overlay, found by what they are about."""

    def __init__(self, documents: list[Document]) -> None:
        self.documents = documents
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
        known = fields_of(SETTINGS[name])
        given = {key: text for key, text in self.environment(name).items() if key in known}
        fields = {key.removeprefix(PREFIX).lower(): text for key, text in given.items()}
        return SETTINGS[name].model_validate(fields)

    def ports(self, name: str) -> dict[str, int]:
        """A container's ports by name."""
        return {row["name"]: row["containerPort"] for row in self.container(name)["ports"]}


def _value(row: Mapping[str, Any], before: Mapping[str, str]) -> str:
    source = row.get("valueFrom", {})
    if "fieldRef" in source:
        return _SAMPLES[source["fieldRef"]["fieldPath"]]
    if "secretKeyRef" in source:
        return _SECRET_URL.format(source["secretKeyRef"]["name"].removesuffix("-access"))
    text = str(row["value"])
    for name, value in before.items():
        text = text.replace(f"$({name})", value)
    return text


def disagreements(documents: list[Document]) -> list[str]:
    """Everything in which an overlay and the code disagree."""
    overlay = Overlay(documents)
    missing = [f"{service}: no Deployment or StatefulSet" for service in SETTINGS if service not in overlay.workloads]
    if missing:
        return missing
    unfit = list(_settings_fit(overlay))
    return unfit or [fault for check in CHECKS for fault in check(overlay)]


def _settings_fit(overlay: Overlay) -> Iterator[str]:
    everybodys = frozenset().union(*map(fields_of, SETTINGS.values()))
    for service, settings in SETTINGS.items():
        own = {row["name"] for row in overlay.container(service).get("env", ())}
        for name in sorted(overlay.environment(service)):
            known = fields_of(settings) if name in own else everybodys
            if name.startswith(PREFIX) and name not in known:
                yield f"{service}: {name} is no setting of it"
        try:
            overlay.settings(service)
        except ValidationError as error:
            for row in error.errors():
                yield f"{service}: {variable_of('_'.join(map(str, row['loc'])))}: {row['msg']}"


def _commands_exist(overlay: Overlay) -> Iterator[str]:
    for service in SETTINGS:
        command = overlay.container(service).get("command")
        if command != ["python", "-m", module_of(service)]:
            yield f"{service}: its command is {command}, not python -m {module_of(service)}"
        elif importlib.util.find_spec(module_of(service)) is None:
            yield f"{service}: there is no module {module_of(service)}"


def _ports_agree(overlay: Overlay) -> Iterator[str]:
    for service in SETTINGS:
        settings = overlay.settings(service)
        wanted = {"grpc": settings.grpc_port, "metrics": settings.metrics_port}
        if overlay.ports(service) != wanted:
            yield f"{service}: its container has ports {overlay.ports(service)}, its settings {wanted}"
        if settings.grpc_host.startswith(_LOOPBACK):
            yield f"{service}: it listens on {settings.grpc_host}, where no probe reaches it"
        annotations = overlay.workloads[service]["spec"]["template"]["metadata"].get("annotations", {})
        if annotations.get("prometheus.io/port") != str(settings.metrics_port):
            yield f"{service}: Prometheus is sent to port {annotations.get('prometheus.io/port')}"
        yield from _service_agrees(overlay, service, settings.grpc_port)


def _service_agrees(overlay: Overlay, service: str, port: int) -> Iterator[str]:
    row = overlay.find("Service", service)
    if row is None:
        yield f"{service}: no Service"
        return
    ports = {each["name"]: (each["port"], each["targetPort"]) for each in row["spec"]["ports"]}
    if ports != {"grpc": (port, "grpc")}:
        yield f"{service}: its Service has ports {ports}, its settings grpc {port}"
    if row["spec"].get("clusterIP") != "None":
        yield f"{service}: its Service is not headless, so that calls would stick to one pod"
    labels = overlay.workloads[service]["spec"]["template"]["metadata"]["labels"]
    if not row["spec"]["selector"].items() <= labels.items():
        yield f"{service}: its Service selects {row['spec']['selector']}, which its pods are not"


def _addresses_lead_somewhere(overlay: Overlay) -> Iterator[str]:
    for service in SETTINGS:
        for name, text in _addresses(overlay, service):
            host, _, port = text.partition(":")
            if host not in SETTINGS or str(overlay.settings(host).grpc_port) != port:
                yield f"{service}: {variable_of(name)} is {text}, where nothing listens"


def _addresses(overlay: Overlay, service: str) -> Iterator[tuple[str, str]]:
    for name, value in overlay.settings(service):
        if name.endswith("_address"):
            yield name, str(value)


def _probes_ask_what_is_there(overlay: Overlay) -> Iterator[str]:
    wanted = {"startupProbe": ALIVE, "livenessProbe": ALIVE, "readinessProbe": ""}
    for service in SETTINGS:
        port = overlay.settings(service).grpc_port
        for probe, name in wanted.items():
            asked = overlay.container(service).get(probe, {}).get("grpc")
            if asked is None:
                yield f"{service}: no gRPC {probe}"
            elif (asked["port"], asked.get("service", "")) != (port, name):
                yield f"{service}: its {probe} asks for {asked}, not {name or 'the whole server'!r} at {port}"


def _grace_suffices(overlay: Overlay) -> Iterator[str]:
    for service in SETTINGS:
        needed = overlay.settings(service).drain_limit_ms / 1000 + RELEASE_LIMIT_SECONDS
        grace = overlay.pod(service).get("terminationGracePeriodSeconds", 30)
        if grace <= needed:
            yield f"{service}: killed after {grace} s, though it may take {needed:g} s to end in order"
        if "preStop" in overlay.container(service).get("lifecycle", {}):
            yield f"{service}: a preStop hook delays what SIGTERM does"


def _keys_are_mounted(overlay: Overlay) -> Iterator[str]:
    for service, settings in SETTINGS.items():
        volumes = {row["name"]: row for row in overlay.pod(service).get("volumes", ())}
        mounts = {row["mountPath"]: volumes[row["name"]] for row in overlay.container(service)["volumeMounts"]}
        for name in sorted(name for name in settings.model_fields if name.endswith("_file")):
            value = getattr(overlay.settings(service), name)
            path = PurePosixPath(value or "")
            if path.name not in KEY_FILES or not _is_used(service, name):
                continue
            if not path.is_absolute():
                yield f"{service}: {variable_of(name)} is not set"
            elif "secret" not in mounts.get(str(path.parent), {}):
                yield f"{service}: no secret is mounted at {path.parent} for {variable_of(name)}"


def _folders_outlast_the_pod(overlay: Overlay) -> Iterator[str]:
    for service, settings in SETTINGS.items():
        volumes = {row["name"]: row for row in overlay.pod(service).get("volumes", ())}
        lasting = {
            row["mountPath"]
            for row in overlay.container(service)["volumeMounts"]
            if "persistentVolumeClaim" in volumes[row["name"]] and not row.get("readOnly")
        }
        for name in settings.model_fields:
            if name.endswith("_dir"):
                folder = getattr(overlay.settings(service), name)
                if folder is None or str(folder) not in lasting:
                    yield f"{service}: {variable_of(name)} is {folder}, where no lasting volume is mounted"


def _is_used(service: str, name: str) -> bool:
    """A service that calls no other signs nothing."""
    return name != "service_key_file" or any(field.endswith("_address") for field in SETTINGS[service].model_fields)


def _stores_keep_what_they_must(overlay: Overlay) -> Iterator[str]:
    for store, wanted in _STORES.values():
        row = overlay.find("ConfigMap", store)
        lines = (row or {}).get("data", {}).get("redis.conf", "").splitlines()
        found = dict(line.split(maxsplit=1) for line in lines if line.strip())
        for name, value in wanted.items():
            if found.get(name) != value:
                yield f"{store}: its configuration has {name} {found.get(name)}, the services ask for {value}"


def _nothing_secret_is_shipped(overlay: Overlay) -> Iterator[str]:
    for row in overlay.documents:
        if row["kind"] == "Secret":
            yield f"{name_of(row)}: a secret is shipped"


def _pods_may_do_little(overlay: Overlay) -> Iterator[str]:
    for name in overlay.workloads:
        pod, container = overlay.pod(name), overlay.container(name)
        context, own = pod.get("securityContext", {}), container.get("securityContext", {})
        held = {
            "runs as root": context.get("runAsNonRoot") is True and context.get("runAsUser", 0) > 0,
            "has a token of the cluster's API": pod.get("automountServiceAccountToken") is False,
            "has no seccomp profile": context.get("seccompProfile") == {"type": "RuntimeDefault"},
            "has a writable root": own.get("readOnlyRootFilesystem") is True,
            "may gain privileges": own.get("allowPrivilegeEscalation") is False,
            "has capabilities": own.get("capabilities") == {"drop": ["ALL"]},
            "has no bound of memory": "memory" in container.get("resources", {}).get("limits", {}),
            "asks for no share of a core": "cpu" in container.get("resources", {}).get("requests", {}),
            "is not spread over nodes": bool(pod.get("topologySpreadConstraints")),
            "has no disruption budget": overlay.find("PodDisruptionBudget", name) is not None,
            "shares the default account": pod.get("serviceAccountName") == name,
            "runs whatever image is newest": _is_pinned(container["image"]),
        }
        yield from (f"{name}: {fault}" for fault, holds in held.items() if not holds)


def _is_pinned(image: str) -> bool:
    tag = image.rpartition("/")[2].partition(":")[2]
    return bool(tag) and tag != "latest"


def _tables_are_found_by_name(overlay: Overlay) -> Iterator[str]:
    table, service = overlay.workloads["table"], overlay.find("Service", "table")
    spec = table["spec"]
    if (table["kind"], spec.get("podManagementPolicy")) != ("StatefulSet", "Parallel"):
        yield "table: no StatefulSet whose pods start at once"
    if spec.get("serviceName") != "table" or not (service or {}).get("spec", {}).get("publishNotReadyAddresses"):
        yield "table: its pods have no names that hold while they are not ready"
    environment = overlay.environment("table")
    if environment.get("CARDROOM_POD") != _SAMPLES["metadata.name"]:
        yield "table: CARDROOM_POD is not the pod's own name"
    control = f"{_SAMPLES['metadata.name']}.table.{_SAMPLES['metadata.namespace']}.svc:"
    if not environment.get("CARDROOM_ADVERTISE_CONTROL_AUTHORITY", "").startswith(control):
        yield "table: services are not sent to the pod itself"


def _policies_allow_what_is_needed(overlay: Overlay) -> Iterator[str]:
    deny = overlay.find("NetworkPolicy", "default-deny")
    if deny is None or deny["spec"] != {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}:
        yield "no policy denies everything that none allows"
    for service, settings in SETTINGS.items():
        ways = [text.split(":") for _, text in _addresses(overlay, service)]
        ways += [[_STORES[name][0], "6379"] for name in _STORES if name in settings.model_fields]
        if service == "matchmaker":
            ways.append(["table", str(overlay.settings("table").grpc_port)])  # found in the registry
        for goal, port in ways:
            if not _allows(overlay, service, "egress", "to", goal, int(port)):
                yield f"{service}: no policy lets it out to {goal}:{port}"
            if not _allows(overlay, goal, "ingress", "from", service, int(port)):
                yield f"{goal}: no policy lets {service} in to port {port}"


def _allows(overlay: Overlay, name: str, way: str, peers: str, other: str, port: int) -> bool:
    policy = overlay.find("NetworkPolicy", name)
    rules = (policy or {}).get("spec", {}).get(way) or ()
    return any(
        any(_NAME in row.get("podSelector", {}).get("matchLabels", {}) for row in rule[peers])
        and any(row.get("podSelector", {}).get("matchLabels", {}).get(_NAME) == other for row in rule[peers])
        and any(row["port"] == port for row in rule["ports"])
        for rule in rules
    )


CHECKS: tuple[Callable[[Overlay], Iterator[str]], ...] = (
    _commands_exist,
    _ports_agree,
    _addresses_lead_somewhere,
    _probes_ask_what_is_there,
    _grace_suffices,
    _keys_are_mounted,
    _folders_outlast_the_pod,
    _stores_keep_what_they_must,
    _nothing_secret_is_shipped,
    _pods_may_do_little,
    _tables_are_found_by_name,
    _policies_allow_what_is_needed,
)
