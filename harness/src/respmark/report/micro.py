"""Tables of micro-benchmarks: a chapter per scenario or other topic, a row per library."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from respmark import numbers
from respmark.contract.trial import Scenario
from respmark.machine.placement import idle_words
from respmark.micro.model import MicroFigures, MicroRecord, MicroRun
from respmark.report.header import machine_line
from respmark.report.labels import joined, plural
from respmark.report.table import Chapter, Column, Table, TableCell, style, subject, table, without_empty_columns
from respmark.results.records import Status
from respmark.specs.scenario import ScenarioSpec

TOOLS: Final = {"jmh": "JMH", "benchmarkdotnet": "BenchmarkDotNet", "respmark": "respmark's own program"}
TOPICS: Final = {
    "pool-borrow": "a connection borrowed from the pool and given back; no command",
    "encode": "a command built and written into the library's buffer; no server",
    "decode": "a reply parsed from a replayed byte stream; no server",
    "exchange": "a command through the whole connection, whose socket is in memory and replays replies; no server",
}
WIDE_ERROR: Final = 0.1
"""An error of more than this fraction of the time means that the run was too short, or the machine too busy."""


def micro_chapters(run: MicroRun, specs: Mapping[Scenario, ScenarioSpec]) -> list[Chapter]:
    """Return the report of a run of micro-benchmarks; topics that are scenarios come first."""
    topics = dict.fromkeys(record.topic for record in run.records)
    order = dict.fromkeys([*(topic for topic in map(str, Scenario) if topic in topics), *topics])
    first = Chapter(f"respmark micro {run.run_id}", tuple(_header(run)), level=1)
    return [first, *(_chapter(topic, [one for one in run.records if one.topic == topic], specs) for topic in order)]


def _header(run: MicroRun) -> Iterator[str]:
    version = "" if run.tool.name == "respmark" else f" {run.tool.version or 'of unknown version'}"
    tool = f"{TOOLS[run.tool.name]}{version}"
    yield f"micro-benchmarks of {tool}, job {run.job}"
    yield from dict.fromkeys(_conditions(one, one.measured) for one in run.records if one.measured)
    yield f"server {run.server.version}, {'started for the run' if run.server.spawned else 'already there'}"
    yield "; ".join(filter(None, (machine_line(run.machine), idle_words(awake=run.awake))))
    known = {record.library: record.library_version for record in run.records if record.library}
    loaded = (f"{library} {version or '(version not known)'}" for library, version in known.items())
    yield f"loaded: {'; '.join(loaded) or 'the file does not say'}"
    yield from dict.fromkeys(f"± is {one.measured.error_is}" for one in run.records if one.measured)


def _conditions(record: MicroRecord, measured: MicroFigures) -> str:
    processes = f"{measured.forks} process{'es' if measured.forks > 1 else ''}"
    counts = joined(processes, plural(measured.iterations, "iteration"), plural(measured.threads, "thread"))
    return f"{' '.join((record.runtime, *record.flags))}; {counts}"


def _chapter(topic: str, records: Sequence[MicroRecord], specs: Mapping[Scenario, ScenarioSpec]) -> Chapter:
    subjects = list(dict.fromkeys(record.subject for record in records))
    by_place: dict[str, dict[str, MicroRecord]] = {}
    for record in sorted(records, key=lambda one: (one.shape and one.shape.depth) or 0):
        by_place.setdefault(place_of(record), {})[record.subject] = record
    shown: list[Table] = []
    for label, found in by_place.items():
        rows = [found[one] for one in subjects if one in found]
        shown += without_empty_columns([table(label, rows, COLUMNS)])
    scenario = records[0].scenario
    summary = specs[scenario].summary if scenario else TOPICS.get(topic, "")
    return Chapter(topic, (summary,) if summary else (), tuple(shown), tuple(_notes(records)))


def place_of(record: MicroRecord) -> str:
    """Return what a benchmark does, in words: shape, operation and parameters."""
    shape = record.shape.label if record.shape else ""
    return joined(shape, record.operation, *(f"{name} {value}" for name, value in record.parameters.items()))


def _time(record: MicroRecord) -> TableCell:
    if record.measured is None:
        return TableCell(record.status, style(record.status))
    return TableCell(_duration(record.measured.time_ns), "ok")


def _error(record: MicroRecord) -> str:
    measured = record.measured
    if measured is None:
        return ""
    if measured.error_ns is None:
        return "not known"
    return f"{_duration(measured.error_ns)} ({100 * measured.error_ns / measured.time_ns:.0f} %)"


def _per_command(record: MicroRecord) -> str:
    return "" if record.ns_per_command is None else f"{numbers.significant(record.ns_per_command)} ns"


def _allocated(record: MicroRecord) -> str:
    known = None if record.measured is None else record.measured.allocated_bytes
    return "" if known is None else f"{known:,.0f}"


def _duration(nanoseconds: float) -> str:
    units = (("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 0))
    unit, size = next((unit, size or 1) for unit, size in units if nanoseconds >= size)
    return f"{numbers.significant(nanoseconds / size)} {unit}"


def _collections(record: MicroRecord) -> str:
    if record.measured is None:
        return ""
    seen = record.measured.collections
    if seen.per_1000_operations:
        rates = seen.per_1000_operations.items()
        return " ".join(f"{name} {numbers.significant(rate)}" for name, rate in rates if rate) or "none"
    if seen.count is None:
        return ""
    return f"{seen.count} in all" + (f", {numbers.significant(seen.time_ms)} ms" if seen.time_ms else "")


COLUMNS: Final[tuple[Column[MicroRecord], ...]] = (
    subject(lambda record: TableCell(record.subject, "client")),
    Column("time\nan operation", _time),
    Column("±", _error),
    Column("time\na command", _per_command),
    Column("bytes\nan operation", _allocated),
    Column("GC", _collections),
)


def _notes(records: Sequence[MicroRecord]) -> Iterator[str]:
    for record in records:
        place = place_of(record)
        where = f"{record.subject} ({place})" if place else record.subject
        if record.status is not Status.OK:
            yield f"{where}: {record.status}: {record.reason}"
        elif record.measured is not None and record.measured.error_ns is None:
            yield f"{where}: no error estimate: that needs more than one iteration"
    if any(record.measured and record.measured.collections.per_1000_operations for record in records):
        yield "GC: collections in 1,000 operations, by generation"
    if wide := sum((one.measured.error_ns or 0) > WIDE_ERROR * one.measured.time_ns for one in records if one.measured):
        yield (
            f"{wide} of {plural(len(records), 'figure')} with an error of more than {100 * WIDE_ERROR:.0f} %: a longer "
            "--job, on a machine that does nothing else, narrows it"
        )
