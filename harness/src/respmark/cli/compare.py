"""`respmark compare`: what changed between two runs, or between builds of a library in one, and whether that fails."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

from respmark.cli.options import FORMAT, Repeated
from respmark.cli.shown import TableFormat, show
from respmark.console import write_out
from respmark.errors import ExitCode, InvalidRequestError
from respmark.figures.alike import Across, check_alike, check_common
from respmark.figures.cells import RunFigures
from respmark.figures.comparison import Change, changes, per_metric
from respmark.figures.pairing import Pair, between, heads
from respmark.figures.threshold import Outcome, Threshold, judged
from respmark.kinds.reading import kind_that_compares, read
from respmark.report.changes import comparison
from respmark.report.data import comparison_json, regressions_json
from respmark.report.kind import Kind
from respmark.report.regressions import regressions

EXAMPLES: Final = {
    "compare": """
respmark compare results/before-upgrade results/after-upgrade
respmark compare results/redis-7 results/valkey-8
respmark compare results/monday results/friday --control redis-py --format markdown
respmark run --client redis-py@file:../base --client redis-py@file:../head --scenario sync --out results/pull-request
respmark compare results/pull-request --fail-on 5%
respmark compare results/pull-request --fail-on 3% --metric client-cpu --format markdown > comment.md
"""
}


def compare(
    before: Path,
    after: Path | None = None,
    /,
    *,
    fail_on: str | None = None,
    metric: str | None = None,
    across: Annotated[tuple[Across, ...], Repeated] = (),
    control: str | None = None,
    written: Annotated[TableFormat, FORMAT] = "terminal",
) -> ExitCode:
    """Show what changed between two runs, or between the versions or builds of a library in one run.

    In one run, each client is compared with the first client of the same library and options, with which it took turns.

    Two runs are minutes apart or more, so ratios between their figures have no interval. A change is claimed only
    through a client that took turns with the others in both runs and is the same in both.

    Args:
        before: Folder of the first run, or of the only one.
        after: Folder of the second run.
        fail_on: Exit with code 1 if a client is shown to have lost more than this, such as `5%`; with code 3 if nothing
            could be compared; with 0 in all other cases. Prints only what decides that.
        metric: What is judged: rps (throughput), client-cpu or server-cpu (CPU per command), p50 or p99 (latency, where
            there is a rate), start (of cold starts), or any other figure that is compared; default: rps, of cold starts
            start.
        across: `workload` compares runs of other workloads all the same, whose figures say nothing about each other.
            Machines, servers and versions may always differ.
        control: The client that is the same in both runs; default: each block's first with the same loaded versions.
        written: terminal, markdown or json.
    """
    loss = 0.0 if fail_on is None else loss_of(fail_on)
    asked = None if metric is None else kind_that_compares(metric)
    one = read(before)
    if after is None:
        run = _judged_run(one, asked)
        code = _tell([run], changes(_heads(run, control, across), per_metric), _threshold(run, metric, loss), written)
        return ExitCode.OK if fail_on is None else code
    other = read(after)
    differing = check_alike([one[0], other[0]], across, ". To show them anyway: --across workload")
    check_common(one, other)
    if control is not None and any(control not in run.manifest.clients for run in (*one, *other)):
        known = ", ".join(one[0].manifest.clients)
        raise InvalidRequestError(f"--control {control}: no such client in both runs; there are: {known}")
    new = {run.kind: run for run in other}
    both = [run for run in one if run.kind in new]
    if fail_on is not None:
        run = _judged_run(both, asked)
        changed = changes(between(run, new[run.kind], control), per_metric)
        controls = {found.pair.through[1].cell_id for found in changed if found.pair.through}
        others = [found for found in changed if found.base.cell_id not in controls]
        return _tell([one[0], other[0]], others, _threshold(run, metric, loss), written, differing)
    changed = changes([pair for run in both for pair in between(run, new[run.kind], control)], per_metric)
    if written == "json":
        write_out(comparison_json(one, other, changed, differing))
    else:
        show([comparison(one, other, changed, differing)], written)
    return ExitCode.OK


def _judged_run(runs: Sequence[RunFigures], asked: Kind | None) -> RunFigures:
    """Return the figures of the kind that compares what was asked for, by default of a run's first kind."""
    return next((run for run in runs if run.kind is asked), runs[0])


def _threshold(run: RunFigures, metric: str | None, loss: float) -> Threshold:
    key = run.kind.main if metric is None else metric.replace("-", "_")
    if key not in run.kind.compared:
        known = ", ".join(run.kind.compared)
        raise InvalidRequestError(
            f"--metric {metric}: run {run.manifest.run_id} has no such figure; there are: {known}"
        )
    return Threshold(run.kind.compared[key], loss)


def loss_of(fail_on: str) -> float:
    """Return the loss that `--fail-on` allows, as a fraction; raises InvalidRequestError if it is no percentage."""
    try:
        percent = float(fail_on.strip().removesuffix("%"))
    except ValueError:
        percent = math.nan
    if not 0 <= percent < 100:  # noqa: PLR2004 - percent
        raise InvalidRequestError(f"--fail-on {fail_on}: write a percentage from 0 to less than 100, such as 5%")
    return percent / 100


def _heads(run: RunFigures, control: str | None, across: Sequence[Across]) -> list[Pair]:
    if control is not None or across:
        raise InvalidRequestError("--control and --across are for two runs: name a second folder, or leave them out")
    if found := heads(run):
        return found
    raise InvalidRequestError(
        f"run {run.manifest.run_id} has no library in two versions or builds: name a second run, or measure both in "
        "one: respmark run --client LIBRARY@file:BASE --client LIBRARY@file:HEAD"
    )


def _tell(
    runs: Sequence[RunFigures],
    changed: Sequence[Change],
    threshold: Threshold,
    written: TableFormat,
    differing: Sequence[str] = (),
) -> ExitCode:
    """Write what was judged, and return the exit code that follows from it."""
    manifests, found = [run.manifest for run in runs], judged(changed, threshold)
    if written == "json":
        write_out(regressions_json(manifests, found, threshold))
    else:
        show([regressions(manifests, found, threshold, differing)], written)
    outcomes = {one.outcome for one in found}
    if outcomes <= {Outcome.NOT_COMPARED}:
        return ExitCode.NOTHING_RAN
    return ExitCode.SOME_FAILED if Outcome.REGRESSED in outcomes else ExitCode.OK
