"""What a process did before, and glibc's variables, change of what a client makes of large values.

    .build/harness/bin/python harness/bench/allocator.py [--client NAME]... [--workload NAME]... [--state NAME]...
        [--rounds N] [--laps N]

glibc gives a value of more than 128 KiB pages of its own (mmap), until the first such value is freed: from then on,
values of that size come from the heap, whose end is given back to the kernel once twice that size is free. Pages that
are given back cost a fault each when they are needed again. Each state of a client has a process of its own in each
round; they take turns. "After" other values is a trial with them before, in the same process. Prints a Markdown table
for docs/findings/large-values.md: ratios are to the fresh process of the same round, with the lowest and the highest of
the rounds. Go has an allocator of its own; it is here to show that nothing happens where nothing should.
"""

import argparse
import os
import random
import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final, cast

from respmark.contract.lines import Work
from respmark.contract.trial import Scenario, Shape
from respmark.errors import RunnerFailedError, RunnerMissingError
from respmark.machine.guardian import Guardian, guarded_folder
from respmark.machine.process import LocalProcess
from respmark.runners.local import LocalExecutor
from respmark.runners.protocol import TrialRequest
from respmark.runners.runner import Runner
from respmark.servers.control import Control
from respmark.servers.node import spawn
from respmark.servers.preload import PreloadedKeys
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client
from respmark.specs.naming import one_client
from respmark.specs.server import SpawnedServer
from respmark.workload import columns
from respmark.workload.workload import draw_prefix, generate, preload_sizes, with_prefix

LIMIT_S: Final = 120.0
WORK: Final = Work(first=0, lead_in_ns=100_000_000, ns=300_000_000, keep=False)
WARM_UP: Final = 3
"""Slices before those that count, of each trial; a trial before has as many."""
MIB: Final = 1 << 20


@dataclass(frozen=True)
class State:
    """What a process did before its trial, and the variables that it was started with."""

    before: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)


STATES: Final = MappingProxyType(
    {
        "fresh": State(),
        "after values of 1 KiB": State(before=("values-1024",)),
        "after values of 1 MiB": State(before=("values-1m",)),
        "after values of 4 MiB": State(before=("values-4m",)),
        "MALLOC_MMAP_THRESHOLD_=128K": State(variables={"MALLOC_MMAP_THRESHOLD_": str(128 << 10)}),
        "MALLOC_MMAP_THRESHOLD_=32M MALLOC_TRIM_THRESHOLD_=256M": State(
            variables={"MALLOC_MMAP_THRESHOLD_": str(32 * MIB), "MALLOC_TRIM_THRESHOLD_": str(256 * MIB)}
        ),
        "MALLOC_TOP_PAD_=64M": State(variables={"MALLOC_TOP_PAD_": str(64 * MIB)}),
        "MALLOC_ARENA_MAX=1": State(variables={"MALLOC_ARENA_MAX": "1"}),
    }
)
CLIENTS: Final = (
    *("redis-py", "redis-py[parser=python]", "valkey", "coredis", "valkey-glide-sync", "valkey-glide-python"),
    *("hiredis", "phpredis", "predis", "redis-rs", "fred", "node-redis", "ioredis", "valkey-glide-node"),
    *("jedis", "lettuce", "stackexchange-redis", "go-redis"),
)


@dataclass
class Totals:
    """What the slices of one process had in all."""

    units: int = 0
    ns: int = 0
    all_units: int = 0
    cpu_ns: int = 0
    faults: int = 0

    @property
    def figures(self) -> tuple[float, float, float]:
        """Return commands a second, and of a command µs of CPU and page faults."""
        return self.units / self.ns * 1e9, self.cpu_ns / self.all_units / 1e3, self.faults / self.all_units


@contextmanager
def variables(given: Mapping[str, str]) -> Iterator[None]:
    """Have these variables in the environment, which a runner inherits, and no other of glibc's allocator."""
    kept = dict(os.environ)
    for name in [name for name in kept if name.startswith("MALLOC_")]:
        del os.environ[name]
    os.environ.update(given)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(kept)


def faults(runner: Runner) -> int:
    """Return how many pages of a process the kernel had to provide so far."""
    (pid,) = cast("LocalProcess", runner.process).pids()
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[7])


def work(runner: Runner, slices: int, totals: Totals) -> None:
    """Let a runner work for so many slices."""
    for _ in range(slices):
        before = faults(runner)
        runner.work(WORK)
        worked = runner.worked(LIMIT_S)
        if worked.errors:
            raise runner.failed(str(worked.first_error))
        totals.units += sum(worked.measured)
        totals.ns += worked.elapsed_ns
        totals.all_units += worked.units
        totals.cpu_ns += worked.cpu_ns
        totals.faults += faults(runner) - before


def begin(executor: LocalExecutor, state: State, requests: Mapping[str, TrialRequest], workload: str) -> Runner:
    """Start a process in this state, and its trial; return it when it is warm."""
    first, *others = [requests[name] for name in (*state.before, workload)]
    with variables(state.variables):
        runner = executor.start(first)
    warm_up(runner)
    for request in others:
        runner.give(request)
        warm_up(runner)
    return runner


def warm_up(runner: Runner) -> None:
    """Load and connect the trial that a runner was given, and let it work."""
    runner.load(LIMIT_S)
    runner.connect(LIMIT_S)
    work(runner, WARM_UP, Totals())


def measured(
    executor: LocalExecutor, states: Sequence[str], requests: Mapping[str, TrialRequest], workload: str, laps: int
) -> dict[str, Totals]:
    """Return what each state's process did in one round, in which they took turns."""
    with ExitStack() as started:
        runners: dict[str, Runner] = {}
        for name in random.sample(states, len(states)):
            runners[name] = begin(executor, STATES[name], requests, workload)
            started.callback(runners[name].kill)
        found = {name: Totals() for name in states}
        for _ in range(laps):
            for name in random.sample(states, len(states)):
                work(runners[name], 1, found[name])
        return found


def row(client: Client, workload: str, state: str, rounds: Sequence[Mapping[str, Totals]]) -> str:
    """Return a row of the table."""
    figures = [each[state].figures for each in rounds]
    rps, cpu, of_pages = (statistics.median(column) for column in zip(*figures, strict=True))
    ratios = [each[state].figures[0] / each["fresh"].figures[0] for each in rounds]
    ratio = f"{statistics.geometric_mean(ratios):.2f} ({min(ratios):.2f}..{max(ratios):.2f})"
    shown = state if state != "fresh" else "**fresh**"
    return f"| `{client.name}` | {workload} | {shown} | {rps:,.0f} | {ratio} | {cpu:,.1f} | {of_pages:,.1f} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print the table row by row."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--client", action="append")
    parser.add_argument("--workload", action="append", choices=("values-1m", "values-100k"))
    parser.add_argument("--state", action="append", choices=[name for name in STATES if name != "fresh"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--laps", type=int, default=6)
    chosen = parser.parse_args(arguments)
    catalogue, code = Catalogue(), 0
    states = ["fresh", *(chosen.state or [name for name in STATES if name != "fresh"])]
    specs = {name: catalogue.workload(name) for name in ("values-1024", "values-100k", "values-1m")}
    of_4m = dict.fromkeys(("mean_bytes", "min_bytes", "max_bytes"), 4 * MIB)
    specs["values-4m"] = specs["values-1m"].model_copy(
        update={"name": "values-4m", "sizes": specs["values-1m"].sizes.model_copy(update=of_4m)}
    )
    with (
        closing(Guardian()) as guardian,
        guarded_folder(guardian, "allocator") as folder,
        LocalExecutor(catalogue.runners, catalogue.every_client, guardian) as executor,
        ExitStack() as opened,
    ):
        server = spawn(cast("SpawnedServer", catalogue.server("spawned")), guardian)
        opened.callback(server.stop)
        control = opened.enter_context(Control(server.endpoint))
        for name, spec in specs.items():
            # With keys as long as a run's: how the heap lies depends on that, too.
            made = with_prefix(generate(spec, 1), draw_prefix())
            columns.write(made, folder / name)
            PreloadedKeys(made, preload_sizes(spec, 1)).write_all(control)
        print("| client | values | state | commands/s | ratio to fresh | CPU, µs | page faults |")
        print(f"| --- | --- | --- |{' ---: |' * 4}")
        for name in chosen.client or CLIENTS:
            client = one_client(name, catalogue.clients)
            requests = {
                name: TrialRequest(client, Scenario.SYNC, Shape(), folder / name, server.endpoint) for name in specs
            }
            for workload in chosen.workload or ("values-1m", "values-100k"):
                try:
                    rounds = [measured(executor, states, requests, workload, chosen.laps) for _ in range(chosen.rounds)]
                except (RunnerFailedError, RunnerMissingError) as error:
                    print(f"{client.name}: {error}", file=sys.stderr)
                    code = 1
                    break
                for state in states:
                    print(row(client, workload, state, rounds), flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
