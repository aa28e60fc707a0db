"""The evidence behind a cell: its rounds, what the server and the machine saw, versions, settings, files."""

from dataclasses import dataclass

from respmark import numbers
from respmark.report.html.view import MatrixCell, Row
from respmark.report.notes import cell_note
from respmark.results.records import Status
from respmark.results.store import trial_path
from respmark.results.version1 import Record
from respmark.statistics.cells import ReportCell
from respmark.statistics.measured import Measured, metrics
from respmark.statistics.metric import FactSection, written
from respmark.statistics.rounds import client_cpu_us, rps, server_cpu_us

Pairs = list[tuple[str, str]]


@dataclass(frozen=True)
class Section:
    """A heading, and the facts under it."""

    title: str
    facts: Pairs


def state_of(cell: ReportCell | None) -> str:
    """Return what became of a cell in a few words; empty if everything planned was measured."""
    if cell is None:
        return "not asked for"
    if cell.status is Status.MISSING:
        return "not installed"
    if cell.status is not Status.OK:
        return str(cell.status)
    if cell.rounds < cell.rounds_planned:
        return f"{cell.rounds} of {cell.rounds_planned} rounds"
    return "lost slices" if cell.slices_lost else ""


def sections(row: Row, place: MatrixCell) -> list[Section]:
    """Return everything that the page says about a cell, except its ratios, which depend on the baseline."""
    cell = place.cell
    if cell.measured is None:
        found = [Section(FactSection.FIGURES, _status(cell))]
    else:
        found = [Section(section, facts) for section, facts in _facts(row, cell, cell.measured).items()]
        if note := cell_note(cell):
            found.append(Section("Notes", [("", note)]))
    return [*found, Section("Versions and settings", _settings(place)), Section("Rounds and files", _rounds(place))]


def _status(cell: ReportCell) -> Pairs:
    return [("status", state_of(cell) or "ok"), *([("reason", cell.reason)] if cell.reason else [])]


def _facts(row: Row, cell: ReportCell, measured: Measured) -> dict[FactSection, Pairs]:
    """Return the facts about a cell's metrics, by section."""
    found: dict[FactSection, Pairs] = {section: [] for section in FactSection}
    found[FactSection.FIGURES] += _status(cell)
    found[FactSection.WIRE].append(("definition", row.spec.wire))
    facts = [(key, one.fact) for key, one in metrics().items() if one.fact]
    for key, fact in sorted(facts, key=lambda one: one[1].place):
        if text := written(fact.form, key, measured):
            rounds = f" in {cell.rounds} rounds" if fact.names_rounds else ""
            found[fact.section].append((fact.label.format(unit=measured.sample_covers), text + rounds))
    return found


def _settings(place: MatrixCell) -> Pairs:
    cell = place.cell
    facts = list(cell.versions.items())
    if place.records:
        facts += [(f"option {name}", str(value)) for name, value in place.records[0].client.options.items()]
        results = [result for record in place.records for result in record.results]
        facts += [(name, str(value)) for name, value in (results[0].runtime_settings if results else {}).items()]
    decodes = [] if cell.decodes_to is None else [("replies decoded to", cell.decodes_to)]
    return [*facts, *decodes, ("workload", cell.workload), ("cell", cell.cell_id)]


def _rounds(place: MatrixCell) -> Pairs:
    return [
        (f"round {record.round}: {trial_path(record)}", _round(place, record))
        for record in sorted(place.records, key=lambda record: record.round)
    ]


def _round(place: MatrixCell, record: Record) -> str:
    if record.status is not Status.OK:
        return f"{record.status}: {record.reason}"
    found = place.rounds.get(record.round)
    if found is None:
        return "no slice counts"
    return (
        f"{numbers.rps(rps(found))} commands per second, {numbers.microseconds(client_cpu_us(found))} client "
        f"and {numbers.microseconds(server_cpu_us(found))} server CPU per command"
    )
