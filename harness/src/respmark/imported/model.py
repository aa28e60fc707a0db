"""The common form of what another load generator measured."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from respmark.contract.base import Message, SchemaVersion

Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class LoadTool(StrEnum):
    """The tool that wrote the file."""

    MEMTIER = "memtier"
    REDIS_BENCHMARK = "redis-benchmark"
    VALKEY_BENCHMARK = "valkey-benchmark"
    VALKEY_GLIDE = "valkey-glide"
    RESP_BENCH = "resp-bench"


class ImportedRecord(Message):
    """One line of another tool's result."""

    client: str
    """The client library, or the tool itself if it is its own client."""
    client_version: str | None
    command: str
    """As the tool calls it (`GET`, `Totals`, `get_existing`)."""
    conditions: dict[str, str]
    """What the file says about how it was measured (clients, threads, pipeline, data size)."""
    rps: Amount | None
    """Commands per second; null if the tool does not report it for this command alone."""
    mean_ms: Amount | None = None
    """Latency, like every figure below."""
    p50_ms: Amount | None = None
    p99_ms: Amount | None = None
    p999_ms: Amount | None = None
    max_ms: Amount | None = None


class ImportedRun(Message):
    """Everything that was taken from one file: the file `imported.json` of a results folder."""

    schema_version: SchemaVersion
    run_id: str
    respmark_version: str
    command_line: list[str]
    imported_at: datetime
    imported_from: str
    """Name of the file."""
    tool: LoadTool
    records: list[ImportedRecord]
