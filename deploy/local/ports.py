"""Ports of loopback: which are free, and who is told when one is not."""

import socket
from collections.abc import Mapping

from serving.errors import StartError

HOST = "127.0.0.1"


def claim_ports(wanted: Mapping[str, int]) -> dict[str, int]:
    """Ports by name, every one free at the moment; 0 is replaced by a free one.

    Raises: StartError: a port is busy; the text names it and the variables that move it.
    """
    held: list[socket.socket] = []
    try:
        found = {}
        for name, port in wanted.items():
            probe = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            held.append(probe)
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port a past run left in TIME_WAIT is free
            _bind(probe, name, port)
            found[name] = probe.getsockname()[1]
        return found
    finally:
        for probe in held:
            probe.close()


def _bind(probe: socket.socket, name: str, port: int) -> None:
    try:
        probe.bind((HOST, port))
    except OSError as error:
        variable = f"CARDROOM_{name.upper().replace(' ', '_')}_PORT"
        raise StartError(
            f"port {port} for {name} cannot be used ({error.strerror}); stop what uses it, or set {variable} or "
            "CARDROOM_PORT_BASE"
        ) from None
