"""Ports of loopback: which are free, and who is told when one is not."""

import fcntl
import os
import random
import socket
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from serving.errors import StartError

HOST = "127.0.0.1"

_FIRST_PORT, _LAST_PORT = 15_000, 65_535
_USUAL_SYSTEM_PORTS = (32_768, 60_999)
_SYSTEM_PORTS = Path("/proc/sys/net/ipv4/ip_local_port_range")
_ROOM = 1_000
_TRY_COUNT_MAX = 100

_kept: set[int] = set()
"""Free ports that this process has named; no process of this user names them again as long as it lives.

A port that somebody asks for by its number is not kept: it is his to know who else has it.
"""


def free_port() -> int:
    """A port that nobody has, and that the system gives to nobody who asks for any, if it leaves room for such ports.

    Nor does this function name it again, in this process or another of this user, as long as this one lives. So it is
    still free when a process that takes seconds to start binds it, and when that process is killed and its successor
    binds it again.

    Raises: StartError: there is none.
    """
    with _holding_a_free_port() as probe:
        return _port_of(probe)


def claim_ports(wanted: Mapping[str, int]) -> dict[str, int]:
    """Ports by name, all different and free at the moment; 0 is replaced by a port as `free_port` finds them.

    Raises: StartError: a port is busy, or wanted twice; the text names it and the variables that move it.
    """
    held: list[socket.socket] = []
    found: dict[str, int] = {}
    try:
        for name, port in wanted.items():
            if port:
                if port in found.values():
                    raise _unusable(port, name, "wanted twice")
                held.append(_holding(port, name))
                found[name] = port
        for name, port in wanted.items():
            if not port:
                held.append(_holding_a_free_port())
                found[name] = _port_of(held[-1])
        return {name: found[name] for name in wanted}
    finally:
        for probe in held:
            probe.close()


def _holding(port: int, name: str) -> socket.socket:
    probe = _socket()
    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port a past run left in TIME_WAIT is free
    try:
        probe.bind((HOST, port))
    except OSError as error:
        probe.close()
        raise _unusable(port, name, error.strerror or str(error)) from None
    return probe


def _holding_a_free_port() -> socket.socket:
    """Bound without SO_REUSEADDR: two sockets that have it may hold the same port as long as neither listens."""
    ports = ports_of_nobody()
    for _ in range(_TRY_COUNT_MAX):
        probe = _socket()
        try:
            probe.bind((HOST, random.choice(ports) if ports else 0))
        except OSError:
            probe.close()
            continue
        try:
            is_ours = _keep(_port_of(probe))
        except BaseException:
            probe.close()
            raise
        if is_ours:
            return probe
        probe.close()
    raise StartError(f"no port is free on {HOST}; end processes that a past run has left")


def _keep(port: int) -> bool:
    """Keep a port for whoever is told of it. Returns: False if it is kept for somebody else already."""
    if port in _kept:
        return False
    try:
        fcntl.lockf(_lock_file(), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
    except (BlockingIOError, PermissionError):
        return False
    except OSError as error:
        raise StartError(f"cannot lock ports ({error.strerror}); set TMPDIR to a directory of a local disk") from error
    _kept.add(port)
    return True


@cache
def _lock_file() -> int:
    """A file of this user's processes, open as long as this one lives: each locks the bytes of the ports it named."""
    path = Path(tempfile.gettempdir()) / f"cardroom-ports-{os.getuid()}"
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StartError(f"cannot write {path} ({error.strerror}); set TMPDIR to a directory you own") from error


def ports_of_nobody() -> range:
    """Ports below those that the system gives out, else above them; empty where neither leaves room."""
    first, last = given_out()
    for ports in (range(_FIRST_PORT, first), range(max(last + 1, _FIRST_PORT), _LAST_PORT + 1)):
        if len(ports) >= _ROOM:
            return ports
    return range(0)


def given_out() -> tuple[int, int]:
    """First and last of the ports that the system gives to sockets that ask for any; Linux says which."""
    try:
        first, last = map(int, _SYSTEM_PORTS.read_text("ascii").split())
    except (OSError, ValueError):
        return _USUAL_SYSTEM_PORTS
    return first, last


def _socket() -> socket.socket:
    return socket.socket(socket.AF_INET, socket.SOCK_STREAM)


def _port_of(probe: socket.socket) -> int:
    port: int = probe.getsockname()[1]
    return port


def _unusable(port: int, name: str, why: str) -> StartError:
    variable = f"CARDROOM_{name.upper().replace(' ', '_')}_PORT"
    return StartError(
        f"port {port} for {name} cannot be used ({why}); stop what uses it, or set {variable} or CARDROOM_PORT_BASE"
    )
