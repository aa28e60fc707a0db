"""The common form of a micro-benchmark's result: the file that keeps it, and how it is read from those of tools.

JMH (`-rf json`) and BenchmarkDotNet (`--exporters fulljson`) write their own. The project's own benchmarks are
recognised by their names, the same in every language: a class and a method of those below. Nothing is guessed about
others: their class is the table, and their methods are the columns.
"""

import json
import math
import re
import statistics
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from respmark.contract.base import Count, Message, PositiveCount, SchemaVersion
from respmark.contract.trial import Form, Scenario, Shape, Window
from respmark.errors import InvalidRequestError
from respmark.machine.description import Machine
from respmark.results.manifest import RunStatus, ServerDescription
from respmark.results.records import Status

RAW: Final = "raw"
"""Folder of the tool's own files."""
MICRO: Final = "micro.json"
"""The file in a results folder."""
SHAPES: Final = {
    "Sync": (Scenario.SYNC, Shape()),
    "Pipelining": (Scenario.PIPELINING, Shape(window=Window.BURST)),
    "Batching": (Scenario.BATCHING, Shape()),
    "Transaction": (Scenario.TRANSACTION, Shape(form=Form.BATCHED)),
}
TOPICS: Final = {"PoolBorrow": "pool-borrow", "Encode": "encode", "Decode": "decode", "Exchange": "exchange"}
WITHOUT_COMMAND: Final = "PoolBorrow"
OPERATIONS: Final = {"get": "GET", "set": "SET", "borrowandreturn": "borrow, give back"}
OWN_JMH: Final = re.compile(r"org\.respmark\.bench\.(?P<library>\w+)\.(?P<type>\w+)\.(?P<method>\w+)")
OWN_NAMESPACE: Final = "Respmark.Bench"
LIBRARY_FLAG: Final = re.compile(r"-Drespmark\.library\.([^=]+)=(.*)")
PARAMETER: Final = re.compile(r"\s*([^=&,]+)=([^&,]*)")
JMH_ERROR_IS: Final = "half the width of the 99.9 % confidence interval of the mean over iterations (Student's t)"
ERROR_IS: Final = (
    "half the width of the confidence interval of the mean over iterations (BenchmarkDotNet's `Error`: 99.9 % where "
    "its job does not say otherwise)"
)
PROCESSES_ERROR_IS: Final = "standard error of the mean over processes"
STANDARD_ERROR_IS: Final = "standard error of the mean over iterations"
ToolName = Literal["jmh", "benchmarkdotnet", "respmark"]
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Tool(Message):
    """The tool that measured."""

    name: ToolName
    version: str | None
    """As its file gives it."""


class Collections(Message):
    """Garbage collection while an operation was measured; what the tool does not report is null or missing."""

    count: Count | None = None
    """Collections in all measured iterations together."""
    time_ms: Amount | None = None
    """The time that they took together."""
    per_1000_operations: dict[str, Amount] = Field(default_factory=dict)
    """Collections per thousand operations, by generation (`gen0`, `gen1`, `gen2`)."""


class MicroFigures(Message):
    """The figures of one benchmark."""

    time_ns: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    """Time of one operation, in nanoseconds: the mean over iterations."""
    error_ns: Amount | None
    """Its error, in nanoseconds; null if the tool could not compute one, as after a single iteration."""
    error_is: str
    """How the tool defines that error."""
    allocated_bytes: Amount | None
    """Bytes of memory allocated per operation."""
    collections: Collections = Collections()
    forks: PositiveCount
    """How many separate processes measured."""
    iterations: PositiveCount
    """Measured iterations, in all processes together."""
    threads: PositiveCount
    """Threads that performed operations at the same time."""


class MicroRecord(Message):
    """One benchmark, measured or not."""

    benchmark: str
    """Its full name, as the tool has it."""
    parameters: dict[str, str]
    """Those that are not part of the shape."""
    language: str
    library: str | None
    """The client library; null for a benchmark that is not the project's own."""
    library_version: str | None = None
    topic: str
    """The table that it belongs to: a scenario's name, or what else it measures."""
    scenario: Scenario | None = None
    shape: Shape | None = None
    subject: str
    """The column that it belongs to: the library, or what else is compared."""
    operation: str
    """What one operation is."""
    commands: PositiveCount | None = None
    """Commands in one operation; null if it sends none, or if that is not known."""
    runtime: str
    """Name and version of the JVM or .NET runtime."""
    flags: tuple[str, ...] = ()
    """What the runtime was started with."""
    status: Status
    reason: str | None
    """Why it is not `ok`."""
    measured: MicroFigures | None = None

    @property
    def ns_per_command(self) -> float | None:
        """Return the operation's time per command."""
        return self.measured.time_ns / self.commands if self.measured and self.commands else None


class MicroRun(Message):
    """Everything that one run of a tool left: the file `micro.json` of a results folder."""

    schema_version: SchemaVersion
    run_id: str
    respmark_version: str
    command_line: list[str]
    status: RunStatus
    started_at: datetime
    ended_at: datetime
    tool: Tool
    job: str
    """How long was measured: `short`, `medium`, `long`."""
    machine: Machine
    awake: bool | None = None
    """Whether idle CPUs were kept from sleeping; null in older files."""
    server: ServerDescription
    records: list[MicroRecord]


def read_jmh(path: Path) -> tuple[Tool, list[MicroRecord]]:
    """Return the content of a JMH file."""
    with _reading(path, "a result file of JMH") as entries:
        version = next((entry.get("jmhVersion") for entry in entries), None)
        return Tool(name="jmh", version=version), list(map(_of_jmh, entries))


def read_failures(path: Path) -> list[MicroRecord]:
    """Return the benchmarks that the project's own JMH program lists as failed; JMH leaves them out of its file."""
    with _reading(path, "a list of failed benchmarks") as entries:
        return [
            MicroRecord(
                **_of_jmh_name(entry["benchmark"], entry.get("params", {})),
                runtime="",
                status=Status.FAILED,
                reason=entry["reason"],
            )
            for entry in entries
        ]


def read_benchmarkdotnet(path: Path) -> tuple[Tool, list[MicroRecord]]:
    """Return the content of a full JSON export of BenchmarkDotNet."""
    with _reading(path, "a full JSON export of BenchmarkDotNet") as export:
        host = export["HostEnvironmentInfo"]
        tool = Tool(name="benchmarkdotnet", version=host.get("BenchmarkDotNetVersion"))
        return tool, [_of_benchmarkdotnet(entry, host) for entry in export["Benchmarks"]]


@contextmanager
def _reading(path: Path, what: str) -> Iterator[Any]:
    """Yield the content of a JSON file; an error says what it lacks."""
    try:
        yield json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise InvalidRequestError(f"{path} is not {what}: {type(error).__name__}: {error}") from error


def _figure(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def _identity(library: str | None, type_name: str, method: str, parameters: Mapping[str, str]) -> dict[str, Any]:
    others = {name: value for name, value in parameters.items() if name.lower() != "depth"}
    depth = next((int(parameters[name]) for name in parameters.keys() - others.keys()), None)
    operation = OPERATIONS.get(method.lower())
    own = {"library": library, "subject": library, "operation": operation, "parameters": others}
    if library and operation and type_name in TOPICS:
        return {**own, "topic": TOPICS[type_name], "commands": None if type_name == WITHOUT_COMMAND else 1}
    if library and operation and type_name in SHAPES:
        scenario, shape = SHAPES[type_name]
        shape = shape.model_copy(update={"depth": depth})
        return {**own, "topic": str(scenario), "scenario": scenario, "shape": shape, "commands": depth or 1}
    return {"topic": type_name, "subject": method, "operation": "", "library": None, "parameters": dict(parameters)}


def _of_jmh_name(benchmark: str, parameters: Mapping[str, str]) -> dict[str, Any]:
    if match := OWN_JMH.fullmatch(benchmark):
        known = _identity(match["library"], match["type"], match["method"], parameters)
    else:
        type_name, method = (benchmark, *benchmark.split("."))[-2:]
        known = _identity(None, type_name, method, parameters)
    return {"benchmark": benchmark, "language": "Java", **known}


def _of_jmh(entry: dict[str, Any]) -> MicroRecord:
    known, arguments = _of_jmh_name(entry["benchmark"], entry.get("params", {})), entry.get("jvmArgs", [])
    versions = {match[1]: match[2] for flag in arguments if (match := LIBRARY_FLAG.fullmatch(flag))}
    measured = _measured_by_jmh(entry)
    return MicroRecord(
        **known,
        library_version=versions.get(known["library"]),
        runtime=f"{entry.get('vmName', 'a JVM')} {entry.get('jdkVersion', 'of unknown version')}",
        flags=tuple(flag for flag in arguments if not flag.startswith("-Drespmark.")),
        status=Status.OK if measured else Status.UNSUPPORTED,
        reason=None if measured else "JMH reports no mean time per operation in ns",
        measured=measured,
    )


def _measured_by_jmh(entry: dict[str, Any]) -> MicroFigures | None:
    primary, others = entry["primaryMetric"], entry.get("secondaryMetrics", {})
    time_ns = _figure(primary["score"])
    if (entry["mode"], primary["scoreUnit"]) != ("avgt", "ns/op") or time_ns is None or time_ns <= 0:
        return None
    allocated, count, spent_ms = (
        _figure(others.get(name, {}).get("score")) for name in ("gc.alloc.rate.norm", "gc.count", "gc.time")
    )
    # `-f 0` measures inside JMH's own process.
    forks = max(entry["forks"], 1)
    return MicroFigures(
        time_ns=time_ns,
        error_ns=_figure(primary["scoreError"]),
        error_is=JMH_ERROR_IS,
        allocated_bytes=allocated,
        collections=Collections(count=None if count is None else round(count), time_ms=spent_ms),
        forks=forks,
        iterations=entry["measurementIterations"] * forks,
        threads=entry["threads"],
    )


def _of_benchmarkdotnet(entry: dict[str, Any], host: dict[str, Any]) -> MicroRecord:
    parameters = {name.strip(): value for name, value in PARAMETER.findall(entry.get("Parameters") or "")}
    library = "stackexchange-redis" if entry.get("Namespace") == OWN_NAMESPACE else None
    measured = _measured_by_benchmarkdotnet(entry)
    return MicroRecord(
        benchmark=entry["FullName"],
        language="C#",
        **_identity(library, entry["Type"], entry["Method"], parameters),
        runtime=host.get("RuntimeVersion", ".NET of unknown version"),
        flags=(host["Configuration"],) if host.get("Configuration") else (),
        status=Status.OK if measured else Status.FAILED,
        reason=None if measured else "BenchmarkDotNet reports no figures for it; its log says why",
        measured=measured,
    )


def read_own(path: Path) -> tuple[Tool, list[MicroRecord]]:
    """Return the content of a file of the project's own programs, which measure parsing alone."""
    with _reading(path, "a result file of respmark's micro-benchmarks") as found:
        records = [_of_own(entry, found["runtime"], found["versions"]) for entry in found["benchmarks"]]
        return Tool(name="respmark", version=None), records


def _of_own(entry: dict[str, Any], runtime: str, versions: Mapping[str, str]) -> MicroRecord:
    forks = entry["forks"]
    means = [statistics.mean(one) for one in forks]
    error_ns = statistics.stdev(means) / math.sqrt(len(means)) if len(means) > 1 else None
    library = entry["subject"].partition("[")[0]
    return MicroRecord(
        benchmark=entry["benchmark"],
        parameters={},
        language="Python",
        library=library,
        library_version=versions.get(library),
        topic="decode",
        subject=entry["subject"],
        operation=entry["operation"],
        commands=1,
        runtime=runtime,
        status=Status.OK,
        reason=None,
        measured=MicroFigures(
            time_ns=statistics.mean(means),
            error_ns=error_ns,
            error_is=PROCESSES_ERROR_IS,
            allocated_bytes=None,
            forks=len(forks),
            iterations=sum(map(len, forks)),
            threads=1,
        ),
    )


def _measured_by_benchmarkdotnet(entry: dict[str, Any]) -> MicroFigures | None:
    summary, memory = entry["Statistics"] or {}, entry.get("Memory") or {}
    time_ns = _figure(summary.get("Mean"))
    if time_ns is None or time_ns <= 0:
        return None
    margin = _figure((summary.get("ConfidenceInterval") or {}).get("Margin"))
    error_ns = _figure(summary.get("StandardError")) if margin is None else margin
    operations = memory.get("TotalOperations", 0)
    per_1000 = {f"gen{n}": memory[f"Gen{n}Collections"] * 1000 / operations for n in range(3)} if operations else {}
    return MicroFigures(
        time_ns=time_ns,
        error_ns=None if summary["N"] == 1 else error_ns,  # one value has no spread, whatever the file says
        error_is=STANDARD_ERROR_IS if margin is None and summary["N"] > 1 else ERROR_IS,
        allocated_bytes=_figure(memory.get("BytesAllocatedPerOperation")),
        collections=Collections(per_1000_operations=per_1000),
        # Counted from 1; 0 if it ran in BenchmarkDotNet's own process.
        forks=max((1, *(one.get("LaunchIndex", 1) for one in entry.get("Measurements") or ()))),
        iterations=summary["N"],
        threads=1,
    )
