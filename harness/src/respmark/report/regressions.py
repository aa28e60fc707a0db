"""Whether clients regressed, as a chapter short enough for a comment on a pull request, and as JSON."""

import json
from collections.abc import Iterator, Sequence
from typing import Final

from respmark.contract.base import SCHEMA_VERSION
from respmark.figures.compare import CONFIDENCE, Ratio
from respmark.figures.measured import name_of
from respmark.figures.regressions import JudgedChange, RegressionOutcome, Standard
from respmark.report.columns import ratio_columns
from respmark.report.header import alarms, machine_line, plural
from respmark.report.notes import use_label
from respmark.report.scenarios import rps_cell
from respmark.report.table import Chapter, Column, TableCell, subject, tables
from respmark.results.manifest import Manifest

KINDS: Final = {
    RegressionOutcome.REGRESSED: "failed",
    RegressionOutcome.WITHIN_THRESHOLD: "not-shown",
    RegressionOutcome.IMPROVED: "ok",
    RegressionOutcome.NOT_SHOWN: "",
    RegressionOutcome.NOT_COMPARED: "missing",
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
    manifests: Sequence[Manifest], changes: Sequence[JudgedChange], standard: Standard, differing: Sequence[str] = ()
) -> list[Chapter]:
    """Return what regressed, with all ratios and intervals, a table for each pair of clients."""
    columns: Sequence[Column[JudgedChange]] = (
        subject(lambda change: use_label(change.head)),
        Column("RPS\nbase", lambda change: rps_cell(change.base)),
        Column("RPS\nhead", lambda change: rps_cell(change.head)),
        *ratio_columns("{} ratio\nhead / base", _ratio, dict.fromkeys([*USUAL, standard.metric])),
        Column("result", lambda change: TableCell(_result(change, standard), KINDS[change.outcome]), is_text=True),
    )
    lines = (*_header(manifests), *(f"note: {one}" for one in differing))
    shown = tables(changes, _pair, columns)
    return [Chapter(_title(changes, standard), lines, shown, tuple(_notes(changes, standard)))]


def regressions_json(manifests: Sequence[Manifest], changes: Sequence[JudgedChange], standard: Standard) -> str:
    """Return all that was judged as one JSON document."""
    content = {
        "schema_version": SCHEMA_VERSION,
        "confidence": CONFIDENCE,
        "runs": [one.run_id for one in manifests],
        "metric": standard.metric,
        "threshold": standard.threshold,
        "regressed": sum(one.outcome is RegressionOutcome.REGRESSED for one in changes),
        "changes": [one.model_dump(mode="json") for one in changes],
    }
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _title(changes: Sequence[JudgedChange], standard: Standard) -> str:
    name = name_of(standard.metric)
    by = f" by more than {percent(standard.threshold)}" if standard.threshold else ""
    regressed = sum(one.outcome is RegressionOutcome.REGRESSED for one in changes)
    absent = sum(one.outcome is RegressionOutcome.NOT_COMPARED for one in changes)
    if absent == len(changes):
        return "respmark: nothing could be compared"
    if regressed:
        return f"respmark: {name} regressed{by} in {regressed} of {plural(len(changes), 'comparison')}"
    return f"respmark: no regression of {name}{by} is shown in {plural(len(changes) - absent, 'comparison')}"


def _header(manifests: Sequence[Manifest]) -> Iterator[str]:
    for letter, one in zip(("base: ", "head: ") if len(manifests) > 1 else ("",), manifests, strict=True):
        target = one.servers[one.first_server].version
        yield f"{letter}run {one.run_id}, {plural(one.rounds, 'round')}, workload {one.first_workload}, target {target}"
    yield from dict.fromkeys(machine_line(one.machine) for one in manifests)
    yield from dict.fromkeys(line for one in manifests for line in alarms(one))


def _pair(change: JudgedChange) -> str:
    base, head = change.base, change.head
    versions = [one.library_version for one in (head, base)]
    numbers = "" if None in versions or versions[0] == versions[1] else f" ({versions[0]} / {versions[1]})"
    if base.client == head.client:
        return f"{head.subject}{numbers}"
    return f"{head.client} / {base.client}{numbers}"


def _ratio(change: JudgedChange, metric: str) -> Ratio | None:
    return change.ratios.get(metric)


def _result(change: JudgedChange, standard: Standard) -> str:
    if change.outcome is RegressionOutcome.NOT_COMPARED:
        return f"{change.outcome}: {_why(change)}"
    if change.outcome is RegressionOutcome.WITHIN_THRESHOLD:
        return f"worse, within {percent(standard.threshold)}"
    if change.outcome is not RegressionOutcome.NOT_SHOWN or not standard.threshold:
        return str(change.outcome)
    of = percent(standard.threshold)
    if change.rounds_needed is None:
        return f"{change.outcome}: too noisy to show {of}"
    if change.rounds_needed <= change.head.rounds:
        return str(change.outcome)
    return f"{change.outcome}: about {change.rounds_needed} rounds would show {of}"


def _why(change: JudgedChange) -> str:
    for name, cell in (("base", change.base), ("head", change.head)):
        if cell.measured is None:
            return f"{name} {cell.status}: {cell.reason}"
    if change.base.client == change.head.client and change.control is None:
        return NO_CONTROL
    return ONE_ROUND


def _notes(changes: Sequence[JudgedChange], standard: Standard) -> Iterator[str]:
    controls = dict.fromkeys(one.control for one in changes if one.control)
    yield THROUGH.format(" or ".join(controls)) if controls else TURNS
    yield (
        "ratios have 95 % intervals over rounds; =: no difference shown, all ratios of a metric taken together (Holm); "
        "CPU is per command (docs/statistics.md)"
    )
    if standard.threshold and any(one.outcome is RegressionOutcome.NOT_SHOWN for one in changes):
        yield (
            f"no change shown: a regression of {percent(standard.threshold)} would have been shown in four runs of "
            "five, unless more rounds are named"
        )
