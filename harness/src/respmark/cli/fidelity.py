"""`respmark fidelity`: the suite against bare loops."""

import math
from contextlib import AbstractContextManager, closing, nullcontext
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from respmark.cli.options import DEFAULTS, PlanOptions
from respmark.errors import ExitCode
from respmark.execute.protocol import RunnerMissingError
from respmark.fidelity.pairs import BareLoops, FidelityError, Ratios, measure_pair
from respmark.fidelity.verdict import CPU_TARGET, RPS_TARGET, Verdict, verdict
from respmark.launch import Order, bench_for
from respmark.plan.expand import make_plan
from respmark.plan.trial import Plan, Trial
from respmark.report.terminal import report_console
from respmark.report.words import shape_label
from respmark.run.measure import Bench
from respmark.specs.catalogue import Catalogue
from respmark.statistics.ratio import Interval
from respmark.target.guardian import Guardian

SUITE = "fidelity"
"""The suite whose cells are held against bare loops."""

EXAMPLES: Final = """
respmark fidelity
respmark fidelity --pairs 60 --client redis-py --scenario sync
"""


def fidelity(*, pairs: int = 20, options: PlanOptions = DEFAULTS) -> ExitCode:
    """Alternate the suite's own trials with bare hand-written loops, and print the ratios with their intervals.

    Args:
        pairs: Alternations of suite and bare loop a row; noise of 10 % needs tens of them to show 3 %.
    """
    catalogue = Catalogue()
    plan = make_plan(options.request(SUITE), catalogue)
    console = report_console()
    with closing(Guardian()) as guardian, bench_for(Order(plan, catalogue, Path(), []), guardian) as bench:
        rows = _rows(plan, bench, BareLoops(catalogue.runners, guardian), pairs, console)
    print_rows(console, rows)
    return ExitCode.SOME_FAILED if any(isinstance(result, str) for _, result in rows) else ExitCode.OK


Rows = list[tuple[Trial, Verdict | str]]


def _rows(plan: Plan, bench: Bench, loops: BareLoops, pairs: int, console: Console) -> Rows:
    rows: Rows = []
    with _live(console) as live:
        for trial in plan.trials:
            rows.append((trial, _row(bench, trial, loops, pairs, live)))
    return rows


def _row(bench: Bench, trial: Trial, loops: BareLoops, pairs: int, live: Live | None) -> Verdict | str:
    """Return the verdict on one cell, or why there is none; what cannot run does not stop the others."""
    measured: list[Ratios] = []
    bare = loops.for_trial(trial)
    for number in range(pairs):
        if live is not None:
            live.update(Text(f"{_label(trial)}: pair {number + 1} of {pairs}"), refresh=True)
        try:
            # Who begins alternates too: what comes second finds the machine as the first left it.
            measured.append(measure_pair(bench, trial, bare, suite_first=number % 2 == 0))
        except (FidelityError, RunnerMissingError) as error:
            return str(error)
    return verdict(measured)


def _live(console: Console) -> AbstractContextManager[Live | None]:
    return Live(console=console, auto_refresh=False, transient=True) if console.is_terminal else nullcontext()


def _label(trial: Trial) -> str:
    return f"{trial.cell.client.name} {trial.cell.scenario} {shape_label(trial.cell.shape)}".strip()


def print_rows(console: Console, rows: Rows) -> None:
    """Print one row a cell."""
    console.print(
        f"suite / bare loop, medians with 95 % intervals; targets: RPS at least {RPS_TARGET}, "
        f"CPU per command at most {CPU_TARGET}"
    )
    grid = Table(show_edge=False, pad_edge=False, header_style="bold")
    for name in ("client and scenario", "RPS", "CPU per command", "target"):
        grid.add_column(name, overflow="fold")
    for trial, result in rows:
        if isinstance(result, str):
            grid.add_row(Text(_label(trial)), "", "", Text(result, style="red"))
        else:
            grid.add_row(Text(_label(trial)), _written(result.rps), _written(result.cpu_per_command), result.words)
    console.print(grid)


def _written(interval: Interval) -> str:
    if math.isinf(interval.high):
        return f"{interval.median:.3f}  (too few pairs)"
    return f"{interval.median:.3f}  ({interval.low:.3f}..{interval.high:.3f})"
