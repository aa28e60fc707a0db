"""Reads pyperf's JSON (`-o FILE`)."""

import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from pydantic import Field, TypeAdapter

from respmark.micro.foreign import Foreign, fit, read_json
from respmark.micro.identity import other
from respmark.micro.model import Measured, MicroRecord, Tool, ToolName
from respmark.results.records import Status

ERROR_IS: Final = "standard deviation of the values (pyperf's `+-`)"
NANOSECONDS: Final = 1e9
SECOND: Final = "second"
ADVICE: Final = "write it with pyperf's option `-o FILE`"


class PyperfRun(Foreign):
    """One process."""

    metadata: dict[str, Any] = Field(default_factory=dict)
    values: tuple[float, ...] = ()
    """Seconds per operation; empty for the process that calibrates."""


class Benchmark(Foreign):
    """One benchmark."""

    metadata: dict[str, Any] = Field(default_factory=dict)
    runs: tuple[PyperfRun, ...]


class PyperfFile(Foreign):
    """The file; what all benchmarks have in common is stored outside them."""

    metadata: dict[str, Any] = Field(default_factory=dict)
    benchmarks: tuple[Benchmark, ...]


FILE: Final = TypeAdapter(PyperfFile)


def read_pyperf(path: Path) -> tuple[Tool, str | None, list[MicroRecord]]:
    """Return the tool, what the file says about the machine, and what was measured.

    Raises:
        InvalidRequestError: it is not one of pyperf's files.
    """
    found = fit(path, read_json(path), FILE, "a result file of pyperf", ADVICE)
    told = [{**found.metadata, **_first_metadata(one), **one.metadata} for one in found.benchmarks]
    first = told[0] if told else {}
    machine = ", ".join(str(first[name]) for name in ("cpu_model_name", "platform") if name in first) or None
    version = first.get("perf_version")
    records = [_record(one, metadata) for one, metadata in zip(found.benchmarks, told, strict=True)]
    return Tool(name=ToolName.PYPERF, version=None if version is None else str(version)), machine, records


def _first_metadata(benchmark: Benchmark) -> dict[str, Any]:
    return benchmark.runs[0].metadata if benchmark.runs else {}


def _record(benchmark: Benchmark, metadata: dict[str, Any]) -> MicroRecord:
    name = str(metadata.get("name", "(no name)"))
    known = other("pyperf", name, {})
    measured, reason = _measured(benchmark, str(metadata.get("unit", SECOND)))
    return MicroRecord(
        benchmark=name,
        parameters={},
        language="Python",
        library=None,
        library_version=None,
        topic=known.topic,
        scenario=None,
        shape=None,
        subject=known.subject,
        operation=known.operation,
        commands=None,
        runtime=f"Python {metadata.get('python_version', 'of unknown version')}",
        status=Status.OK if measured else Status.UNSUPPORTED,
        reason=reason,
        measured=measured,
    )


def _measured(benchmark: Benchmark, unit: str) -> tuple[Measured | None, str | None]:
    """Return the figures, or why they cannot be converted to the common form."""
    runs = [run.values for run in benchmark.runs if run.values]
    values = [value for run in runs for value in run]
    if unit != SECOND:
        return None, f"pyperf's unit `{unit}` is no time"
    if not values or statistics.fmean(values) <= 0:
        return None, "pyperf gives no values above 0"
    measured = Measured(
        time_ns=statistics.fmean(values) * NANOSECONDS,
        error_ns=_spread_ns(values),
        error_is=ERROR_IS,
        allocated_bytes=None,
        forks=len(runs),
        iterations=len(values),
        threads=1,
    )
    return measured, None


def _spread_ns(values: Sequence[float]) -> float | None:
    return statistics.stdev(values) * NANOSECONDS if len(values) > 1 else None
