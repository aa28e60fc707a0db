"""Series as chapters: the releases of a library in one run, and clients over many runs."""

from collections.abc import Iterator, Sequence
from functools import partial
from string import ascii_uppercase
from typing import Final

from respmark import numbers
from respmark.figures.alike import PROCESSES
from respmark.figures.cells import Cell
from respmark.figures.estimate import Ratio
from respmark.figures.metric import Compared
from respmark.figures.series import History, Point, Series, machine_of
from respmark.report.columns import ratio_text
from respmark.report.kind import kind_of
from respmark.report.labels import Footnotes, joined, plural
from respmark.report.scenarios import main_cell
from respmark.report.table import Chapter, Column, Table, TableCell, style, subject, table, without_empty_columns

TITLE: Final = "releases"
BAR: Final = 8
"""Characters of the longest bar."""
EIGHTHS: Final = ("", *"▏▎▍▌▋▊▉")
"""Parts of a character of a bar."""
STEPS: Final = (
    "step: divided by the release above that was measured; given if a difference is shown, all steps of a table and "
    "metric taken together (Holm). Intervals are 95 %; CPU is per command (docs/versions.md)"
)
ONE_ROUND: Final = "no steps are shown: intervals need at least two rounds"
NO_SCALE: Final = "no ratios to one release: none was measured in every block"
NO_STEP: Final = "no step is shown"
RUN_STEPS: Final = (
    "a step: the ratio to the control differs from that of the run before on the same machine, with its 95 % interval, "
    "all steps of a metric taken together (Holm)"
)
ABSOLUTE: Final = "commands per second of different machines, or of different days, say nothing about each other"


def timeline_chapters(timelines: Sequence[Series], title: str | None = None) -> list[Chapter]:
    """Return the chapter of a run's releases; none if the run is no series of them."""
    if not timelines:
        return []
    tables = without_empty_columns([_of_releases(one, label_of(one, timelines)) for one in timelines])
    has_intervals = any(map(_has_intervals, timelines))
    return [Chapter(title or TITLE, (), tables, (STEPS if has_intervals else ONE_ROUND,))]


def label_of(series: Series, every: Sequence[Series]) -> str:
    """Return what a series of releases is of, with its workload and server if those of a run differ."""
    options = f"[{series.options}]" if series.options else ""
    return f"{series.cell.library}{options} in {_use(series, every)}"


def client_label(series: Series, every: Sequence[Series]) -> str:
    """Return the same of a client over many runs."""
    return f"{series.cell.client} in {_use(series, every)}"


def _use(series: Series, every: Sequence[Series]) -> str:
    cell, others = series.cell, [one.cell for one in every]
    workload = f"workload {cell.workload}" if len({one.workload for one in others}) > 1 else ""
    server = f" on {cell.server}" if len({one.server for one in others}) > 1 else ""
    return joined(cell.scenario, cell.shape.label, workload) + server


def _of_releases(series: Series, title: str) -> Table:
    notes = Footnotes()
    made = table(title, series.points, tuple(_release_columns(series, notes)))
    scale = () if series.control else (NO_SCALE,)
    return Table(title, made.columns, made.rows, (*scale, *_sentences(series), *notes.numbered))


def _release_columns(series: Series, notes: Footnotes) -> Iterator[Column[Point]]:
    most = max((_share(series, one) for one in series.points), default=0.0) or 1.0
    yield Column(series.cell.library, lambda one: TableCell(_name(one), "client"), is_text=True)
    kind = kind_of(series.cell.run)
    for metric in kind.in_series:
        yield Column(kind.column_of(metric).head, partial(_figure, metric), is_extra=True)
        if metric == kind.main:
            yield Column("", lambda one: bar(_share(series, one) / most) if one.cell.measured else "", is_text=True)
        noun = kind.compared[metric].noun
        yield Column(f"{noun}\nto {series.control_label}", partial(_to_control, series, metric))
    yield Column("step", partial(_step, notes), is_text=True)


def _name(one: Point) -> str:
    return one.label or one.cell.client


def _figure(metric: str, one: Point) -> str:
    return kind_of(one.cell.run).figure(one.cell, metric)


def _to_control(series: Series, metric: str, one: Point) -> str | TableCell:
    cell = one.cell
    if cell.measured is None:
        return TableCell(str(cell.status), style(cell.status)) if metric == cell.run.kind.main else ""
    if not _figure(metric, one):
        return ""
    return "1" if cell.client == series.control else _written(one.to(metric))


def _step(notes: Footnotes, one: Point) -> str:
    cell = one.cell
    note = f"({notes.number(f'{_name(one)}: {cell.status}: {cell.reason}')})" if cell.reason else ""
    return " ".join(filter(None, [short_steps(one), note])) if cell.measured else note


def _share(series: Series, one: Point) -> float:
    """Return a release's main figure as a share of the control's; 0: not known."""
    if one.cell.client == series.control:
        return 1.0
    ratio = one.to(series.cell.run.kind.main)
    return ratio.value if ratio.is_known else 0.0


def bar(share: float) -> str:
    """Return a bar that is so much of the longest one."""
    whole, rest = divmod(round(share * BAR * len(EIGHTHS)), len(EIGHTHS))
    return f"{'█' * whole}{EIGHTHS[rest]}"


def _written(ratio: Ratio) -> str:
    return numbers.interval(ratio.value, ratio.low, ratio.high) if ratio.is_known else ""


def _sentences(series: Series) -> Iterator[str]:
    """Yield the steps in words, the largest first."""
    found = [one for one in series.points if one.steps]
    for one in sorted(found, key=largest_step, reverse=True):
        told = ", ".join(f"{_written(ratio)} {of_what(compared)}" for compared, ratio in _steps(one))
        yield f"{one.label} against {one.before}: {told}"
    if not found and _has_intervals(series):
        yield NO_STEP


def of_what(compared: Compared) -> str:
    """Return what follows a ratio in a sentence: `of the throughput`, `times the client CPU`."""
    return f"{'times' if compared.is_cost else 'of'} the {compared.noun}"


def before_ratio(one: Point, metric: str) -> str:
    """Return what stands before a ratio in a row: nothing for the main figure, `CPU `."""
    kind = one.cell.run.kind
    return "" if metric == kind.main else f"{kind.compared[metric].name.removeprefix('client ')} "


def _steps(one: Point) -> Iterator[tuple[Compared, Ratio]]:
    return ((one.cell.run.kind.compared[metric], ratio) for metric, ratio in one.steps.items())


def short_steps(one: Point) -> str:
    """Return the steps of a release as a cell of a table has them, without intervals: `0.60, CPU 1.89`."""
    return ", ".join(f"{before_ratio(one, metric)}{numbers.ratio(ratio.value)}" for metric, ratio in one.steps.items())


def largest_step(one: Point) -> float:
    """Return the factor of a release's largest step in any metric, at least one: 1.25 for a ratio of 0.80."""
    return max(max(ratio.value, 1 / ratio.value) for ratio in one.steps.values())


def _has_intervals(series: Series) -> bool:
    return any(one.step_in(one.cell.run.kind.main).low is not None for one in series.points)


def history_chapters(history: History) -> list[Chapter]:
    """Return clients over many runs: the runs' machines, a chapter per scenario, and what applies to all."""
    machines = _letters(history)
    scenarios = dict.fromkeys(one.cell.scenario for one in history.series)
    return [
        Chapter("respmark history", tuple(_header(history, machines)), level=1),
        *(
            Chapter(
                str(scenario),
                tables=tuple(_of_runs(one, machines) for one in history.series if one.cell.scenario is scenario),
            )
            for scenario in scenarios
        ),
        Chapter("", notes=(RUN_STEPS, ABSOLUTE)),
    ]


def _letters(history: History) -> dict[str, str]:
    """Return a name for each machine, in the order of their first runs."""
    runs = [point.cell.run for one in history.series for point in one.points]
    machines = dict.fromkeys(map(machine_of, sorted(runs, key=lambda run: run.manifest.started_at)))
    return {
        machine: ascii_uppercase[number] if number < len(ascii_uppercase) else str(number + 1)
        for number, machine in enumerate(machines)
    }


def _header(history: History, machines: dict[str, str]) -> Iterator[str]:
    manifests = (point.cell.run.manifest for one in history.series for point in one.points)
    lived = {one.run_id: one.processes for one in manifests}
    steps = [(one, point) for one in history.series for point in one.points if point.steps]
    yield f"{plural(len(lived), 'run')}; ratios to {history.control}; {plural(len(steps), 'step')}"
    yield from (f"machine {letter}: {machine}" for machine, letter in machines.items())
    if len(set(lived.values())) > 1:
        old = ", ".join(run_id for run_id, processes in lived.items() if processes != "block")
        yield f"processes: {PROCESSES['round']} in {old}, {PROCESSES['block']} in the others; no step leads across"
    for one, point in steps:
        yield f"{point.cell.run.manifest.started_at:%Y-%m-%d}, {client_label(one, history.series)}: {_changed(point)}"


def _changed(point: Point) -> str:
    """Return the steps of a run with their intervals, and whether they are for the better."""
    return ", ".join(
        f"{before_ratio(point, metric)}{'worse' if _is_worse(point, metric, ratio) else 'better'}: {ratio_text(ratio)}"
        for metric, ratio in point.steps.items()
    )


def _is_worse(point: Point, metric: str, ratio: Ratio) -> bool:
    return not point.cell.run.kind.is_better(metric, ratio.value)


def _of_runs(series: Series, machines: dict[str, str]) -> Table:
    def step(point: Point) -> TableCell:
        is_worse = any(_is_worse(point, *one) for one in point.steps.items())
        return TableCell(_changed(point), "failed" if is_worse else "ok")

    kind = kind_of(series.cell.run)
    head = kind.column_of(kind.main).head

    def ratio(metric: str) -> Column[Point]:
        name = kind.compared[metric].name
        return Column(f"{name} ratio\nto {series.control}", lambda point: _written(point.to(metric)))

    columns: Sequence[Column[Point]] = (
        subject(lambda point: f"{point.cell.run.manifest.started_at:%Y-%m-%d %H:%M}"),
        Column("version", lambda point: _version(point.cell)),
        Column("machine", lambda point: machines[machine_of(point.cell.run)]),
        Column("server", lambda point: _server(point.cell), is_extra=True),
        Column(head, lambda point: main_cell(point.cell)),
        Column(f"{head} of\n{series.control}", lambda point: main_cell(point.control)),
        *map(ratio, kind.in_series),
        Column("step", step, is_text=True),
    )
    cell = series.cell
    return table(joined(cell.client, cell.shape.label, cell.workload, cell.server), series.points, columns)


def _version(cell: Cell) -> str:
    """Return a client's version, with the commit of a build of the user's."""
    commit = cell.run.manifest.commits.get(cell.client)
    return " ".join(filter(None, (cell.library_version, commit and f"({commit})")))


def _server(cell: Cell) -> str:
    return cell.run.manifest.servers[cell.server].version
