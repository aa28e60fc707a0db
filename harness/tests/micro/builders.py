"""Micro-benchmarks by hand: entries as the tools write them, and records."""

import json
from pathlib import Path
from typing import Any, Final

from respmark.contract.base import SCHEMA_VERSION
from respmark.micro.model import Measured, MicroRecord, MicroRun, Tool
from respmark.results.manifest import RunStatus
from respmark.results.records import Status
from tests.builders.records import MORNING, make_manifest

EXAMPLES: Final = Path(__file__).with_name("examples")
JMH: Final = EXAMPLES / "jmh.json"
BENCHMARKDOTNET: Final = EXAMPLES / "benchmarkdotnet-full.json"


def jmh_entry(score: Any = 100.0, error: Any = 5.0, unit: str = "ns/op", **changes: Any) -> dict[str, Any]:  # noqa: ANN401 - whatever a file may hold
    entry: dict[str, Any] = {
        "jmhVersion": "1.37",
        "benchmark": "org.respmark.bench.jedis.Sync.get",
        "mode": "avgt",
        "threads": 1,
        "forks": 2,
        "jvmArgs": ["-Xmx512m", "-Drespmark.port=1", "-Drespmark.library.jedis=8.0.2"],
        "jdkVersion": "17.0.15",
        "vmName": "OpenJDK 64-Bit Server VM",
        "measurementIterations": 5,
        "primaryMetric": {"score": score, "scoreError": error, "scoreUnit": unit, "rawData": [[score]]},
        "secondaryMetrics": {
            "gc.alloc.rate.norm": {"score": 1288.5, "scoreError": "NaN", "scoreUnit": "B/op"},
            "gc.count": {"score": 3.0, "scoreError": "NaN", "scoreUnit": "counts"},
            "gc.time": {"score": 4.0, "scoreError": "NaN", "scoreUnit": "ms"},
        },
    }
    return entry | changes


def benchmarkdotnet_entry(**changes: Any) -> dict[str, Any]:  # noqa: ANN401 - as above
    entry: dict[str, Any] = {
        "FullName": "Respmark.Bench.Batching.Get(Depth: 10)",
        "Namespace": "Respmark.Bench",
        "Type": "Batching",
        "Method": "Get",
        "Parameters": "Depth=10",
        "Statistics": {"N": 3, "Mean": 80_000.0, "StandardError": 100.0, "ConfidenceInterval": {"Margin": 3160.0}},
        "Memory": {
            "Gen0Collections": 3,
            "Gen1Collections": 2,
            "Gen2Collections": 0,
            "TotalOperations": 4000,
            "BytesAllocatedPerOperation": 14_116,
        },
        "Measurements": [{"LaunchIndex": 1}, {"LaunchIndex": 2}],
    }
    return entry | changes


def export(*entries: dict[str, Any]) -> dict[str, Any]:
    host = {"BenchmarkDotNetVersion": "0.14.0", "RuntimeVersion": ".NET 10.0.12", "Configuration": "RELEASE"}
    return {"Title": "t", "HostEnvironmentInfo": host, "Benchmarks": list(entries)}


def written(folder: Path, content: object) -> Path:
    path = folder / "results.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def make_measured(**changes: Any) -> Measured:  # noqa: ANN401 - as above
    fields: dict[str, Any] = {
        "time_ns": 68_600.0,
        "error_ns": 1_372.0,
        "error_is": "made up",
        "allocated_bytes": 15_096.5,
        "forks": 1,
        "iterations": 3,
        "threads": 1,
    }
    return Measured(**fields | changes)


def make_micro_record(**changes: Any) -> MicroRecord:  # noqa: ANN401 - as above
    fields: dict[str, Any] = {
        "benchmark": "org.respmark.bench.jedis.Sync.get",
        "parameters": {},
        "language": "Java",
        "library": "jedis",
        "library_version": "8.0.2",
        "topic": "sync",
        "scenario": "sync",
        "shape": {},
        "subject": "jedis",
        "operation": "GET",
        "commands": 1,
        "runtime": "a JVM 17",
        "status": Status.OK,
        "reason": None,
        "measured": make_measured(),
    }
    content = {
        name: value.model_dump(mode="json") if hasattr(value, "model_dump") else value
        for name, value in (fields | changes).items()
    }
    return MicroRecord.model_validate_json(json.dumps(content))


def make_micro_run(*records: MicroRecord, **changes: Any) -> MicroRun:  # noqa: ANN401 - as above
    manifest = make_manifest()
    fields: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "run_id": "20261121T090000Z-micro-java",
        "respmark_version": "0.1.0",
        "command_line": ["respmark", "micro", "java"],
        "status": RunStatus.COMPLETE,
        "started_at": MORNING,
        "ended_at": MORNING,
        "tool": Tool(name="jmh", version="1.37"),
        "job": "short",
        "machine": manifest.machine,
        "target": manifest.target,
        "records": list(records),
    }
    return MicroRun(**fields | changes)
