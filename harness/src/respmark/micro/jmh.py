"""Reads JMH's JSON (`-rf json`)."""

from pathlib import Path
from typing import Final

from pydantic import Field, TypeAdapter

from respmark.micro.foreign import Figure, Foreign, fit, read_json
from respmark.micro.identity import Identity, other, own
from respmark.micro.model import Collections, Measured, MicroRecord, Tool, ToolName
from respmark.results.records import Status

ERROR_IS: Final = "half the width of the 99.9 % confidence interval of the mean over iterations (Student's t)"
OWN_PACKAGE: Final = "org.respmark.bench."
LIBRARY_FLAG: Final = "-Drespmark.library."
OUR_FLAGS: Final = "-Drespmark."
ALLOCATED: Final = "gc.alloc.rate.norm"
COLLECTIONS: Final = "gc.count"
COLLECTION_TIME: Final = "gc.time"
ADVICE: Final = "write it with JMH's options `-rf json -rff FILE`"


class Metric(Foreign):
    """One of JMH's metrics."""

    score: Figure
    score_error: Figure = Field(alias="scoreError")
    unit: str = Field(alias="scoreUnit")


class Entry(Foreign):
    """One benchmark of a JMH file."""

    version: str | None = Field(default=None, alias="jmhVersion")
    benchmark: str
    mode: str
    threads: int = Field(ge=1)
    forks: int = Field(ge=0)
    jvm_arguments: tuple[str, ...] = Field(default=(), alias="jvmArgs")
    jdk_version: str = Field(default="of unknown version", alias="jdkVersion")
    vm_name: str = Field(default="a JVM", alias="vmName")
    iterations: int = Field(ge=1, alias="measurementIterations")
    parameters: dict[str, str] = Field(default_factory=dict, alias="params")
    primary: Metric = Field(alias="primaryMetric")
    secondary: dict[str, Metric] = Field(default_factory=dict, alias="secondaryMetrics")

    def secondary_score(self, name: str, unit: str) -> float | None:
        """Return a secondary metric's score."""
        metric = self.secondary.get(name)
        return metric.score if metric is not None and metric.unit == unit else None


FILE: Final = TypeAdapter(list[Entry])


class Failure(Foreign):
    """A benchmark that gave no result, as the project's own JMH program lists it."""

    benchmark: str
    parameters: dict[str, str] = Field(default_factory=dict, alias="params")
    reason: str


FAILURES: Final = TypeAdapter(list[Failure])


def read_jmh(path: Path) -> tuple[Tool, list[MicroRecord]]:
    """Return the content of a JMH file.

    Raises:
        InvalidRequestError: it is not one.
    """
    entries = fit(path, read_json(path), FILE, "a result file of JMH", ADVICE)
    return Tool(name=ToolName.JMH, version=next((e.version for e in entries), None)), [_record(e) for e in entries]


def read_failures(path: Path) -> list[MicroRecord]:
    """Return the benchmarks that the project's own JMH program lists as failed."""
    found = fit(path, read_json(path), FAILURES, "a list of failed benchmarks", "run the benchmarks again")
    return [_failed(failure) for failure in found]


def identity(benchmark: str, parameters: dict[str, str]) -> Identity:
    """Return the benchmark's identity."""
    words = benchmark.split(".")
    if benchmark.startswith(OWN_PACKAGE) and len(words) == 6:  # noqa: PLR2004 - org.respmark.bench.library.Class.method
        library, type_name, method = words[-3:]
        if known := own(library, type_name, method, parameters):
            return known
    return other(".".join(words[-2:-1]) or benchmark, words[-1], parameters)


def _failed(failure: Failure) -> MicroRecord:
    return _made(failure.benchmark, failure.parameters, runtime="", reason=failure.reason, status=Status.FAILED)


def _record(entry: Entry) -> MicroRecord:
    flags = [flag for flag in entry.jvm_arguments if not flag.startswith(OUR_FLAGS)]
    versions = dict(
        flag.removeprefix(LIBRARY_FLAG).split("=", 1)
        for flag in entry.jvm_arguments
        if flag.startswith(LIBRARY_FLAG) and "=" in flag
    )
    measured, reason = _measured(entry)
    return _made(
        entry.benchmark,
        entry.parameters,
        runtime=f"{entry.vm_name} {entry.jdk_version}",
        flags=tuple(flags),
        versions=versions,
        status=Status.OK if measured else Status.UNSUPPORTED,
        reason=reason,
        measured=measured,
    )


def _made(
    benchmark: str,
    parameters: dict[str, str],
    *,
    runtime: str,
    status: Status,
    reason: str | None,
    flags: tuple[str, ...] = (),
    versions: dict[str, str] | None = None,
    measured: Measured | None = None,
) -> MicroRecord:
    known = identity(benchmark, parameters)
    return MicroRecord(
        benchmark=benchmark,
        parameters=dict(known.parameters),
        language="Java",
        library=known.library,
        library_version=(versions or {}).get(known.library or ""),
        topic=known.topic,
        scenario=known.scenario,
        shape=known.shape,
        subject=known.subject,
        operation=known.operation,
        commands=known.commands,
        runtime=runtime,
        flags=flags,
        status=status,
        reason=reason,
        measured=measured,
    )


def _measured(entry: Entry) -> tuple[Measured | None, str | None]:
    """Return the figures, or why there are none."""
    score, error, unit = entry.primary.score, entry.primary.score_error, entry.primary.unit
    if (entry.mode, unit) != ("avgt", "ns/op"):
        return None, f"JMH's mode `{entry.mode}` with the unit `{unit}` is not the time of an operation in ns"
    if score is None or score <= 0:
        return None, "JMH gives no score above 0"
    allocated = entry.secondary_score(ALLOCATED, "B/op")
    collections, spent = entry.secondary_score(COLLECTIONS, "counts"), entry.secondary_score(COLLECTION_TIME, "ms")
    measured = Measured(
        time_ns=score,
        error_ns=error,
        error_is=ERROR_IS,
        allocated_bytes=None if allocated is None or allocated < 0 else allocated,
        collections=Collections(count=None if collections is None else round(collections), time_ms=spent),
        # `-f 0` measures inside JMH's own process.
        forks=max(entry.forks, 1),
        iterations=entry.iterations * max(entry.forks, 1),
        threads=entry.threads,
    )
    return measured, None
