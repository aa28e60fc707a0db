"""What the walk through the workload costs: a file of many commands (cold) against its first 1,000 (hot).

    .build/harness/bin/python harness/bench/walk.py --rounds 12
    .build/harness/bin/python harness/bench/walk.py --commands 1000000 --rounds 12
    .build/harness/bin/python harness/bench/walk.py --client jedis --depth 100 --workload post --markdown

Two processes of a client take turns on one server, which has the keys of the whole workload: one walks all commands,
the other the first 1,000 of them, cut from the same columns, with the same header and the same bytes of values. Prints
cold / hot, with 95 % intervals over rounds, and for each process the time until it is loaded and its peak memory: what
the cold one has beyond the hot one is the price of its commands. `--workload post` has the post's million commands and
writes its 3,000,000 keys, which need 4 GiB. Exit code 1: an interval of CPU per command lies entirely above 1.03, or a
client failed.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Final

import cyclopts

from respmark.cli.options import DEFAULTS, USUAL_CPUS, PinOptions, PlanOptions, tell
from respmark.cli.unforeseen import tell_error
from respmark.console import report_console, write_out
from respmark.contract.base import Message
from respmark.contract.events import SliceOrder
from respmark.contract.trial import Scenario
from respmark.errors import ExitCode, FidelityError, InvalidRequestError, RespmarkError
from respmark.evidence.expectation import Expectations
from respmark.evidence.info import server_info, server_version
from respmark.execute.backend import LocalBackend
from respmark.execute.missing import missing_reason
from respmark.fidelity.pairs import measure_round
from respmark.fidelity.rows import CPU_TARGET, Row, Verdict, verdicts
from respmark.fidelity.sides import RunnerSide, Speed
from respmark.fidelity.tables import markdown_table, print_table, ratio_words
from respmark.launch import LaunchOptions, context_for, new_run_id
from respmark.paths import RESULTS
from respmark.plan.expand import make_plan
from respmark.plan.trial import Cell, Plan, Trial
from respmark.report.header import machine_line
from respmark.report.notes import shape_label
from respmark.results.machine import this_machine
from respmark.results.store import make_folder, write_model
from respmark.run.context import MadeWorkload, RunContext
from respmark.run.participant import Participant
from respmark.specs.catalogue import Catalogue
from respmark.target.guardian import Guardian
from respmark.workload import file as workload_file
from respmark.workload.file import Workload

HOT: Final = 1_000
DEPTHS: Final = (100, 1000)
MIB: Final = 2**20
HEADINGS: Final = (
    *("client", "scenario", "CPU per command", "RPS", "loaded in s, cold", "hot"),
    *("peak memory in MiB, cold", "hot", ""),
)


class Price(Message):
    """What one process took."""

    startup_ns: int
    """Until it was loaded."""
    peak_memory_bytes: int


class WalkRow(Row):
    """One client: the cold file (`suite_...` of its laps) and the hot one (`other_...`)."""

    cold: list[Price]
    """By round."""
    hot: list[Price]


class WalkRun(Message):
    """Everything that was found."""

    rounds: int
    laps: int
    slice_s: float
    lead_in_s: float
    workload: str
    commands: int
    hot_commands: int
    machine: str
    target: str
    seed: int
    rows: list[WalkRow]


class HotSide(RunnerSide):
    """A runner with a shorter file than the one that slices are ordered for."""

    def work(self, order: SliceOrder) -> Speed:
        """Work for one slice that begins somewhere in this file."""
        first = order.first_command % self.participant.workload.commands
        return super().work(order.model_copy(update={"first_command": first}))


def cut(workload: Workload, commands: int) -> Workload:
    """Return a workload's first commands: the same keys, bytes of values, and header except for their number."""
    return replace(
        workload,
        header=workload.header.model_copy(update={"commands": commands}),
        kinds=workload.kinds[:commands],
        keys=workload.keys[:commands],
        sizes=workload.sizes[:commands],
    )


def hot_bench(context: RunContext, commands: int) -> RunContext:
    """Return the same context with the first commands of its workload, in a file beside the original."""
    name = context.settings.workload.name
    path = Path(context.workloads[name].path).with_suffix(".hot")
    workload = cut(context.workloads[name].workload, commands)
    workload_file.write(workload, path)
    return replace(context, workloads={name: MadeWorkload(workload, str(path), Expectations(workload))})


def with_commands(plan: Plan, commands: int | None, hot: int) -> Plan:
    """Return the plan with this many commands in the whole workload.

    Raises:
        InvalidRequestError: the hot file would not be a part of it.
    """
    spec = plan.settings.workload
    spec = spec if commands is None else spec.model_copy(update={"commands": commands})
    if not 0 < hot < spec.commands:
        message = f"--hot must be at least 1, and less than the workload's {spec.commands:,} commands"
        raise InvalidRequestError(message)
    return replace(plan, settings=replace(plan.settings, workload=spec))


def price(participant: Participant) -> Price:
    """Return what a process took."""
    return Price(
        startup_ns=max(one.startup_ns for one in participant.loaded),
        peak_memory_bytes=sum(one.peak_memory_bytes for one in participant.results),
    )


def with_round(row: WalkRow, trial: Trial, context: RunContext, hot: RunContext) -> WalkRow:
    """Return the row with one more round; a failure ends this row, not the others."""
    cold_side, hot_side = RunnerSide(context, trial), HotSide(hot, trial)
    try:
        laps = measure_round(cold_side, hot_side, trial.round)
    except FidelityError as error:
        return row.model_copy(update={"reason": f"round {trial.round}: {error}"})
    cold, hot_price = price(cold_side.participant), price(hot_side.participant)
    return row.model_copy(
        update={"laps": [*row.laps, *laps], "cold": [*row.cold, cold], "hot": [*row.hot, hot_price]},
    )


def costs(verdict: Verdict | None) -> bool:
    """Return whether the interval of CPU per command lies entirely above 1.03."""
    return verdict is not None and verdict.cpu.low is not None and verdict.cpu.low > CPU_TARGET


def exit_code(rows: list[WalkRow]) -> ExitCode:
    """Return 1 if the walk costs something, or a client failed."""
    judged = zip(rows, verdicts([*rows]), strict=True)
    return ExitCode.SOME_FAILED if any(row.reason or costs(one) for row, one in judged) else ExitCode.OK


def title(found: WalkRun) -> str:
    """Return the line above the table."""
    return (
        f"{found.commands:,} commands / the first {found.hot_commands:,}, workload {found.workload}, 95 % intervals "
        f"over {found.rounds} rounds of {found.laps} laps; slices of {found.slice_s:g} s, lead-in "
        f"{found.lead_in_s:g} s; {found.machine}; {found.target}."
    )


def words(found: WalkRun) -> Iterator[tuple[str, ...]]:
    """Yield the table's rows."""
    for row, one in zip(found.rows, verdicts([*found.rows]), strict=True):
        remark = row.reason or ("costs more than 3 %" if costs(one) else "")
        ratios = ("", "") if one is None else (ratio_words(one.cpu), ratio_words(one.rps))
        place = (row.client, f"{row.scenario} {shape_label(row.shape)}".strip())
        yield (*place, *ratios, *prices(row), remark)


def prices(row: WalkRow) -> tuple[str, ...]:
    """Return the median time until loaded and the largest peak memory, for both sides."""
    if not row.cold:
        return ("",) * 4
    times = [f"{median(one.startup_ns for one in side) / 1e9:.2f}" for side in (row.cold, row.hot)]
    peaks = [f"{max(one.peak_memory_bytes for one in side) / MIB:.0f}" for side in (row.cold, row.hot)]
    return (*times, *peaks)


def measured(context: RunContext, hot: RunContext, cells: Sequence[Cell]) -> Iterator[WalkRun]:
    """Measure every cell, round after round; yield what is known after each round."""
    settings = context.settings
    rows = {
        cell.id: WalkRow(
            client=cell.client.name,
            scenario=cell.scenario,
            shape=cell.shape,
            versions={},
            laps=[],
            reason=missing_reason(cell.client, context.executor),
            cold=[],
            hot=[],
        )
        for cell in cells
    }
    for number in range(1, settings.rounds + 1):
        for cell in cells:
            if rows[cell.id].reason is None:
                tell(f"round {number} of {settings.rounds}: {cell.id}")
                rows[cell.id] = with_round(rows[cell.id], Trial(cell, number), context, hot)
        yield WalkRun(
            rounds=number,
            laps=settings.laps,
            slice_s=settings.slice_s,
            lead_in_s=settings.lead_in_s,
            workload=settings.workload.name,
            commands=context.workloads[settings.workload.name].commands,
            hot_commands=hot.workloads[settings.workload.name].commands,
            machine=machine_line(this_machine()),
            target=server_version(server_info(context.target.control)),
            seed=settings.seed,
            rows=list(rows.values()),
        )


def walk(
    *,
    options: PlanOptions = DEFAULTS,
    pins: PinOptions = USUAL_CPUS,
    commands: int | None = None,
    hot: int = HOT,
    markdown: bool = False,
    out: Path | None = None,
) -> ExitCode:
    """Compare each client on a whole workload with itself on the workload's first commands.

    Args:
        options: What is measured; default: batching 100 and 1,000 with the clients of suite `quick`.
        pins: On which CPUs.
        commands: In the whole workload; default: as many as it has.
        hot: Commands in the other file.
        markdown: Print a Markdown table.
        out: Folder for walk.json; default: a new one under results/.
    """
    catalogue = Catalogue()
    shape = replace(options.shape, depth=options.shape.depth or DEPTHS)
    options = replace(options, scenario=options.scenario or (Scenario.BATCHING,), shape=shape)
    plan = make_plan(replace(options.request("quick"), memory_bytes=None), catalogue)
    plan = with_commands(plan, commands, hot)
    cells = [cell for cell in plan.cells if cell.unsupported is None]
    folder = out or RESULTS / new_run_id(plan, datetime.now(UTC), "walk")
    make_folder(folder)
    launch_options = LaunchOptions(
        plan, catalogue, folder, [], backend=LocalBackend(pins.placement(catalogue.target(plan.settings.target)))
    )
    with closing(Guardian()) as guardian, context_for(launch_options, guardian) as context:
        for found in measured(context, hot_bench(context, hot), cells):
            write_model(folder / "walk.json", found)
    if markdown:
        write_out(markdown_table(title(found), HEADINGS, words(found)))
    else:
        print_table(report_console(), title(found), HEADINGS, words(found))
    tell(f"results in {folder}")
    return exit_code(found.rows)


if __name__ == "__main__":
    try:
        cyclopts.run(walk)
    except RespmarkError as error:
        tell_error(error)
        sys.exit(error.exit_code)
