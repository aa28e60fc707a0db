"""`respmark plan`: shows what `run` would do."""

from typing import Final

from rich.text import Text

from respmark.cli.live import duration
from respmark.cli.options import ANYWHERE, DEFAULTS, PinOptions, PlanOptions
from respmark.cli.password import NO_PASSWORD, PasswordOptions
from respmark.console import line_console
from respmark.errors import ExitCode
from respmark.execute.place import Via
from respmark.placement import UNPINNED
from respmark.plan.estimate import estimate_s
from respmark.plan.expand import make_plan
from respmark.plan.trial import Plan, Trial
from respmark.report.numbers import warmup_words
from respmark.report.words import shape_label
from respmark.specs.catalogue import Catalogue

EXAMPLES: Final = """
respmark plan
respmark plan full --client node-redis
respmark plan quick --scenario batching --depth 100 --rounds 1
respmark plan quick --pin
"""


def plan(
    suite: str = "quick",
    /,
    *,
    options: PlanOptions = DEFAULTS,
    password: PasswordOptions = NO_PASSWORD,
    via: Via = Via.LOCAL,
    pins: PinOptions = ANYWHERE,
) -> ExitCode:
    """Print the trials in the order in which `run` would measure them, and how long it would take. Starts nothing.

    Args:
        suite: A suite's name (`smoke`, `quick`, `full`) or a .toml file.
        via: `local`: runners are processes here. `docker`: each is a container, and so is the target.
    """
    del password  # what `run` takes is accepted; nothing is reached here
    catalogue = Catalogue()
    made = make_plan(options.request(suite), catalogue)
    placement = pins.placement(catalogue.target(made.settings.target))
    console = line_console()
    for number, trial in enumerate(made.trials, start=1):
        console.print(Text(f"{number:>4}  round {trial.round}  {_what(trial)}"))
    for cell in made.unsupported:
        console.print(Text(f"   -  {_what(Trial(cell, 1))}: unsupported: {cell.unsupported}", style="dim"))
    if via is Via.DOCKER:
        console.print("each runner in a container of its own, the target in another")
    if placement != UNPINNED:
        console.print(Text(f"CPUs: {placement.words}"))
    console.print(Text(summary(made), style="bold"))
    return ExitCode.OK


def _what(trial: Trial) -> str:
    label = shape_label(trial.cell.shape)
    return f"{trial.cell.client.name}  {trial.cell.scenario}{f'  {label}' if label else ''}"


def summary(made: Plan) -> str:
    """Return the plan's size and time in words."""
    settings = made.settings
    warmup = warmup_words(settings.warmup_s, settings.warmup_by_runner_s)
    return (
        f"{len(made.trials)} trials ({len(made.cells) - len(made.unsupported)} cells, {settings.rounds} rounds) of "
        f"{warmup} and {settings.measure_s:g} s window, workload {settings.workload.name}: "
        f"about {duration(estimate_s(made))}"
    )
