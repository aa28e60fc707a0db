"""What stands behind a cell: its rounds, what the server and the machine saw, versions, settings, files."""

from dataclasses import dataclass

from respmark import numbers
from respmark.records import Status, TrialRecord
from respmark.report.html.view import Place, Row
from respmark.report.notes import cell_note
from respmark.results.store import trial_path
from respmark.results.version1 import TrialRecord1
from respmark.statistics.cells import Cell, Measured

Pairs = list[tuple[str, str]]


@dataclass(frozen=True)
class Section:
    """A heading with what is known under it."""

    title: str
    facts: Pairs


def state_of(cell: Cell | None) -> str:
    """Return what became of a cell in one word or two; `` for one that was measured whole."""
    if cell is None:
        return "not asked for"
    if cell.status is Status.MISSING:
        return "not installed"
    if cell.status is not Status.OK:
        return str(cell.status)
    if cell.rounds < cell.rounds_planned:
        return f"{cell.rounds} of {cell.rounds_planned} rounds"
    return "lost slices" if cell.slices_lost else ""


def sections(row: Row, place: Place) -> list[Section]:
    """Return everything that the page tells of a cell, but for its ratios, which depend on the baseline."""
    cell = place.cell
    found = [Section("Figures", _status(cell))]
    if cell.measured is not None:
        measured = cell.measured
        found = [
            Section("Figures", [*_status(cell), *_figures(cell, measured)]),
            Section("On the wire, as the server saw it", _wire(row, measured)),
            Section("What disturbed it", _disturbance(measured)),
        ]
    if cell.measured is not None and (note := cell_note(cell)):
        found.append(Section("To know", [("", note)]))
    return [*found, Section("Versions and settings", _settings(place)), Section("Rounds and files", _rounds(place))]


def _status(cell: Cell) -> Pairs:
    return [("status", state_of(cell) or "ok"), *([("reason", cell.reason)] if cell.reason else [])]


def _figures(cell: Cell, measured: Measured) -> Pairs:
    one = measured.sample_covers
    return _known(
        ("throughput", f"{numbers.rps(measured.rps_median)} commands a second"),
        ("rounds, lowest to highest", f"{numbers.rps(measured.rps_min)} to {numbers.rps(measured.rps_max)}"),
        ("client CPU", _cpu(measured.client_cpu_us_per_command, measured.client_cpu_percent)),
        ("server CPU", _cpu(measured.server_cpu_us_per_command, measured.server_cpu_percent)),
        (f"latency of one {one}, p50", _ms(measured.p50_ms)),
        ("p99", _ms(measured.p99_ms)),
        ("p99.9", _ms(measured.p999_ms)),
        ("longest", _ms(measured.max_ms)),
        ("limited by", str(measured.bottleneck) if measured.bottleneck else "nothing shows it"),
        ("commands", f"{measured.operations:,} in {cell.rounds} rounds"),
        ("slices that count", None if measured.slices is None else str(measured.slices)),
    )


def _cpu(us: float, percent: float) -> str:
    return f"{numbers.microseconds(us)} a command, {numbers.percent(percent)} of one processor"


def _ms(value: float | None) -> str | None:
    return None if value is None else f"{numbers.significant(value)} ms"


def _wire(row: Row, measured: Measured) -> Pairs:
    reads, size = measured.commands_per_read, measured.input_bytes_per_read
    own = ", ".join(f"{name.upper()} {count:,}" for name, count in measured.own_commands.items())
    return _known(
        ("definition", row.spec.wire),
        ("commands a read", None if reads is None else f"{reads:.1f}"),
        ("bytes a read", None if size is None else f"{size:,.0f}"),
        ("connections open", f"{measured.connections_open:,}"),
        ("connections made in the slices", f"{measured.connections_received:,}"),
        ("hit ratio", None if measured.hit_ratio is None else f"{measured.hit_ratio:.3f}"),
        ("sent by the library of its own accord", own or None),
    )


def _disturbance(measured: Measured) -> Pairs:
    return _known(
        ("other programs", _of_one(measured.other_cpu_percent)),
        ("taken by the hypervisor", _of_one(measured.stolen_percent)),
        ("this client while it waited", _of_one(measured.waiting_cpu_percent)),
        ("drift within a round", None if measured.drift_percent is None else f"{measured.drift_percent:+.1f} %"),
        ("warm-up", None if measured.warmup_s is None else f"{measured.warmup_s:.2g} s"),
        ("rounds not steady after it", str(measured.rounds_not_steady) if measured.rounds_not_steady else None),
    )


def _of_one(percent: float | None) -> str | None:
    return None if percent is None else f"{percent:.1f} % of one processor"


def _settings(place: Place) -> Pairs:
    cell = place.cell
    facts = list(cell.versions.items())
    if place.records:
        facts += [(f"option {name}", str(value)) for name, value in place.records[0].client.options.items()]
        results = [result for record in place.records for result in record.results]
        facts += [(name, str(value)) for name, value in (results[0].runtime_settings if results else {}).items()]
    decodes = [] if cell.decodes_to is None else [("replies become", cell.decodes_to)]
    return [*facts, *decodes, ("workload", cell.workload), ("cell", cell.cell_id)]


def _rounds(place: Place) -> Pairs:
    return [
        (f"round {record.round}: {trial_path(record)}", _round(place, record))
        for record in sorted(place.records, key=lambda record: record.round)
    ]


def _round(place: Place, record: TrialRecord | TrialRecord1) -> str:
    if record.status is not Status.OK:
        return f"{record.status}: {record.reason}"
    found = place.figures.get(record.round)
    if found is None:
        return "nothing of it counts"
    return (
        f"{numbers.rps(found.rps)} commands a second, {numbers.microseconds(found.client_cpu_us_per_command)} client "
        f"and {numbers.microseconds(found.server_cpu_us_per_command)} server CPU a command"
    )


def _known(*facts: tuple[str, str | None]) -> Pairs:
    return [(name, value) for name, value in facts if value is not None]
