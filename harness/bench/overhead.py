"""What the measured loop costs in each runner: a client that does nothing, walked through the workload `quick`.

    .build/harness/bin/python harness/bench/overhead.py [--slices N] [--slice-s SECONDS] [--runner NAME]...

Each runner works in slices as in a run, with the client `null` in scenario `sync`, and without a server. Between two
units there are one look at the clock, the sample, the walk's next command, and a call that does nothing. Prints CPU per
unit, which does not include waiting for a processor, and elapsed time per unit, of the best slice and of the median
one; `over` if the best slice's CPU is above the limit. Slices are so short that no runner's storage for samples fills
in one: folding them would be charged to the loop, at a rate that no client reaches.
"""

import argparse
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from respmark.contract.lines import Work, Worked
from respmark.contract.trial import Endpoint, Scenario, Shape
from respmark.errors import RespmarkError
from respmark.machine.guardian import Guardian, guarded_folder
from respmark.runners.local import LocalExecutor
from respmark.runners.protocol import Executor, Runner, TrialRequest
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client
from respmark.workload import columns
from respmark.workload.workload import generate

SEED: Final = 1
LIMIT_S: Final = 60.0
WARM_UP_SLICES: Final = 30
LIMITS_NS: Final = {"python": 300.0, "php": 150.0}  # interpreters, without a just-in-time compiler
"""The most that a unit of the loop may cost, by runner."""
LIMIT_NS: Final = 100.0


@dataclass(frozen=True)
class Overhead:
    """One runner's loop."""

    runner: str
    elapsed_ns: tuple[float, ...]
    """Per unit, by slice."""
    cpu_ns: tuple[float, ...]
    """The process's own user and system CPU per unit, by slice."""

    @property
    def is_over(self) -> bool:
        """Return whether even its best slice used more CPU than it may."""
        return min(self.cpu_ns) > LIMITS_NS.get(self.runner, LIMIT_NS)


def measure(executor: Executor, runner: str, workload: Path, slices: int, slice_s: float) -> Overhead:
    """Return what a unit of the runner's loop costs.

    Raises:
        RunnerMissingError: the runner is not installed.
        RunnerFailedError: it ended, or did not answer with the line that was due.
    """
    client = Client(name="null", library="null", runner=runner, version=None, options={})
    target = Endpoint(host="127.0.0.1", port=1)
    process = executor.start(TrialRequest(client, Scenario.SYNC, Shape(), workload, target))
    process.load(LIMIT_S)
    process.connect(LIMIT_S)
    worked = [_slice(process, slice_s, keep=number >= WARM_UP_SLICES) for number in range(WARM_UP_SLICES + slices)]
    process.samples(LIMIT_S)
    process.end(LIMIT_S)
    worked = worked[WARM_UP_SLICES:]
    elapsed_ns = (one.elapsed_ns / sum(one.measured) for one in worked)
    cpu_ns = ((one.ended.cpu_ns - one.measured_from.cpu_ns) / sum(one.measured) for one in worked)
    return Overhead(runner, tuple(elapsed_ns), tuple(cpu_ns))


def _slice(process: Runner, slice_s: float, *, keep: bool) -> Worked:
    process.work(Work(first=0, ns=round(slice_s * 1e9), keep=keep))
    answer = process.worked(LIMIT_S)
    process.collect(LIMIT_S)
    return answer


def table(rows: Iterable[Overhead]) -> str:
    """Return the table in Markdown."""
    lines = [
        "| runner | CPU, best | CPU, median | elapsed, best | elapsed, median | limit | |",
        "| --- | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    for row in rows:
        cpu, elapsed = (min(row.cpu_ns), median(row.cpu_ns)), (min(row.elapsed_ns), median(row.elapsed_ns))
        figures = (*cpu, *elapsed, LIMITS_NS.get(row.runner, LIMIT_NS))
        shown = " | ".join(f"{figure:,.0f} ns" for figure in figures)
        lines.append(f"| {row.runner} | {shown} | {'over' if row.is_over else 'met'} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure one runner after another, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slices", type=int, default=60)
    parser.add_argument("--slice-s", type=float, default=0.003)
    parser.add_argument("--runner", action="append")
    chosen = parser.parse_args(arguments)
    catalogue, rows = Catalogue(), []
    with closing(Guardian()) as guardian, guarded_folder(guardian, "overhead") as folder:
        path = folder / "quick.columns"
        columns.write(generate(catalogue.workload("quick"), SEED), path)
        with LocalExecutor(catalogue.runners, catalogue.every_client, guardian) as executor:
            for runner in chosen.runner or catalogue.languages:
                try:
                    rows.append(measure(executor, runner, path, chosen.slices, chosen.slice_s))
                except RespmarkError as error:
                    print(f"{runner}: {error}")
    print(table(rows))


if __name__ == "__main__":
    main()
