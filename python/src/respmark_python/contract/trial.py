"""The trial as the harness writes it to standard input."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from respmark_python.contract.fields import (
    Fields,
    any_text,
    boolean,
    nullable,
    one_of,
    options,
    parse_json,
    refuse,
    secret,
    text,
    version,
    whole,
)

WINDOWS: Final = ("burst", "sliding")
FORMS: Final = ("queued", "batched")


class ShapeFields(NamedTuple):
    """Which fields of a shape a scenario uses."""

    required: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()


SHAPE_FIELDS: Final = {
    "sync": ShapeFields(),
    "pipelining": ShapeFields(frozenset({"depth", "window"}), frozenset({"threads"})),
    "batching": ShapeFields(frozenset({"depth"})),
    "transaction": ShapeFields(frozenset({"depth", "form"})),
    "threads": ShapeFields(frozenset({"threads", "connections"})),
    "pool": ShapeFields(frozenset({"threads", "max_total"}), frozenset({"max_idle"})),
    "new-connection": ShapeFields(),
    "caching": ShapeFields(frozenset({"cache_entries"})),
}
"""Every scenario of the contract; `processes` goes with each."""


@dataclass(frozen=True)
class Client:
    """A client library in one configuration."""

    library: str
    version: str | None
    options: Mapping[str, str | int | bool]


@dataclass(frozen=True)
class Shape:
    """A scenario's numbers and forms; a field that the scenario does not use is None."""

    depth: int | None = None
    window: str | None = None
    form: str | None = None
    threads: int | None = None
    connections: int | None = None
    max_total: int | None = None
    max_idle: int | None = None
    cache_entries: int | None = None
    processes: int = 1


@dataclass(frozen=True)
class WorkloadPart:
    """Which workload file to replay, and this process's part in it."""

    path: str
    part: int
    parts: int


@dataclass(frozen=True)
class Tls:
    """How to speak TLS to the target."""

    ca_file: str | None
    certificate_file: str | None
    key_file: str | None
    verify: bool


@dataclass(frozen=True)
class Endpoint:
    """Where the server is and how to connect to it."""

    host: str | None = None
    port: int | None = None
    unix_socket: str | None = None
    database: int = 0
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    tls: Tls | None = None

    @property
    def address(self) -> str:
        """Where the server is, as messages show it: never with user or password."""
        return self.unix_socket or f"{self.host}:{self.port}"


@dataclass(frozen=True)
class Trial:
    """One trial, for this process."""

    trial_id: str
    client: Client
    scenario: str
    shape: Shape
    workload: WorkloadPart
    target: Endpoint
    verify_commands: int


def parse_trial(line: str | bytes) -> Trial:
    """Return the trial that one line of JSON holds.

    Raises:
        InvalidInputError: it is not JSON, or a field is unknown, missing or has a value that is not allowed.
    """
    fields = Fields(parse_json(line, "trial"), "trial")
    fields.take("schema_version", version)
    trial = Trial(
        trial_id=fields.take("trial_id", text),
        client=fields.take("client", _client),
        scenario=fields.take("scenario", one_of(SHAPE_FIELDS)),
        shape=fields.take("shape", _shape),
        workload=fields.take("workload", _workload),
        target=fields.take("target", _endpoint),
        verify_commands=fields.take("verify_commands", whole(0), 100),
    )
    fields.finish()
    _check_shape(trial.scenario, trial.shape)
    return trial


def _client(value: Any, where: str) -> Client:
    fields = Fields(value, where)
    client = Client(
        library=fields.take("library", text),
        version=fields.take("version", nullable(text), None),
        options=fields.take("options", options, {}),
    )
    fields.finish()
    return client


def _shape(value: Any, where: str) -> Shape:
    fields = Fields(value, where)
    count = nullable(whole(1))
    shape = Shape(
        depth=fields.take("depth", count, None),
        window=fields.take("window", nullable(one_of(WINDOWS)), None),
        form=fields.take("form", nullable(one_of(FORMS)), None),
        threads=fields.take("threads", count, None),
        connections=fields.take("connections", count, None),
        max_total=fields.take("max_total", count, None),
        max_idle=fields.take("max_idle", nullable(whole(0)), None),
        cache_entries=fields.take("cache_entries", count, None),
        processes=fields.take("processes", whole(1), 1),
    )
    fields.finish()
    return shape


def _check_shape(scenario: str, shape: Shape) -> None:
    given = {name for name, value in vars(shape).items() if value is not None and name != "processes"}
    used = SHAPE_FIELDS[scenario]
    if missing := used.required - given:
        refuse("trial.shape", f"lacks {', '.join(sorted(missing))}, which {scenario} needs")
    if excess := given - used.required - used.optional:
        refuse("trial.shape", f"has {', '.join(sorted(excess))}, which {scenario} does not use")


def _workload(value: Any, where: str) -> WorkloadPart:
    fields = Fields(value, where)
    part = WorkloadPart(
        path=fields.take("path", any_text),
        part=fields.take("part", whole(0), 0),
        parts=fields.take("parts", whole(1), 1),
    )
    fields.finish()
    if part.part >= part.parts:
        refuse(fields.path("part"), f"must be below parts ({part.parts}), not {part.part}")
    return part


def _tls(value: Any, where: str) -> Tls:
    fields = Fields(value, where)
    file = nullable(any_text)
    tls = Tls(
        ca_file=fields.take("ca_file", file, None),
        certificate_file=fields.take("certificate_file", file, None),
        key_file=fields.take("key_file", file, None),
        verify=fields.take("verify", boolean, default=True),
    )
    fields.finish()
    return tls


def _endpoint(value: Any, where: str) -> Endpoint:
    fields = Fields(value, where)
    endpoint = Endpoint(
        host=fields.take("host", nullable(any_text), None),
        port=fields.take("port", nullable(whole(1, 65535)), None),
        unix_socket=fields.take("unix_socket", nullable(any_text), None),
        database=fields.take("database", whole(0), 0),
        username=fields.take("username", nullable(any_text), None),
        password=fields.take("password", nullable(secret), None),
        tls=fields.take("tls", nullable(_tls), None),
    )
    fields.finish()
    if (endpoint.host is None) == (endpoint.unix_socket is None) or (endpoint.host is None) != (endpoint.port is None):
        refuse(where, "must have either host and port or unix_socket")
    return endpoint
