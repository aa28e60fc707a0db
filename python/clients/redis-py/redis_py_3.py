"""redis-py 3: one RESP version, no asyncio, and connections that its pool does not close by itself."""

import sys
from types import SimpleNamespace
from typing import Any

import redis_py


def load(trial: SimpleNamespace) -> "Blocking":
    """Import the library with the trial's options."""
    if trial.options["parser"] == "python":
        sys.modules["hiredis"] = None  # type: ignore[assignment]
    return Blocking(trial)


class Blocking(redis_py.Blocking):
    """redis.Redis."""

    def target_arguments(self) -> dict[str, Any]:
        """Return the arguments of a client, without the RESP version, which it has no argument for."""
        given = super().target_arguments()
        del given["protocol"]
        return given

    def open(self, client: Any, connections: int) -> None:
        """Open connections, so that no unit has to."""
        pool = client.connection_pool
        opened = [pool.get_connection("_") for _ in range(connections)]
        for connection in opened:
            pool.release(connection)

    def close(self, client: Any) -> None:
        """Close a client: its `close` leaves the connection to the garbage collector."""
        client.connection_pool.disconnect()
