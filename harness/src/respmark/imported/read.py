"""Reads the files of load generators: what we need must be there, what is new in them is ignored."""

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import Field, TypeAdapter

from respmark.errors import InvalidRequestError
from respmark.imported.model import ImportedRecord, LoadTool
from respmark.micro.foreign import Figure, Foreign, Model, fit, read_json
from respmark.results.untrusted import check_cells, read_regular, shown

MEMTIER_ADVICE: Final = "write it with memtier_benchmark's `--json-out-file FILE`"
CSV_ADVICE: Final = "write it with the option `--csv`"
GLIDE_ADVICE: Final = "it is what valkey-glide's benchmarks write with `--resultsFile`"
RESP_BENCH_ADVICE: Final = "it is the metrics file that resp-bench writes, one JSON object a phase"
LATENCY: Final = "_p50_latency"
MICRO_TO_MILLI: Final = 1e-3


class MemtierStats(Foreign):
    """The figures of one command, or of all of them."""

    rps: Figure = Field(alias="Ops/sec")
    mean_ms: Figure = Field(default=None, alias="Average Latency")
    max_ms: Figure = Field(default=None, alias="Max Latency")
    percentiles: dict[str, Any] = Field(default_factory=dict, alias="Percentile Latencies")

    def percentile_ms(self, name: str) -> float | None:
        """Return a percentile, such as `p99.00`."""
        value = self.percentiles.get(name)
        return float(value) if isinstance(value, int | float) else None


class Memtier(Foreign):
    """memtier_benchmark's file."""

    configuration: dict[str, Any] = Field(default_factory=dict)
    stats: dict[str, Any] = Field(alias="ALL STATS")


class Glide(Foreign):
    """One measurement of valkey-glide's benchmarks; its latencies are in other fields, one prefix per command."""

    client: str
    tps: Figure
    data_size: int | None = None
    num_of_tasks: int | None = None
    client_count: int | None = None
    is_cluster: bool | None = None


class Metadata(Foreign):
    """The client that resp-bench drove."""

    driver_id: str | None = None
    primary_driver_version: str | None = None


class Phase(Foreign):
    """One phase of resp-bench."""

    id: str
    duration_ms: float = Field(gt=0)
    connections: int | None = None


class Latency(Foreign):
    """Latencies of one command."""

    unit: str
    summary: dict[str, Figure]


class CommandMetrics(Foreign):
    """One command of a phase."""

    requests: int = Field(ge=0)
    errors: int = Field(default=0, ge=0)
    latency: Latency


class RespBench(Foreign):
    """One line of resp-bench's file."""

    metadata: Metadata = Metadata()
    phase: Phase
    metrics: dict[str, CommandMetrics]


def read_records(tool: LoadTool, path: Path) -> list[ImportedRecord]:
    """Return what a tool's file holds.

    Raises:
        InvalidRequestError: it is not one of the tool's files, or holds nothing.
    """
    records = list(READERS[tool](tool, path))
    if not records:
        message = f"{path} holds no result of {tool}"
        raise InvalidRequestError(message)
    check_cells(path, map(str, range(len(records))))
    return records


def _memtier(tool: LoadTool, path: Path) -> Iterator[ImportedRecord]:
    what = "a result file of memtier_benchmark"
    found = _fit(path, read_json(path), Memtier, what, MEMTIER_ADVICE)
    names = ("clients", "threads", "pipeline", "data_size", "ratio", "protocol")
    conditions = {name: shown(found.configuration[name]) for name in names if name in found.configuration}
    for command, content in found.stats.items():
        if not isinstance(content, dict) or "Ops/sec" not in content:
            continue  # not a command: how long it ran, and what the machine did
        stats = _fit(path, content, MemtierStats, what, MEMTIER_ADVICE)
        if not stats.rps:
            continue  # memtier also lists commands that it did not send
        yield ImportedRecord(
            client=str(tool),
            client_version=None,
            command=command,
            conditions=conditions,
            rps=stats.rps,
            mean_ms=stats.mean_ms,
            p50_ms=stats.percentile_ms("p50.00"),
            p99_ms=stats.percentile_ms("p99.00"),
            p999_ms=stats.percentile_ms("p99.90"),
            max_ms=stats.max_ms,
        )


def _csv(tool: LoadTool, path: Path) -> Iterator[ImportedRecord]:
    text = read_regular(path).decode("utf-8-sig", errors="replace")
    rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    head = rows[0] if rows else []
    if head[:2] == ["test", "rps"]:
        rows = rows[1:]
    else:
        head = ["test", "rps"]  # before version 6.2, there was no header line
    for row in rows:
        if len(row) != len(head):
            message = f"{path} is not a CSV of {tool}: `{shown(row)}` does not fit its head; {CSV_ADVICE}"
            raise InvalidRequestError(message)
        values = dict(zip(head, row, strict=True))
        yield ImportedRecord(
            client=str(tool),
            client_version=None,
            command=values["test"],
            conditions={},
            rps=_number(tool, path, values["rps"]),
            **{name: _number(tool, path, values[column]) for name, column in CSV_LATENCIES.items() if column in values},
        )


CSV_LATENCIES: Final = {
    "mean_ms": "avg_latency_ms",
    "p50_ms": "p50_latency_ms",
    "p99_ms": "p99_latency_ms",
    "max_ms": "max_latency_ms",
}


def _number(tool: LoadTool, path: Path, text: str) -> float:
    number = TypeAdapter(float).validate_python(text) if text.replace(".", "", 1).isdigit() else None
    if number is None:
        message = f"{path} is not a CSV of {tool}: `{shown(text)}` is no figure; {CSV_ADVICE}"
        raise InvalidRequestError(message)
    return number


def _glide(_: LoadTool, path: Path) -> Iterator[ImportedRecord]:
    what = "a result file of valkey-glide's benchmarks"
    content = read_json(path)
    entries = fit(path, content, TypeAdapter(list[Glide]), what, GLIDE_ADVICE)
    for entry, raw in zip(entries, content, strict=True):
        told = {"data_size": entry.data_size, "tasks": entry.num_of_tasks, "clients": entry.client_count}
        conditions = {name: str(value) for name, value in told.items() if value is not None}
        if entry.is_cluster:
            conditions["cluster"] = "yes"
        yield ImportedRecord(
            client=entry.client, client_version=None, command="all", conditions=conditions, rps=entry.tps
        )
        for command in (key.removesuffix(LATENCY) for key in raw if key.endswith(LATENCY)):
            yield ImportedRecord(
                client=entry.client,
                client_version=None,
                command=command,
                conditions=conditions,
                rps=None,
                mean_ms=_figure(raw, f"{command}_average_latency"),
                p50_ms=_figure(raw, f"{command}_p50_latency"),
                p99_ms=_figure(raw, f"{command}_p99_latency"),
            )


def _figure(content: Mapping[str, Any], key: str) -> float | None:
    value = content.get(key)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _resp_bench(tool: LoadTool, path: Path) -> Iterator[ImportedRecord]:
    what = "a metrics file of resp-bench"
    for number, text in enumerate(read_regular(path).decode("utf-8-sig", errors="replace").splitlines(), start=1):
        if not text.strip():
            continue
        try:
            content = json.loads(text)
        except (ValueError, RecursionError) as error:
            message = f"{path} is not {what}: line {number} is not JSON: {error}; {RESP_BENCH_ADVICE}"
            raise InvalidRequestError(message) from error
        found = _fit(path, content, RespBench, what, RESP_BENCH_ADVICE)
        for command, metrics in found.metrics.items():
            yield _phase_record(tool, path, found, command, metrics)


def _phase_record(
    tool: LoadTool, path: Path, found: RespBench, command: str, metrics: CommandMetrics
) -> ImportedRecord:
    if metrics.latency.unit != "us":
        message = f"{path}: the latencies of {command} are in `{shown(metrics.latency.unit)}`; respmark knows `us` here"
        raise InvalidRequestError(message)
    summary = metrics.latency.summary
    latencies = {name: summary.get(name) for name in ("p50", "p99", "p999", "max")}
    conditions = {"phase": found.phase.id}
    if found.phase.connections is not None:
        conditions["connections"] = str(found.phase.connections)
    if metrics.errors:
        conditions["errors"] = str(metrics.errors)
    return ImportedRecord(
        client=found.metadata.driver_id or str(tool),
        client_version=found.metadata.primary_driver_version,
        command=command,
        conditions=conditions,
        rps=metrics.requests / found.phase.duration_ms * 1000,
        **{f"{name}_ms": None if value is None else value * MICRO_TO_MILLI for name, value in latencies.items()},
    )


def _fit(path: Path, content: object, model: type[Model], what: str, advice: str) -> Model:
    return fit(path, content, TypeAdapter(model), what, advice)


READERS: Final[dict[LoadTool, Callable[[LoadTool, Path], Iterator[ImportedRecord]]]] = {
    LoadTool.MEMTIER: _memtier,
    LoadTool.REDIS_BENCHMARK: _csv,
    LoadTool.VALKEY_BENCHMARK: _csv,
    LoadTool.VALKEY_GLIDE: _glide,
    LoadTool.RESP_BENCH: _resp_bench,
}
