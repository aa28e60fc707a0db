"""A server of the tests' own, on a free loopback port, that leaves nothing behind."""

import os
import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import Any, Final

import pytest
import redis

CANDIDATES: Final = ("valkey-server", "redis-server")
ADVICE: Final = (
    f"no server to test against: install one of {', '.join(CANDIDATES)} (apt-get install redis-server), "
    "or name its binary in RESPMARK_SERVER"
)


def find_binary() -> str:
    """Return the server's binary; without one the test fails, with advice."""
    named = os.environ.get("RESPMARK_SERVER")
    found = shutil.which(named) if named else next(filter(None, map(shutil.which, CANDIDATES)), None)
    return found or pytest.fail(ADVICE)


def free_port() -> int:
    """Return a loopback port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """One server process."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.port = free_port()
        self.unix_socket = folder / "server.sock"
        listen = ["--port", str(self.port), "--bind", "127.0.0.1", "--unixsocket", str(self.unix_socket)]
        apart = ["--save", "", "--appendonly", "no", "--dir", str(folder)]
        self._process = subprocess.Popen([find_binary(), *listen, *apart, *options], stdout=subprocess.DEVNULL)
        self.control: Any = redis.Redis(unix_socket_path=str(self.unix_socket))
        self._await_start()

    def _await_start(self) -> None:
        for _ in range(500):
            if self._process.poll() is not None:
                break
            if self.unix_socket.exists():
                return
            time.sleep(0.01)
        self.close()
        pytest.fail(f"the server {find_binary()} did not start")

    def calls(self) -> dict[str, int]:
        """Return how often each command was called since the statistics were reset."""
        stats = self.control.info("commandstats")
        return {name.removeprefix("cmdstat_"): entry["calls"] for name, entry in stats.items()}

    def kill(self) -> None:
        """End the server at once."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End the server."""
        self.control.close()
        self.kill()
