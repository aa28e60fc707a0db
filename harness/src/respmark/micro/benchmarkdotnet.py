"""Reads BenchmarkDotNet's full JSON export (`--exporters fulljson`)."""

import re
from pathlib import Path
from typing import Final

from pydantic import Field, TypeAdapter

from respmark.micro.foreign import Figure, Foreign, fit, read_json
from respmark.micro.identity import Identity, other, own
from respmark.micro.model import Collections, Measured, MicroRecord, Tool, ToolName
from respmark.results.records import Status

OWN_NAMESPACE: Final = "Respmark.Bench"
OWN_LIBRARY: Final = "stackexchange-redis"
ERROR_IS: Final = (
    "half the width of the confidence interval of the mean over iterations (BenchmarkDotNet's `Error`: 99.9 % where "
    "its job does not say otherwise)"
)
STANDARD_ERROR_IS: Final = "standard error of the mean over iterations"
PARAMETER: Final = re.compile(r"\s*([^=&,]+)=([^&,]*)")
PER_1000: Final = 1000
ADVICE: Final = "export it with BenchmarkDotNet's `--exporters fulljson`"


class Host(Foreign):
    """The runtime, as BenchmarkDotNet saw it."""

    version: str | None = Field(default=None, alias="BenchmarkDotNetVersion")
    runtime: str = Field(default=".NET of unknown version", alias="RuntimeVersion")
    configuration: str | None = Field(default=None, alias="Configuration")


class ConfidenceInterval(Foreign):
    """The interval whose margin BenchmarkDotNet shows as `Error`."""

    margin: Figure = Field(default=None, alias="Margin")


class Statistics(Foreign):
    """Times of one operation, in ns."""

    count: int = Field(ge=1, alias="N")
    mean: Figure = Field(alias="Mean")
    standard_error: Figure = Field(default=None, alias="StandardError")
    interval: ConfidenceInterval | None = Field(default=None, alias="ConfidenceInterval")


class Memory(Foreign):
    """What the memory diagnoser counted."""

    gen0: int = Field(alias="Gen0Collections")
    gen1: int = Field(alias="Gen1Collections")
    gen2: int = Field(alias="Gen2Collections")
    operations: int = Field(alias="TotalOperations")
    allocated: Figure = Field(default=None, alias="BytesAllocatedPerOperation")


class Measurement(Foreign):
    """One iteration."""

    launch: int = Field(default=1, alias="LaunchIndex")


class Entry(Foreign):
    """One benchmark."""

    full_name: str = Field(alias="FullName")
    namespace: str | None = Field(default=None, alias="Namespace")
    type_name: str = Field(alias="Type")
    method: str = Field(alias="Method")
    parameters: str | None = Field(default=None, alias="Parameters")
    statistics: Statistics | None = Field(alias="Statistics")
    memory: Memory | None = Field(default=None, alias="Memory")
    measurements: tuple[Measurement, ...] | None = Field(default=None, alias="Measurements")


class Export(Foreign):
    """The file."""

    host: Host = Field(alias="HostEnvironmentInfo")
    entries: tuple[Entry, ...] = Field(alias="Benchmarks")


FILE: Final = TypeAdapter(Export)


def read_benchmarkdotnet(path: Path) -> tuple[Tool, list[MicroRecord]]:
    """Return the tool, and what was measured.

    Raises:
        InvalidRequestError: it is not a full JSON export.
    """
    export = fit(path, read_json(path), FILE, "a full JSON export of BenchmarkDotNet", ADVICE)
    tool = Tool(name=ToolName.BENCHMARKDOTNET, version=export.host.version)
    return tool, [_record(entry, export.host) for entry in export.entries]


def identity(entry: Entry) -> Identity:
    """Return the benchmark's identity."""
    parameters = {name.strip(): value for name, value in PARAMETER.findall(entry.parameters or "")}
    if entry.namespace == OWN_NAMESPACE and (known := own(OWN_LIBRARY, entry.type_name, entry.method, parameters)):
        return known
    return other(entry.type_name, entry.method, parameters)


def _record(entry: Entry, host: Host) -> MicroRecord:
    known = identity(entry)
    measured = _measured(entry)
    return MicroRecord(
        benchmark=entry.full_name,
        parameters=dict(known.parameters),
        language="C#",
        library=known.library,
        library_version=None,
        topic=known.topic,
        scenario=known.scenario,
        shape=known.shape,
        subject=known.subject,
        operation=known.operation,
        commands=known.commands,
        runtime=host.runtime,
        flags=(host.configuration,) if host.configuration else (),
        status=Status.OK if measured else Status.FAILED,
        reason=None if measured else "BenchmarkDotNet has no figures of it; its log says why",
        measured=measured,
    )


def _measured(entry: Entry) -> Measured | None:
    statistics = entry.statistics
    if statistics is None or statistics.mean is None or statistics.mean <= 0:
        return None
    error_ns, error_is = _error(statistics)
    return Measured(
        time_ns=statistics.mean,
        error_ns=error_ns,
        error_is=error_is,
        allocated_bytes=entry.memory.allocated if entry.memory else None,
        collections=_collections(entry.memory),
        # Counted from 1; 0 if it ran in BenchmarkDotNet's own process.
        forks=max((1, *(measurement.launch for measurement in entry.measurements or ()))),
        iterations=statistics.count,
        threads=1,
    )


def _error(statistics: Statistics) -> tuple[float | None, str]:
    """Return the error and what it is: preferably the margin that BenchmarkDotNet's own tables call `Error`."""
    if statistics.count == 1:
        return None, ERROR_IS  # one value has no spread, whatever the file says
    if statistics.interval is not None and statistics.interval.margin is not None:
        return statistics.interval.margin, ERROR_IS
    return statistics.standard_error, STANDARD_ERROR_IS


def _collections(memory: Memory | None) -> Collections:
    if memory is None or memory.operations <= 0:
        return Collections()
    counts = {"gen0": memory.gen0, "gen1": memory.gen1, "gen2": memory.gen2}
    return Collections(
        per_1000_operations={name: count * PER_1000 / memory.operations for name, count in counts.items() if count >= 0}
    )
