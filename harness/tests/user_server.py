"""A server as users have one: no password, and it can be configured over the network."""

import subprocess

from respmark.contract.trial import Endpoint
from respmark.errors import ServerError
from respmark.machine.guardian import Guardian, new_folder, remove_folder
from respmark.machine.process_group import end_child
from respmark.servers.control import Control
from respmark.servers.node import Node, find_server
from respmark.servers.ports import free_port
from respmark.specs.server import SpawnedServer

SPAWNED = SpawnedServer(name="spawned", summary="", servers=("valkey-server", "redis-server"))


def start_user_server(guardian: Guardian, port: int | None = None, *settings: str) -> Node:
    folder = new_folder(guardian)
    endpoint = Endpoint(host="127.0.0.1", port=port or free_port())
    program = find_server(SPAWNED)
    words = ["--port", str(endpoint.port), "--bind", "127.0.0.1", "--dir", str(folder), "--save", "", *settings]
    process = subprocess.Popen([program, *words], stdout=subprocess.DEVNULL, start_new_session=True)
    guardian.protect("process", process.pid)
    _wait(endpoint, process)

    def stop() -> None:
        end_child(process)
        guardian.release("process", process.pid)
        remove_folder(guardian, folder)

    return Node(endpoint, program, stop, process.pid)


def _wait(endpoint: Endpoint, process: "subprocess.Popen[bytes]") -> None:
    while process.poll() is None:
        try:
            Control(endpoint).open().close()
        except ServerError:
            continue
        return
    raise AssertionError("a user's server did not start")
