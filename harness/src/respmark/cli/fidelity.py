"""`respmark fidelity`: the suite against bare loops, or containers against processes."""

import shlex
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from respmark.cli.options import DEFAULTS, FORMAT, USUAL_CPUS, PinOptions, PlanOptions, Repeated, tell
from respmark.cli.password import NO_PASSWORD, PasswordOptions
from respmark.console import report_console, write_out
from respmark.contract.base import SCHEMA_VERSION
from respmark.errors import ExitCode, FidelityError, InvalidRequestError
from respmark.evidence.info import server_info, server_version
from respmark.execute.backend import BackendName, backend_named
from respmark.execute.contract3 import CONTRACT
from respmark.execute.missing import missing_reason
from respmark.fidelity.pairs import measure_round
from respmark.fidelity.resume import continued
from respmark.fidelity.rows import FILE, FidelityRun, Row
from respmark.fidelity.sides import BareSide, OwnLoopSide, RunnerSide, Side
from respmark.fidelity.tables import to_csv, to_markdown, to_terminal
from respmark.launch import LaunchOptions, context_for, contexts_for, new_run_id
from respmark.paths import RESULTS
from respmark.placement import Placement
from respmark.plan.expand import make_plan
from respmark.plan.trial import Cell, Plan, Trial, why_not
from respmark.report.header import machine_line
from respmark.report.notes import shape_label
from respmark.results.machine import this_machine
from respmark.results.store import make_folder, read_model, write_model
from respmark.run.context import RunContext
from respmark.specs.catalogue import Catalogue
from respmark.specs.naming import find_clients
from respmark.specs.target import ContainerTarget
from respmark.target.guardian import Guardian

SUITE: Final = "fidelity"
"""The suite whose cells are held against bare loops."""
SPAWNED: Final = "spawned"
"""The target that is a server of our own."""

EXAMPLES: Final = """
respmark fidelity
respmark fidelity --client 'redis-py[*]' --scenario sync --rounds 12
respmark fidelity --client redis-py --bare 'redis-py=python3 my_loop.py' --format csv
respmark fidelity --resume results/my-fidelity --client lettuce --rounds 20
respmark fidelity --from results/my-fidelity/fidelity.json --format markdown
respmark fidelity --against docker --scenario sync
"""


class Against(StrEnum):
    """What the suite's figures are held against."""

    BARE = "bare"
    DOCKER = "docker"

    @property
    def backend(self) -> BackendName:
        """Return where the suite's side runs."""
        return BackendName.DOCKER if self is Against.DOCKER else BackendName.LOCAL


class Format(StrEnum):
    """How the table is written."""

    TERMINAL = "terminal"
    MARKDOWN = "markdown"
    CSV = "csv"


def fidelity(
    *,
    against: Against = Against.BARE,
    bare: Annotated[tuple[str, ...], Repeated] = (),
    options: PlanOptions = DEFAULTS,
    password: PasswordOptions = NO_PASSWORD,
    pins: PinOptions = USUAL_CPUS,
    out: Path | None = None,
    resume: Path | None = None,
    from_file: Annotated[Path | None, Parameter(name="--from")] = None,
    written: Annotated[Format, FORMAT] = Format.TERMINAL,
) -> ExitCode:
    """Let the suite's runners and hand-written bare loops take turns, and print the ratios with their intervals.

    With `--against docker`, processes here and the same runners in containers take turns.

    Args:
        against: `bare`: hand-written loops. `docker`: the same runners, and a server, in containers.
        bare: CLIENT=COMMAND: another bare loop for this client; docs/honesty.md has the protocol. Repeats.
        out: Folder for the results; default: a new one under results/.
        resume: Go on with the run in this folder, which was cut short or whose rows need more rounds: of what else is
            asked for, those are measured that it lacks up to --rounds, and rows that failed are tried again.
        from_file: Measure nothing; print the table of this file, which an earlier run wrote.
        written: terminal, markdown or csv (one row a client, scenario and shape).
    """
    if resume is not None and (out is not None or from_file is not None):
        message = "--resume measures more of a run, in its folder: leave --out and --from out"
        raise InvalidRequestError(message)
    if from_file is not None:
        return _print(read_model(from_file, FidelityRun), written)
    catalogue = Catalogue()
    plan = make_plan(options.request(SUITE), catalogue)
    target = catalogue.target(plan.settings.target)
    password.take(options.target, target)
    placement = pins.placement(target, against.backend)
    folder = resume or out or RESULTS / new_run_id(plan, datetime.now(UTC))
    before = None if resume is None else read_model(folder / FILE, FidelityRun)
    if resume is None:
        make_folder(folder)
    for line in why_not(plan.named_unsupported):
        tell(f"cannot be measured: {line}")
    with closing(Guardian()) as guardian:
        task = Task(plan, catalogue, guardian, placement, _commands(bare, catalogue), folder / FILE, before)
        found = _against_docker(task) if against is Against.DOCKER else _against_bare_loops(task)
    code = _print(found, written)
    tell(f"results in {folder}")
    return code


@dataclass(frozen=True)
class Task:
    """What is to be measured, and where it goes."""

    plan: Plan
    catalogue: Catalogue
    guardian: Guardian
    placement: Placement
    commands: Mapping[str, list[str]]
    """Bare loops that the user named, by client."""
    file: Path
    before: FidelityRun | None = None
    """What is there of a run that goes on."""

    def launch_options(self, name: str, via: BackendName = BackendName.LOCAL) -> LaunchOptions:
        """Return what one backend is opened with; its folder names it, trials are not kept."""
        backend = backend_named(via, self.placement, tell)
        return LaunchOptions(self.plan, self.catalogue, Path(name), [], backend=backend)

    @property
    def cells(self) -> list[Cell]:
        """Return the cells that can be measured."""
        return [cell for cell in self.plan.cells if cell.unsupported is None]


MakeSides = Callable[[Trial], tuple[RunnerSide, Side]]
"""Returns a trial's two sides, with processes still to be started."""


def _against_bare_loops(task: Task) -> FidelityRun:
    with context_for(task.launch_options("fidelity"), task.guardian) as context:
        rows = _empty_rows(task, context)

        def sides(trial: Trial) -> tuple[RunnerSide, Side]:
            client = trial.cell.client
            has_own = client.name not in task.commands and task.catalogue.runners[client.runner].contract == CONTRACT
            side, command = (
                (OwnLoopSide, ["of", client.runner]) if has_own else (BareSide, _bare_command(task, trial.cell))
            )
            return RunnerSide(context, trial), side(command, context, trial, task.guardian, task.placement.clients)

        return _measured(task, "bare", rows, sides, _version(context))


def _against_docker(task: Task) -> FidelityRun:
    here = _here(task)
    with contexts_for(
        here.launch_options("fidelity-local"), task.launch_options("fidelity-docker", BackendName.DOCKER), task.guardian
    ) as both:
        local, docker = both
        rows = _empty_rows(task, local, docker)

        def sides(trial: Trial) -> tuple[RunnerSide, Side]:
            return RunnerSide(docker, trial), RunnerSide(local, trial)

        target = servers(_version(local), _version(docker))
        tell(target)
        return _measured(task, "docker", rows, sides, target)


def _here(task: Task) -> Task:
    """Return the task for this machine: where the target is a container, a server of our own takes its place."""
    if not isinstance(task.catalogue.target(task.plan.settings.target), ContainerTarget):
        return task
    return replace(task, plan=replace(task.plan, settings=replace(task.plan.settings, target=SPAWNED)))


def _measured(task: Task, against: str, empty: list[Row], sides: MakeSides, target: str) -> FidelityRun:
    """Measure round after round of every row that still stands, and write the file after each.

    Raises:
        InvalidRequestError: the run that is to go on was measured otherwise, or elsewhere.
    """
    settings = task.plan.settings
    found = FidelityRun(
        schema_version=SCHEMA_VERSION,
        against=against,
        rounds=settings.rounds,
        laps=settings.laps,
        slice_s=settings.slice_s,
        lead_in_s=settings.lead_in_s,
        machine=machine_line(this_machine()),
        placement=task.placement,
        target=target,
        workload=settings.workload.name,
        seed=settings.seed,
        rows=empty,
    )
    if task.before is not None:
        found = continued(found, task.before)
    rows = {row.key: row for row in found.rows}
    for number in range(1, settings.rounds + 1):
        for cell in task.cells:
            row = rows[cell.client.name, cell.scenario, cell.shape]
            if row.reason is None and number not in row.rounds:
                tell(f"round {number} of {settings.rounds}: {_label(cell)}")
                rows[row.key] = _with_round(row, Trial(cell, number), sides)
                found = found.model_copy(update={"rows": list(rows.values())})
                write_model(task.file, found)
    return found


def _with_round(row: Row, trial: Trial, sides: MakeSides) -> Row:
    """Return the row with one more round; what fails ends the row, not the others."""
    suite, other = sides(trial)
    try:
        laps = measure_round(suite, other, trial.round)
    except FidelityError as error:
        return row.model_copy(update={"reason": f"round {trial.round}: {error}"})
    results = suite.participant.results
    versions = results[0].versions if results else row.versions
    if row.versions and versions != row.versions:
        return row.model_copy(update={"reason": f"round {trial.round}: loaded {versions}, before {row.versions}"})
    return row.model_copy(update={"laps": [*row.laps, *laps], "versions": versions})


def _empty_rows(task: Task, *contexts: RunContext) -> list[Row]:
    """Return a row for each cell, and for what was named and cannot be measured.

    A client that is not everywhere has the reason.
    """
    reasons = {
        client.name: next(filter(None, (missing_reason(client, context.executor) for context in contexts)), None)
        for client in task.plan.clients
    }
    return [
        Row(
            client=cell.client.name,
            scenario=cell.scenario,
            shape=cell.shape,
            versions={},
            laps=[],
            reason=cell.unsupported or reasons[cell.client.name],
            unsupported=cell.unsupported is not None,
        )
        for cell in [*task.cells, *task.plan.named_unsupported]
    ]


def _commands(given: tuple[str, ...], catalogue: Catalogue) -> dict[str, list[str]]:
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


def _bare_command(task: Task, cell: Cell) -> list[str]:
    """Return the command of a cell's bare loop; ours are told what differs from the client's defaults, too."""
    client = cell.client
    if client.name in task.commands:
        return task.commands[client.name]
    known = task.catalogue.clients[client.library].option_values(client.version)
    shape = cell.shape.model_dump(mode="json", exclude={"depth", "connections", "processes"}, exclude_none=True)
    changed = {name: value for name, value in client.options.items() if value != known[name][0]}
    further = {name.replace("_", "-"): value for name, value in {**shape, **changed}.items()}
    command = task.catalogue.runners[client.runner].bare_for(client.environment, client.library)
    return [*command, *(word for name, value in further.items() for word in (f"--{name}", str(value)))]


def _version(context: RunContext) -> str:
    return server_version(server_info(context.target.control))


def servers(local: str, container: str) -> str:
    """Say which servers were measured: a ratio between two versions shows them, too."""
    if local == container:
        return f"server: {local} in both places"
    return (
        f"servers: {local} here, {container} in the container: the ratios hold their difference, too; name the same "
        "version with RESPMARK_SERVER, VALKEY_VERSION or REDIS_VERSION"
    )


def _label(cell: Cell) -> str:
    return f"{cell.client.name} {cell.scenario} {shape_label(cell.shape)}".strip()


def _print(found: FidelityRun, written: Format) -> ExitCode:
    if written is Format.TERMINAL:
        to_terminal(report_console(), found)
    else:
        write_out(to_csv(found) if written is Format.CSV else to_markdown(found))
    failed = any(row.reason is not None and not row.unsupported for row in found.rows)
    return ExitCode.SOME_FAILED if failed else ExitCode.OK
