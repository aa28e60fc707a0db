"""Each client twice in every block: in a process that lives for the round, and in one that was started for the block.

    .build/harness/bin/python harness/bench/fresh.py --client lettuce --client jedis # 14 minutes

Both take turns, lap by lap. A language whose client CPU per command differs by more than 3 % gets `fresh = true` in its
`runner.toml`. The run is one like any other (`respmark report` reads it). Exit code 1: a client differs by more.
"""

import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final

import cyclopts
from cyclopts import Parameter

from respmark import paths
from respmark.cli.app import tell_error
from respmark.cli.options import PinOptions, tell
from respmark.cli.run import LiveProgress, command_line
from respmark.cli.setup import set_up
from respmark.console import error_console, write_out
from respmark.contract.trial import Scenario
from respmark.errors import ExitCode, RespmarkError
from respmark.figures.cells import read_counted
from respmark.figures.compare import Ratio
from respmark.figures.comparisons import Comparison, comparisons_of
from respmark.launch import launch, new_run_id
from respmark.machine.guardian import Guardian
from respmark.opening import LaunchOptions
from respmark.plan.expand import Request, make_plan, one_round
from respmark.plan.trial import Cell, Plan
from respmark.report.notes import joined, shape_label
from respmark.runners.backend import Backend
from respmark.specs.catalogue import Catalogue

FRESH: Final = " (fresh)"
"""What the name of a client ends with whose process was started for the block."""
ALLOWED: Final = 0.03
"""By how much client CPU per command may differ."""
Repeated = Annotated[tuple[str, ...], Parameter(negative=(), consume_multiple=False)]


def both_ways(plan: Plan, minutes: float | None = None) -> Plan:
    """Return a plan whose blocks are the cells of another, each beside itself in a fresh process.

    `minutes` is how long it may take: laps, then rounds, are as many as fit; None: those of the plan.
    """
    pairs = [_pair(cell) for cell in plan.cells if cell.unsupported is None]
    cells = tuple(cell for pair in pairs for cell in pair)
    settings = replace(plan.settings, minutes=minutes)
    rounds = [one_round(cells, settings.seed, number) for number in range(1, settings.rounds + 1)]
    return replace(plan, settings=settings, cells=cells, rounds=tuple(block for blocks in rounds for block in blocks))


def _pair(cell: Cell) -> tuple[Cell, Cell]:
    fresh = cell.client.model_copy(update={"name": cell.client.name + FRESH})
    return replace(cell, block_name=cell.id), replace(cell, block_name=cell.id, client=fresh)


def within(ratio: Ratio) -> str:
    """Return whether a ratio is as near to 1 as is allowed: `yes` and `no` where its interval shows it."""
    if ratio.low is None or ratio.high is None:
        return "one round shows nothing"
    if ratio.low >= 1 - ALLOWED and ratio.high <= 1 + ALLOWED:
        return "yes"
    return "no" if ratio.low > 1 + ALLOWED or ratio.high < 1 - ALLOWED else "not shown"


def lines(cells: Mapping[str, Cell], found: Mapping[str, Comparison]) -> Iterator[str]:
    """Yield a table: how a process that lives for a round compares with a fresh one."""
    yield "| client | scenario | client CPU, shared / fresh | throughput, shared / fresh | within ±3 % |"
    yield "| --- | --- | ---: | ---: | --- |"
    for cell_id, comparison in found.items():
        cell = cells[cell_id]
        # The fresh process was compared with the shared one, which is the block's first.
        cpu, rps = (comparison.ratio(metric).inverse for metric in ("client_cpu", "rps"))
        client, scenario = cell.client.name.removesuffix(FRESH), joined(cell.scenario, shape_label(cell.shape))
        yield f"| {client} | {scenario} | {_interval(cpu)} | {_interval(rps)} | {within(cpu)} |"


def _interval(ratio: Ratio) -> str:
    if ratio.low is None or ratio.high is None:
        return f"{ratio.value:.3f}"
    return f"{ratio.value:.3f} ({ratio.low:.3f}..{ratio.high:.3f})"


def fresh(
    *,
    client: Repeated = (),
    scenario: Annotated[tuple[Scenario, ...], Parameter(negative=(), consume_multiple=False)] = (),
    suite: str = "quick",
    rounds: int | None = None,
    laps: int | None = None,
    minutes: float = 14.0,
    seed: int = 1,
    pins: PinOptions = PinOptions(),
    out: Path | None = None,
) -> ExitCode:
    """Measure cells in processes that live for a round and in fresh ones, in turns: 14 minutes, as `--minutes` says.

    Args:
        client: These clients instead of the suite's; repeats.
        scenario: These scenarios instead of the suite's; repeats.
        suite: Whose cells.
        rounds: How often each pair is measured, instead of as often as fits into the minutes.
        laps: Slices of each in a round, instead of as many as fit into the minutes.
        minutes: How long it may take, unless rounds or laps are given; what does not fit is left out.
        seed: Decides the workload's commands and the order of turns.
        pins: On which CPUs.
        out: Folder for the results; default: a new one under results/.
    """
    catalogue = Catalogue()
    request = Request(suite=suite, clients=client, scenarios=scenario, rounds=rounds, laps=laps, seed=seed)
    usual = make_plan(request, catalogue)
    targets = [catalogue.target(name) for name in usual.settings.servers.values()]
    set_up(usual.clients, catalogue, servers=targets)
    plan = both_ways(usual, minutes if rounds is None and laps is None else None)
    folder = out or paths.results() / new_run_id(plan, datetime.now(UTC), "fresh")
    options = LaunchOptions(
        plan,
        catalogue,
        folder,
        command_line(sys.argv),
        backend=Backend(pins.placement(targets)),
        fresh=[one.name for one in plan.clients if one.name.endswith(FRESH)],
    )
    observer = LiveProgress(error_console())
    with closing(Guardian()) as guardian, observer.drawing:
        code = launch(options, guardian, observer)
    found = comparisons_of(read_counted(folder).ratios)
    write_out("".join(f"{line}\n" for line in lines({cell.id: cell for cell in plan.cells}, found)))
    tell(f"results in {folder}")
    is_fine = all(within(one.ratio("client_cpu").inverse) != "no" for one in found.values())
    return code if code is not ExitCode.OK or is_fine else ExitCode.SOME_FAILED


if __name__ == "__main__":
    try:
        sys.exit(cyclopts.run(fresh))
    except RespmarkError as error:
        tell_error(error)
        sys.exit(error.exit_code)
