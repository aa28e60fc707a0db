"""Two runs side by side."""

import json
from collections.abc import Iterator, Sequence
from typing import Final

from respmark import numbers
from respmark.report.header import listed, machine_line
from respmark.report.notes import Footnotes, cell_label, cell_note
from respmark.report.scenarios import ratio_text, rps_cell
from respmark.report.table import SUBJECT, Cell, Chapter, Column, Row, Table, row, without_empty_columns
from respmark.results.manifest import Manifest
from respmark.statistics.between import Change, Changes
from respmark.statistics.cells import ReportCell
from respmark.statistics.measured import COMPARED, RATIO_NAMES

COSTS: Final = [key for key, (_, compared) in COMPARED.items() if compared.is_cost]
NO_INTERVAL: Final = "B/A: two runs, minutes apart or more: no interval, and nothing is claimed"
THROUGH: Final = (
    "`B/A to CLIENT`: by what factor the ratio to a client has changed that took turns with each and is the same in "
    "both runs, with its 95 % interval; `=`: no change shown, all of the block taken together (Holm)"
)


def comparison(before: Manifest, after: Manifest, changes: Changes, differing: Sequence[str]) -> list[Chapter]:
    """Return what changed: both runs, a chapter per scenario, and the notes that apply to all."""
    scenarios = dict.fromkeys(one.scenario for one in changes.changes)
    return [
        Chapter("respmark compare", tuple(_header(before, after, differing)), level=1),
        *(_chapter([one for one in changes.changes if one.scenario is scenario]) for scenario in scenarios),
        Chapter("", notes=tuple(_notes(changes))),
    ]


def comparison_json(before: Manifest, after: Manifest, changes: Changes, differing: Sequence[str]) -> str:
    """Return both runs' names, what differs, and every change, as JSON."""
    runs = {"runs": [before.run_id, after.run_id], "differing": list(differing)}
    return json.dumps({**runs, **changes.model_dump(mode="json")}, indent=1, allow_nan=False) + "\n"


def _header(before: Manifest, after: Manifest, differing: Sequence[str]) -> Iterator[str]:
    for letter, manifest in (("A", before), ("B", after)):
        yield (
            f"{letter}: run {manifest.run_id}, {manifest.rounds} rounds, workload {', '.join(manifest.workloads)}, "
            f"target {manifest.target.version}"
        )
    one, other = machine_line(before.machine), machine_line(after.machine)
    yield from [f"A, B: {one}"] if one == other else [f"A: {one}", f"B: {other}"]
    yield from (f"note: {difference}" for difference in differing)


def _notes(changes: Changes) -> Iterator[str]:
    yield NO_INTERVAL
    if any(one.through_control for one in changes.changes):
        yield THROUGH
    else:
        yield "no client with intervals is the same in both runs: nothing is claimed at all"
    for letter, cells in (("A", changes.only_before), ("B", changes.only_after)):
        if cells:
            yield f"only {letter} has {len(cells)} cells: {listed(cells)}"


def _chapter(changes: Sequence[Change]) -> Chapter:
    notes = Footnotes()
    labels = dict.fromkeys(cell_label(one.before) for one in changes)
    tables = [_table(label, [one for one in changes if cell_label(one.before) == label], notes) for label in labels]
    return Chapter(str(changes[0].scenario), ("B divided by A",), tuple(tables), notes.numbered)


def _table(label: str, changes: Sequence[Change], notes: Footnotes) -> Table:
    controls = list(dict.fromkeys(one.control for one in changes if one.control))
    to = f"to {controls[0]}" if len(controls) == 1 else "to control"
    columns = (
        *(SUBJECT, Column("RPS\nA"), Column("RPS\nB"), Column("RPS\nB/A")),
        *(Column(f"{RATIO_NAMES[metric].replace(' ', chr(10))} B/A") for metric in COSTS),
        *(Column(f"{RATIO_NAMES['rps']} B/A\n{to}"), Column("note")),
        *(Column(f"{RATIO_NAMES[metric]} B/A\n{to}", is_extra=True) for metric in COSTS),
    )
    (table,) = without_empty_columns([Table(label, columns, tuple(_row(one, notes) for one in changes))])
    return table


def _row(change: Change, notes: Footnotes) -> Row:
    ratios = (numbers.ratio(change.ratios[m]) if m in change.ratios else "" for m in RATIO_NAMES)
    rps, *costs = (_through(change, metric) for metric in ("rps", *COSTS))
    client = Cell(change.client, "client")
    note = notes.number(_note(change))
    return row(client, rps_cell(change.before), rps_cell(change.after), *ratios, rps, note, *costs)


def _through(change: Change, metric: str) -> str:
    ratio = change.through_control.get(metric)
    return "" if ratio is None else ratio_text(ratio)


def _note(change: Change) -> str | None:
    one, other = change.before.library_version, change.after.library_version
    notes = []
    if one and other and one != other:
        notes.append(f"{change.client}: {change.before.library} {one} in A, {other} in B")
    lost = [_what_is_lost(cell) for cell in (change.before, change.after)]
    if lost[0] == lost[1]:
        notes += lost[:1] if lost[0] else []
    else:
        notes += [f"{letter}: {note}" for letter, note in zip("AB", lost, strict=True) if note]
    return "; ".join(notes) or None


def _what_is_lost(cell: ReportCell) -> str:
    return cell_note(cell) or "" if cell.measured is None or cell.is_partial else ""
