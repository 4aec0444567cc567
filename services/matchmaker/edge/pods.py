"""The table pods, for operators."""

from typing import Any

import grpc.aio
from cardroom.matchmaker.v1 import pod_pb2, pod_pb2_grpc

from services.matchmaker.ports import Pods

POD_SERVICE = pod_pb2.DESCRIPTOR.services_by_name["PodService"]


class PodServicer(pod_pb2_grpc.PodServiceServicer):
    """`PodService`: the registry as it stands."""

    def __init__(self, pods: Pods) -> None:
        self._pods = pods

    async def ListPods(
        self, request: pod_pb2.ListPodsRequest, context: "grpc.aio.ServicerContext[Any, Any]"
    ) -> pod_pb2.ListPodsResponse:
        """All pods whose lease runs, by name."""
        rows = [
            pod_pb2.PodInfo(
                pod=pod.pod,
                authority=pod.authority,
                control_authority=pod.control_authority,
                version=pod.version,
                slots_total=pod.slots_total,
                slots_used=pod.slots_used,
                draining=pod.draining,
            )
            for pod in await self._pods.live()
        ]
        return pod_pb2.ListPodsResponse(pods=rows)
