"""Whether what objects name is there, and is what they take it for."""

from collections.abc import Iterator

from deploy.k8s.overlay import Overlay
from deploy.k8s.rendering import name_of

_EVERYWHERE = "Namespace"


def _one_namespace(overlay: Overlay) -> Iterator[str]:
    names = {row["metadata"]["name"] for row in overlay.documents if row["kind"] == _EVERYWHERE}
    for row in overlay.documents:
        found = row["metadata"].get("namespace")
        if row["kind"] != _EVERYWHERE and {found} != names:
            yield f"{name_of(row)}: it is in the namespace {found}, not in {', '.join(names)}"


def _names_lead_somewhere(overlay: Overlay) -> Iterator[str]:
    for name in overlay.workloads:
        pod = overlay.pod(name)
        named = [("ServiceAccount", pod.get("serviceAccountName"))]
        named += [("ConfigMap", row["configMapRef"]["name"]) for row in overlay.container(name).get("envFrom", ())]
        for row in pod.get("volumes", ()):
            named += [("ConfigMap", row["configMap"]["name"])] if "configMap" in row else []
            if "persistentVolumeClaim" in row:
                named.append(("PersistentVolumeClaim", row["persistentVolumeClaim"]["claimName"]))
        yield from (f"{name}: there is no {kind} {each}" for kind, each in named if not overlay.find(kind, str(each)))


def _volumes_are_shared_where_pods_are_many(overlay: Overlay) -> Iterator[str]:
    for name, workload in overlay.workloads.items():
        spec = workload["spec"]
        many = spec["replicas"] > 1 or (workload["kind"] == "Deployment" and spec["strategy"].get("type") != "Recreate")
        for row in overlay.pod(name).get("volumes", ()):
            claim = overlay.find("PersistentVolumeClaim", row.get("persistentVolumeClaim", {}).get("claimName", ""))
            if many and claim is not None and claim["spec"]["accessModes"] != ["ReadWriteMany"]:
                yield f"{name}: several pods at once need the volume {row['name']}, which one node can use"
        if spec["replicas"] < 1:
            yield f"{name}: none runs"


def _budgets_are_its_own(overlay: Overlay) -> Iterator[str]:
    for name, workload in overlay.workloads.items():
        spec = (overlay.find("PodDisruptionBudget", name) or {}).get("spec", {})
        if spec.get("selector") != workload["spec"]["selector"]:
            yield f"{name}: its disruption budget is about other pods"
        elif spec.get("maxUnavailable") != 1:
            yield f"{name}: its disruption budget lets no node be emptied, or empties too many at once"


CHECKS = (_one_namespace, _names_lead_somewhere, _volumes_are_shared_where_pods_are_many, _budgets_are_its_own)
