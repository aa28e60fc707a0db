"""Whether clients regressed, as a chapter short enough for a comment on a pull request, and as JSON."""

from collections.abc import Iterator, Sequence
from typing import Final

from respmark.figures.comparison import Change
from respmark.figures.estimate import Ratio
from respmark.figures.measured import COMPARED, name_of
from respmark.figures.threshold import Judged, Outcome, Threshold
from respmark.report.columns import ratio_columns
from respmark.report.header import alarms, machine_line, plural
from respmark.report.notes import use_label
from respmark.report.scenarios import rps_cell
from respmark.report.table import Chapter, Column, TableCell, subject, tables
from respmark.results.manifest import Manifest

KINDS: Final = {
    Outcome.REGRESSED: "failed",
    Outcome.WITHIN_THRESHOLD: "not-shown",
    Outcome.IMPROVED: "ok",
    Outcome.NOT_SHOWN: "",
    Outcome.NOT_COMPARED: "missing",
}
USUAL: Final = ("rps", "client_cpu")
"""The metrics whose ratios are always shown."""
TURNS: Final = "base and head took turns in the same block"
THROUGH: Final = "the runs are apart: each ratio is the factor by which the client's ratio to {} has changed"
NO_CONTROL: Final = "no client is the same in both runs"
ONE_ROUND: Final = "too few rounds for an interval; measure two or more (--rounds)"


def percent(threshold: float) -> str:
    """Write a threshold: `5 %`, `2.5 %`."""
    return f"{threshold * 100:g} %"


def regressions(
    manifests: Sequence[Manifest], judged: Sequence[Judged], threshold: Threshold, differing: Sequence[str] = ()
) -> list[Chapter]:
    """Return what regressed, with all ratios and intervals, a table for each pair of clients."""
    columns: Sequence[Column[Judged]] = (
        subject(lambda one: use_label(one.change.new)),
        Column("RPS\nbase", lambda one: rps_cell(one.change.base)),
        Column("RPS\nhead", lambda one: rps_cell(one.change.new)),
        *ratio_columns("{} ratio\nhead / base", _ratio, dict.fromkeys([*USUAL, threshold.metric])),
        Column("result", lambda one: TableCell(_result(one, threshold), KINDS[one.outcome]), is_text=True),
    )
    lines = (*_header(manifests), *(f"note: {one}" for one in differing))
    shown = tables(judged, lambda one: _pair(one.change), columns)
    return [Chapter(_title(judged, threshold), lines, shown, tuple(_notes(judged, threshold)))]


def _title(judged: Sequence[Judged], threshold: Threshold) -> str:
    name = name_of(threshold.metric)
    by = f" by more than {percent(threshold.loss)}" if threshold.loss else ""
    regressed = sum(one.outcome is Outcome.REGRESSED for one in judged)
    absent = sum(one.outcome is Outcome.NOT_COMPARED for one in judged)
    if absent == len(judged):
        return "respmark: nothing could be compared"
    if regressed:
        return f"respmark: {name} regressed{by} in {regressed} of {plural(len(judged), 'comparison')}"
    compared, unclear = len(judged) - absent, sum(one.is_too_noisy for one in judged)
    if unclear == compared:
        return f"respmark: too noisy to say whether {name} regressed{by} in {plural(compared, 'comparison')}"
    noisy = f"; {unclear} too noisy to say" if unclear else ""
    return f"respmark: no regression of {name}{by} is shown in {plural(compared, 'comparison')}{noisy}"


def _header(manifests: Sequence[Manifest]) -> Iterator[str]:
    for letter, one in zip(("base: ", "head: ") if len(manifests) > 1 else ("",), manifests, strict=True):
        target = one.servers[one.first_server].version
        yield f"{letter}run {one.run_id}, {plural(one.rounds, 'round')}, workload {one.first_workload}, target {target}"
    yield from dict.fromkeys(machine_line(one.machine) for one in manifests)
    yield from dict.fromkeys(line for one in manifests for line in alarms(one))


def _pair(change: Change) -> str:
    base, head = change.base, change.new
    versions = [one.library_version for one in (head, base)]
    numbers = "" if None in versions or versions[0] == versions[1] else f" ({versions[0]} / {versions[1]})"
    if base.client == head.client:
        return f"{head.subject}{numbers}"
    return f"{head.client} / {base.client}{numbers}"


def _ratio(one: Judged, metric: str) -> Ratio | None:
    return one.change.ratios[metric] if metric in one.change.estimates else None


def _result(one: Judged, threshold: Threshold) -> str:
    if one.outcome is Outcome.NOT_COMPARED:
        return f"{one.outcome}: {_why(one.change, threshold.metric)}"
    if one.outcome is Outcome.WITHIN_THRESHOLD:
        return f"worse, within {percent(threshold.loss)}"
    if one.outcome is not Outcome.NOT_SHOWN or not threshold.loss:
        return str(one.outcome)
    of = percent(threshold.loss)
    if one.rounds_needed is None:
        return f"{one.outcome}: too noisy to show {of}"
    if not one.is_too_noisy:
        return str(one.outcome)
    return f"{one.outcome}: about {one.rounds_needed} rounds would show {of}"


def _why(change: Change, metric: str) -> str:
    """Return why there is no ratio with an interval."""
    sides = {"base": change.base, "head": change.new}
    for name, cell in sides.items():
        if cell.measured is None:
            return f"{name} {cell.status}: {cell.reason}"
    if lacking := [name for name, cell in sides.items() if metric not in cell.laps]:
        if COMPARED[metric][1].of_responses:
            return f"{name_of(metric)} is compared only with a rate (--rate)"
        return f"no {name_of(metric)} of {' and '.join(lacking)} is known"
    if change.base.run is not change.new.run and change.control is None:
        return NO_CONTROL
    return ONE_ROUND


def _notes(judged: Sequence[Judged], threshold: Threshold) -> Iterator[str]:
    controls = dict.fromkeys(one.change.control for one in judged if one.change.control)
    yield THROUGH.format(" or ".join(controls)) if controls else TURNS
    yield (
        "ratios have 95 % intervals over rounds; =: no difference shown, all ratios of a metric taken together (Holm); "
        "CPU is per command (docs/statistics.md)"
    )
    if threshold.loss and any(one.outcome is Outcome.NOT_SHOWN for one in judged):
        yield (
            f"no change shown: a regression of {percent(threshold.loss)} would have been shown in four runs of "
            "five, unless more rounds are named"
        )
