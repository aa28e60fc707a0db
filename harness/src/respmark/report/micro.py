"""Tables of micro-benchmarks, in the style of all others: one per scenario or other topic, a row per library."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from respmark import numbers
from respmark.contract.trial import Scenario
from respmark.idle import idle_words
from respmark.micro.model import Measured, MicroRecord, MicroRun, ToolName
from respmark.report.header import machine_line
from respmark.report.notes import shape_label
from respmark.report.tables import Block, Column, Row, ScenarioTable
from respmark.results.records import Status
from respmark.specs.scenario import ScenarioSpec

TOOLS: Final = {ToolName.JMH: "JMH", ToolName.BENCHMARKDOTNET: "BenchmarkDotNet"}
TOPICS: Final = {
    "pool-borrow": "a connection borrowed from the pool and given back; no command",
    "encode": "a command built and written into the library's buffer; no server",
    "decode": "a reply parsed from a replayed byte stream; no server",
    "exchange": "a command through the whole connection, whose socket is in memory and replays replies; no server",
}
WIDE_ERROR: Final = 0.1
"""An error of more than this fraction of the time means that the run was too short, or the machine too busy."""


@dataclass(frozen=True)
class MicroReport:
    """The tables of one run of micro-benchmarks."""

    run_id: str
    header: tuple[str, ...]
    tables: tuple[ScenarioTable, ...]


def micro_report(run: MicroRun, specs: dict[Scenario, ScenarioSpec]) -> MicroReport:
    """Return the report of a run of micro-benchmarks."""
    topics = dict.fromkeys(record.topic for record in run.records)
    order = [*(topic for topic in map(str, Scenario) if topic in topics), *topics]
    return MicroReport(
        run.run_id,
        tuple(_header(run)),
        tuple(_table(topic, [r for r in run.records if r.topic == topic], specs) for topic in dict.fromkeys(order)),
    )


def _header(run: MicroRun) -> Iterator[str]:
    tool = f"{TOOLS[run.tool.name]} {run.tool.version or 'of unknown version'}"
    yield f"micro-benchmarks {run.run_id}: {tool}, job {run.job}"
    yield from dict.fromkeys(_conditions(record) for record in run.records if record.measured)
    yield f"target {run.target.version}, {'started for the run' if run.target.spawned else 'already there'}"
    yield "; ".join(filter(None, (machine_line(run.machine), idle_words(awake=run.awake))))
    yield f"loaded: {'; '.join(_versions(run.records)) or 'versions of libraries are not told by the file'}"
    yield from (f"± is {told}" for told in dict.fromkeys(r.measured.error_is for r in run.records if r.measured))


def _conditions(record: MicroRecord) -> str:
    measured = record.measured
    if measured is None:
        return record.runtime
    flags = f" {' '.join(record.flags)}" if record.flags else ""
    counts = (
        (measured.forks, "process", "es"),
        (measured.iterations, "iteration", "s"),
        (measured.threads, "thread", "s"),
    )
    return f"{record.runtime}{flags}; {', '.join(_counted(*count) for count in counts)}"


def _counted(count: int, noun: str, plural: str) -> str:
    return f"{count} {noun}{plural if count > 1 else ''}"


def _versions(records: Iterable[MicroRecord]) -> list[str]:
    known = {record.library: record.library_version for record in records if record.library}
    return [f"{library} {version or '(version not told)'}" for library, version in known.items()]


def _table(topic: str, records: list[MicroRecord], specs: dict[Scenario, ScenarioSpec]) -> ScenarioTable:
    subjects = tuple(dict.fromkeys(record.subject for record in records))
    by_place = _by_place(records)
    places = sorted(dict.fromkeys(place for place, _ in by_place), key=_place_order)
    blocks = tuple(
        _block(place[1], [record for subject in subjects if (record := by_place.get((place, subject)))])
        for place in places
    )
    scenario = records[0].scenario
    summary = specs[scenario].summary if scenario else TOPICS.get(topic, "")
    return ScenarioTable(topic, summary, blocks, tuple(_notes(records)))


RowKey = tuple[int, str]


def _place(record: MicroRecord) -> RowKey:
    words = [
        shape_label(record.shape) if record.shape else "",
        record.operation,
        *(f"{name} {value}" for name, value in record.parameters.items()),
    ]
    return (record.shape.depth or 0) if record.shape else 0, ", ".join(word for word in words if word)


def _by_place(records: list[MicroRecord]) -> dict[tuple[RowKey, str], MicroRecord]:
    """Return the records by place and subject."""
    return {(_place(record), record.subject): record for record in records}


def _place_order(place: RowKey) -> int:
    return place[0]


def _block(label: str, records: list[MicroRecord]) -> Block:
    metrics: list[tuple[str, Callable[[MicroRecord, Measured], str]]] = [
        ("time\nan operation", lambda _, m: duration(m.time_ns)),
        ("±", lambda _, m: _error(m)),
        ("time\na command", lambda r, _: _per_command(r)),
        ("bytes\nan operation", lambda _, m: "" if m.allocated_bytes is None else f"{m.allocated_bytes:,.0f}"),
        ("GC", lambda _, m: _collections(m)),
    ]
    shown = [metrics[0], *(one for one in metrics[1:] if any(one[1](r, r.measured) for r in records if r.measured))]
    rows = tuple(Row(r.subject, _values(r, [write for _, write in shown]), r.status) for r in records)
    return Block(label, tuple(Column(head) for head, _ in shown), rows)


def _values(record: MicroRecord, writers: list[Callable[[MicroRecord, Measured], str]]) -> tuple[str, ...]:
    if record.measured is None:
        return str(record.status), *("" for _ in writers[1:])
    return tuple(write(record, record.measured) for write in writers)


def duration(nanoseconds: float) -> str:
    """Return a time in the unit that suits it: `77.7 ns`, `68.6 µs`, `1.20 ms`."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= size:
            return f"{numbers.significant(nanoseconds / size)} {unit}"
    return f"{numbers.significant(nanoseconds)} ns"


def _error(measured: Measured) -> str:
    if measured.error_ns is None:
        return "not told"
    return f"{duration(measured.error_ns)} ({measured.error_ns / measured.time_ns:.0%})".replace("%", " %")


def _per_command(record: MicroRecord) -> str:
    return "" if record.ns_per_command is None else f"{numbers.significant(record.ns_per_command)} ns"


def _collections(measured: Measured) -> str:
    seen = measured.collections
    if seen.per_1000_operations:
        rates = seen.per_1000_operations.items()
        return " ".join(f"{name} {numbers.significant(rate)}" for name, rate in rates if rate) or "none"
    if seen.count is None:
        return ""
    return f"{seen.count} in all" + (f", {numbers.significant(seen.time_ms)} ms" if seen.time_ms else "")


def _notes(records: list[MicroRecord]) -> Iterator[str]:
    for record in records:
        place = _place(record)[1]
        where = f"{record.subject} ({place})" if place else record.subject
        if record.status is not Status.OK:
            yield f"{where}: {record.status}: {record.reason}"
        elif record.measured is not None and record.measured.error_ns is None:
            yield f"{where}: no error is told: it needs more than one iteration"
    if any(record.measured and record.measured.collections.per_1000_operations for record in records):
        yield "GC: collections in 1,000 operations, by generation"
    wide = [r for r in records if r.measured and (r.measured.error_ns or 0) > WIDE_ERROR * r.measured.time_ns]
    if wide:
        yield (
            f"{len(wide)} of {_counted(len(records), 'figure', 's')} with an error of more than {WIDE_ERROR:.0%}: a "
            "longer --job, on a machine that does nothing else, narrows it"
        ).replace("%", " %")
