"""A server as users have one: no password, and it can be configured over the network."""

import subprocess
from functools import partial

from respmark.contract.trial import Endpoint
from respmark.errors import TargetError
from respmark.machine.guardian import Guardian, new_folder
from respmark.servers.control import Control
from respmark.servers.spawn import Server, _free_port, _stop, find_server
from respmark.specs.target import SpawnedTarget

SPAWNED = SpawnedTarget(name="spawned", summary="", servers=("valkey-server", "redis-server"))


def start_user_server(guardian: Guardian, port: int | None = None, *settings: str) -> Server:
    folder = new_folder(guardian)
    endpoint = Endpoint(host="127.0.0.1", port=port or _free_port())
    program = find_server(SPAWNED)
    words = ["--port", str(endpoint.port), "--bind", "127.0.0.1", "--dir", str(folder), "--save", "", *settings]
    process = subprocess.Popen([program, *words], stdout=subprocess.DEVNULL, start_new_session=True)
    guardian.protect("process", process.pid)
    _wait(endpoint, process)
    return Server(endpoint, program, partial(_stop, process, guardian, folder), process.pid)


def _wait(endpoint: Endpoint, process: "subprocess.Popen[bytes]") -> None:
    while process.poll() is None:
        try:
            Control(endpoint).open().close()
        except TargetError:
            continue
        return
    raise AssertionError("a user's server did not start")
