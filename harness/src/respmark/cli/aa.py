"""`respmark aa`: a client against itself."""

import json
import sys
from contextlib import closing
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

from respmark.cli.live import LiveProgress
from respmark.cli.options import ANY_SHAPE, FORMAT, USUAL_CPUS, PinOptions, ShapeOptions, tell
from respmark.cli.run import command_line
from respmark.cli.time_left import TimeLeft
from respmark.console import error_console, report_console, write_out
from respmark.contract.trial import Scenario
from respmark.errors import ExitCode
from respmark.execute.backend import BackendName, backend_named
from respmark.launch import LaunchOptions, launch, new_run_id
from respmark.paths import RESULTS
from respmark.plan.copies import against_itself
from respmark.plan.expand import Request, make_plan
from respmark.specs.catalogue import Catalogue
from respmark.specs.naming import one_client
from respmark.statistics.compare import CONFIDENCE
from respmark.statistics.false_claims import FalseClaims, false_claims
from respmark.statistics.reading import read_counted
from respmark.target.guardian import Guardian

EXAMPLES: Final = """
respmark aa redis-py
respmark aa node-redis --scenario batching --depth 100 --comparisons 60 --format json
"""


class Format(StrEnum):
    """How the result is written."""

    TERMINAL = "terminal"
    JSON = "json"


def aa(
    client: str,
    /,
    *,
    scenario: Scenario = Scenario.SYNC,
    shape: ShapeOptions = ANY_SHAPE,
    comparisons: int = 60,
    suite: str = "quick",
    rounds: int | None = None,
    laps: int | None = None,
    seed: int = 1,
    pins: PinOptions = USUAL_CPUS,
    out: Path | None = None,
    written: Annotated[Format, FORMAT] = Format.TERMINAL,
) -> ExitCode:
    """Compare a client with itself, as the suite compares clients: every difference it finds is false.

    The exit code is 1 if more than 5 % of the comparisons claim a difference.

    Args:
        client: One client, such as `redis-py` (as installed), `redis-py@3.5.3` or `redis-py[parser=python]`.
        scenario: The scenario, in the first of its shapes.
        comparisons: How many, five to a block.
        suite: The suite whose rounds, laps and slices are used.
        rounds: Rounds, instead of the suite's.
        laps: Laps, instead of the suite's.
        seed: Decides the workload's commands and the order of turns.
        out: Folder for the results; default: a new one under results/.
        written: terminal or json.
    """
    catalogue = Catalogue()
    request = Request(
        suite=suite,
        clients=(one_client(client, catalogue.clients).name,),
        scenarios=(scenario,),
        shape=shape.axes,
        rounds=rounds,
        laps=laps,
        seed=seed,
    )
    plan = against_itself(make_plan(request, catalogue), comparisons)
    folder = out or RESULTS / new_run_id(plan, datetime.now(UTC), "aa")
    backend = backend_named(BackendName.LOCAL, pins.placement(catalogue.target(plan.settings.target)), tell)
    launch_options = LaunchOptions(plan, catalogue, folder, command_line(sys.argv), backend=backend)
    progress, left = error_console(), TimeLeft(plan, catalogue.runners)
    with closing(Guardian()) as guardian, LiveProgress(progress, left) as observer:
        code = launch(launch_options, guardian, observer)
    found = false_claims(read_counted(folder, is_new=True))
    _print(found, folder, written)
    return code if code is not ExitCode.OK or found.within_confidence else ExitCode.SOME_FAILED


def _print(found: FalseClaims, folder: Path, written: Format) -> None:
    if written is Format.JSON:
        write_out(json.dumps(found.model_dump(mode="json"), indent=1) + "\n")
        return
    console = report_console()
    console.print(
        f"{found.client} against itself, {found.scenario}: {found.false_claims} of {found.comparisons} comparisons "
        f"claim a difference ({1 - CONFIDENCE:.0%} allowed)"
    )
    for name, metric in found.metrics.items():
        console.print(
            f"  {name}: {metric.false_claims} claims, {metric.intervals_without_1} intervals without 1, "
            f"half width {_percent(metric.half_width_percent_median)} median, "
            f"{_percent(metric.half_width_percent_90)} of nine in ten"
        )
    console.print(f"\nresults in {folder}", soft_wrap=True)


def _percent(value: float | None) -> str:
    return "unbounded" if value is None else f"±{value:.1f} %"
