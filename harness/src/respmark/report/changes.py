"""What changed: from a library's old version to its new one, and between two runs side by side."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from respmark import numbers
from respmark.contract.trial import plain_type
from respmark.figures.between import Change, Changes
from respmark.figures.cells import ReportCell
from respmark.figures.compare import Ratio
from respmark.figures.measured import COMPARED, name_of
from respmark.figures.versions import VersionChange
from respmark.report.columns import ratio_columns, ratio_text
from respmark.report.header import listed, machine_line
from respmark.report.notes import Footnotes, cell_label, cell_note, joined
from respmark.report.scenarios import rps_cell
from respmark.report.table import Chapter, Column, Table, TableCell, subject, table, tables, without_empty_columns
from respmark.results.manifest import Manifest
from respmark.specs.naming import name_parts

VERSIONS: Final = "new versions against old"
VERSIONS_SUMMARY: Final = "a library's new version divided by an old one, measured in turns in one block"
VERSIONS_NOTE: Final = (
    "ratios compare slices of the same laps, with 95 % intervals over rounds; = and not shown: no difference shown, "
    "all ratios of this table taken together (Holm); CPU is per command (docs/statistics.md)"
)
PLACES: Final = "how each client changes"
PLACES_NOTE: Final = (
    "a client's figures divided by its own, with 95 % intervals over rounds; =: no difference shown, all ratios of a "
    "block and metric taken together (Holm)"
)
COSTS: Final = [key for key, (_, compared) in COMPARED.items() if compared.is_cost]
NO_INTERVAL: Final = "B/A compares runs that are minutes apart or more: no interval, and no difference is claimed"
THROUGH: Final = (
    "`B/A to CLIENT`: the factor by which the ratio to CLIENT has changed, which took turns with each client and is "
    "the same in both runs; with its 95 % interval; `=`: no change shown, all of the block taken together (Holm)"
)
NO_CONTROL: Final = "no client with intervals is the same in both runs, so no change is claimed"


def version_chapters(changes: Sequence[VersionChange], title: str = VERSIONS) -> list[Chapter]:
    """Return the chapter, with a table per pair of versions and a row per use; none if no library has two versions."""
    columns: Sequence[Column[VersionChange]] = (
        subject(_use),
        Column("throughput", _outcome),
        *ratio_columns("{} ratio\nnew / old", VersionChange.ratio),
    )
    shown = tables(sorted(changes, key=_order), _versions, columns)
    return [Chapter(title, (VERSIONS_SUMMARY,), shown, (VERSIONS_NOTE,))] if shown else []


def place_chapters(cells: Sequence[ReportCell]) -> list[Chapter]:
    """Return how each client changes from the first workload (server, round trip) on, a table per use.

    None if no block compares several clients in several of them.
    """
    by_id = {cell.cell_id: cell for cell in cells}

    def place(cell: ReportCell) -> tuple[str, str]:
        return _places(by_id[cell.change.baseline], cell) if cell.change else ("", "")

    def title(cell: ReportCell) -> str:
        return f"{joined(cell.scenario, cell.shape.direct.label)}: to the same client {place(cell)[0]}"

    columns: Sequence[Column[ReportCell]] = (
        subject(lambda cell: f"{cell.model_copy(update={'names_server': False}).subject} {place(cell)[1]}"),
        *ratio_columns("{} ratio", _to_first_place),
    )
    shown = tables([cell for cell in cells if cell.change], title, columns)
    return [Chapter(PLACES, (), shown, (PLACES_NOTE,), level=3)] if shown else []


def _to_first_place(cell: ReportCell, metric: str) -> Ratio | None:
    return cell.change.ratio(metric) if cell.change else None


def _places(first: ReportCell, cell: ReportCell) -> tuple[str, str]:
    """Return where two cells were measured, as far as that differs."""
    forms: tuple[Callable[[ReportCell], str], ...] = (
        lambda one: f"with {one.workload}",
        lambda one: f"on {one.server}",
        lambda one: f"behind {one.shape.rtt_ms or 0:g} ms",
    )
    differing = [form for form in forms if form(first) != form(cell)]
    there, here = (" ".join(form(one) for form in differing) for one in (first, cell))
    return there, here


def version_sentence(change: VersionChange) -> str:
    """Return what the new version does and costs, as a ratio to the old one."""
    versions = f"{change.library}{_options(change)} {change.new.version} against {change.old.version}"
    ratios = {"throughput": change.ratio("rps"), "CPU": change.ratio("client_cpu")}
    return f"{versions}: {joined(*(_said(ratio, what) for what, ratio in ratios.items() if ratio.is_known))}"


def _said(ratio: Ratio, what: str) -> str:
    if ratio.low is None or ratio.high is None:
        return f"{numbers.ratio(ratio.value)} of the {what} (no interval)"
    if not ratio.shown:
        low, high = numbers.ratio(ratio.low), numbers.ratio(ratio.high)
        return f"no difference shown in {what} ({numbers.ratio(ratio.value)}, {low}..{high})"
    return f"{numbers.interval(ratio.value, ratio.low, ratio.high)} of the {what}"


def _use(change: VersionChange) -> str:
    workload = f"workload {change.workload}" if change.workload else ""
    server = f"on {change.server}" if change.server else ""
    return joined(change.scenario, change.shape.label, workload, server, _options(change))


def _options(change: VersionChange) -> str:
    options = name_parts(change.new.client).options
    return f"[{options}]" if options else ""


def _versions(change: VersionChange) -> str:
    """Return what is compared: `redis-py 6.4.0 / 3.5.3`; with the client's name if that says another version."""
    named = name_parts(change.old.client).version
    of = f" ({change.library}@{named})" if named and named != change.old.version else ""
    return f"{change.library} {change.new.version} / {change.old.version}{of}"


def _order(change: VersionChange) -> tuple[str, str, str, list[int]]:
    """Return what rows are sorted by: a run's blocks are in random order."""
    shape = change.shape
    texts = [str(value) for name, value in shape if plain_type(name) is str]
    forms = " ".join([change.scenario, *texts, str(change.workload), change.new.client])
    return (
        change.library,
        _versions(change),
        forms,
        [value or 0 for name, value in shape if plain_type(name) is not str],
    )


def _outcome(change: VersionChange) -> str:
    rps = change.ratio("rps")
    if rps.low is None:
        return "not claimed: one round"
    if not rps.shown:
        return "not shown"
    return "faster" if rps.value > 1 else "slower"


def comparison(before: Manifest, after: Manifest, changes: Changes, differing: Sequence[str]) -> list[Chapter]:
    """Return what changed between two runs: both of them, a chapter per scenario, and the notes that apply to all."""
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
    for letter, one in (("A", before), ("B", after)):
        workloads = ", ".join(one.workloads)
        version = one.servers[one.first_server].version
        yield f"{letter}: run {one.run_id}, {one.rounds} rounds, workload {workloads}, target {version}"
    machines = machine_line(before.machine), machine_line(after.machine)
    yield from [f"A, B: {machines[0]}"] if len(set(machines)) == 1 else map("{}: {}".format, "AB", machines)
    yield from (f"note: {difference}" for difference in differing)


def _notes(changes: Changes) -> Iterator[str]:
    yield NO_INTERVAL
    yield THROUGH if any(one.through_control for one in changes.changes) else NO_CONTROL
    for letter, cells in (("A", changes.only_before), ("B", changes.only_after)):
        if cells:
            yield f"only {letter} has {len(cells)} cells: {listed(cells)}"


def _chapter(changes: Sequence[Change]) -> Chapter:
    notes = Footnotes()
    shown = tuple(_tables(changes, notes))
    return Chapter(str(changes[0].scenario), ("B divided by A",), shown, notes.numbered)


def _tables(changes: Sequence[Change], notes: Footnotes) -> Iterator[Table]:
    by_label: dict[str, list[Change]] = {}
    for one in changes:
        by_label.setdefault(cell_label(one.before), []).append(one)
    for label, found in by_label.items():
        yield from without_empty_columns([table(label, found, _columns(found, notes))])


def _columns(changes: Sequence[Change], notes: Footnotes) -> Sequence[Column[Change]]:
    controls = list(dict.fromkeys(one.control for one in changes if one.through_control))
    to = f"\nto {controls[0]}" if len(controls) == 1 else "\nto control" if controls else ""

    def ratio(change: Change) -> str:
        if change.through_control:
            return ratio_text(_through(change, "rps"))
        if change.client in controls:
            return "control"
        return f"{numbers.ratio(change.ratios['rps'])} (no interval)" if "rps" in change.ratios else ""

    return (
        subject(lambda change: TableCell(change.client, "client")),
        Column("RPS\nA", lambda change: rps_cell(change.before)),
        Column("RPS\nB", lambda change: rps_cell(change.after)),
        Column(f"{name_of('rps')} B/A{to}", ratio),
        Column("note", lambda change: notes.number(_note(change))),
        *ratio_columns(f"{{}} B/A{to}", _through, COSTS, is_extra=True),
    )


def _through(change: Change, metric: str) -> Ratio | None:
    return change.through_control.get(metric)


def _note(change: Change) -> str | None:
    one, other = change.before.library_version, change.after.library_version
    versions = (
        f"{change.client}: {change.before.library} {one} in A, {other} in B" if one and other and one != other else ""
    )
    lost = [_what_is_lost(cell) for cell in (change.before, change.after)]
    notes = (
        lost[:1]
        if lost[0] == lost[1]
        else [f"{letter}: {note}" for letter, note in zip("AB", lost, strict=True) if note]
    )
    return "; ".join(filter(None, [versions, *notes])) or None


def _what_is_lost(cell: ReportCell) -> str:
    return cell_note(cell) or "" if cell.measured is None or cell.is_partial else ""
