"""Another tool's results beside a run, or beside those of a third tool: figures only, and nothing is claimed."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from respmark import numbers
from respmark.imported.model import ImportedRecord, ImportedRun
from respmark.report.comparison import run_line
from respmark.report.imported import FOREIGN, imported_line, imported_place
from respmark.report.notes import cell_label
from respmark.report.tables import Block, Column, Row, ScenarioTable
from respmark.results.records import Status
from respmark.statistics.cells import CountedRun, cells_of

ALL_COMMANDS: Final = frozenset({"Totals", "all"})
"""What tools call the line that covers all their commands."""
NO_INTERVAL: Final = (
    "B/A: measured by other tools, or at other times: no interval, and nothing is claimed; it says nothing about "
    "another workload, loop or machine"
)
IMPORTED: Final = "imported"


@dataclass(frozen=True)
class Pair:
    """One line of a comparison: commands per second of both sides, as far as they have them."""

    table: str
    """The scenario, or `imported`."""
    place: str
    """Shape, or conditions."""
    subject: str
    rps: tuple[float | None, float | None]
    status: Status
    is_partial: bool = False

    @property
    def ratio(self) -> float | None:
        """Return B divided by A."""
        before, after = self.rps
        return after / before if before and after is not None else None


Sides = Sequence[CountedRun | ImportedRun]
"""A and B; at least one is imported."""


def pairs_of(sides: Sides) -> list[Pair]:
    """Return the lines: cells beside the tool's line of all commands, or lines of two tools with the same name."""
    foreign = [one for one in sides if isinstance(one, ImportedRun)]
    ours = next((one for one in sides if isinstance(one, CountedRun)), None)
    if ours is None:
        return list(_of_two_tools(*foreign))
    return list(_beside_ours(ours, foreign[0], ours_first=sides[0] is ours))


def foreign_header(sides: Sides, differing: Sequence[str]) -> list[str]:
    """Return the lines above the tables."""
    lines = [
        f"{letter}: {run_line(one.manifest) if isinstance(one, CountedRun) else imported_line(one)}"
        for letter, one in zip("AB", sides, strict=True)
    ]
    return [*lines, *(f"warning: {words}" for words in differing)]


def foreign_tables(pairs: Sequence[Pair]) -> list[ScenarioTable]:
    """Return one table per scenario, or one of everything that was imported."""
    return [
        _table(name, [pair for pair in pairs if pair.table == name])
        for name in dict.fromkeys(pair.table for pair in pairs)
    ]


def foreign_notes(sides: Sides) -> list[str]:
    """Return the notes that apply to all tables."""
    foreign = [(letter, one) for letter, one in zip("AB", sides, strict=True) if isinstance(one, ImportedRun)]
    held = [_held(letter, one) for letter, one in foreign] if len(foreign) < len(sides) else []
    return [NO_INTERVAL, *(f"{letter} is {FOREIGN}" for letter, _ in foreign), *held]


def _held(letter: str, run: ImportedRun) -> str:
    """Return which line of a tool stands beside every cell of the run, in words."""
    record = reference(run)
    if record is None:
        return f"{letter} has no throughput to put beside a row"
    place = imported_place(record)
    return (
        f"{letter} is in every row its line {_subject(record)}{f' ({place})' if place else ''}: which of its lines "
        "would be the work of a row, no file tells"
    )


def foreign_json(sides: Sides, pairs: Sequence[Pair], differing: Sequence[str]) -> str:
    """Return the names of both sides, the tools that they are from, and every line, as JSON."""
    content = {
        "runs": [one.manifest.run_id if isinstance(one, CountedRun) else one.run_id for one in sides],
        "foreign": [str(one.tool) if isinstance(one, ImportedRun) else None for one in sides],
        "differing": list(differing),
        "lines": [
            {
                "table": one.table,
                "place": one.place,
                "subject": one.subject,
                "status": str(one.status),
                "rps": one.rps,
                "rps_ratio": one.ratio,
            }
            for one in pairs
        ],
    }
    return json.dumps(content, indent=1, allow_nan=False) + "\n"


def reference(run: ImportedRun) -> ImportedRecord | None:
    """Return the line of all commands, or else the first that has a throughput."""
    known = [record for record in run.records if record.rps]
    return next((record for record in known if record.command in ALL_COMMANDS), known[0] if known else None)


def _of_two_tools(before: ImportedRun, after: ImportedRun) -> Iterator[Pair]:
    one, two = _by_name(before), _by_name(after)
    for name in dict.fromkeys([*one, *two]):
        records = (one.get(name), two.get(name))
        rps = [None if record is None else record.rps for record in records]
        place, subject, _ = name
        yield Pair(IMPORTED, place, subject, (rps[0], rps[1]), Status.OK)


def _by_name(run: ImportedRun) -> dict[tuple[str, str, int], ImportedRecord]:
    """Return the lines by conditions and name; if a name occurs several times, its lines are numbered."""
    seen: Counter[tuple[str, str]] = Counter()
    found = {}
    for record in run.records:
        name = imported_place(record), _subject(record)
        seen[name] += 1
        found[(*name, seen[name])] = record
    return found


def _beside_ours(run: CountedRun, foreign: ImportedRun, *, ours_first: bool) -> Iterator[Pair]:
    record = reference(foreign)
    theirs = None if record is None else record.rps
    for cell in cells_of(run):
        own = None if cell.measured is None else cell.measured.rps_median
        rps = (own, theirs) if ours_first else (theirs, own)
        yield Pair(str(cell.scenario), cell_label(cell), cell.client, rps, cell.status, cell.is_partial)


def _subject(record: ImportedRecord) -> str:
    return f"{record.client}: {record.command}"


def _table(name: str, pairs: Sequence[Pair]) -> ScenarioTable:
    places = dict.fromkeys(pair.place for pair in pairs)
    blocks = tuple(_block(place, [pair for pair in pairs if pair.place == place]) for place in places)
    return ScenarioTable(name, "B divided by A; foreign, without evidence", blocks, ())


def _block(label: str, pairs: Sequence[Pair]) -> Block:
    columns = (Column("RPS\nA"), Column("RPS\nB"), Column("RPS\nB/A"))
    return Block(label, columns, tuple(map(_row, pairs)))


def _row(pair: Pair) -> Row:
    figures = ["" if rps is None else numbers.rps(rps) for rps in pair.rps]
    mark = " *" if pair.is_partial else ""
    if pair.status is not Status.OK:
        return Row(pair.subject, (str(pair.status), "", ""), pair.status)
    ratio = "" if pair.ratio is None else numbers.ratio(pair.ratio) + mark
    return Row(pair.subject, (*figures, ratio), pair.status, pair.is_partial)
