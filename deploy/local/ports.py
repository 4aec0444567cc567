"""Ports of loopback: which are free, and who is told when one is not."""

import random
import socket
from collections.abc import Mapping
from pathlib import Path

from serving.errors import StartError

HOST = "127.0.0.1"

_FIRST = 15_000
_FIRST_OF_SYSTEM = 32_768
"""Where the ports begin that systems give to sockets that ask for any; Linux says where it does."""
_SYSTEM_SAYS = Path("/proc/sys/net/ipv4/ip_local_port_range")
_TRIES = 100


def free_port() -> int:
    """A port that nobody has, and that the system gives to nobody who asks for any.

    So it is still free when a process that takes seconds to start binds it, and when that process is killed and its
    successor binds it again.
    """
    for _ in range(_TRIES):
        port = random.randrange(_FIRST, max(_first_of_system(), _FIRST + _TRIES))
        with _socket() as probe:
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
            return port
    raise StartError(f"no port from {_FIRST} on is free on {HOST}; end processes that a past run has left")


def claim_ports(wanted: Mapping[str, int]) -> dict[str, int]:
    """Ports by name, every one free at the moment; 0 is replaced by a free one.

    Raises: StartError: a port is busy; the text names it and the variables that move it.
    """
    held: list[socket.socket] = []
    try:
        found = {}
        for name, port in wanted.items():
            probe = _socket()
            held.append(probe)
            chosen = port or free_port()
            _bind(probe, name, chosen)
            found[name] = chosen
        return found
    finally:
        for probe in held:
            probe.close()


def _first_of_system() -> int:
    try:
        return int(_SYSTEM_SAYS.read_text("ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return _FIRST_OF_SYSTEM


def _socket() -> socket.socket:
    probe = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port a past run left in TIME_WAIT is free
    return probe


def _bind(probe: socket.socket, name: str, port: int) -> None:
    try:
        probe.bind((HOST, port))
    except OSError as error:
        variable = f"CARDROOM_{name.upper().replace(' ', '_')}_PORT"
        raise StartError(
            f"port {port} for {name} cannot be used ({error.strerror}); stop what uses it, or set {variable} or "
            "CARDROOM_PORT_BASE"
        ) from None
