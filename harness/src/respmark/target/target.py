"""A target in use: its endpoint, its control connection, and what we may do to it."""

import contextlib
from collections.abc import Iterator
from typing import Protocol

from respmark.contract.trial import Endpoint
from respmark.errors import InvalidRequestError, TargetError
from respmark.placement import placed
from respmark.specs.target import ContainerTarget, SpawnedTarget, TargetSpec
from respmark.target.control import Control
from respmark.target.guardian import Guardian
from respmark.target.spawn import spawn
from respmark.target.url import address, parse_url


class Started(Protocol):
    """A server that we started, wherever."""

    @property
    def program(self) -> str:
        """Return its program, or its image."""

    def stop(self) -> None:
        """Stop it, and remove what it left."""


class Target:
    """The server under test."""

    _for_runners: Endpoint | None = None

    def __init__(
        self, endpoint: Endpoint, server: Started | None, *, allow_flush: bool, for_runners: Endpoint | None = None
    ) -> None:
        """`for_runners` is given where they reach the server in another way than we do."""
        self.endpoint = endpoint
        self._for_runners = for_runners
        self.control = Control(endpoint).open()
        self._server = server
        self._may_flush = server is not None or allow_flush

    @property
    def spawned(self) -> bool:
        """Tell whether we started it."""
        return self._server is not None

    @property
    def program(self) -> str | None:
        """Return the server's program, where we started it."""
        return self._server.program if self._server else None

    @property
    def for_runners(self) -> Endpoint:
        """Return how runners reach it."""
        return self._for_runners or self.endpoint

    @property
    def local(self) -> bool:
        """Tell whether it runs on this machine, as far as its address tells."""
        host = self.endpoint.host
        return host is None or host in {"localhost", "::1"} or host.startswith("127.")

    @property
    def may_flush(self) -> bool:
        """Tell whether what the database holds is ours, or may be lost."""
        return self._may_flush

    def alive(self) -> bool:
        """Tell whether the server still answers on our connection."""
        with contextlib.suppress(TargetError):
            self.control.command("PING")
            return True
        return False

    def flush(self, control: Control) -> None:
        """Empty the database, if that loses nobody's data.

        Raises:
            TargetError: it holds keys and we were not told that they may go.
        """
        keys = control.command("DBSIZE")
        if keys and not self._may_flush:
            message = (
                f"database {self.endpoint.database} of the target at {address(self.endpoint)} holds {keys:,} keys; "
                "respmark empties the database before it measures and does not do so to data that it did not write. "
                "Name an empty database (redis://host:port/NUMBER), or say --allow-flush if these keys may be lost"
            )
            raise TargetError(message)
        control.command("FLUSHDB")
        # From here on, what the database holds is ours.
        self._may_flush = True

    def close(self) -> None:
        """Close the connection and stop the server, where we started it."""
        self.control.close()
        if self._server is not None:
            self._server.stop()


@contextlib.contextmanager
def opened(spec: TargetSpec, guardian: Guardian, *, allow_flush: bool) -> Iterator[Target]:
    """Open a target, and close it whatever happens."""
    target = open_target(spec, guardian, allow_flush=allow_flush)
    try:
        yield target
    finally:
        target.close()


def open_target(spec: TargetSpec, guardian: Guardian, *, allow_flush: bool, cpus: str | None = None) -> Target:
    """Start or reach the server that a spec names; one that we start gets these CPUs.

    Raises:
        InvalidRequestError: it is a container, and runners are not.
    """
    if isinstance(spec, ContainerTarget):
        message = f"target `{spec.name}` is a container: say --via docker, or name another target"
        raise InvalidRequestError(message)
    if isinstance(spec, SpawnedTarget):
        with placed(cpus):
            server = spawn(spec, guardian)
        return Target(server.endpoint, server, allow_flush=True)
    return Target(parse_url(spec.url), None, allow_flush=allow_flush)
