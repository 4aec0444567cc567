"""What is deployed says the same as the code, and a planted disagreement is found."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from deploy.k8s.agreement import disagreements
from deploy.k8s.composed import COMPOSE, compose_disagreements
from deploy.k8s.linting import dockerfile_faults
from deploy.k8s.rendering import OVERLAYS, Document, invalid, rendered

Plant = Callable[["Planting"], None]


class Planting:
    """Documents to spoil."""

    def __init__(self, documents: list[Document]) -> None:
        self.documents = documents

    def find(self, kind: str, name: str) -> dict[str, Any]:
        """The document of this kind and name."""
        return next(row for row in self.documents if row["kind"] == kind and row["metadata"]["name"] == name)

    def pod(self, name: str) -> dict[str, Any]:
        """A workload's pod."""
        kind = "StatefulSet" if name in ("table", "redis", "redis-ledger") else "Deployment"
        pod: dict[str, Any] = self.find(kind, name)["spec"]["template"]["spec"]
        return pod

    def container(self, name: str) -> dict[str, Any]:
        """A workload's container."""
        container: dict[str, Any] = self.pod(name)["containers"][0]
        return container

    def set(self, name: str, variable: str, value: str) -> None:
        """Another value of an environment variable."""
        row = next(row for row in self.container(name)["env"] if row["name"] == variable)
        row.pop("valueFrom", None)
        row["value"] = value

    def redis(self, name: str, old: str, new: str) -> None:
        """Another line of a store's configuration."""
        data = self.find("ConfigMap", name)["data"]
        assert old in data["redis.conf"]
        data["redis.conf"] = data["redis.conf"].replace(old, new)


def _drop(rows: list[dict[str, Any]], **wanted: str) -> None:
    rows[:] = [row for row in rows if any(row.get(key) != value for key, value in wanted.items())]


PLANTS: dict[str, tuple[Plant, str]] = {
    "a port of the container": (
        lambda p: p.container("ledger")["ports"][0].update(containerPort=7105),
        "ledger: its container has ports",
    ),
    "a port of the settings": (lambda p: p.set("table", "CARDROOM_GRPC_PORT", "7109"), "table: its container has"),
    "a port of the Service": (
        lambda p: p.find("Service", "scoring")["spec"]["ports"][0].update(port=7100),
        "scoring: its Service has ports",
    ),
    "where Prometheus looks": (
        lambda p: p.find("Deployment", "scoring")["spec"]["template"]["metadata"]["annotations"].update(
            {"prometheus.io/port": "9100"}
        ),
        "scoring: Prometheus is sent to port 9100",
    ),
    "a setting's name": (
        lambda p: p.container("table")["env"].append({"name": "CARDROOM_SLOTS", "value": "5"}),
        "table: CARDROOM_SLOTS is no setting of it",
    ),
    "a setting of another service": (
        lambda p: p.container("scoring")["env"].append({"name": "CARDROOM_LEDGER_CLUSTER", "value": "true"}),
        "scoring: CARDROOM_LEDGER_CLUSTER is no setting of it",
    ),
    "a shared setting's name": (
        lambda p: p.find("ConfigMap", "settings")["data"].update(CARDROOM_LOG="info"),
        "CARDROOM_LOG is no setting of it",
    ),
    "a setting's value": (
        lambda p: p.find("ConfigMap", "settings")["data"].update(CARDROOM_LOG_LEVEL="loud"),
        "CARDROOM_LOG_LEVEL: String should match",
    ),
    "an address": (
        lambda p: p.find("ConfigMap", "settings")["data"].update(CARDROOM_LEDGER_ADDRESS="books:7104"),
        "CARDROOM_LEDGER_ADDRESS is books:7104",
    ),
    "the host": (
        lambda p: p.find("ConfigMap", "settings")["data"].update(CARDROOM_GRPC_HOST="127.0.0.1"),
        "where no probe reaches it",
    ),
    "a command": (
        lambda p: p.container("ledger").update(command=["python", "-m", "services.books.main"]),
        "ledger: its command is",
    ),
    "a health name": (
        lambda p: p.container("table")["livenessProbe"]["grpc"].update(service="live"),
        "table: its livenessProbe asks for",
    ),
    "liveness that asks for the store": (
        lambda p: p.container("ledger")["livenessProbe"]["grpc"].pop("service"),
        "ledger: its livenessProbe asks for",
    ),
    "a grace that is too short": (
        lambda p: p.pod("table").update(terminationGracePeriodSeconds=25),
        "table: killed after 25 s",
    ),
    "a drain that is too long": (
        lambda p: p.find("ConfigMap", "settings")["data"].update(CARDROOM_DRAIN_LIMIT_MS="60000"),
        "killed after 60 s, though it may take 65 s",
    ),
    "a hook that delays": (
        lambda p: p.container("table").update(lifecycle={"preStop": {"sleep": {"seconds": 5}}}),
        "table: a preStop hook",
    ),
    "a key that is not mounted": (
        lambda p: _drop(p.container("matchmaker")["volumeMounts"], name="seat-key"),
        "matchmaker: no secret is mounted at /etc/cardroom/seat",
    ),
    "a key where the code looks elsewhere": (
        lambda p: p.set("matchmaker", "CARDROOM_SEAT_KEY_FILE", "/etc/cardroom/seats/seat.pem"),
        "matchmaker: no secret is mounted at /etc/cardroom/seats",
    ),
    "an archive that goes with the pod": (
        lambda p: (
            p.pod("ledger")["volumes"][2].update(emptyDir={})
            or p.pod("ledger")["volumes"][2].pop("persistentVolumeClaim")
        ),
        "ledger: CARDROOM_LEDGER_ARCHIVE_DIR is /var/lib/cardroom/archive, where no lasting volume",
    ),
    "books that lose a second": (
        lambda p: p.redis("redis-ledger", "appendfsync always", "appendfsync everysec"),
        "redis-ledger: its configuration has appendfsync everysec",
    ),
    "a store that evicts": (
        lambda p: p.redis("redis", "noeviction", "allkeys-lru"),
        "redis: its configuration has maxmemory-policy allkeys-lru",
    ),
    "a secret": (
        lambda p: p.documents.append({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "seat-key"}}),
        "secret/seat-key: a secret is shipped",
    ),
    "root": (lambda p: p.pod("ledger")["securityContext"].update(runAsNonRoot=False), "ledger: runs as root"),
    "a writable root": (
        lambda p: p.container("redis")["securityContext"].update(readOnlyRootFilesystem=False),
        "redis: has a writable root",
    ),
    "a token of the API": (
        lambda p: p.pod("table").update(automountServiceAccountToken=True),
        "table: has a token of the cluster's API",
    ),
    "an image without a tag": (
        lambda p: p.container("table").update(image="cardroom"),
        "table: runs whatever image is newest",
    ),
    "no budget": (
        lambda p: p.documents.remove(p.find("PodDisruptionBudget", "scoring")),
        "scoring: has no disruption budget",
    ),
    "pods one after the other": (
        lambda p: p.find("StatefulSet", "table")["spec"].update(podManagementPolicy="OrderedReady"),
        "table: no StatefulSet whose pods start at once",
    ),
    "names that hide": (
        lambda p: p.find("Service", "table")["spec"].pop("publishNotReadyAddresses"),
        "table: its pods have no names",
    ),
    "a pod under another's name": (
        lambda p: p.set("table", "CARDROOM_POD", "table"),
        "table: CARDROOM_POD is not the pod's own name",
    ),
    "a way that is closed going out": (
        lambda p: p.find("NetworkPolicy", "table")["spec"]["egress"].pop(),
        "table: no policy lets it out to",
    ),
    "a way that is closed coming in": (
        lambda p: p.find("NetworkPolicy", "redis-ledger")["spec"]["ingress"].clear(),
        "redis-ledger: no policy lets ledger in",
    ),
    "no default": (
        lambda p: p.documents.remove(p.find("NetworkPolicy", "default-deny")),
        "no policy denies everything",
    ),
    "a service that is gone": (
        lambda p: p.documents.remove(p.find("Deployment", "ledger")),
        "ledger: no Deployment or StatefulSet",
    ),
}


@pytest.fixture(scope="module")
def overlays() -> dict[str, list[Document]]:
    return {overlay.name: rendered(overlay) for overlay in OVERLAYS}


def test_every_overlay_is_valid_and_agrees_with_the_code(overlays: dict[str, list[Document]]) -> None:
    assert set(overlays) == {"dev", "prod"}
    for documents in overlays.values():
        assert list(invalid(documents)) == []
        assert disagreements(documents) == []


@pytest.mark.parametrize("plant", PLANTS)
def test_a_planted_disagreement_is_found(plant: str, overlays: dict[str, list[Document]]) -> None:
    spoil, words = PLANTS[plant]
    documents = copy.deepcopy(overlays["prod"])
    spoil(Planting(documents))
    found = disagreements(documents)
    assert any(words in fault for fault in found), found


def test_a_field_that_no_schema_knows_is_found(overlays: dict[str, list[Document]]) -> None:
    documents = copy.deepcopy(overlays["prod"])
    Planting(documents).pod("table")["terminationGraceSeconds"] = 60
    assert any("terminationGraceSeconds" in fault for fault in invalid(documents))


COMPOSE_PLANTS: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "a setting's name": (lambda s: s["table"]["environment"].update(CARDROOM_SLOTS="5"), "CARDROOM_SLOTS"),
    "a port": (lambda s: s["ledger"].update(ports=["7104:7105"]), "it shows ports [7105]"),
    "an address": (lambda s: s["table"]["environment"].update(CARDROOM_LEDGER_ADDRESS="ledger:1"), "nothing listens"),
    "a command": (lambda s: s["scoring"].update(command=["python"]), "its command is"),
    "books that lose a second": (
        lambda s: s["redis-ledger"].update(
            command=[row.replace("always", "no") for row in s["redis-ledger"]["command"]]
        ),
        "appendfsync is no",
    ),
    "a short grace": (lambda s: s["table"].update(stop_grace_period="10s"), "killed before"),
    "more than it needs": (lambda s: s["table"].update(read_only=False), "it may do more"),
}


def test_the_compose_file_agrees_with_the_code() -> None:
    assert list(compose_disagreements()) == []


@pytest.mark.parametrize("plant", COMPOSE_PLANTS)
def test_a_planted_disagreement_of_the_compose_file_is_found(plant: str) -> None:
    file = yaml.safe_load(COMPOSE.read_text())
    spoil, words = COMPOSE_PLANTS[plant]
    file = copy.deepcopy(file)
    spoil(file["services"])
    found = list(compose_disagreements(file))
    assert any(words in fault for fault in found), found


def test_the_dockerfile_passes_its_linter() -> None:
    assert list(dockerfile_faults()) == []
