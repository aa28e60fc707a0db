"""A client against itself, as the suite compares clients: whatever difference it claims is false.

    .build/harness/bin/python harness/bench/aa.py redis-py --comparisons 60
    .build/harness/bin/python harness/bench/aa.py node-redis --scenario batching --depth 100 --out results/aa-node-redis

The run is one like any other (`respmark report` reads it). Exit code 1: more than 5 % of the comparisons claim a
difference.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

import cyclopts

from respmark import kinds, paths
from respmark.cli.app import tell_error
from respmark.cli.options import PinOptions, ShapeOptions, tell
from respmark.cli.setup import set_up
from respmark.cli.under_way import LiveProgress, command_line
from respmark.console import error_console, write_out
from respmark.contract.trial import Scenario
from respmark.errors import ExitCode, InvalidRequestError, RespmarkError
from respmark.figures.cells import read_figures
from respmark.figures.comparison import Change, changes, per_base
from respmark.figures.estimate import CONFIDENCE
from respmark.figures.pairing import to_baseline
from respmark.figures.precision import precision_of
from respmark.kinds.loops.kind import LOOPS
from respmark.machine.guardian import Guardian
from respmark.plan.make import make_plan
from respmark.plan.plan import Plan, PlannedCell
from respmark.plan.request import Request
from respmark.run.run import new_run_id, opened
from respmark.run.testbed import OpenOptions
from respmark.runners.local import open_local
from respmark.specs.catalogue import Catalogue
from respmark.specs.naming import one_client

COPIES: Final = 6
"""Copies in a block, as many as a block of different clients has clients; one of them is the baseline."""


def against_itself(plan: Plan, comparisons: int, minutes: float | None = None) -> Plan:
    """Return a plan with `comparisons` comparisons, or a few more, of a plan's first supported cell with itself.

    `minutes` is how long it may take: rounds are as many as fit, but two; None: those of the plan.

    Raises:
        InvalidRequestError: no comparison is asked for.
    """
    if comparisons < 1:
        raise InvalidRequestError("--comparisons must be at least 1")
    cell = next(cell for cell in plan.cells if cell.unsupported is None)
    blocks = [_copies(cell, number) for number in range(1, -(-comparisons // (COPIES - 1)) + 1)]
    return replace(
        plan, settings=replace(plan.settings, minutes=minutes), cells=tuple(cell for block in blocks for cell in block)
    )


def _copies(cell: PlannedCell, block: int) -> tuple[PlannedCell, ...]:
    return tuple(replace(cell, block_name=f"itself-{block}", copy=copy) for copy in range(1, COPIES + 1))


def false_claims(found: Sequence[Change]) -> int:
    """Return how many comparisons claim a difference in any metric."""
    return sum(any(one.ratio(metric).shown for metric in LOOPS.compared) for one in found)


def within_confidence(claims: int, comparisons: int) -> bool:
    """Return whether no more is claimed than the stated confidence allows."""
    return claims <= (1 - CONFIDENCE) * comparisons


def lines(found: Sequence[Change]) -> Iterator[str]:
    """Yield what is claimed, and how wide the intervals are."""
    allowed = f"({1 - CONFIDENCE:.0%} allowed)"
    yield f"{false_claims(found)} of {len(found)} comparisons claim a difference {allowed}"
    for metric, precision in precision_of(LOOPS, found).items():
        ratios = [one.ratio(metric) for one in found]
        known = [(one.low, one.high) for one in ratios if one.low is not None and one.high is not None]
        half, most = precision.half_width_percent_median, precision.half_width_percent_90
        if half is not None and most is not None:  # else it has no intervals here, as a p99 of few units
            yield (
                f"  {metric}: {sum(one.shown for one in ratios)} claims, "
                f"{sum(not low <= 1 <= high for low, high in known)} intervals without 1, "
                f"half width ±{half:.1f} % median, ±{most:.1f} % of nine in ten"
            )


def aa(
    client: str,
    /,
    *,
    scenario: Scenario = Scenario.SYNC,
    shape: ShapeOptions = ShapeOptions(),
    comparisons: int = 60,
    minutes: float = 14.0,
    suite: str = "quick",
    rounds: int | None = None,
    laps: int | None = None,
    seed: int = 1,
    pins: PinOptions = PinOptions(),
    out: Path | None = None,
) -> ExitCode:
    """Compare a client with itself, as the suite compares clients: what it finds is false. Takes 14 minutes.

    Args:
        client: One client, such as `redis-py` (as installed), `redis-py@3.5.3` or `redis-py[parser=python]`.
        scenario: The scenario, in the first of its shapes.
        shape: Other numbers and forms.
        comparisons: How many, five to a block.
        minutes: How long it may take, unless rounds or laps are given; what does not fit is left out.
        suite: The suite whose rounds, laps and slices are used.
        rounds: Rounds, instead of the suite's.
        laps: Laps, instead of the suite's.
        seed: Decides the workload's commands and the order of turns.
        pins: On which CPUs.
        out: Folder for the results; default: a new one under results/.
    """
    catalogue = Catalogue()
    one, axes = one_client(client, catalogue.clients), shape.axes
    request = Request(
        suite=suite, clients=(one,), scenarios=(scenario,), shape=axes, rounds=rounds, laps=laps, seed=seed
    )
    limit = minutes if rounds is None and laps is None else None
    plan = against_itself(make_plan(request, catalogue), comparisons, limit)
    server = catalogue.server(plan.settings.servers[plan.settings.first_server])
    set_up(plan.clients, catalogue, [server])
    folder = out or paths.results() / new_run_id(plan, datetime.now(UTC), "aa")
    opener = partial(open_local, placement=pins.placement([server]))
    limit_s = None if limit is None else limit * 60
    options = OpenOptions(plan, catalogue, folder, command_line(sys.argv), limit_s=limit_s, opener=opener)
    observer = LiveProgress(error_console())
    with closing(Guardian()) as guardian, observer.drawing, opened(options, guardian, observer, kinds) as run:
        for _ in run.rounds():
            pass  # nobody looks before the end
    found = changes(to_baseline(read_figures(folder, LOOPS)), per_base)
    write_out("".join(f"{line}\n" for line in (f"{one.name} against itself, {scenario}:", *lines(found))))
    tell(f"results in {folder}")
    is_fine = within_confidence(false_claims(found), len(found))
    return run.exit_code if run.exit_code is not ExitCode.OK or is_fine else ExitCode.SOME_FAILED


if __name__ == "__main__":
    try:
        sys.exit(cyclopts.run(aa))
    except RespmarkError as error:
        tell_error(error)
        sys.exit(error.exit_code)
