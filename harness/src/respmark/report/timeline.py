"""The timelines of a series of releases: a table a use, a row a release, from the oldest to the newest."""

from collections.abc import Iterator, Sequence
from typing import Final

from respmark import numbers
from respmark.figures.estimate import Ratio
from respmark.figures.series import METRICS, Point, Series
from respmark.report.notes import Footnotes, joined
from respmark.report.table import Chapter, Heading, Row, Table, TableCell, kind, row, without_empty_columns

TITLE: Final = "releases"
BAR: Final = 8
"""Characters of the longest bar."""
EIGHTHS: Final = ("", *"▏▎▍▌▋▊▉")
"""Parts of a character of a bar."""
WORDS: Final = {"rps": "of the throughput", "client_cpu": "times the client CPU"}
SHORT: Final = {"rps": "", "client_cpu": "CPU "}
"""What stands before a step's factor in a row."""
STEPS: Final = (
    "step: divided by the release above that was measured; given if a difference is shown, all steps of a table and "
    "metric taken together (Holm). Intervals are 95 %; CPU is per command (docs/versions.md)"
)
ONE_ROUND: Final = "no steps are shown: intervals need at least two rounds"
NO_SCALE: Final = "no ratios to one release: none was measured in every block"
NO_STEP: Final = "no step is shown"


def timeline_chapters(timelines: Sequence[Series], title: str | None = None) -> list[Chapter]:
    """Return the chapter; none if the run is no series of releases."""
    if not timelines:
        return []
    tables = without_empty_columns([_table(one, label_of(one, timelines)) for one in timelines])
    has_intervals = any(map(_has_intervals, timelines))
    return [Chapter(title or TITLE, (), tables, (STEPS if has_intervals else ONE_ROUND,))]


def use_of(timeline: Series) -> str:
    """Return scenario and shape in words."""
    return joined(timeline.cell.scenario, timeline.cell.shape.label)


def label_of(timeline: Series, every: Sequence[Series]) -> str:
    """Return what a timeline is of, with its workload and server if those of a run differ."""
    options = f"[{timeline.options}]" if timeline.options else ""
    cell, others = timeline.cell, [one.cell for one in every]
    workload = f"workload {cell.workload}" if len({one.workload for one in others}) > 1 else ""
    server = f" on {cell.server}" if len({one.server for one in others}) > 1 else ""
    return f"{cell.library}{options} in {joined(use_of(timeline), workload)}{server}"


def _table(timeline: Series, title: str) -> Table:
    to = f"\nto {timeline.control_label}"
    columns = (
        Heading(timeline.cell.library, is_text=True),
        Heading("RPS", is_extra=True),
        Heading("", is_text=True),
        Heading(f"throughput{to}"),
        Heading("client\nCPU µs", is_extra=True),
        Heading(f"client CPU{to}"),
        Heading("step", is_text=True),
    )
    notes = Footnotes()
    most = max((_share(one, timeline) for one in timeline.points), default=0.0) or 1.0
    rows = tuple(_row(one, timeline, most, notes) for one in timeline.points)
    scale = () if timeline.control else (NO_SCALE,)
    return Table(title, columns, rows, (*scale, *_sentences(timeline), *notes.numbered))


def _row(one: Point, timeline: Series, most: float, notes: Footnotes) -> Row:
    cell = one.cell
    release = TableCell(one.label or cell.client, "client")
    note = f"({notes.number(f'{release.text}: {cell.status}: {cell.reason}')})" if cell.reason else ""
    if (measured := cell.measured) is None:
        return row(release, "", "", TableCell(str(cell.status), kind(cell.status)), "", "", note)
    rps, cpu = ("1" if cell.client == timeline.control else _written(one.to(key)) for key in METRICS)
    steps = short_steps(one)
    cost = numbers.significant(measured.client_cpu_us_per_command)
    return row(
        release,
        numbers.rps(measured.rps_median),
        bar(_share(one, timeline) / most),
        rps,
        cost,
        cpu if cost else "",
        " ".join(filter(None, [steps, note])),
    )


def _share(one: Point, timeline: Series) -> float:
    """Return a release's throughput as a share of the control's; 0: not known."""
    if one.cell.client == timeline.control:
        return 1.0
    ratio = one.to("rps")
    return ratio.value if ratio.is_known else 0.0


def bar(share: float) -> str:
    """Return a bar that is so much of the longest one."""
    whole, rest = divmod(round(share * BAR * len(EIGHTHS)), len(EIGHTHS))
    return f"{'█' * whole}{EIGHTHS[rest]}"


def _written(ratio: Ratio) -> str:
    return numbers.interval(ratio.value, ratio.low, ratio.high) if ratio.is_known else ""


def _sentences(timeline: Series) -> Iterator[str]:
    """Yield the steps in words, the largest first."""
    found = [one for one in timeline.points if one.steps]
    for one in sorted(found, key=_size, reverse=True):
        yield f"{one.label} against {one.before}: {_steps_text(one)}"
    if not found and _has_intervals(timeline):
        yield NO_STEP


def _steps_text(release: Point) -> str:
    """Return by how much a release changes each figure in which a step is shown, in words."""
    return ", ".join(f"{_written(ratio)} {WORDS[key]}" for key, ratio in release.steps.items())


def short_steps(release: Point) -> str:
    """Return the steps of a release as a cell of a table has them, without intervals: `0.60, CPU 1.89`."""
    return ", ".join(f"{SHORT[key]}{numbers.ratio(ratio.value)}" for key, ratio in release.steps.items())


def _size(one: Point) -> float:
    return max(max(ratio.value, 1 / ratio.value) for ratio in one.steps.values())


def _has_intervals(timeline: Series) -> bool:
    return any(one.step_in("rps").low is not None for one in timeline.points)
