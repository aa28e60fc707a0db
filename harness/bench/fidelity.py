"""The suite against loops that know nothing of it, in turns: what the suite itself costs.

    make fidelity ARGS="--client 'redis-py[*]' --scenario sync --rounds 12"
    make fidelity ARGS="--client redis-py --scenario sync --rounds 2 --laps 3 --slice-s 0.05 --warmup-limit-s 1"
    cd harness && ../.build/harness/bin/python -m bench.fidelity --client redis-py --bare 'redis-py=python3 my_loop.py'
    cd harness && ../.build/harness/bin/python -m bench.fidelity --from ../results/my-fidelity/fidelity.json
    cd harness && ../.build/harness/bin/python -m bench.fidelity --against docker --scenario sync

There are two comparisons. A bare loop is the runner's own (`bare` in contract.md), or any program that reads and prints
the same lines: it shows what samples, errors and moments cost. A stand-alone program (`bench/standalone`) is written
from the library's README: it shows what adapter, units and runner cost, too, which the bare loop shares. With
`--against docker`, runners here and the same ones in containers take turns. Prints ratios with 95 % intervals over
rounds, in Markdown; exit code 1: something that was asked for could not be measured.
"""

import shlex
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from itertools import product
from pathlib import Path
from typing import Annotated, Final, TypeVar

import cyclopts
from cyclopts import Parameter

from bench import programs
from bench.sides import BareExecutor, BareSide, ProgramExecutor, ProgramSide, RunnerSide, Speed, measure_round
from respmark import paths
from respmark.cli.app import tell_error
from respmark.cli.options import PasswordOptions, PinOptions, PlanOptions, Repeated, tell
from respmark.cli.setup import set_up
from respmark.console import write_out
from respmark.contract.base import SCHEMA_VERSION, Message, PositiveCount, SchemaVersion
from respmark.contract.trial import Scenario, Shape
from respmark.errors import ExitCode, InvalidRequestError, RespmarkError, RunnerFailedError, RunnerMissingError
from respmark.escaping import markdown, markdown_row
from respmark.figures.compare import Ratio, Series, prior_of, ratio_of, rounds_of
from respmark.launch import new_run_id
from respmark.machine.description import this_machine
from respmark.machine.guardian import Guardian
from respmark.machine.placement import BackendName, Placement
from respmark.opening import LaunchOptions, open_runs
from respmark.plan.expand import make_plan
from respmark.plan.trial import Cell, Trial
from respmark.report.header import machine_line, versions_line
from respmark.report.notes import shape_label
from respmark.results.store import make_folder, read_model, write_model
from respmark.run.context import RunContext
from respmark.run.counters import server_info, server_version
from respmark.runners.backend import Backend, backend_named
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client
from respmark.specs.naming import find_clients
from respmark.specs.target import ContainerTarget

SUITE: Final = "fidelity"
FILE: Final = "fidelity.json"
HEADINGS: Final = ("client", "scenario", "ratio", "RPS", "CPU per command", "verdict")
MORE: Final = "not shown: more --rounds"


class Against(StrEnum):
    """What the suite's figures are held against."""

    BARE = "bare"
    PROGRAM = "program"
    DOCKER = "docker"


LIMITS: Final = {Against.BARE: 0.03, Against.PROGRAM: 0.05, Against.DOCKER: 0.10}
"""How far a ratio of RPS or of CPU per command may be from 1, to either side: a loop that is faster than the plainest
one does something that the plainest one does not. A program draws its own commands, with the workload's distributions.
docs/containers.md explains what containers cost."""
RATIOS: Final = {
    Against.BARE: "suite / bare loop",
    Against.PROGRAM: "suite / stand-alone program",
    Against.DOCKER: "container / process on this machine",
}


class Lap(Message):
    """One slice of each side; CPU is per command."""

    round: PositiveCount
    lap: PositiveCount
    suite_rps: float
    other_rps: float
    suite_cpu_ns: float
    other_cpu_ns: float


class Row(Message):
    """One client in one scenario and shape, and another way of doing the same."""

    client: str
    scenario: Scenario
    shape: Shape
    versions: dict[str, str]
    laps: list[Lap]
    reason: str | None
    """Why there are no laps, or fewer than were asked for."""
    unsupported: bool = False
    """Whether `reason` is that the client cannot do it, which is no failure."""

    @property
    def rounds(self) -> set[int]:
        """Return the numbers of the rounds that it has."""
        return {lap.round for lap in self.laps}


class Comparison(Row):
    """A row of `fidelity.json`: the suite against one of the others."""

    against: Against

    @property
    def key(self) -> tuple[Against, str, Scenario, Shape]:
        """Return what identifies it among all rows."""
        return self.against, self.client, self.scenario, self.shape


AnyRow = TypeVar("AnyRow", bound=Row)


class FidelityRun(Message):
    """Everything that was found."""

    schema_version: SchemaVersion
    rounds: PositiveCount
    """As many as a row was to have; a row that failed has fewer."""
    laps: PositiveCount
    slice_s: float
    lead_in_s: float
    machine: str
    placement: Placement
    target: str
    workload: str
    seed: int
    rows: list[Comparison]


@dataclass(frozen=True)
class RowRatios:
    """One row's ratios: the suite's figures divided by the other side's."""

    rps: Ratio
    cpu: Ratio

    def words(self, limit: float) -> str:
        """Return what the intervals show about the limit, to either side."""
        ends = [(one.low, one.high) for one in (self.rps, self.cpu)]
        known = [(low, high) for low, high in ends if low is not None and high is not None]
        if any(high < 1 - limit or low > 1 + limit for low, high in known):
            return f"differs by more than {limit:.0%}"
        within = len(known) == len(ends) and all(low >= 1 - limit and high <= 1 + limit for low, high in known)
        return f"the same within {limit:.0%}" if within else MORE


def ratios_of_rows(rows: Sequence[Row]) -> list[RowRatios | None]:
    """Return each row's ratios, in the rows' order; None if nothing was measured."""
    ratios = [_ratios(rows, of) for of in (lambda rps, _: (rps, 1.0), lambda rps, cpu_ns: (cpu_ns * rps, rps))]
    return [None if rps is None or cpu is None else RowRatios(rps, cpu) for rps, cpu in zip(*ratios, strict=True)]


def _ratios(rows: Sequence[Row], of: Callable[[float, float], tuple[float, float]]) -> list[Ratio | None]:
    rounds = [
        rounds_of(
            Series.of({(lap.round, lap.lap): of(lap.suite_rps, lap.suite_cpu_ns) for lap in row.laps}),
            Series.of({(lap.round, lap.lap): of(lap.other_rps, lap.other_cpu_ns) for lap in row.laps}),
        )
        for row in rows
    ]
    prior = prior_of(one for one in rounds if one is not None)
    return [None if one is None else ratio_of(one, prior) for one in rounds]


MakeSides = Callable[[Trial, Against], tuple[RunnerSide, RunnerSide]]
"""Returns a trial's two sides, with processes still to be started."""


def compared(cells: Iterable[Cell], against: Iterable[Against]) -> list[tuple[Cell, Against]]:
    """Return every comparison; there are programs for some cells only."""
    return [one for one in product(cells, against) if one[1] is not Against.PROGRAM or programs.exists(one[0])]


def measured(
    found: FidelityRun, comparisons: Iterable[tuple[Cell, Against]], sides: MakeSides
) -> Iterator[FidelityRun]:
    """Measure round after round of every row that still stands; yield what is known, first of all and after each."""
    rows = {row.key: row for row in found.rows}
    yield found
    for number, (cell, against) in product(range(1, found.rounds + 1), comparisons):
        row = rows[against, cell.client.name, cell.scenario, cell.shape]
        if row.reason is None:
            tell(f"round {number} of {found.rounds}: {place(row)} of {row.client}, {RATIOS[against]}")
            rows[row.key] = _with_round(row, Trial(cell, number), sides)
            yield found.model_copy(update={"rows": list(rows.values())})


def _with_round(row: Comparison, trial: Trial, sides: MakeSides) -> Comparison:
    """Return the row with one more round; what fails ends the row, not the others."""
    suite, other = sides(trial, row.against)
    try:
        laps = measure_round(suite, other, trial.round)
    except (RunnerFailedError, RunnerMissingError) as error:
        return row.model_copy(update={"reason": f"round {trial.round}: {error}"})
    versions = suite.participant.loaded[0].versions
    if row.versions and versions != row.versions:
        return row.model_copy(update={"reason": f"round {trial.round}: loaded {versions}, before {row.versions}"})
    return with_laps(row.model_copy(update={"versions": versions}), trial.round, laps)


def with_laps(row: AnyRow, number: int, laps: Iterable[tuple[Speed, Speed]]) -> AnyRow:
    """Return the row with the laps of one more round."""
    found = [
        Lap(
            round=number,
            lap=lap,
            suite_rps=ours.rps,
            other_rps=other.rps,
            suite_cpu_ns=ours.cpu_ns_per_command,
            other_cpu_ns=other.cpu_ns_per_command,
        )
        for lap, (ours, other) in enumerate(laps, start=1)
    ]
    return row.model_copy(update={"laps": [*row.laps, *found]})


def title(run: FidelityRun) -> str:
    """Return the line above the table."""
    what = ", ".join(RATIOS[one] for one in Against if any(row.against is one for row in run.rows))
    counts = {len(row.rounds) for row in run.rows if row.laps} or {run.rounds}
    rounds = " to ".join(map(str, sorted({min(counts), max(counts)})))
    return f"{what}, with 95 % intervals over {rounds} rounds of {run.laps} laps"


def place(row: Row) -> str:
    """Return a row's scenario and shape."""
    return f"{row.scenario} {shape_label(row.shape)}".strip()


def words(run: FidelityRun) -> Iterator[list[str]]:
    """Yield the table's rows."""
    for row, one in zip(run.rows, ratios_of_rows(run.rows), strict=True):
        figures = ["", "", row.reason or "not measured"]
        if one is not None:
            figures = [ratio_words(one.rps), ratio_words(one.cpu), row.reason or one.words(LIMITS[row.against])]
        yield [row.client, place(row), RATIOS[row.against], *figures]


def ratio_words(ratio: Ratio) -> str:
    """Return a ratio with its interval, if it has one."""
    interval = "" if ratio.low is None or ratio.high is None else f" ({ratio.low:.3f} to {ratio.high:.3f})"
    return f"{ratio.value:.3f}{interval}"


def markdown_table(above: str, headings: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table of ratios in Markdown, with a line above it."""
    lines = [markdown(above), "", markdown_row(headings), markdown_row(["---"] * len(headings))]
    return "\n".join([*lines, *(markdown_row(map(markdown, one)) for one in rows)]) + "\n"


def to_markdown(run: FidelityRun) -> str:
    """Return the table in Markdown."""
    loaded = versions_line({row.client: row.versions for row in run.rows if row.versions})
    above = [title(run), run.machine, f"CPUs: {run.placement.words}", run.target, f"workload {run.workload}"]
    return markdown_table(f"{'; '.join(above)}. Loaded: {loaded}.", HEADINGS, words(run))


def bare_commands(given: Iterable[str], catalogue: Catalogue) -> dict[str, list[str]]:
    """Return the user's bare loops by client.

    Raises:
        InvalidRequestError: one of them is not CLIENT=COMMAND, or names no client.
    """
    found: dict[str, list[str]] = {}
    for one in given:
        # A variant's name has `=` in its brackets: the command begins after the last bracket.
        name, options, rest = one.partition("]=")
        client, equals, command = (f"{name}]", "=", rest) if options else one.partition("=")
        if not equals or not command.strip():
            message = f"--bare {one}: write CLIENT=COMMAND, such as --bare 'redis-py=python3 my_loop.py'"
            raise InvalidRequestError(message)
        found |= {variant.name: shlex.split(command) for variant in find_clients(client, catalogue.clients)}
    return found


@contextmanager
def opened(
    launched: LaunchOptions, guardian: Guardian, against: Collection[Against], given: Mapping[str, list[str]]
) -> Iterator[tuple[RunContext, RunContext, MakeSides]]:
    """Open both sides' contexts, and return what makes sides in them; `given` are the user's bare loops by client."""
    catalogue, placement = launched.catalogue, launched.backend.placement
    if Against.DOCKER in against:
        # Here, a server of our own takes the place of a container.
        here = replace(launched, backend=Backend(placement))
        servers = here.plan.settings.servers
        if any(isinstance(catalogue.target(one), ContainerTarget) for one in servers.values()):
            settings = replace(here.plan.settings, servers=dict.fromkeys(servers, "spawned"))
            here = replace(here, plan=replace(here.plan, settings=settings))
        with open_runs(guardian, here, launched) as [(_, local), (_, docker)]:
            yield docker, local, lambda trial, _: (RunnerSide(docker, trial), RunnerSide(local, trial))
        return
    with (
        open_runs(guardian, launched) as [(_, context)],
        BareExecutor(catalogue.runners, catalogue.every_client, guardian, cpus=placement.clients) as bare,
        ProgramExecutor(catalogue.runners, catalogue.every_client, guardian, cpus=placement.clients) as program,
    ):
        bare.given = given
        of_bare, of_program = replace(context, executor=bare), replace(context, executor=program)

        def sides(trial: Trial, one: Against) -> tuple[RunnerSide, RunnerSide]:
            other = ProgramSide(of_program, trial) if one is Against.PROGRAM else BareSide(of_bare, trial)
            return RunnerSide(context, trial), other

        yield context, of_bare, sides


def fidelity(
    *,
    against: Annotated[tuple[Against, ...], Repeated] = (Against.BARE, Against.PROGRAM),
    bare: Annotated[tuple[str, ...], Repeated] = (),
    options: PlanOptions = PlanOptions(),
    password: PasswordOptions = PasswordOptions(),
    pins: PinOptions = PinOptions(),
    out: Path | None = None,
    from_file: Annotated[Path | None, Parameter(name="--from")] = None,
) -> ExitCode:
    """Let the suite's runners and other loops take turns, and print the ratios with their intervals.

    Args:
        against: `bare`: bare loops. `program`: stand-alone programs. `docker`: the same runners, and a server, in
            containers, and nothing else. Repeats.
        options: What is measured; default: the suite `fidelity`.
        password: Of a server that is named.
        pins: On which CPUs.
        bare: CLIENT=COMMAND: another bare loop for this client; contract.md has its lines. Repeats.
        out: Folder for fidelity.json; default: a new one under results/.
        from_file: Measure nothing; print the table of this file.
    """
    if from_file is not None:
        return _print(read_model(from_file, FidelityRun))
    catalogue = Catalogue()
    plan = make_plan(options.request(SUITE), catalogue)
    set_up(plan.clients, catalogue, servers=[catalogue.target(plan.settings.servers[plan.settings.first_server])])
    target = catalogue.target(plan.settings.servers[plan.settings.first_server])
    password.take(options.target, [target])
    via = BackendName.DOCKER if Against.DOCKER in against else BackendName.LOCAL
    folder = out or paths.results() / new_run_id(plan, datetime.now(UTC), "fidelity")
    make_folder(folder)
    backend, given = backend_named(via, pins.placement([target], via), tell), bare_commands(bare, catalogue)
    launched = LaunchOptions(plan, catalogue, folder, [], backend=backend)
    with closing(Guardian()) as guardian, opened(launched, guardian, against, given) as (suite, other, sides):
        comparisons = compared([cell for cell in plan.cells if cell.unsupported is None], against)
        unsupported = compared(plan.named_unsupported, against[:1])
        begun = _begun(backend.placement, [*comparisons, *unsupported], (suite, other))
        for found in measured(begun, comparisons, sides):
            write_model(folder / FILE, found)
    tell(f"results in {folder}")
    return _print(found)


def _begun(
    placement: Placement, comparisons: Iterable[tuple[Cell, Against]], contexts: tuple[RunContext, RunContext]
) -> FidelityRun:
    """Return the run before its first round: a row for each comparison, with the reason if it will stay empty."""
    settings = contexts[0].settings
    return FidelityRun(
        schema_version=SCHEMA_VERSION,
        rounds=settings.rounds,
        laps=settings.laps,
        slice_s=settings.slice_s,
        lead_in_s=settings.lead_in_s,
        machine=machine_line(this_machine()),
        placement=placement,
        target=" / ".join(
            dict.fromkeys(
                server_version(server_info(server.target.control))
                for one in contexts
                for server in one.servers.values()
            )
        ),
        workload=settings.first_workload,
        seed=settings.seed,
        rows=[
            Comparison(
                against=against,
                client=cell.client.name,
                scenario=cell.scenario,
                shape=cell.shape,
                versions={},
                laps=[],
                reason=cell.unsupported or _missing(cell.client, contexts),
                unsupported=cell.unsupported is not None,
            )
            for cell, against in comparisons
        ],
    )


def _missing(client: Client, contexts: Iterable[RunContext]) -> str | None:
    return next(filter(None, (context.executor.missing(client) for context in contexts)), None)


def _print(found: FidelityRun) -> ExitCode:
    write_out(to_markdown(found))
    failed = any(row.reason is not None and not row.unsupported for row in found.rows)
    return ExitCode.SOME_FAILED if failed else ExitCode.OK


if __name__ == "__main__":
    try:
        sys.exit(cyclopts.run(fidelity))
    except RespmarkError as error:
        tell_error(error)
        sys.exit(error.exit_code)
