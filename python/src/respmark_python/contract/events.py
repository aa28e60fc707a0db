"""What the runner says while a trial runs, and how it waits for `go`: one JSON object a line."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from respmark_python.contract import SCHEMA_VERSION
from respmark_python.errors import RunnerError


@dataclass(frozen=True)
class Ready:
    """Connected, verified, warmed up, every reply received; waiting for `go`."""

    trial_id: str
    startup_ns: int
    verified_replies: int
    warmup_operations: int
    event: str = "ready"
    schema_version: int = SCHEMA_VERSION


@dataclass(frozen=True)
class Progress:
    """About once a second inside the window."""

    trial_id: str
    elapsed_ns: int
    operations: int
    event: str = "progress"


@dataclass(frozen=True)
class Segment:
    """One walker's way through the workload, cyclic from `first_command`."""

    first_command: int
    operations: int


@dataclass(frozen=True)
class Half:
    """The window's first half."""

    operations: int
    elapsed_ns: int


@dataclass(frozen=True)
class Latency:
    """Latency of the scenario's units, `[value_ns, count]` in ascending order."""

    sample_covers: str
    histogram: Sequence[tuple[int, int]]
    max_ns: int


@dataclass(frozen=True)
class Result:
    """What was measured; every field stands in the contract."""

    trial_id: str
    operations: int
    units: int
    segments: Sequence[Segment]
    errors: Mapping[str, int]
    first_error: str | None
    elapsed_ns: int
    first_half: Half | None
    cpu_user_ns: int
    cpu_system_ns: int
    latency: Latency
    peak_memory_bytes: int
    decodes_to: str
    runtime_health: Mapping[str, int | float]
    runtime_settings: Mapping[str, str | int | float | bool]
    versions: Mapping[str, str]
    event: str = "result"
    schema_version: int = SCHEMA_VERSION


class Lines(Protocol):
    """What `await_go` reads from."""

    def readline(self) -> bytes | str:
        """Return the next line, empty at the end."""


def to_json(message: Any) -> str:
    """Return the message as one line of JSON."""
    return json.dumps(vars(message), default=vars, separators=(",", ":"), ensure_ascii=False)


def say(message: Any) -> None:
    """Print the message to the harness, now."""
    sys.stdout.write(to_json(message) + "\n")
    sys.stdout.flush()


def await_go(lines: Lines) -> None:
    """Return when the harness says `go`.

    Raises:
        RunnerError: standard input ended, or said something else.
    """
    line = lines.readline()
    if not line:
        raise RunnerError("standard input ended before `go`: the harness is gone, nothing was measured")
    try:
        go = json.loads(line)
    except ValueError:
        go = None
    if go != {"event": "go"}:
        raise RunnerError(f'expected {{"event":"go"}} on standard input, not {line[:60]!r}')


def await_end(lines: Lines) -> None:
    """Return when standard input ends: until then, the harness reads the server's counters."""
    while lines.readline():
        pass
