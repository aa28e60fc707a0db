"""`respmark plan`: shows what `run` would do."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from rich.text import Text

from respmark.cli.options import DEFAULTS, NO_PASSWORD, USUAL_CPUS, PasswordOptions, PinOptions, PlanOptions
from respmark.console import line_console
from respmark.errors import ExitCode
from respmark.placement import UNPINNED, BackendName
from respmark.plan.expand import make_plan
from respmark.plan.needs import duration, estimate_s, needs
from respmark.plan.trial import Plan
from respmark.specs.catalogue import Catalogue
from respmark.specs.runner import RunnerSpec

EXAMPLES: Final = """
respmark plan
respmark plan full --client node-redis --client node-redis@3.1.2
respmark plan quick --scenario batching --depth 100 --rounds 1
respmark plan quick --pin
"""


def plan(
    suite: str = "quick",
    /,
    *,
    options: PlanOptions = DEFAULTS,
    password: PasswordOptions = NO_PASSWORD,
    via: BackendName = BackendName.LOCAL,
    pins: PinOptions = USUAL_CPUS,
) -> ExitCode:
    """Print the trials in the order in which `run` would measure them, and how long that takes; start nothing.

    Args:
        suite: A suite's name (`smoke`, `quick`, `full`) or a .toml file.
        via: `local`: runners are processes here. `docker`: each is a container, and so is the target.
    """
    del password  # what `run` takes is accepted; nothing is reached here
    catalogue = Catalogue()
    made = make_plan(options.request(suite), catalogue)
    placement = pins.placement([catalogue.target(name) for name in made.settings.servers.values()], via)
    console = line_console()
    for number, block in enumerate(made.rounds, start=1):
        clients = ", ".join(trial.cell.client.name for trial in block.trials)
        console.print(Text(f"{number:>4}  round {block.round}  {block.name}: {clients}"))
    for cell in made.unsupported:
        console.print(Text(f"   -  {cell.client.name}  {cell.block}: unsupported: {cell.unsupported}", style="dim"))
    if via is BackendName.DOCKER:
        console.print("each runner in a container of its own, the target in another")
    if placement != UNPINNED:
        console.print(Text(f"CPUs: {placement.words}"))
    console.print(Text(needs_words(made, catalogue.runners)))
    console.print(Text(summary(made, catalogue.runners), style="bold"))
    for scale in made.suite.scales:
        other = make_plan(replace(options, scale=scale).request(suite), catalogue)
        words = f"{summary(other, catalogue.runners)}; {needs_words(other, catalogue.runners)}"
        console.print(Text(f"--scale {scale}: {words}"))
    return ExitCode.OK


def needs_words(made: Plan, runners: Mapping[str, RunnerSpec]) -> str:
    """Return what a plan needs, in words."""
    needed = needs(made, runners)
    return (
        f"memory: about {needed.server / 2**30:.1f} GiB for the server with the keys of one block, up to "
        f"{needed.runners / 2**30:.1f} GiB for the processes of one block; disk: about {needed.disk / 2**20:,.0f} MiB"
    )


def summary(made: Plan, runners: Mapping[str, RunnerSpec]) -> str:
    """Return the plan's size and time in words."""
    settings = made.settings
    cells = len(made.cells) - len(made.unsupported)
    workloads = ", ".join(spec.name for spec in settings.workloads_of(made.cells))
    about = "" if settings.minutes is None else "about "
    return (
        f"{len(made.trials)} trials ({cells} cells, {settings.rounds} rounds) in {len(made.rounds)} blocks of "
        f"{about}{settings.laps} laps, {settings.slice_s:g} s slices after {settings.lead_in_s:g} s lead-in, "
        f"workload {workloads}: about {duration(estimate_s(made, runners))}"
    )
