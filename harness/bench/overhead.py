"""What the measured loops cost in each runner: a client that does nothing, walked through the workload `quick`.

    .build/harness/bin/python harness/bench/overhead.py [--slices N] [--slice-s SECONDS] [--runner NAME]...

Each runner works in slices as in a run, with the client `null` in every scenario that it has, and without a server.
Between two units of `sync` there are one look at the clock, the sample, the walk's next command, and a call that does
nothing. Other scenarios have more around them: the commands of a batch, goroutines or tasks, threads that share
processors. Prints the loop of `sync`, which has a limit: CPU per unit, which does not include waiting for a processor,
and elapsed time per unit, of the best slice and of the median one; `over` if the best slice's CPU is above the limit.
Then CPU per unit and per command in every scenario, of the best slice and of the median one. Slices are so short that
no runner's storage for samples fills in one: folding them would be charged to the loop, at a rate that no client
reaches.
"""

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from respmark.contract.lines import Work, Worked
from respmark.contract.trial import Endpoint, Form, Scenario, Shape, Window
from respmark.errors import RespmarkError
from respmark.escaping import markdown_row
from respmark.machine.guardian import Guardian, guarded_folder
from respmark.runners.local import LocalExecutor
from respmark.runners.protocol import Executor, TrialRequest
from respmark.runners.runner import Runner
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import ClientSpec
from respmark.specs.naming import make_client
from respmark.specs.scenario import commands_per_unit
from respmark.workload import columns
from respmark.workload.workload import generate

SEED: Final = 1
LIMIT_S: Final = 60.0
WARM_UP_SLICES: Final = 30
NULL: Final = "null"
LIMITS_NS: Final = {"python": 300.0, "php": 150.0}  # interpreters, without a just-in-time compiler
"""The most that a unit of `sync` may cost, by runner."""
LIMIT_NS: Final = 100.0

Loop = tuple[Scenario, Shape]
SYNC: Final[Loop] = (Scenario.SYNC, Shape())
LOOPS: Final[tuple[Loop, ...]] = (
    SYNC,
    (Scenario.PIPELINING, Shape(depth=100, window=Window.BURST)),
    (Scenario.PIPELINING, Shape(depth=100, window=Window.SLIDING)),
    (Scenario.BATCHING, Shape(depth=100)),
    (Scenario.TRANSACTION, Shape(depth=100, form=Form.QUEUED)),
    (Scenario.TRANSACTION, Shape(depth=100, form=Form.BATCHED)),
    (Scenario.THREADS, Shape(threads=10, connections=1)),
    (Scenario.POOL, Shape(threads=10, max_total=10)),
    (Scenario.NEW_CONNECTION, Shape()),
)


@dataclass(frozen=True)
class Overhead:
    """One loop of one runner."""

    runner: str
    loop: Loop
    elapsed_ns: tuple[float, ...]
    """Per unit, by slice."""
    cpu_ns: tuple[float, ...]
    """The process's own user and system CPU per unit, by slice."""

    @property
    def limit_ns(self) -> float:
        """Return the most CPU that a unit of `sync` may take."""
        return LIMITS_NS.get(self.runner, LIMIT_NS)

    @property
    def is_over(self) -> bool:
        """Return whether even its best slice used more CPU than it may."""
        return min(self.cpu_ns) > self.limit_ns


def loops_of(spec: ClientSpec) -> Iterator[Loop]:
    """Yield the loops that a runner's client `null` has."""
    client = make_client(spec, None, {})
    yield from (loop for loop in LOOPS if spec.why_not(client, *loop) is None)


def measure(
    executor: Executor, spec: ClientSpec, loop: Loop, workload: Path, *, slices: int, slice_s: float
) -> Overhead:
    """Return what a unit of a loop costs with this client, which does nothing.

    Raises:
        RunnerMissingError: the runner is not installed.
        RunnerFailedError: it ended, or did not answer with the line that was due.
    """
    client, server = make_client(spec, None, {}), Endpoint(host="127.0.0.1", port=1)
    process = executor.start(TrialRequest(client, *loop, workload, server))
    process.load(LIMIT_S)
    process.connect(LIMIT_S)
    worked = [_slice(process, slice_s, keep=number >= WARM_UP_SLICES) for number in range(WARM_UP_SLICES + slices)]
    process.samples(LIMIT_S)
    process.end(LIMIT_S)
    worked = worked[WARM_UP_SLICES:]
    elapsed_ns = (one.elapsed_ns / sum(one.measured) for one in worked)
    cpu_ns = ((one.ended.cpu_ns - one.measured_from.cpu_ns) / sum(one.measured) for one in worked)
    return Overhead(spec.runner, loop, tuple(elapsed_ns), tuple(cpu_ns))


def _slice(process: Runner, slice_s: float, *, keep: bool) -> Worked:
    process.work(Work(first=0, ns=round(slice_s * 1e9), keep=keep))
    answer = process.worked(LIMIT_S)
    process.collect(LIMIT_S)
    return answer


def limits_table(rows: Iterable[Overhead]) -> str:
    """Return the table of what has a limit, in Markdown."""
    lines = [
        "| runner | CPU, best | CPU, median | elapsed, best | elapsed, median | limit | |",
        "| --- | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    for row in rows:
        if row.loop == SYNC:
            cpu, elapsed = (min(row.cpu_ns), median(row.cpu_ns)), (min(row.elapsed_ns), median(row.elapsed_ns))
            shown = (f"{figure:,.0f} ns" for figure in (*cpu, *elapsed, row.limit_ns))
            lines.append(markdown_row([row.runner, *shown, "over" if row.is_over else "met"]))
    return "\n".join(lines)


def loops_table(rows: Sequence[Overhead], divisor: Callable[[Loop], int]) -> str:
    """Return a table in Markdown with a row a loop and a column a runner: CPU per unit, divided by so many."""
    runners, found = list(dict.fromkeys(row.runner for row in rows)), {(row.loop, row.runner): row for row in rows}
    lines = [markdown_row(["ns, best (median)", *runners]), markdown_row(["---", *["---:"] * len(runners)])]
    for loop in LOOPS:
        cells = [found.get((loop, runner)) for runner in runners]
        shown = ["" if cell is None else _shown(cell, divisor(loop)) for cell in cells]
        lines.append(markdown_row([f"{loop[0]} {loop[1].label}".strip(), *shown]))
    return "\n".join(lines)


def _shown(row: Overhead, divisor: int) -> str:
    best, usual = (figure / divisor for figure in (min(row.cpu_ns), median(row.cpu_ns)))
    return f"{best:,.{_digits(best)}f} ({usual:,.{_digits(usual)}f})"


def _digits(figure: float) -> int:
    return 0 if figure >= 10 else 1  # noqa: PLR2004 - two digits


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure one runner after another, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slices", type=int, default=60)
    parser.add_argument("--slice-s", type=float, default=0.003)
    parser.add_argument("--runner", action="append")
    chosen = parser.parse_args(arguments)
    catalogue, rows = Catalogue(), list[Overhead]()
    specs = {runner: spec for (runner, name), spec in catalogue.every_client.items() if name == NULL}
    with closing(Guardian()) as guardian, guarded_folder(guardian, "overhead") as folder:
        path = folder / "quick.columns"
        columns.write(generate(catalogue.workload("quick"), SEED), path)
        with LocalExecutor(catalogue.runners, catalogue.every_client, guardian) as executor:
            for runner in chosen.runner or specs:
                try:
                    for loop in loops_of(specs[runner]):
                        rows.append(
                            measure(executor, specs[runner], loop, path, slices=chosen.slices, slice_s=chosen.slice_s)
                        )
                except RespmarkError as error:
                    print(f"{runner}: {error}\n")
    print(limits_table(rows))
    print(f"\nCPU per unit\n\n{loops_table(rows, lambda _: 1)}")
    print(f"\nCPU per command\n\n{loops_table(rows, lambda loop: commands_per_unit(*loop))}")


if __name__ == "__main__":
    main()
