"""A target in use: its endpoint, its control connection, and what we may do to it."""

import contextlib
from functools import partial

from respmark.contract.trial import Endpoint
from respmark.errors import AnotherServerError, InvalidRequestError, TargetError
from respmark.machine.guardian import Guardian
from respmark.machine.kernel import threads_cpu_ns
from respmark.servers.control import Control
from respmark.servers.info import check_run_id, run_id_of
from respmark.servers.node import Node, spawn
from respmark.servers.url import address, is_loopback, parse_url
from respmark.specs.target import ContainerTarget, SpawnedTarget, TargetSpec


class Target:
    """The server under test."""

    def __init__(self, node: Node, *, allow_flush: bool) -> None:
        """Connect to a server that is there; `allow_flush`: its keys may be lost."""
        self.node = node
        self._allow_flush = allow_flush
        self._connect()

    def _connect(self, run_id: str | None = None) -> None:
        self.control = Control(self.endpoint).open()
        self._is_open = True
        self.run_id = run_id or run_id_of(self.control)
        if self.run_id is not None and not self.spawned:
            self.control.check = partial(check_run_id, run_id=self.run_id)

    def reconnect(self) -> None:
        """Start a server of ours again, or reconnect to the server that was there before, and to no other."""
        self.control.close()
        self.node.start_again()
        self._connect(None if self.spawned else self.known_run_id)
        if not self.spawned:
            try:
                check_run_id(self.control, self.known_run_id)
            except TargetError:
                self.control.close()
                raise

    @property
    def endpoint(self) -> Endpoint:
        """Return where we reach it."""
        return self.node.endpoint

    @property
    def spawned(self) -> bool:
        """Return whether we started it."""
        return self.node.program is not None

    @property
    def pid(self) -> int | None:
        """Return the server's process ID, if we started it on this machine."""
        return self.node.pid

    def threads_ns(self) -> dict[int, int] | None:
        """Return the CPU time of each of its threads, by the kernel's count; None if it is not ours, or not here."""
        return None if self.pid is None else threads_cpu_ns(self.pid)

    @property
    def for_runners(self) -> Endpoint:
        """Return how runners reach it."""
        return self.node.for_runners or self.endpoint

    def for_client(self, *, avoids_tls: bool) -> Endpoint:
        """Return how the runner of a client reaches it; refuse one that avoids TLS where there is nothing else."""
        if not avoids_tls or self.for_runners.tls is None:
            return self.for_runners
        if self.node.secured is None:
            raise InvalidRequestError(
                f"the target at {address(self.for_runners)} accepts only TLS: a client with tls=off needs a server "
                "that respmark starts (--server spawned-tls)"
            )
        return self.endpoint

    @property
    def local(self) -> bool:
        """Return whether it runs on this machine, as far as its address shows."""
        return is_loopback(self.endpoint)

    @property
    def known_run_id(self) -> str:
        """Return the server's `run_id`; refuse one that does not report any."""
        if self.run_id is not None:
            return self.run_id
        raise AnotherServerError(
            f"the target at {address(self.endpoint)} reports no run_id (INFO server); respmark cannot verify that it "
            "is the same server, so it writes nothing to it"
        )

    def alive(self) -> bool:
        """Return whether the server still answers on our connection."""
        with contextlib.suppress(TargetError):
            self.control.command("PING")
            return True
        return False

    def flush(self) -> None:
        """Empty the database, if we started the server or the user said that this server's keys may be lost."""
        if not (self.spawned or self._allow_flush):
            raise TargetError(
                f"the database at {address(self.endpoint)} was not started by respmark and may not be emptied"
            )
        if not self.spawned:
            check_run_id(self.control, self.known_run_id)
        self.control.command("FLUSHDB")

    def make_room(self) -> None:
        """Ensure that the database of a server that we did not start is empty before we write to it."""
        keys = self.control.command("DBSIZE")
        if keys and not self._allow_flush:
            raise TargetError(
                f"database {self.endpoint.database} of the target at {address(self.endpoint)} holds {keys:,} keys; "
                "respmark measures in an empty database and never empties one that holds other keys. Name an empty "
                "database (redis://host:port/NUMBER), or pass --allow-flush if these keys may be lost"
            )
        if keys:
            self.flush()
        self.known_run_id  # noqa: B018 - refuses a server that has none

    def check_address(self) -> None:
        """Raise AnotherServerError if a new connection to this address, as runners make, reaches a different server."""
        self.control.command("PING")  # it may have been closed while it was idle, and keys are about to be written
        try:
            with Control(self.endpoint) as another:
                check_run_id(another, self.known_run_id)
        except AnotherServerError:
            raise
        except TargetError:
            # It has no connection free, or is gone: the runner will find the same, and report it for its trial.
            return

    def close(self) -> None:
        """Close the connection, and stop the server if we started it; do nothing if that is already done."""
        if not self._is_open:
            return
        self._is_open = False
        self.control.close()
        self.node.close()


def open_target(spec: TargetSpec, guardian: Guardian, *, allow_flush: bool, cpus: str | None = None) -> Target:
    """Start or reach the server that a spec names; if we start it, it gets these CPUs."""
    if isinstance(spec, ContainerTarget):
        raise InvalidRequestError(f"target `{spec.name}` is a container; add --via docker, or choose another target")
    if isinstance(spec, SpawnedTarget):
        return Target(spawn(spec, guardian, cpus), allow_flush=True)
    return Target(Node(parse_url(spec.url)), allow_flush=allow_flush)
