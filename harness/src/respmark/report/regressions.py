"""Whether clients regressed, as a chapter short enough for a comment on a pull request, and as JSON."""

from collections.abc import Iterator, Sequence
from typing import Final

from respmark.figures.comparison import Change
from respmark.figures.estimate import Ratio
from respmark.figures.metric import Compared
from respmark.figures.threshold import Judged, Outcome, Threshold
from respmark.report.columns import ratio_columns
from respmark.report.header import alarms, machine_line
from respmark.report.kind import kind_of
from respmark.report.labels import plural, use_label
from respmark.report.scenarios import main_cell
from respmark.report.table import Chapter, Column, TableCell, subject, tables
from respmark.results.manifest import Manifest

STYLES: Final = {
    Outcome.REGRESSED: "failed",
    Outcome.WITHIN_THRESHOLD: "not-shown",
    Outcome.IMPROVED: "ok",
    Outcome.NOT_SHOWN: "",
    Outcome.NOT_COMPARED: "missing",
}
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
    lines = (*_header(manifests), *(f"note: {one}" for one in differing))
    shown = tables(judged, lambda one: _pair(one.change), _columns(judged, threshold)) if judged else ()
    return [Chapter(_title(judged, threshold), lines, shown, tuple(_notes(judged, threshold)))]


def _columns(judged: Sequence[Judged], threshold: Threshold) -> Sequence[Column[Judged]]:
    kind = kind_of(judged[0].change.new.run)
    head = kind.column_of(kind.main).head
    return (
        subject(lambda one: use_label(one.change.new)),
        Column(f"{head}\nbase", lambda one: main_cell(one.change.base)),
        Column(f"{head}\nhead", lambda one: main_cell(one.change.new)),
        *ratio_columns("{} ratio\nhead / base", _ratio, kind.named(dict.fromkeys([*kind.in_series, threshold.metric]))),
        Column("result", lambda one: TableCell(_result(one, threshold), STYLES[one.outcome]), is_text=True),
    )


def _title(judged: Sequence[Judged], threshold: Threshold) -> str:
    name = threshold.compared.name
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
        server = one.servers[one.first_server].version
        yield f"{letter}run {one.run_id}, {plural(one.rounds, 'round')}, workload {one.first_workload}, server {server}"
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
        return f"{one.outcome}: {_why(one.change, threshold.compared)}"
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


def _why(change: Change, compared: Compared) -> str:
    """Return why there is no ratio with an interval."""
    sides = {"base": change.base, "head": change.new}
    for name, cell in sides.items():
        if cell.measured is None:
            return f"{name} {cell.status}: {cell.reason}"
    if lacking := [name for name, cell in sides.items() if compared.key not in cell.laps]:
        if compared.only:
            return f"{compared.name} is compared only {compared.only}"
        return f"no {compared.name} of {' and '.join(lacking)} is known"
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
