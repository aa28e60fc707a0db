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
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import product
from pathlib import Path
from typing import Annotated, Final

import cyclopts
from cyclopts import Parameter

from bench import programs
from bench.fidelity_rows import FILE, RATIOS, Against, Comparison, FidelityRun, place, to_markdown, with_laps
from bench.sides import BareExecutor, BareSide, ProgramExecutor, ProgramSide, RunnerSide, measure_round
from respmark import paths
from respmark.cli.app import tell_error
from respmark.cli.options import PasswordOptions, PinOptions, PlanOptions, Repeated, tell
from respmark.cli.setup import set_up
from respmark.cli.via import Via, Way
from respmark.console import write_out
from respmark.contract.base import SCHEMA_VERSION
from respmark.errors import ExitCode, InvalidRequestError, RespmarkError, RunnerFailedError, RunnerMissingError
from respmark.machine.description import this_machine
from respmark.machine.guardian import Guardian
from respmark.machine.lock import lock_path, only_run
from respmark.machine.placement import Placement
from respmark.plan.make import make_plan
from respmark.plan.plan import PlannedCell, Trial
from respmark.report.header import machine_line
from respmark.results.store import make_folder, read_model, write_model
from respmark.run.run import new_run_id
from respmark.run.state import RunState
from respmark.run.testbed import OpenOptions, Testbed, opened_testbed
from respmark.runners.local import open_local
from respmark.servers.evidence import server_info, server_version
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client
from respmark.specs.naming import find_clients
from respmark.specs.server import ContainerServer

SUITE: Final = "fidelity"


MakeSides = Callable[[Trial, Against], tuple[RunnerSide, RunnerSide]]
"""Returns a trial's two sides, with processes still to be started."""


def compared(cells: Iterable[PlannedCell], against: Iterable[Against]) -> list[tuple[PlannedCell, Against]]:
    """Return every comparison that there is.

    Raises:
        InvalidRequestError: there is none.
    """
    found = [one for one in product(cells, against) if _exists(*one)]
    if not found:
        raise InvalidRequestError("nothing to compare: a bare loop has one thread, and no program does this")
    return found


def _exists(cell: PlannedCell, against: Against) -> bool:
    return not cell.shape.threads if against is Against.BARE else against is Against.DOCKER or programs.exists(cell)


def measured(
    found: FidelityRun, comparisons: Iterable[tuple[PlannedCell, Against]], sides: MakeSides
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
    versions = suite.processes.loaded[0].versions
    if row.versions and versions != row.versions:
        return row.model_copy(update={"reason": f"round {trial.round}: loaded {versions}, before {row.versions}"})
    return with_laps(row.model_copy(update={"versions": versions}), trial.round, laps)


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
    launched: OpenOptions,
    placement: Placement,
    guardian: Guardian,
    against: Collection[Against],
    given: Mapping[str, list[str]],
) -> Iterator[tuple[Testbed, Testbed, MakeSides]]:
    """Open both sides' contexts, and return what makes sides in them; `given` are the user's bare loops by client."""
    catalogue = launched.catalogue
    if Against.DOCKER in against:
        # Here, a server of our own takes the place of a container.
        here = replace(launched, opener=partial(open_local, placement=placement))
        servers = here.plan.settings.servers
        if any(isinstance(catalogue.server(one), ContainerServer) for one in servers.values()):
            settings = replace(here.plan.settings, servers=dict.fromkeys(servers, "spawned"))
            here = replace(here, plan=replace(here.plan, settings=settings))
        with (
            only_run(lock_path()),
            opened_testbed(here, guardian) as local,
            opened_testbed(launched, guardian) as docker,
        ):
            yield docker, local, lambda trial, _: (RunnerSide(docker, trial), RunnerSide(local, trial))
        return
    with (
        only_run(lock_path()),
        opened_testbed(launched, guardian) as context,
        BareExecutor(catalogue.runners, catalogue.every_client, guardian, placement=placement) as bare,
        ProgramExecutor(catalogue.runners, catalogue.every_client, guardian, placement=placement) as program,
    ):
        bare.given = given
        of_bare, of_program = replace(context, executor=bare), replace(context, executor=program)
        state = RunState()

        def sides(trial: Trial, one: Against) -> tuple[RunnerSide, RunnerSide]:
            side, there = (ProgramSide, of_program) if one is Against.PROGRAM else (BareSide, of_bare)
            return RunnerSide(context, trial, state=state), side(there, trial, state=state)

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
    plan = make_plan(options.request(catalogue, SUITE), catalogue)
    comparisons = compared([cell for cell in plan.cells if cell.unsupported is None], against)
    set_up(plan.clients, catalogue, [catalogue.server(plan.settings.servers[plan.settings.first_server])])
    server = catalogue.server(plan.settings.servers[plan.settings.first_server])
    password.take(options.server, [server])
    via = Via(Way.DOCKER if Against.DOCKER in against else Way.LOCAL)
    folder = out or paths.results() / new_run_id(plan, datetime.now(UTC), "fidelity")
    make_folder(folder)
    placement, given = via.placement(pins, [server]), bare_commands(bare, catalogue)
    launched = OpenOptions(plan, catalogue, folder, [], opener=via.opener(placement))
    with (
        closing(Guardian()) as guardian,
        opened(launched, placement, guardian, against, given) as (suite, other, sides),
    ):
        unsupported = product(plan.named_unsupported, against[:1])
        begun = _begun(placement, [*comparisons, *unsupported], (suite, other))
        for found in measured(begun, comparisons, sides):
            write_model(folder / FILE, found)
    tell(f"results in {folder}")
    return _print(found)


def _begun(
    placement: Placement, comparisons: Iterable[tuple[PlannedCell, Against]], contexts: tuple[Testbed, Testbed]
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
        server=" / ".join(
            dict.fromkeys(
                server_version(server_info(server.server.control))
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


def _missing(client: Client, contexts: Iterable[Testbed]) -> str | None:
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
