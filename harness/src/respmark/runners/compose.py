"""One compose project: the containers of one run, found by its name, and nothing of anybody else."""

import itertools
import json
import re
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from pydantic import SecretStr
from python_on_whales import DockerClient
from python_on_whales.exceptions import DockerException

from respmark.contract.trial import Endpoint
from respmark.errors import ContainerError
from respmark.machine.guardian import Guardian
from respmark.machine.placement import Placement
from respmark.runners.docker_engine import (
    MACHINE_LABEL,
    RUN_LABEL,
    Services,
    compose,
    explained,
    services,
    sweep,
    this_machine,
)
from respmark.servers.node import Node, configuration_text


@dataclass(frozen=True)
class CpuCounter:
    """The counter of one control group."""

    file: Path
    version: int

    def read_ns(self) -> int | None:
        """Return the CPU time so far; None if the group is gone."""
        try:
            text = self.file.read_text()
        except OSError:
            return None
        if self.version == 1:
            return int(text)
        return int(dict(line.split() for line in text.splitlines())["usage_usec"]) * 1000

    def pids(self) -> list[int]:
        """Return the processes of the group, by their IDs on this machine; none if the group is gone."""
        try:
            return [int(word) for word in (self.file.parent / "cgroup.procs").read_text().split()]
        except OSError:
            return []


def counter_of(pid: int, root: Path = Path("/")) -> CpuCounter | None:
    """Return the counter of a process's control group; None if the process does not run on this machine's kernel."""
    try:
        lines = (root / f"proc/{pid}/cgroup").read_text().splitlines()
    except OSError:
        return None
    groups = {names: path.lstrip("/") for _, names, path in (line.split(":", 2) for line in lines)}
    known = [
        CpuCounter(root / "sys/fs/cgroup" / folder / path / "cpuacct.usage", 1)
        for names, path in groups.items()
        if "cpuacct" in names.split(",")
        for folder in (names, "cpuacct")
    ]
    if not known and "" in groups:
        known = [CpuCounter(root / "sys/fs/cgroup" / groups[""] / "cpu.stat", 2)]
    return next((counter for counter in known if counter.file.is_file()), None)


NETWORK: Final = "bench"
SERVER_PORT: Final = 6379
CONFIGURATION: Final = "/run/respmark.conf"
"""Where a server finds its password: in arguments or variables, others could read it."""
SHARE: Final = "/share"
"""Where runners see the folder with the workload file, read-only."""
WAIT_S: Final = 60
"""Time limit for a server to become healthy."""


class Project:
    """The containers of one run."""

    def __init__(self, name: str, docker: DockerClient, password: SecretStr) -> None:
        """`password` is what its servers ask for."""
        self.name = name
        self.password = password
        self.docker = docker
        self.served: dict[str, str] = {}
        """The containers of servers, by service."""
        self._numbers = itertools.count(1)

    def serve(self, service: str) -> Node:
        """Start a server, and wait until it is healthy.

        We reach it by a port of 127.0.0.1, and runners by its address on the private network: a name would cost them a
        lookup with every new connection.
        """
        with explained(f"starting `{service}` in a container"):
            self.docker.compose.up([service], detach=True, wait=True, wait_timeout=WAIT_S, quiet=True)
            container = self.docker.compose.ps([service])[0]
            networks = container.network_settings.networks or {}
            address = next((network.ip_address for network in networks.values() if network.ip_address), None)
            _, port = self.docker.compose.port(service, SERVER_PORT)
        if address is None or port is None:
            raise ContainerError(f"`{service}` was started, but Docker gives it no address or no port on 127.0.0.1")
        self.served[service] = container.id
        return Node(
            Endpoint(host="127.0.0.1", port=port, password=self.password),
            container.config.image or service,
            partial(self.stop, service),
            for_runners=Endpoint(host=address, port=SERVER_PORT, password=self.password),
        )

    def stop(self, service: str) -> None:
        """Stop and remove a server; if it is already gone, that is fine, too."""
        with suppress(DockerException):
            self.docker.compose.rm([service], stop=True, volumes=True)

    def new_name(self, service: str) -> str:
        """Return a name for another container of a service."""
        return f"{self.name}-{service}-{next(self._numbers)}"

    def run_command(self, service: str, name: str, words: list[str]) -> list[str]:
        """Return the command that runs `words` in a new container, on this process's standard streams."""
        compose = [str(word) for word in self.docker.client_config.docker_compose_cmd]
        return [*compose, "run", "--no-TTY", "--no-deps", "--name", name, service, *words]

    def remove(self, name: str) -> bool:
        """Remove a container, running or not; return whether it was there."""
        try:
            self.docker.container.remove(name, force=True, volumes=True)
        except DockerException:
            return False
        return True

    def killed_for_memory(self, name: str) -> bool:
        """Return whether the kernel killed a container that wanted more memory than it may have."""
        with suppress(DockerException):
            return bool(self.docker.container.inspect(name).state.oom_killed)
        return False

    def cpu_counter(self, name: str) -> CpuCounter | None:
        """Return the counter of a running container's control group, if it can be read from here."""
        with suppress(DockerException):
            if pid := self.docker.container.inspect(name).state.pid:
                return counter_of(pid)
        return None

    def gateway(self) -> str:
        """Return this machine's address on the private network."""
        with explained("looking for the private network"):
            configurations = self.docker.network.inspect(f"{self.name}_{NETWORK}").ipam.config or []
        gateways = [str(gateway) for one in configurations if (gateway := one.get("Gateway"))]
        if not gateways:
            raise ContainerError(f"the network {self.name}_{NETWORK} has no gateway")
        return gateways[0]


@contextmanager
def project(run: str, share: Path, placement: Placement, guardian: Guardian) -> Iterator[Project]:
    """Get ready to start containers, removed with their network whatever happens; runners may read `share`."""
    name = f"respmark-{re.sub(r'[^a-z0-9]+', '-', run.lower()).strip('-')}-{secrets.token_hex(3)}"
    override, configuration = (share.parent / f"{name}.{ending}" for ending in ("json", "conf"))
    password = SecretStr(secrets.token_urlsafe(24))
    configuration.write_text(configuration_text({}, password), encoding="utf-8")
    # The container's user, who is not ours, must be able to read it; its folder is ours alone.
    configuration.chmod(0o644)
    override.write_text(json.dumps(_override(run, share, configuration, placement, services(compose()))))
    docker = compose(name, override)
    command = [sys.executable, "-m", "respmark.runners.docker_engine", name]
    guardian.protect("command", command)
    try:
        yield Project(name, docker, password)
    finally:
        try:
            sweep(docker, name)
        finally:
            override.unlink(missing_ok=True)
            configuration.unlink(missing_ok=True)
        guardian.release("command", command)


def _override(run: str, share: Path, configuration: Path, placement: Placement, known: Services) -> dict[str, Any]:
    labels = {RUN_LABEL: run, MACHINE_LABEL: this_machine()}

    def changes(cpus: str | None, source: Path, inside: str) -> dict[str, Any]:
        mount = {"type": "bind", "source": str(source), "target": inside, "read_only": True}
        return {"labels": labels, "volumes": [mount], **({"cpuset": cpus} if cpus else {})}

    found = {name: changes(placement.clients, share, SHARE) for name in known.runners}
    for name, service in known.servers.items():
        program, *settings = service["command"]
        command = [program, CONFIGURATION, *settings]
        found[name] = {**changes(placement.server, configuration, CONFIGURATION), "command": command}
    return {"services": found, "networks": {NETWORK: {"labels": labels}}}
