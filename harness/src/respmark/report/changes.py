"""What changed: from a library's old version to its new one, and between two runs side by side."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from respmark import numbers
from respmark.contract.trial import plain_type
from respmark.figures.cells import Cell, RunFigures
from respmark.figures.comparison import Change
from respmark.figures.estimate import Ratio
from respmark.report.columns import ratio_columns, ratio_text
from respmark.report.data import apart, only_in
from respmark.report.header import machine_line
from respmark.report.kind import kind_of
from respmark.report.labels import Footnotes, cell_label, joined, listed, workload_label
from respmark.report.notes import cell_note
from respmark.report.scenarios import main_cell
from respmark.report.table import Chapter, Column, Table, TableCell, subject, table, tables, without_empty_columns
from respmark.results.manifest import Manifest
from respmark.specs.names import name_parts

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
NO_INTERVAL: Final = "B/A compares runs that are minutes apart or more: no interval, and no difference is claimed"
THROUGH: Final = (
    "`B/A to CLIENT`: the factor by which the ratio to CLIENT has changed, which took turns with each client and is "
    "the same in both runs; with its 95 % interval; `=`: no change shown, all of a metric taken together (Holm)"
)
NO_CONTROL: Final = "no client with intervals is the same in both runs, so no change is claimed"


def version_chapters(changes: Sequence[Change], title: str = VERSIONS) -> list[Chapter]:
    """Return the chapter, with a table per pair of versions and a row per use; none if no library has two versions."""
    if not changes:
        return []
    kind = changes[0].kind
    uses = Counter((_versions(one), _use(one)) for one in changes)

    def use(change: Change) -> str:
        """Return the use, with its block if others measured the same: each has ratios of its own."""
        is_alone = uses[_versions(change), _use(change)] == 1
        return _use(change) if is_alone else f"{_use(change)} (block {change.new.block.replace('--', ', ')})"

    columns: Sequence[Column[Change]] = (
        subject(use),
        Column(kind.compared[kind.main].noun, _outcome),
        *ratio_columns("{} ratio\nnew / old", Change.ratio, kind.compared.values()),
    )
    shown = tables(sorted(changes, key=_order), _versions, columns)
    return [Chapter(title, (VERSIONS_SUMMARY,), shown, (VERSIONS_NOTE,))]


def place_chapters(cells: Sequence[Cell]) -> list[Chapter]:
    """Return how each client changes from the first workload (server, round trip) on, a table per use.

    None if no block compares several clients in several of them.
    """
    changes = [cell.change for cell in cells if cell.change]
    if not changes:
        return []
    columns: Sequence[Column[Change]] = (
        subject(lambda change: f"{change.new.name} {_places(change)[1]}"),
        *ratio_columns("{} ratio", Change.ratio, changes[0].kind.compared.values()),
    )
    return [Chapter(PLACES, (), tables(changes, _same_client, columns), (PLACES_NOTE,), level=3)]


def _same_client(change: Change) -> str:
    cell = change.new
    return f"{joined(cell.scenario, cell.shape.direct.label)}: to the same client {_places(change)[0]}"


def _places(change: Change) -> tuple[str, str]:
    """Return where two cells were measured, as far as that differs."""
    forms: tuple[Callable[[Cell], str], ...] = (
        lambda one: f"with {one.workload}",
        lambda one: f"on {one.server}",
        lambda one: f"behind {one.shape.rtt_ms or 0:g} ms",
    )
    differing = [form for form in forms if form(change.base) != form(change.new)]
    there, here = (" ".join(form(one) for form in differing) for one in (change.base, change.new))
    return there, here


def version_sentence(change: Change) -> str:
    """Return what the new version does and costs, as a ratio to the old one."""
    new, old = change.new, change.base
    versions = f"{new.library}{_options(change)} {new.library_version} against {old.library_version}"
    kind = change.kind
    ratios = {kind.compared[key].noun.removeprefix("client "): change.ratio(key) for key in kind.in_series}
    return f"{versions}: {joined(*(_said(ratio, what) for what, ratio in ratios.items() if ratio.is_known))}"


def _said(ratio: Ratio, what: str) -> str:
    if ratio.low is None or ratio.high is None:
        return f"{numbers.ratio(ratio.value)} of the {what} (no interval)"
    if not ratio.shown:
        low, high = numbers.ratio(ratio.low), numbers.ratio(ratio.high)
        return f"no difference shown in {what} ({numbers.ratio(ratio.value)}, {low}..{high})"
    return f"{numbers.interval(ratio.value, ratio.low, ratio.high)} of the {what}"


def _use(change: Change) -> str:
    new = change.new
    server = f"on {new.server}" if new.names_server else ""
    return joined(new.scenario, new.shape.label, workload_label(new), server, _options(change))


def _options(change: Change) -> str:
    options = name_parts(change.new.client).options
    return f"[{options}]" if options else ""


def _versions(change: Change) -> str:
    """Return what is compared: `redis-py 6.4.0 / 3.5.3`; with the client's name if that says another version."""
    new, old = change.new, change.base
    named = name_parts(old.client).version
    of = f" ({new.library}@{named})" if named and named != old.library_version else ""
    return f"{new.library} {new.library_version} / {old.library_version}{of}"


def _order(change: Change) -> tuple[str, str, str, list[int]]:
    """Return what rows are sorted by: a run's blocks are in random order."""
    new, shape = change.new, change.new.shape
    texts = [str(value) for name, value in shape if plain_type(name) is str]
    forms = " ".join([new.scenario, *texts, str(new.workload if new.names_workload else None), new.client])
    return (
        new.library,
        _versions(change),
        forms,
        [value or 0 for name, value in shape if plain_type(name) is not str],
    )


def _outcome(change: Change) -> str:
    main = change.main
    if main.low is None:
        return "not claimed: one round"
    if not main.shown:
        return "not shown"
    return "faster" if change.kind.is_better(change.kind.main, main.value) else "slower"


def comparison(
    before: Sequence[RunFigures], after: Sequence[RunFigures], changes: Sequence[Change], differing: Sequence[str]
) -> list[Chapter]:
    """Return what changed between two runs: both of them, a chapter per scenario, and the notes that apply to all.

    Each has its figures by kind of trial.
    """
    scenarios = dict.fromkeys(one.new.scenario for one in changes)
    return [
        Chapter("respmark compare", tuple(_header(before[0].manifest, after[0].manifest, differing)), level=1),
        *(_chapter([one for one in changes if one.new.scenario is scenario]) for scenario in scenarios),
        Chapter("", notes=tuple(_notes(changes, *only_in(before, after)))),
    ]


def _header(before: Manifest, after: Manifest, differing: Sequence[str]) -> Iterator[str]:
    for letter, one in (("A", before), ("B", after)):
        workloads = ", ".join(one.workloads)
        version = one.servers[one.first_server].version
        yield f"{letter}: run {one.run_id}, {one.rounds} rounds, workload {workloads}, server {version}"
    machines = machine_line(before.machine), machine_line(after.machine)
    yield from [f"A, B: {machines[0]}"] if len(set(machines)) == 1 else map("{}: {}".format, "AB", machines)
    yield from (f"note: {difference}" for difference in differing)


def _notes(changes: Sequence[Change], only_before: Sequence[str], only_after: Sequence[str]) -> Iterator[str]:
    yield NO_INTERVAL
    yield THROUGH if any(one.ratios for one in changes) else NO_CONTROL
    for letter, cells in (("A", only_before), ("B", only_after)):
        if cells:
            yield f"only {letter} has {len(cells)} cells: {listed(cells)}"


def _chapter(changes: Sequence[Change]) -> Chapter:
    notes = Footnotes()
    shown = tuple(_tables(changes, notes))
    return Chapter(str(changes[0].new.scenario), ("B divided by A",), shown, notes.numbered)


def _tables(changes: Sequence[Change], notes: Footnotes) -> Iterator[Table]:
    by_label: dict[str, list[Change]] = {}
    for one in changes:
        by_label.setdefault(cell_label(one.base), []).append(one)
    for label, found in by_label.items():
        yield from without_empty_columns([table(label, found, _columns(found, notes))])


def _columns(changes: Sequence[Change], notes: Footnotes) -> Sequence[Column[Change]]:
    kind = kind_of(changes[0].new.run)
    main, head = kind.compared[kind.main], kind.column_of(kind.main).head
    controls = list(dict.fromkeys(one.control for one in changes if one.control and one.ratios))
    to = f"\nto {controls[0]}" if len(controls) == 1 else "\nto control" if controls else ""

    def ratio(change: Change) -> str:
        if change.ratios:
            return ratio_text(change.main)
        if change.new.client in controls:
            return "control"
        without = apart(change)
        return f"{numbers.ratio(without[main.key])} (no interval)" if main.key in without else ""

    return (
        subject(lambda change: TableCell(change.base.client, "client")),
        Column(f"{head}\nA", lambda change: main_cell(change.base)),
        Column(f"{head}\nB", lambda change: main_cell(change.new)),
        Column(f"{main.name} B/A{to}", ratio),
        Column("note", lambda change: notes.number(_note(change))),
        *ratio_columns(
            f"{{}} B/A{to}", Change.ratio, (one for one in kind.compared.values() if one is not main), is_extra=True
        ),
    )


def _note(change: Change) -> str | None:
    before, after = change.base, change.new
    one, other = before.library_version, after.library_version
    versions = f"{before.client}: {before.library} {one} in A, {other} in B" if one and other and one != other else ""
    lost = [_what_is_lost(cell) for cell in (before, after)]
    notes = (
        lost[:1]
        if lost[0] == lost[1]
        else [f"{letter}: {note}" for letter, note in zip("AB", lost, strict=True) if note]
    )
    return "; ".join(filter(None, [versions, *notes])) or None


def _what_is_lost(cell: Cell) -> str:
    return cell_note(cell) or "" if cell.measured is None or cell.is_partial else ""
