"""`respmark trace`: shows what a client really sends."""

from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from cyclopts import Parameter
from rich.console import Console
from rich.text import Text

from respmark.cli.options import ServerName
from respmark.cli.password import NO_PASSWORD, PasswordOptions
from respmark.conform.context import conform_context
from respmark.conform.explain import wire_words
from respmark.conform.observation import Observation
from respmark.console import report_console
from respmark.contract.trial import SHAPE_FIELDS, Form, Scenario, Shape, Window, check_shape
from respmark.errors import ExitCode, InvalidRequestError, NothingRanError
from respmark.execute.missing import missing_reason
from respmark.plan.expand import Request, make_plan
from respmark.plan.trial import Cell, Settings
from respmark.report.notes import shape_label
from respmark.results.records import Status
from respmark.run.lock import lock_path, only_run
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import unsupported_reason
from respmark.specs.naming import find_clients
from respmark.target.guardian import Guardian
from respmark.wire.picture import LINES, picture

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


@Parameter(name="*")
@dataclass(frozen=True)
class ShapeOptions:
    """The scenario's numbers and forms; what is not given is small."""

    depth: int | None = None
    """Commands in flight, in a batch, or in a transaction."""
    window: Window | None = None
    """Of pipelining: burst or sliding."""
    form: Form | None = None
    """Of a transaction: queued or batched."""
    threads: int | None = None
    """Threads, or tasks, at the same time."""
    connections: int | None = None
    """Client objects that threads share."""
    max_total: int | None = None
    """Connections of the pool."""
    max_idle: int | None = None
    """Idle connections that the pool keeps."""
    cache_entries: int | None = None
    """Entries of the client's own cache."""

    def shape(self, scenario: Scenario) -> Shape:
        """Return the whole shape.

        Raises:
            InvalidRequestError: the scenario does not use what was given, or it is no such number.
        """
        given = {name: value for name, value in asdict(self).items() if value is not None}
        needed = {name: SMALL[name] for name in SHAPE_FIELDS[scenario].required if name not in given}
        try:
            shape = Shape.model_validate({**needed, **given})
            check_shape(scenario, shape)
        except ValueError as error:
            message = f"this is no shape of {scenario}: {error}"
            raise InvalidRequestError(message) from error
        return shape


SMALL_SHAPE: Final = ShapeOptions()


def trace(
    client: str,
    scenario: Scenario,
    /,
    *,
    options: ShapeOptions = SMALL_SHAPE,
    held: bool = True,
    lines: int = LINES,
    out: Path | None = None,
    target: ServerName = None,
    password: PasswordOptions = NO_PASSWORD,
) -> ExitCode:
    """Run a short trial through the recording proxy, and draw its requests and replies over time.

    Args:
        client: A variant; a library's name means its first.
        scenario: The scenario.
        held: Hold replies back until the client needs one: then a flush is all that it sends without.
            `--no-held` shows the times as they are.
        lines: Of the picture.
        out: Also write the whole trace to this file, as JSON.
        target: A server's name, its program's path, or a URL; default: a server of our own.
    """
    catalogue = Catalogue()
    cell = _cell(client, scenario, options.shape(scenario), catalogue)
    plan = make_plan(Request(suite="conform", clients=(client,), target=target), catalogue)
    password.take(target, catalogue.target(plan.settings.target))
    with only_run(lock_path()):
        seen = _observe(cell, plan.settings, catalogue, held=held)
    if out is not None:
        seen.trace.save(out)
    console = report_console()
    print_trace(console, seen, lines)
    if out is not None:
        console.print(f"\nthe whole trace is in {out}", soft_wrap=True)
    return ExitCode.OK if seen.outcome.status is Status.OK else ExitCode.SOME_FAILED


def _cell(name: str, scenario: Scenario, shape: Shape, catalogue: Catalogue) -> Cell:
    client = find_clients(name, catalogue.clients)[0]
    reason = unsupported_reason(catalogue.clients[client.library], client, scenario, shape)
    if reason is not None:
        message = f"{client.name} does not support {scenario} {shape_label(shape)}".rstrip() + f": {reason}"
        raise InvalidRequestError(message)
    return Cell(client, scenario, shape, None)


def _observe(cell: Cell, settings: Settings, catalogue: Catalogue, *, held: bool) -> Observation:
    with closing(Guardian()) as guardian, conform_context(settings, catalogue, guardian) as context:
        if reason := missing_reason(cell.client, context.run.executor):
            message = f"{cell.client.name} is missing: {reason}"
            raise NothingRanError(message)
        return context.observe(cell, held=held)


def print_trace(console: Console, seen: Observation, lines: int) -> None:
    """Print the shape in words, then the picture."""
    subject = seen.trace.subject
    title = f"{subject.client}  {subject.scenario}  {shape_label(subject.shape)}".rstrip()
    console.print(Text(title, style="bold cyan"))
    console.print(Text(wire_words(seen.wire)))
    for line in picture(seen.trace, lines):
        console.print(Text(line), soft_wrap=True)
    if seen.outcome.reason is not None:
        console.print(Text(f"\n{seen.outcome.status}: {seen.outcome.reason}", style="yellow"))
