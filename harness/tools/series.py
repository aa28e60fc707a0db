"""What a page says of a series of releases besides its table: what was measured, and what the whole series shows."""

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Final

from respmark import numbers
from respmark.figures.cells import Cell
from respmark.figures.estimate import Ratio
from respmark.figures.series import Point, Series
from respmark.kinds.loops.kind import LOOPS
from respmark.kinds.loops.notes import WIDE_PERCENT
from respmark.report.columns import ratio_text
from respmark.report.header import header_lines
from respmark.report.report import Report
from respmark.report.series import before_ratio, of_what
from respmark.specs.client import numbers as version_numbers

OTHER_LOAD: Final = "other load: "
"""How a warning about the load before a run begins."""


def series_header(report: Report) -> tuple[str, ...]:
    """Return the lines above a series: with the rounds and laps that were measured, and what other programs used."""
    counted = [cell for cell in report.cells if cell.measured is not None]
    rounds = max((cell.rounds for cell in counted), default=report.manifest.rounds)
    laps = [cell.measured.slices / cell.rounds for cell in counted if cell.measured]
    measured = {"rounds": rounds, "laps": round(median(laps)) if laps else report.manifest.laps}
    uneven = len({cell.rounds for cell in counted}) > 1
    return (
        *header_lines(report.manifest.model_copy(update=measured)),
        *([f"rounds by release: {rounds_of(counted)}"] if uneven else []),
        f"other load during the slices: {other_load(report)}",
    )


def rounds_of(cells: Iterable[Cell]) -> str:
    """Return how many rounds were measured, as a span if cells differ."""
    return _span([cell.rounds for cell in cells if cell.measured is not None])


def other_load(report: Report) -> str:
    """Return what other programs used of one CPU, by release, and before the run if it was warned about."""
    during = [cell.measured.other_cpu_percent or 0 for cell in report.cells if cell.measured is not None]
    found = (warning.partition(";")[0] for warning in report.manifest.warnings)
    before = [f"{one.removeprefix(OTHER_LOAD)} before the run" for one in found if one.startswith(OTHER_LOAD)]
    return "; ".join([f"{_span([round(value) for value in during])} % of one CPU", *before])


def _span(values: Sequence[int]) -> str:
    return "..".join(dict.fromkeys(map(str, (min(values), max(values))))) if values else ""


def no_step(releases: Iterable[Point]) -> str:
    """Return that no step is shown, and how much each could be nevertheless: the widths of the steps' intervals."""
    widths = [width * 100 for one in releases if (width := one.step_in("rps").half_width) is not None]
    if not widths:
        return "none is shown"
    known = f"each is known to ±{_span([round(width) for width in widths])} % of the throughput"
    return f"none is shown; {known}" if max(widths) <= WIDE_PERCENT else f"undecided; {known}"


def newest_of(version: str) -> str:
    """Return a release as the newest of its minor version: `4.5.5, the newest of 4.5`."""
    return f"{version}, the newest of {'.'.join(map(str, version_numbers(version)[:2]))}"


def _whole(timeline: Series) -> tuple[Point, dict[str, Ratio]] | None:
    """Return the newest release that was measured, with its ratios to the oldest; None if that is not the control."""
    measured = [one for one in timeline.points if one.cell.measured is not None]
    if len(measured) < 2 or measured[0].cell.client != timeline.control:  # noqa: PLR2004 - a series has two ends
        return None
    newest = measured[-1]
    return newest, {key: ratio for key in LOOPS.in_series if (ratio := newest.to(key)).is_known}


def whole_series(timeline: Series) -> str:
    """Return what the newest release is to the oldest, in words; empty where there is no such ratio."""
    if (whole := _whole(timeline)) is None:
        return ""
    newest, ratios = whole
    told = ", ".join(f"{_in_words(ratio)} {of_what(LOOPS.compared[key])}" for key, ratio in ratios.items())
    return f"the whole series, {newest.label} against {timeline.control_label}: {told}"


def _in_words(ratio: Ratio) -> str:
    """Return a ratio with its interval, as words in a sentence."""
    not_shown = "" if ratio.shown else "no difference shown, "
    return f"{not_shown}{numbers.interval(ratio.value, ratio.low, ratio.high, without='no interval')}"


def whole_in_short(timeline: Series) -> str:
    """Return the same for a row: only what is shown, with its interval."""
    if (whole := _whole(timeline)) is None:
        return ""
    newest, ratios = whole
    shown = [f"{before_ratio(newest, key)}{ratio_text(ratio)}" for key, ratio in ratios.items() if ratio.shown]
    return f"{timeline.control_label} → {newest.label}: {', '.join(shown) or 'no difference is shown'}"
