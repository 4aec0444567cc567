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
        "killed after 60 s, though it may take 70 s",
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
            p.pod("ledger")["volumes"][1].update(emptyDir={})
            or p.pod("ledger")["volumes"][1].pop("persistentVolumeClaim")
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
    "a way in from everywhere": (
        lambda p: p.find("NetworkPolicy", "redis-ledger")["spec"]["ingress"].append({}),
        "redis-ledger: whoever is {} is let in",
    ),
    "a way in that nobody needs": (
        lambda p: p.find("NetworkPolicy", "redis-ledger")["spec"]["ingress"][0]["from"].append(
            {"podSelector": {"matchLabels": {"app.kubernetes.io/name": "scoring"}}}
        ),
        "redis-ledger: scoring is let in to port 6379 for nothing",
    ),
    "a way out that nobody needs": (
        lambda p: p.find("NetworkPolicy", "scoring")["spec"].update(
            egress=[{"ports": [{"protocol": "TCP", "port": 443}]}]
        ),
        "scoring: it is let out to whoever is {}:443 for nothing",
    ),
    "players who are kept out": (
        lambda p: p.find("NetworkPolicy", "table")["spec"]["ingress"][0]["from"].pop(1),
        "table: no policy lets cardroom/clients in to port 7102",
    ),
    "figures that nobody may fetch": (
        lambda p: p.find("NetworkPolicy", "ledger")["spec"]["ingress"][1]["ports"][0].update(port=9103),
        "ledger: no policy lets cardroom/metrics in to port 9104",
    ),
    "a policy about other pods": (
        lambda p: p.find("NetworkPolicy", "ledger")["spec"].update(podSelector={}),
        "networkpolicy/ledger: it is about no pods of ours",
    ),
    "no names": (
        lambda p: p.documents.remove(p.find("NetworkPolicy", "names")),
        "no policy lets every pod ask for names",
    ),
    "names by a policy that opens everything": (
        lambda p: p.find("NetworkPolicy", "names")["spec"]["egress"][0].pop("to"),
        "the policy for names opens every way out",
    ),
    "a store that listens elsewhere": (
        lambda p: p.redis("redis", "port 6379", "port 6380"),
        "redis: it does not listen on port 6379",
    ),
    "a store for its own pod": (
        lambda p: p.redis("redis-ledger", "bind * -::*", "bind 127.0.0.1"),
        "redis-ledger: it answers its own pod only",
    ),
    "a store that protects itself from the services": (
        lambda p: p.redis("redis", "protected-mode no", "protected-mode yes"),
        "redis: it answers its own pod only",
    ),
    "a store that writes beside its volume": (
        lambda p: p.redis("redis", "dir /data", "dir /tmp"),
        "redis: it writes to /tmp, where no lasting volume",
    ),
    "a store that reads no configuration": (
        lambda p: p.container("redis").update(command=["redis-server"]),
        "redis: its command ['redis-server'] does not read",
    ),
    "a store that anybody may use": (
        lambda p: p.redis("redis", "/etc/redis/access/users.acl", "/etc/redis/users.acl"),
        "redis: its users are not read",
    ),
    "a store that is killed before it refuses": (
        lambda p: p.redis("redis", "maxmemory 1gb", "maxmemory 3gb"),
        "redis: its maxmemory 3gb is not below its limit",
    ),
    "a store under another name": (
        lambda p: p.find("Service", "redis")["spec"]["selector"].update({"app.kubernetes.io/name": "tables"}),
        "redis: its Service does not lead to it",
    ),
    "the other store": (
        lambda p: p.container("ledger")["env"][-1]["valueFrom"]["secretKeyRef"].update(name="redis-access"),
        "ledger: CARDROOM_LEDGER_REDIS_URL is not the url in the secret redis-ledger-access",
    ),
    "no store at all": (
        lambda p: p.container("ledger")["env"].pop(),
        "ledger: CARDROOM_LEDGER_REDIS_URL is not the url",
    ),
    "another key": (
        lambda p: p.pod("matchmaker")["volumes"][2]["secret"].update(secretName="service-key"),
        "matchmaker: CARDROOM_SEAT_KEY_FILE is looked for in the secret service-key",
    ),
    "a key for who does not sign": (
        lambda p: (
            p.pod("scoring")["volumes"].append({"name": "key", "secret": {"secretName": "seat-key"}})
            or p.container("scoring")["volumeMounts"].append({"name": "key", "mountPath": "/etc/cardroom/seat"})
        ),
        "scoring: it holds the secret seat-key, which it has no use for",
    ),
    "figures that are not fetched": (
        lambda p: p.find("StatefulSet", "table")["spec"]["template"]["metadata"]["annotations"].update(
            {"prometheus.io/scrape": "false"}
        ),
        "table: Prometheus is not sent to /metrics",
    ),
    "a volume of another group": (
        lambda p: p.pod("ledger")["securityContext"].pop("fsGroup"),
        "ledger: may not write its volumes",
    ),
    "a user of another image": (
        lambda p: p.pod("table")["securityContext"].update(runAsUser=1000),
        "table: is not the user of the image",
    ),
    "a volume that is not there": (
        lambda p: p.pod("ledger")["volumes"][1]["persistentVolumeClaim"].update(claimName="archives"),
        "ledger: there is no PersistentVolumeClaim archives",
    ),
    "a volume of one node for several pods": (
        lambda p: p.find("PersistentVolumeClaim", "table-archive")["spec"].update(accessModes=["ReadWriteOnce"]),
        "table: several pods at once need the volume archive",
    ),
    "a budget of other pods": (
        lambda p: p.find("PodDisruptionBudget", "table")["spec"].update(selector={"matchLabels": {"a": "b"}}),
        "table: its disruption budget is about other pods",
    ),
    "a budget that keeps a node": (
        lambda p: p.find("PodDisruptionBudget", "table")["spec"].update(maxUnavailable=0),
        "table: its disruption budget lets no node be emptied",
    ),
    "another namespace": (
        lambda p: p.find("Service", "ledger")["metadata"].update(namespace="default"),
        "service/ledger: it is in the namespace default",
    ),
    "no pod": (lambda p: p.find("Deployment", "matchmaker")["spec"].update(replicas=0), "matchmaker: none runs"),
    "a service that is gone": (
        lambda p: p.documents.remove(p.find("Deployment", "ledger")),
        "ledger: no Deployment or StatefulSet",
    ),
}


@pytest.fixture(scope="module")
def overlays() -> dict[str, list[Document]]:
    return {overlay.name: rendered(overlay) for overlay in OVERLAYS}


@pytest.mark.slow  # `make manifests` looks at the same before every check
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


@pytest.mark.slow
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
    "the other store": (
        lambda s: s["table"]["environment"].update(CARDROOM_REDIS_URL="redis://redis-ledger:6379"),
        "which is not redis",
    ),
    "a key where no volume is": (
        lambda s: s["table"]["environment"].pop("CARDROOM_SERVICE_KEY_FILE"),
        "table: CARDROOM_SERVICE_KEY_FILE is .cardroom/keys/service.pem, where no volume is",
    ),
    "an archive that goes with the container": (
        lambda s: s["ledger"].update(volumes=["keys:/etc/cardroom:ro"]),
        "ledger: CARDROOM_LEDGER_ARCHIVE_DIR is /var/lib/cardroom/archive, where no volume is",
    ),
    "a volume that its user cannot write": (
        lambda s: s["ledger"].update(volumes=["keys:/etc/cardroom:ro", "archive:/var/lib"]),
        "the image makes no folder /var/lib for its user",
    ),
    "a store that goes with the container": (lambda s: s["redis"].pop("volumes"), "goes with the container"),
    "root": (lambda s: s["keys"].update(user="0:0"), "keys: it is not the user of the image"),
    "the host": (lambda s: s["table"]["environment"].pop("CARDROOM_GRPC_HOST"), "where nobody else is"),
    "where tables are": (
        lambda s: s["table"]["environment"].update(CARDROOM_ADVERTISE_CONTROL_AUTHORITY="tables:7102"),
        "other services are sent to tables:7102",
    ),
    "where players come in": (
        lambda s: s["table"]["environment"].update(CARDROOM_ADVERTISE_AUTHORITY="127.0.0.1:7103"),
        "game clients are sent to 127.0.0.1:7103",
    ),
    "a service that is gone": (lambda s: s.pop("scoring"), "scoring is left out"),
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
