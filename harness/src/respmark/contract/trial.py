"""What a trial is: a scenario in a shape, against a server."""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from types import NoneType
from typing import Annotated, Any, Final, Self, get_args

from pydantic import Field, SecretStr, field_serializer, model_validator

from respmark.contract.base import Count, Message, PositiveCount
from respmark.contract.rate import CLOSED, FIND, Rate


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
    COLD_START = "cold-start"
    FAULTS = "faults"


LOOP_SCENARIOS: Final = (
    Scenario.SYNC,
    Scenario.PIPELINING,
    Scenario.BATCHING,
    Scenario.TRANSACTION,
    Scenario.THREADS,
    Scenario.POOL,
    Scenario.NEW_CONNECTION,
    Scenario.CACHING,
)
"""Those in which a client works in slices: no cold start, which ends with the first command, and no fault."""


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


class Fault(StrEnum):
    """What goes wrong between an application and its server, or in the server (docs/faults.md)."""

    PAUSE = "pause"
    RESTART = "restart"
    RESET = "reset"
    SILENCE = "silence"
    HALF_OPEN = "half-open"
    SWALLOWED = "swallowed"
    LINK_DOWN = "link-down"
    NO_ANSWER = "no-answer"
    STALE = "stale"
    LOADING = "loading"
    READONLY = "readonly"
    NOAUTH = "noauth"
    MAXCLIENTS = "maxclients"
    SLOW = "slow"
    FAILOVER_KILL = "failover-kill"
    FAILOVER_STOP = "failover-stop"
    FAILOVER_CUT_OFF = "failover-cut-off"
    FAILOVER_PLANNED = "failover-planned"


@dataclass(frozen=True)
class ShapeField:
    """All there is to know about a field of a shape: option, axis of suites, label, column and order follow from it."""

    help: str
    """Of its option."""
    label: Callable[["Shape"], str]
    """Writes a shape's value for tables."""
    required: frozenset[Scenario] = frozenset()
    """Scenarios that need it."""
    optional: frozenset[Scenario] = frozenset()
    """Scenarios that may have it."""
    is_runners: bool = True
    """Whether runners get it; otherwise only the harness uses it."""
    option: str = ""
    """Name of its option, if that is not the field's."""
    written: Any = None
    """The type of its values in suites and on the command line, if that is not the field's."""
    nothing: object = None
    """The value that stands for null there."""
    small: object = None
    """The value in a trace, if the scenario needs it and the user gave none."""


EVERY: Final = frozenset(Scenario)


def _scenarios(*names: Scenario) -> frozenset[Scenario]:
    return frozenset(names)


def _counted(count: int | None, noun: str) -> str:
    return f"{count} {noun}{'s' if count != 1 else ''}"


def _rate_label(rate: str) -> str:
    if rate.startswith(FIND):
        return rate.replace(FIND, "highest rate with")
    return f"{grouped(rate)} per second"


def grouped(rate: str) -> str:
    """Return a rate with its thousands grouped; schedules stay as they were written."""
    return f"{float(rate):,.10g}" if rate.replace(".", "", 1).isdigit() else rate


class Shape(Message):
    """A scenario's numbers and forms; a field that the scenario does not use is null."""

    depth: Annotated[
        PositiveCount | None,
        ShapeField(
            help="Commands in flight, in a batch or in a transaction",
            label=lambda shape: f"depth {shape.depth}",
            required=_scenarios(Scenario.PIPELINING, Scenario.BATCHING, Scenario.TRANSACTION),
            small=10,
        ),
    ] = None
    window: Annotated[
        Window | None,
        ShapeField(
            help="How pipelining fills its window: burst or sliding",
            label=lambda shape: str(shape.window),
            required=_scenarios(Scenario.PIPELINING),
            small=Window.BURST,
        ),
    ] = None
    form: Annotated[
        Form | None,
        ShapeField(
            help="How a transaction is sent: queued or batched",
            label=lambda shape: str(shape.form),
            required=_scenarios(Scenario.TRANSACTION),
            small=Form.BATCHED,
        ),
    ] = None
    threads: Annotated[
        PositiveCount | None,
        ShapeField(
            help="Threads or tasks that work at the same time; in faults, callers: some clients have one a process",
            label=lambda shape: _counted(shape.threads, "thread" if shape.fault is None else "caller"),
            required=_scenarios(Scenario.THREADS, Scenario.POOL, Scenario.FAULTS),
            optional=_scenarios(Scenario.PIPELINING),
            small=4,
        ),
    ] = None
    connections: Annotated[
        PositiveCount | None,
        ShapeField(
            help="Client objects that threads share, each with its own connection or default pool (threads); "
            "connections, each with a batch in flight (optional in batching)",
            label=lambda shape: _counted(shape.connections, "client" if shape.threads else "connection"),
            required=_scenarios(Scenario.THREADS),
            optional=_scenarios(Scenario.BATCHING),
            small=1,
        ),
    ] = None
    max_total: Annotated[
        PositiveCount | None,
        ShapeField(
            help="Connections of the pool",
            label=lambda shape: f"max_total {shape.max_total}",
            required=_scenarios(Scenario.POOL),
            small=2,
        ),
    ] = None
    max_idle: Annotated[
        Count | None,
        ShapeField(
            help="Idle connections that the pool keeps",
            label=lambda shape: f"max_idle {shape.max_idle}",
            optional=_scenarios(Scenario.POOL),
        ),
    ] = None
    """Null where the library's pool has no such setting, or keeps its default."""
    cache_entries: Annotated[
        PositiveCount | None,
        ShapeField(
            help="Capacity of the client-side cache, in entries (caching)",
            label=lambda shape: f"{shape.cache_entries} cache entries",
            required=_scenarios(Scenario.CACHING),
            small=100,
        ),
    ] = None
    processes: Annotated[
        PositiveCount,
        ShapeField(
            help="Concurrent runner processes, in any scenario",
            label=lambda shape: f"{shape.processes} processes",
            optional=EVERY,
            is_runners=False,
        ),
    ] = 1
    """They start together, and their results are merged."""
    rtt_ms: Annotated[
        Annotated[float, Field(gt=0, allow_inf_nan=False)] | None,
        ShapeField(
            help="Round trip to the server, made by a relay, as `0.2ms` or `500us`; not in faults; `0`: no relay",
            label=lambda shape: f"round trip {shape.rtt_ms:g} ms",
            optional=EVERY - {Scenario.FAULTS},
            is_runners=False,
            option="rtt",
            written=Annotated[float, Field(ge=0, allow_inf_nan=False)],
            nothing=0,
        ),
    ] = None
    """Null: none is made, and clients connect directly."""
    rate: Annotated[
        Rate | None,
        ShapeField(
            help="Commands per second that are due, however long those before them take: `20000`, steps "
            "`5000:0.2,20000:0.1`, a ramp `5000-20000:0.5`, `poisson 20000`; `0`: the next one begins when the one "
            "before is done",
            label=lambda shape: _rate_label(shape.rate or ""),
            optional=frozenset((*LOOP_SCENARIOS, Scenario.FAULTS)) - {Scenario.NEW_CONNECTION, Scenario.CACHING},
            is_runners=False,
            nothing=CLOSED,
        ),
    ] = None
    """Null: a closed loop; in faults, which have none, the usual rate."""
    fault: Annotated[
        Fault | None,
        ShapeField(
            help="What goes wrong in faults",
            label=lambda shape: str(shape.fault),
            required=_scenarios(Scenario.FAULTS),
            is_runners=False,
            small=Fault.RESET,
        ),
    ] = None
    fault_s: Annotated[
        Annotated[float, Field(gt=0, allow_inf_nan=False)] | None,
        ShapeField(
            help="How long it lasts, in seconds; where it leaves connections that never come back, how long is watched",
            label=lambda shape: f"for {shape.fault_s:g} s",
            optional=_scenarios(Scenario.FAULTS),
            is_runners=False,
        ),
    ] = None
    """Null: as long as that fault usually does."""

    @property
    def direct(self) -> "Shape":
        """Return the shape without its round trip, which is a matter of the place."""
        return self.without("rtt_ms")

    @property
    def label(self) -> str:
        """Return it in words: `depth 100, burst`; `10 threads, max_total 10`."""
        given = self.model_dump(exclude_defaults=True)
        return ", ".join(field.label(self) for name, field in SHAPE_FIELDS.items() if name in given)

    def without(self, *fields: str) -> "Shape":
        """Return the shape with these fields at their defaults."""
        return self.model_copy(update={name: Shape.model_fields[name].default for name in fields})


def _declared(name: str) -> ShapeField:
    (found,) = (one for one in Shape.model_fields[name].metadata if isinstance(one, ShapeField))
    return found


SHAPE_FIELDS: Final = {name: _declared(name) for name in Shape.model_fields}
"""In the order of names, labels, columns and tables."""
RUNNERS_FIELDS: Final = frozenset(name for name, field in SHAPE_FIELDS.items() if field.is_runners)


def value_type(name: str) -> Any:  # noqa: ANN401 - a type hint
    """Return the type of a field's values in suites and on the command line."""
    info = Shape.model_fields[name]
    if (written := SHAPE_FIELDS[name].written) is not None:
        return written
    found = next((one for one in get_args(info.annotation) if one is not NoneType), info.annotation)
    limits = tuple(one for one in info.metadata if not isinstance(one, ShapeField))
    return Annotated[(found, *limits)] if limits else found


def unlimited_type(name: str) -> type:
    """Return that type without its limits: `int`, `float`, `str` or an enumeration."""
    hint = value_type(name)
    while not isinstance(hint, type):
        hint, *_ = get_args(hint)
    return hint


def plain_type(name: str) -> type:
    """Return the type of a field's values as data has them."""
    return next(kind for kind in (int, float, str) if issubclass(unlimited_type(name), kind))


def walkers(scenario: Scenario, shape: Shape) -> int:
    """Return how many walkers each process has: threads or tasks that perform units of their own."""
    match scenario:
        case Scenario.BATCHING:
            return shape.connections or 1
        case Scenario.PIPELINING | Scenario.THREADS | Scenario.POOL:
            return shape.threads or 1
        case _:
            return 1


def check_shape(scenario: Scenario, shape: Shape) -> None:
    """Raise ValueError, with the fields, for a shape that lacks what the scenario needs or has what it does not use."""
    given = shape.model_dump(exclude_none=True)
    if missing := [name for name, one in SHAPE_FIELDS.items() if scenario in one.required and name not in given]:
        raise ValueError(f"{scenario} needs {', '.join(missing)} in its shape")
    if excess := [name for name in given if scenario not in SHAPE_FIELDS[name].required | SHAPE_FIELDS[name].optional]:
        raise ValueError(f"{scenario} does not use {', '.join(excess)} of its shape")


class Tls(Message):
    """How to speak TLS to the server."""

    ca_file: str | None = None
    """PEM file with the authorities to trust; null: the system's."""
    certificate_file: str | None = None
    """PEM file with the client's certificate, where the server asks for one."""
    key_file: str | None = None
    """PEM file with the key of `certificate_file`."""
    verify: bool = True
    """False: accept any certificate."""


WATCHED_NAME: Final = "respmark"
"""What sentinels call the primary that they watch."""


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
    cluster: bool = Field(default=False, exclude_if=operator.not_)
    """Whether it is a node of a cluster, in which the library finds the others; left out where it is not."""
    sentinels: tuple[tuple[str, int], ...] = Field(default=(), exclude_if=operator.not_)
    """Host and port of each sentinel that tells the library which server is the primary; left out where there are
    none. They have the server's password, and their name for the primary is `respmark`."""

    @model_validator(mode="after")
    def _one_address(self) -> Self:
        if (self.host is None) == (self.unix_socket is None) or (self.host is None) != (self.port is None):
            raise ValueError("a server has either host and port or unix_socket")
        return self

    @field_serializer("password", when_used="json")
    def _reveal(self, password: SecretStr | None) -> str | None:
        return None if password is None else password.get_secret_value()
