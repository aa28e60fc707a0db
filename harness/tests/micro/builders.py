"""Micro-benchmarks by hand: entries as the tools write them, and records."""

import json
from pathlib import Path
from typing import Any, Final

from respmark.contract.base import SCHEMA_VERSION
from respmark.micro.model import MicroFigures, MicroRecord, MicroRun, Tool
from respmark.results.manifest import RunStatus
from respmark.results.records import Status
from tests.builders.records import MORNING, make_manifest

EXAMPLES: Final = Path(__file__).with_name("examples")
JMH: Final = EXAMPLES / "jmh.json"
BENCHMARKDOTNET: Final = EXAMPLES / "benchmarkdotnet-full.json"


def written(folder: Path, content: object) -> Path:
    path = folder / "results.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def make_measured(**changes: Any) -> MicroFigures:  # noqa: ANN401 - as above
    fields: dict[str, Any] = {
        "time_ns": 68_600.0,
        "error_ns": 1_372.0,
        "error_is": "made up",
        "allocated_bytes": 15_096.5,
        "forks": 1,
        "iterations": 3,
        "threads": 1,
    }
    return MicroFigures(**fields | changes)


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
        "server": manifest.servers[manifest.first_server],
        "records": list(records),
    }
    return MicroRun(**fields | changes)
