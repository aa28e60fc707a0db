"""Two runs side by side, as tables."""

import json
from collections.abc import Iterator, Sequence
from typing import Final

from respmark import numbers
from respmark.report.header import machine_line
from respmark.report.notes import Footnotes, cell_label, cell_note
from respmark.report.tables import Block, Column, Row, ScenarioTable, ratio_words
from respmark.results.manifest import Manifest
from respmark.results.records import Status
from respmark.statistics.between import Change, Changes
from respmark.statistics.cells import ReportCell
from respmark.statistics.measured import COMPARED, RATIO_NAMES

COSTS: Final = [key for key, (_, compared) in COMPARED.items() if compared.is_cost]
NO_INTERVAL: Final = "B/A: two runs, minutes apart or more: no interval, and nothing is claimed"
THROUGH: Final = (
    "`B/A to CLIENT`: by what factor the ratio to a client has changed that took turns with each and is the same in "
    "both runs, with its 95 % interval; `=`: no change shown, all of the block taken together (Holm)"
)


def comparison_header(before: Manifest, after: Manifest, differing: Sequence[str]) -> list[str]:
    """Return the lines above the tables."""
    lines = [f"A: {run_line(before)}", f"B: {run_line(after)}"]
    machines = [machine_line(one.machine) for one in (before, after)]
    if machines[0] == machines[1]:
        lines.append(f"A, B: {machines[0]}")
    else:
        lines += [f"{letter}: {machine}" for letter, machine in zip("AB", machines, strict=True)]
    return [*lines, *(f"note: {words}" for words in differing)]


def run_line(manifest: Manifest) -> str:
    """Return which run it is, and what it measured, in one line."""
    return (
        f"run {manifest.run_id}, {manifest.rounds} rounds, workload {', '.join(manifest.workloads)}, "
        f"target {manifest.target.version}"
    )


def comparison_tables(changes: Changes) -> list[ScenarioTable]:
    """Return one table per scenario."""
    scenarios = list(dict.fromkeys(one.scenario for one in changes.changes))
    return [_table([one for one in changes.changes if one.scenario is scenario]) for scenario in scenarios]


def comparison_notes(changes: Changes) -> Iterator[str]:
    """Yield the notes that apply to all tables."""
    yield NO_INTERVAL
    if any(one.through_control for one in changes.changes):
        yield THROUGH
    else:
        yield "no client with intervals is the same in both runs: nothing is claimed at all"
    for letter, cells in (("A", changes.only_before), ("B", changes.only_after)):
        if cells:
            yield f"only {letter} has {len(cells)} cells: {', '.join(cells[:3])}{', ...' if len(cells) > 3 else ''}"  # noqa: PLR2004 - a few as examples


def comparison_json(before: Manifest, after: Manifest, changes: Changes, differing: Sequence[str]) -> str:
    """Return both runs' names, what differs, and every change, as JSON."""
    content = {
        "runs": [before.run_id, after.run_id],
        "differing": list(differing),
        **changes.model_dump(mode="json"),
    }
    return json.dumps(content, indent=1, allow_nan=False) + "\n"


def _table(changes: Sequence[Change]) -> ScenarioTable:
    labels = list(dict.fromkeys(cell_label(one.before) for one in changes))
    notes = Footnotes()
    blocks = tuple(
        _block(label, [one for one in changes if cell_label(one.before) == label], notes) for label in labels
    )
    return ScenarioTable(str(changes[0].scenario), "B divided by A", blocks, tuple(notes.numbered))


def _block(label: str, changes: Sequence[Change], notes: Footnotes) -> Block:
    controls = list(dict.fromkeys(one.control for one in changes if one.control))
    to = f"to {controls[0]}" if len(controls) == 1 else "to control"
    columns = [Column("RPS\nA"), Column("RPS\nB"), Column("RPS\nB/A")]
    columns += [Column(f"{RATIO_NAMES[metric].replace(' ', chr(10))} B/A") for metric in COSTS]
    columns += [Column(f"{RATIO_NAMES['rps']} B/A\n{to}"), Column("note")]
    columns += [Column(f"{RATIO_NAMES[metric]} B/A\n{to}", is_extra=True) for metric in COSTS]
    rows = tuple(_row(one, notes) for one in changes)
    return Block(label, tuple(columns), rows)


def _row(change: Change, notes: Footnotes) -> Row:
    status = next((cell.status for cell in (change.before, change.after) if cell.measured is None), Status.OK)
    values = (
        _rps(change.before),
        _rps(change.after),
        *(numbers.ratio(change.ratios[m]) if m in change.ratios else "" for m in RATIO_NAMES),
        _through(change, "rps"),
        notes.number(_note(change)),
        *(_through(change, metric) for metric in COSTS),
    )
    return Row(change.client, values, status, change.before.is_partial or change.after.is_partial)


def _rps(cell: ReportCell) -> str:
    if cell.measured is None:
        return str(cell.status)
    return numbers.rps(cell.measured.rps_median) + (" *" if cell.is_partial else "")


def _through(change: Change, metric: str) -> str:
    ratio = change.through_control.get(metric)
    return "" if ratio is None else ratio_words(ratio)


def _note(change: Change) -> str | None:
    versions = [cell.library_version for cell in (change.before, change.after)]
    words = []
    if versions[0] != versions[1] and all(versions):
        words.append(f"{change.client}: {change.before.library} {versions[0]} in A, {versions[1]} in B")
    said = [_what_is_lost(cell) for cell in (change.before, change.after)]
    if said[0] == said[1]:
        words += [said[0]] if said[0] else []
    else:
        words += [f"{letter}: {note}" for letter, note in zip("AB", said, strict=True) if note]
    return "; ".join(words) or None


def _what_is_lost(cell: ReportCell) -> str | None:
    return cell_note(cell) if cell.measured is None or cell.is_partial else None
