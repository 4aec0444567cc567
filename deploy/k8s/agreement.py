"""Whether manifests and code say the same: ports, settings, health names, keys, stores, grace periods, policies.

Each check takes the documents of one overlay, as rendered, and gives one line a disagreement.
"""

import importlib.util
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath

from pydantic import ValidationError

from deploy.k8s import policed, references, stored
from deploy.k8s.image import image_user
from deploy.k8s.overlay import LOOPBACK, SAMPLES, Overlay, addresses
from deploy.k8s.rendering import Document, name_of
from deploy.k8s.services import PREFIX, SETTINGS, fields_of, is_used, module_of, variable_of
from serving.main import EXIT_LIMIT_SECONDS
from serving.server import ALIVE, RELEASE_LIMIT_SECONDS
from serving.tokens import JWKS_FILE, KEY_FILES

_SECRETS = {file: "public-keys" if file == JWKS_FILE else f"{file.removesuffix('.pem')}-key" for file in KEY_FILES}
"""A key's file -> the secret that holds it."""


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
        if settings.grpc_host.startswith(LOOPBACK):
            yield f"{service}: it listens on {settings.grpc_host}, where no probe reaches it"
        annotations = overlay.workloads[service]["spec"]["template"]["metadata"].get("annotations", {})
        if annotations.get("prometheus.io/port") != str(settings.metrics_port):
            yield f"{service}: Prometheus is sent to port {annotations.get('prometheus.io/port')}"
        if (annotations.get("prometheus.io/scrape"), annotations.get("prometheus.io/path")) != ("true", "/metrics"):
            yield f"{service}: Prometheus is not sent to /metrics"
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
        for name, text in addresses(overlay, service):
            host, _, port = text.partition(":")
            if host not in SETTINGS or str(overlay.settings(host).grpc_port) != port:
                yield f"{service}: {variable_of(name)} is {text}, where nothing listens"


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
        needed = overlay.settings(service).drain_limit_ms / 1000 + RELEASE_LIMIT_SECONDS + EXIT_LIMIT_SECONDS
        grace = overlay.pod(service).get("terminationGracePeriodSeconds", 30)
        if grace <= needed:
            yield f"{service}: killed after {grace} s, though it may take {needed:g} s to end in order"
        if "preStop" in overlay.container(service).get("lifecycle", {}):
            yield f"{service}: a preStop hook delays what SIGTERM does"


def _keys_are_mounted(overlay: Overlay) -> Iterator[str]:
    for service, settings in SETTINGS.items():
        secrets = {
            path: volume["secret"]["secretName"]
            for path, (_, volume) in overlay.mounts(service).items()
            if "secret" in volume
        }
        for name in sorted(name for name in settings.model_fields if name.endswith("_file")):
            value = getattr(overlay.settings(service), name)
            path = PurePosixPath(value or "")
            if path.name not in KEY_FILES or not is_used(service, name):
                continue
            found, wanted = secrets.pop(str(path.parent), None), _SECRETS[path.name]
            if not path.is_absolute():
                yield f"{service}: {variable_of(name)} is not set"
            elif found is None:
                yield f"{service}: no secret is mounted at {path.parent} for {variable_of(name)}"
            elif found != wanted:
                yield f"{service}: {variable_of(name)} is looked for in the secret {found}, not {wanted}"
        yield from (f"{service}: it holds the secret {name}, which it has no use for" for name in secrets.values())


def _folders_outlast_the_pod(overlay: Overlay) -> Iterator[str]:
    for service, settings in SETTINGS.items():
        lasting = {
            path
            for path, (mount, volume) in overlay.mounts(service).items()
            if "persistentVolumeClaim" in volume and not mount.get("readOnly")
        }
        for name in settings.model_fields:
            if name.endswith("_dir"):
                folder = getattr(overlay.settings(service), name)
                if folder is None or str(folder) not in lasting:
                    yield f"{service}: {variable_of(name)} is {folder}, where no lasting volume is mounted"


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
            "may not write its volumes": context.get("fsGroup") == context.get("runAsGroup"),
            "is not the user of the image": name not in SETTINGS or context.get("runAsUser") == image_user(),
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
    if environment.get("CARDROOM_POD") != SAMPLES["metadata.name"]:
        yield "table: CARDROOM_POD is not the pod's own name"
    control = f"{SAMPLES['metadata.name']}.table.{SAMPLES['metadata.namespace']}.svc:"
    if not environment.get("CARDROOM_ADVERTISE_CONTROL_AUTHORITY", "").startswith(control):
        yield "table: services are not sent to the pod itself"


CHECKS: tuple[Callable[[Overlay], Iterator[str]], ...] = (
    _commands_exist,
    _ports_agree,
    _addresses_lead_somewhere,
    _probes_ask_what_is_there,
    _grace_suffices,
    _keys_are_mounted,
    _folders_outlast_the_pod,
    _nothing_secret_is_shipped,
    _pods_may_do_little,
    _tables_are_found_by_name,
    *references.CHECKS,
    *stored.CHECKS,
    policed.policies_allow_what_is_needed_and_nothing_else,
)
