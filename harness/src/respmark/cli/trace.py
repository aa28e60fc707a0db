"""`respmark trace`: shows what a client really sends."""

from contextlib import closing
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.text import Text

from respmark.cli.options import ANY_SHAPE, NO_PASSWORD, PasswordOptions, ServerName, ShapeOptions
from respmark.cli.setup import set_up
from respmark.conform.cases import Case
from respmark.conform.context import conform_context
from respmark.conform.observation import Observation
from respmark.console import report_console
from respmark.contract.trial import SHAPE_FIELDS, Form, Scenario, Window
from respmark.errors import ExitCode, InvalidRequestError, NothingRanError
from respmark.execute.missing import missing_reason
from respmark.plan.expand import Request, make_plan, option
from respmark.plan.trial import Plan
from respmark.report.notes import shape_label
from respmark.results.records import Status
from respmark.run.lock import lock_path, only_run
from respmark.specs.catalogue import Catalogue
from respmark.specs.naming import one_client
from respmark.specs.suite import ShapeAxes
from respmark.target.guardian import Guardian
from respmark.wire.picture import LINES, picture, wire_words

EXAMPLES: Final = """
respmark trace redis-py batching --depth 100
respmark trace node-redis pipelining --window sliding --out sliding.json
respmark trace redis-py pool --threads 4 --max-total 2 --no-held
"""
SMALL: Final[dict[str, object]] = {
    "depth": 10,
    "window": Window.BURST,
    "form": Form.BATCHED,
    "threads": 4,
    "connections": 1,
    "max_total": 2,
    "cache_entries": 100,
}
"""What a scenario needs and nobody gave."""


def trace(
    client: str,
    scenario: Scenario,
    /,
    *,
    shape: ShapeOptions = ANY_SHAPE,
    held: bool = True,
    lines: int = LINES,
    out: Path | None = None,
    target: ServerName = None,
    password: PasswordOptions = NO_PASSWORD,
) -> ExitCode:
    """Run a short trial through the recording proxy, and draw its requests and replies over time.

    Args:
        client: One client, such as `redis-py` (as installed), `redis-py@3.5.3` or `redis-py[parser=python]`.
        scenario: The scenario.
        held: Hold replies back until the client needs one: then a flush is all that it sends without.
            `--no-held` shows the times as they are.
        lines: Of the picture.
        out: Also write the whole trace to this file, as JSON.
        target: A server's name, its program's path, or a URL; default: a server of our own.
    """
    catalogue = Catalogue()
    plan = _plan(client, scenario, shape.axes, target, catalogue)
    spec = catalogue.target(plan.settings.target)
    set_up(plan.clients, catalogue, server=spec)
    password.take(target, spec)
    with only_run(lock_path()):
        seen = _observe(plan, catalogue, held=held)
    if out is not None:
        seen.trace.save(out)
    console = report_console()
    print_trace(console, seen, lines)
    if out is not None:
        console.print(f"\nthe whole trace is in {out}", soft_wrap=True)
    return ExitCode.OK if seen.status is Status.OK else ExitCode.SOME_FAILED


def _plan(name: str, scenario: Scenario, given: ShapeAxes, target: str | None, catalogue: Catalogue) -> Plan:
    small = {name: (value,) for name, value in SMALL.items() if name in SHAPE_FIELDS[scenario].required}
    asked = {name: values for name, values in given if values}
    for axis, values in asked.items():
        if len(values) > 1:
            several = ", ".join(map(str, values))
            raise InvalidRequestError(f"--{option(axis)}: a trace shows one shape; give one of {several}")
    request = Request(
        suite="conform",
        clients=(one_client(name, catalogue.clients).name,),
        scenarios=(scenario,),
        shape=ShapeAxes.model_validate({"processes": (1,), **small, **asked}),
        target=target,
    )
    return make_plan(request, catalogue)


def _observe(plan: Plan, catalogue: Catalogue, *, held: bool) -> Observation:
    cell = plan.cells[0]
    with closing(Guardian()) as guardian, conform_context(plan.settings, catalogue, guardian) as context:
        if reason := missing_reason(cell.client, context.run.executor):
            raise NothingRanError(f"{cell.client.name} is missing: {reason}")
        return context.observe(Case(cell), held=held)


def print_trace(console: Console, seen: Observation, lines: int) -> None:
    """Print the shape in words, then the picture."""
    subject = seen.trace.subject
    title = f"{subject.client}  {subject.scenario}  {shape_label(subject.shape)}".rstrip()
    console.print(Text(title, style="bold cyan"))
    console.print(Text(wire_words(seen.wire)))
    for line in picture(seen.trace, lines):
        console.print(Text(line), soft_wrap=True)
    if seen.reason is not None:
        console.print(Text(f"\n{seen.status}: {seen.reason}", style="yellow"))
