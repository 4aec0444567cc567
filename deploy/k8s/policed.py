"""Whether the network policies let through what the services need, and nothing else."""

from collections.abc import Iterator, Mapping
from typing import Any

from deploy.k8s.overlay import NAME, STORES, Overlay, addresses
from deploy.k8s.services import SETTINGS
from serving.roles import METHOD_ROLES

Way = tuple[str, int]
"""Whom with, and the port."""

STORE_PORT = 6379
_NAMESPACE_OF_ROLE: Mapping[str, str] = {
    "player": "cardroom/clients",
    "seat": "cardroom/clients",
    "spectator": "cardroom/clients",
    "login": "cardroom/login",
    "scoring-caller": "cardroom/scoring",
    "operator": "cardroom/operators",
}
"""Callers from outside -> the label of the namespaces that they come from."""
_METRICS = "cardroom/metrics"
_NAMES_PORTS = {("UDP", 53), ("TCP", 53)}


def policies_allow_what_is_needed_and_nothing_else(overlay: Overlay) -> Iterator[str]:
    """One line a way that is closed and needed, or open and not."""
    deny = overlay.find("NetworkPolicy", "default-deny")
    if deny is None or deny["spec"] != {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}:
        yield "no policy denies everything that none allows"
    yield from _names_are_found(overlay)
    out, into = _needed(overlay)
    for row in overlay.documents:
        name = row["metadata"]["name"]
        if row["kind"] != "NetworkPolicy" or name in ("default-deny", "names"):
            continue
        if name not in overlay.workloads or row["spec"]["podSelector"] != {"matchLabels": {NAME: name}}:
            yield f"networkpolicy/{name}: it is about no pods of ours of that name"
    for name in overlay.workloads:
        spec = (overlay.find("NetworkPolicy", name) or {}).get("spec", {})
        going, coming = set(_opened(spec, "egress", "to")), set(_opened(spec, "ingress", "from"))
        yield from (f"{name}: no policy lets it out to {goal}:{port}" for goal, port in sorted(out[name] - going))
        yield from (f"{name}: it is let out to {goal}:{port} for nothing" for goal, port in sorted(going - out[name]))
        yield from (f"{name}: no policy lets {who} in to port {port}" for who, port in sorted(into[name] - coming))
        yield from (f"{name}: {who} is let in to port {port} for nothing" for who, port in sorted(coming - into[name]))


def _needed(overlay: Overlay) -> tuple[dict[str, set[Way]], dict[str, set[Way]]]:
    """For each pod what it asks, and who asks it."""
    out: dict[str, set[Way]] = {name: set() for name in overlay.workloads}
    into: dict[str, set[Way]] = {name: set() for name in overlay.workloads}
    for service, settings in SETTINGS.items():
        given = overlay.settings(service)
        goals = {
            (host, int(port)) for host, _, port in (text.partition(":") for _, text in addresses(overlay, service))
        }
        goals |= {(store, STORE_PORT) for name, (store, _) in STORES.items() if name in settings.model_fields}
        if service == "matchmaker":
            goals.add(("table", overlay.settings("table").grpc_port))  # found in the registry
        out[service] = goals
        for goal, port in goals:
            into.setdefault(goal, set()).add((service, port))
        into[service].add((_METRICS, given.metrics_port))
        for method, roles in METHOD_ROLES.items():
            if method.startswith(f"/cardroom.{service}."):
                into[service] |= {
                    (_NAMESPACE_OF_ROLE[role], given.grpc_port) for role in roles & _NAMESPACE_OF_ROLE.keys()
                }
    return out, into


def _opened(spec: Mapping[str, Any], way: str, peers: str) -> Iterator[Way]:
    for rule in spec.get(way) or ():
        ports = [row.get("port", 0) if row.get("protocol") == "TCP" else 0 for row in rule.get("ports", ())]
        for port in ports or [0]:
            yield from ((_peer(row), port) for row in rule.get(peers) or [{}])


def _peer(row: Mapping[str, Any]) -> str:
    """One kind of pods here, or of namespaces elsewhere; whatever is wider has a name that nobody has."""
    match row:
        case {"podSelector": {"matchLabels": labels}} if len(row) == 1 and labels.keys() == {NAME}:
            return str(labels[NAME])
        case {"namespaceSelector": {"matchLabels": labels}} if len(row) == 1 and list(labels.values()) == ["true"]:
            return str(*labels)
    return f"whoever is {dict(row)}"


def _names_are_found(overlay: Overlay) -> Iterator[str]:
    spec = (overlay.find("NetworkPolicy", "names") or {}).get("spec", {})
    rules = spec.get("egress", ())
    ports = {(row.get("protocol"), row.get("port")) for rule in rules for row in rule.get("ports", ())}
    if spec.get("podSelector") != {} or spec.get("policyTypes") != ["Egress"] or ports != _NAMES_PORTS:
        yield "no policy lets every pod ask for names, and for nothing else"
    if not all(rule.get("to") and rule.get("ports") for rule in rules):
        yield "the policy for names opens every way out"
