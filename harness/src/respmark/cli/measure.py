"""`respmark run` and `respmark plan`: what is to be measured, and in which order."""

import math
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Final

from respmark import kinds
from respmark.cli.options import PasswordOptions, PinOptions, PlanOptions, RunOptions, Suite
from respmark.cli.via import Via
from respmark.console import line_console
from respmark.contract.trial import LOOP_SCENARIOS
from respmark.errors import ExitCode
from respmark.machine.placement import UNPINNED
from respmark.numbers import duration
from respmark.plan.estimate import estimate_s
from respmark.plan.make import make_plan
from respmark.plan.needs import Needs, needs
from respmark.plan.plan import Plan, PlannedCell, parts_lines
from respmark.specs.catalogue import Catalogue
from respmark.specs.guidance import lacking_lines
from respmark.specs.runner import RunnerSpec
from respmark.specs.suite import Dimension

EXAMPLES: Final = {
    "run": """
respmark run --client redis-py --client valkey --scenario sync
respmark run node --until 2%
respmark run
respmark run smoke
respmark run post-smoke
respmark run --client redis-py@3.5.3 --client redis-py --scenario sync --scenario batching
respmark run --client jedis --client jedis@3.6.0 --scenario pool --threads 200 --max-total 200 --max-idle 10
respmark run --client 'redis-py[*]' --scenario batching --depth 10 --depth 1000
respmark run full --server redis://bench@10.0.0.5:6379/1 --ask-password
respmark run quick --scenario sync --server redis@6.2 --server 'valkey@9.1[io-threads=2]' --rtt 0.2ms
respmark run quick --scenario pool --client lettuce --client jedis --find-rate p99=1ms
respmark run my-suite.toml --out results/before-upgrade
respmark run quick --via docker --cpus split
respmark run quick --scenario sync --via dask --scheduler local:3 --processes 3
respmark run quick --scenario batching --until 2%
respmark run post --resume results/20261121T090000Z-post-seed1
respmark run quick --json-lines | jq 'select(.event == "trial-ended")'
""",
    "plan": """
respmark plan
respmark plan full --client node-redis --client node-redis@3.1.2
respmark plan quick --scenario batching --depth 100 --rounds 1
respmark plan quick --cpus split
""",
}


def run(
    suite: Suite = "quick",
    /,
    *,
    options: PlanOptions = PlanOptions(),
    password: PasswordOptions = PasswordOptions(),
    via: Via = Via(),
    pins: PinOptions = PinOptions(),
    how: RunOptions = RunOptions(),
) -> ExitCode:
    """Measure a suite, check every figure against the server's counters, and print the fastest clients."""
    how.check()
    from respmark.cli.under_way import measure  # noqa: PLC0415 - takes long to load, and `--help` needs none of it

    catalogue = Catalogue()
    request = options.request(catalogue, suite, brings_server=via.is_docker)
    return measure(request, catalogue, servers=options.server, password=password, via=via, pins=pins, how=how)


def plan(
    suite: Suite = "quick",
    /,
    *,
    options: PlanOptions = PlanOptions(),
    password: PasswordOptions = PasswordOptions(),
    via: Via = Via(),
    pins: PinOptions = PinOptions(),
) -> ExitCode:
    """Print the trials in the order in which `run` would measure them, and how long that takes; start nothing."""
    del password  # what `run` takes is accepted; nothing is reached here
    catalogue = Catalogue()
    made = make_plan(options.request(catalogue, suite, brings_server=via.is_docker), catalogue)
    print_plan(made, catalogue, via, pins)
    return ExitCode.OK


def print_plan(made: Plan, catalogue: Catalogue, via: Via, pins: PinOptions) -> None:
    """Print a plan: blocks in their order, what is not measured, where runners are, what that needs and takes."""
    specs = [catalogue.server(name) for name in made.settings.servers.values()]
    via.check(made.clients, specs, catalogue)
    placement = via.placement(pins, specs)
    console = line_console()
    for number, block in enumerate(made.rounds, start=1):
        differing = [one for one, place in PLACES.items() if len({place(trial.cell) for trial in block.trials}) > 1]
        clients = ", ".join(_turn(trial.cell, differing) for trial in block.trials)
        console.print(f"{number:>4}  round {block.round}  {block.name}: {clients}")
    for cell in made.unsupported:
        console.print(f"   -  {cell.client.name}  {cell.block}: unsupported: {cell.unsupported}", style="dim")
    for line in lacking_lines(made.left_out):
        console.print(f"   -  {line}", style="dim")
    for line in parts_lines(made):
        console.print(line)
    if via.words is not None:
        console.print(via.words)
    if placement != UNPINNED:
        console.print(f"CPUs: {placement.words}")
    console.print(_needs(needs(made, catalogue.runners, dict(zip(made.settings.servers, specs, strict=True)))))
    console.print(_summary(made, catalogue.runners), style="bold")


def _round_trip(cell: PlannedCell) -> str:
    return "direct" if cell.shape.rtt_ms is None else f"{cell.shape.rtt_ms:g} ms"


PLACES: Final[Mapping[Dimension, Callable[[PlannedCell], str]]] = {
    "server": attrgetter("server"),
    "workload": attrgetter("workload"),
    "rtt": _round_trip,
}


def _turn(cell: PlannedCell, differing: Sequence[Dimension]) -> str:
    """Return what takes turns in a block: a client, and its place where places are compared, or differ."""
    shown = (place(cell) for one, place in PLACES.items() if one in differing or one in cell.compared)
    return " ".join([cell.client.name, *(f"({place})" for place in shown)])


def _needs(needed: Needs) -> str:
    whom = "the servers" if len(needed.servers) > 1 else "the server"
    return (
        f"memory: about {needed.server / 2**30:.1f} GiB for {whom} with the keys of one block, up to "
        f"{needed.runners / 2**30:.1f} GiB for the processes of one block; disk: about {needed.disk / 2**20:,.0f} MiB"
    )


def _summary(made: Plan, runners: Mapping[str, RunnerSpec]) -> str:
    settings = made.settings
    cells = len(made.cells) - len(made.unsupported)
    workloads = ", ".join(spec.name for spec in settings.workloads_of(made.cells))
    most_s = math.inf if settings.minutes is None else settings.minutes * 60
    seconds = min(estimate_s(made, runners, kinds.block_estimate_s), most_s)
    has_loops = any(cell.scenario in LOOP_SCENARIOS for cell in made.cells)
    slices = f"{settings.slice_s:g} s slices after {settings.lead_in_s:g} s lead-in, " if has_loops else ""
    return (
        f"{len(made.trials)} trials ({cells} cells, {settings.rounds} rounds) in {len(made.rounds)} blocks of "
        f"{settings.laps} laps, {slices}"
        f"workload {workloads}: about {duration(seconds)}"
    )
