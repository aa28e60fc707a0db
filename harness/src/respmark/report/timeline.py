"""The timelines of a series of releases: a table a use, a row a release, from the oldest to the newest."""

from collections.abc import Iterator, Sequence
from typing import Final

from respmark import numbers
from respmark.figures.compare import Ratio
from respmark.figures.timeline import METRICS, Release, Timeline
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


def timeline_chapters(timelines: Sequence[Timeline], title: str | None = None) -> list[Chapter]:
    """Return the chapter; none if the run is no series of releases."""
    if not timelines:
        return []
    tables = without_empty_columns([_table(one, label_of(one, timelines)) for one in timelines])
    has_intervals = any(map(_has_intervals, timelines))
    return [Chapter(title or TITLE, (), tables, (STEPS if has_intervals else ONE_ROUND,))]


def use_of(timeline: Timeline) -> str:
    """Return scenario and shape in words."""
    return joined(timeline.scenario, timeline.shape.label)


def label_of(timeline: Timeline, every: Sequence[Timeline]) -> str:
    """Return what a timeline is of, with its workload and server if those of a run differ."""
    options = f"[{timeline.options}]" if timeline.options else ""
    workload = f"workload {timeline.workload}" if len({one.workload for one in every}) > 1 else ""
    server = f" on {timeline.server}" if len({one.server for one in every}) > 1 else ""
    return f"{timeline.library}{options} in {joined(use_of(timeline), workload)}{server}"


def _table(timeline: Timeline, title: str) -> Table:
    to = f"\nto {timeline.control_version}"
    columns = (
        Heading(timeline.library, is_text=True),
        Heading("RPS", is_extra=True),
        Heading("", is_text=True),
        Heading(f"throughput{to}"),
        Heading("client\nCPU µs", is_extra=True),
        Heading(f"client CPU{to}"),
        Heading("step", is_text=True),
    )
    notes = Footnotes()
    most = max((_share(one, timeline) for one in timeline.releases), default=0.0) or 1.0
    rows = tuple(_row(one, timeline, most, notes) for one in timeline.releases)
    scale = () if timeline.control else (NO_SCALE,)
    return Table(title, columns, rows, (*scale, *_sentences(timeline), *notes.numbered))


def _row(one: Release, timeline: Timeline, most: float, notes: Footnotes) -> Row:
    release = TableCell(one.version or one.client, "client")
    note = f"({notes.number(f'{release.text}: {one.status}: {one.reason}')})" if one.reason else ""
    if (measured := one.measured) is None:
        return row(release, "", "", TableCell(str(one.status), kind(one.status)), "", "", note)
    rps, cpu = ("1" if one.client == timeline.control else _written(one.to_control.ratio(key)) for key in METRICS)
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


def _share(one: Release, timeline: Timeline) -> float:
    """Return a release's throughput as a share of the control's; 0: not known."""
    if one.client == timeline.control:
        return 1.0
    ratio = one.to_control.ratio("rps")
    return ratio.value if ratio.is_known else 0.0


def bar(share: float) -> str:
    """Return a bar that is so much of the longest one."""
    whole, rest = divmod(round(share * BAR * len(EIGHTHS)), len(EIGHTHS))
    return f"{'█' * whole}{EIGHTHS[rest]}"


def _written(ratio: Ratio) -> str:
    return numbers.interval(ratio.value, ratio.low, ratio.high) if ratio.is_known else ""


def _sentences(timeline: Timeline) -> Iterator[str]:
    """Yield the steps in words, the largest first."""
    found = [one for one in timeline.releases if one.steps]
    for one in sorted(found, key=_size, reverse=True):
        yield f"{one.version} against {one.before}: {_steps_text(one)}"
    if not found and _has_intervals(timeline):
        yield NO_STEP


def _steps_text(release: Release) -> str:
    """Return by how much a release changes each figure in which a step is shown, in words."""
    return ", ".join(f"{_written(ratio)} {WORDS[key]}" for key, ratio in release.steps.items())


def short_steps(release: Release) -> str:
    """Return the steps of a release as a cell of a table has them, without intervals: `0.60, CPU 1.89`."""
    return ", ".join(f"{SHORT[key]}{numbers.ratio(ratio.value)}" for key, ratio in release.steps.items())


def _size(one: Release) -> float:
    return max(max(ratio.value, 1 / ratio.value) for ratio in one.steps.values())


def _has_intervals(timeline: Timeline) -> bool:
    return any(one.step.ratio("rps").low is not None for one in timeline.releases)
