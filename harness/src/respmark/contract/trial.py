"""What a trial is: a scenario in a shape, against a server."""

from enum import StrEnum
from typing import Annotated, Final, NamedTuple, Self

from pydantic import Field, SecretStr, field_serializer, model_validator

from respmark.contract.base import Count, Message, PositiveCount
from respmark.contract.rate import Rate


class Scenario(StrEnum):
    """One way of using a client; what goes on the wire is part of the definition."""

    SYNC = "sync"
    PIPELINING = "pipelining"
    BATCHING = "batching"
    TRANSACTION = "transaction"
    THREADS = "threads"
    POOL = "pool"
    NEW_CONNECTION = "new-connection"
    CACHING = "caching"


class SampleCovers(StrEnum):
    """What one latency sample covers: the scenario's unit."""

    COMMAND = "command"
    BURST = "burst"
    BATCH = "batch"
    TRANSACTION = "transaction"
    CONNECTION = "connection"


class Window(StrEnum):
    """How `pipelining` bounds what is in flight."""

    BURST = "burst"
    SLIDING = "sliding"


class Form(StrEnum):
    """How a transaction's commands travel: one round trip each, or the whole block at once."""

    QUEUED = "queued"
    BATCHED = "batched"


class Shape(Message):
    """A scenario's numbers and forms; a field that the scenario does not use is null."""

    depth: PositiveCount | None = None
    """Commands in flight (`pipelining`), in a batch (`batching`), or in a transaction (`transaction`)."""
    window: Window | None = None
    """`burst`: issue `depth`, complete them all, next. `sliding`: issue one for each completion."""
    form: Form | None = None
    """`queued`: each command of the transaction is its own round trip. `batched`: the block goes at once."""
    threads: PositiveCount | None = None
    """Threads (tasks, in single-threaded runtimes) that run `sync` at the same time."""
    connections: PositiveCount | None = None
    """Client objects that the threads of `threads` share, each with its own connection or default pool."""
    max_total: PositiveCount | None = None
    """Most connections that the pool opens."""
    max_idle: Count | None = None
    """Most idle connections that the pool keeps; null where the library's pool has no such setting."""
    cache_entries: PositiveCount | None = None
    """Most entries of the client's own cache (`caching`)."""
    processes: PositiveCount = 1
    """Runner processes that start together and whose results are merged."""
    rtt_ms: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """Round trip to the server, made by a relay between the two; null: none is made, and clients connect directly."""
    rate: Rate | None = None
    """Commands per second that are due, whether those before them are done or not; null: a closed loop."""


class ShapeFields(NamedTuple):
    """Which fields of a shape a scenario uses."""

    required: frozenset[str]
    optional: frozenset[str] = frozenset()


RATE: Final = frozenset({"rate"})
SHAPE_FIELDS: Final = {
    Scenario.SYNC: ShapeFields(frozenset(), RATE),
    Scenario.PIPELINING: ShapeFields(frozenset({"depth", "window"}), frozenset({"threads"}) | RATE),
    Scenario.BATCHING: ShapeFields(frozenset({"depth"}), RATE),
    Scenario.TRANSACTION: ShapeFields(frozenset({"depth", "form"}), RATE),
    Scenario.THREADS: ShapeFields(frozenset({"threads", "connections"}), RATE),
    Scenario.POOL: ShapeFields(frozenset({"threads", "max_total"}), frozenset({"max_idle"}) | RATE),
    Scenario.NEW_CONNECTION: ShapeFields(frozenset()),
    Scenario.CACHING: ShapeFields(frozenset({"cache_entries"})),
}


OF_ALL: Final = frozenset({"processes", "rtt_ms"})
"""Fields that every scenario may have."""


def check_shape(scenario: Scenario, shape: Shape) -> None:
    """Raise ValueError, with the fields, for a shape that lacks what the scenario needs or has what it does not use."""
    given = {name for name, value in shape if value is not None and name not in OF_ALL}
    fields = SHAPE_FIELDS[scenario]
    if missing := fields.required - given:
        raise ValueError(f"{scenario} needs {', '.join(sorted(missing))} in its shape")
    if excess := given - fields.required - fields.optional:
        raise ValueError(f"{scenario} does not use {', '.join(sorted(excess))} of its shape")


class Tls(Message):
    """How to speak TLS to the target."""

    ca_file: str | None = None
    """PEM file with the authorities to trust; null: the system's."""
    certificate_file: str | None = None
    """PEM file with the client's certificate, where the server asks for one."""
    key_file: str | None = None
    """PEM file with the key of `certificate_file`."""
    verify: bool = True
    """False: accept any certificate."""


class Endpoint(Message):
    """Where the server is and how to be let in."""

    host: str | None = None
    """Host name or address; null with `unix_socket`."""
    port: int | None = Field(default=None, ge=1, le=65535)
    """TCP port; null with `unix_socket`."""
    unix_socket: str | None = None
    """Path of the server's unix socket; null with `host`."""
    database: Count = 0
    """Database number that every connection selects."""
    username: str | None = None
    """ACL user; null: the default user."""
    password: SecretStr | None = None
    """Password; it travels on standard input only and is never printed."""
    tls: Tls | None = None
    """Null: no TLS."""

    @model_validator(mode="after")
    def _one_address(self) -> Self:
        if (self.host is None) == (self.unix_socket is None) or (self.host is None) != (self.port is None):
            raise ValueError("a target has either host and port or unix_socket")
        return self

    @field_serializer("password", when_used="json")
    def _reveal(self, password: SecretStr | None) -> str | None:
        return None if password is None else password.get_secret_value()
