"""Ports for servers and relays: none that a connection from this machine takes later."""

import contextlib
import secrets
import socket
from pathlib import Path
from typing import Final

from respmark.errors import NothingRanError

FIXED_PORTS: Final = range(10_000, 55_536)
"""Where a server may listen; above, it could not be in a cluster. Those that connections from this machine get are left
out, so that it can be started again on its port."""
FIXED_TRIED: Final = 20
PORT_RANGE: Final = Path("/proc/sys/net/ipv4/ip_local_port_range")
"""The kernel's file with the first and the last port that connections from this machine have."""


def fixed_ports(*above: int) -> list[int]:
    """Return some ports, in random order, that no connection from this machine takes; at last 0, any that is free.

    None takes those that lie so much above them, either.
    """
    taken = connections_ports()
    kept = [port for port in FIXED_PORTS if not any(port + more in taken for more in (0, *above))]
    return [*secrets.SystemRandom().sample(kept, min(FIXED_TRIED, len(kept))), 0]


def free_port(*above: int) -> int:
    """Return a port that is free now, and that no connection from this machine takes later, if there are such ports.

    So are those that lie so much above it.
    """
    for port in fixed_ports(*above):
        with contextlib.suppress(OSError, OverflowError), socket.create_server(("127.0.0.1", port)) as listener:
            chosen: int = listener.getsockname()[1]
            for more in above:
                socket.create_server(("127.0.0.1", chosen + more)).close()
            return chosen
    raise NothingRanError("this machine has no free port for a server; use --server spawned-unix")


def connections_ports() -> range:
    """Return the ports that the kernel gives to connections from this machine; none if it does not say."""
    with contextlib.suppress(OSError, ValueError):
        first, last = map(int, PORT_RANGE.read_text().split())
        return range(first, last + 1)
    return range(0)
