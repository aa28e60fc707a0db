"""What the kernel did in each slice, beside how fast it was: why laps of one client scatter.

    cd harness && ../.build/harness/bin/python -m bench.scatter --client redis-py --scenario sync --slices 200
    cd harness && ../.build/harness/bin/python -m bench.scatter --client jedis --gap-s 0.5 --out slices.csv

One client works slice after slice, with a gap in which nobody works, as others do in a run. The table shows each
counter of client and server: its median, and how it goes with throughput (Spearman's rank correlation). `--out` has
every slice. Counters that need no privilege: context switches, migrations and the time runnable but waiting for a CPU
(proc(5), `sched` and `schedstat` of each thread), page faults, the CPUs on which both sides' busiest threads were,
steal and interrupts (`/proc/stat`), and the CPUs' frequency where the kernel says it.
"""

import csv
import io
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import fmean, median, stdev

import cyclopts
import numpy as np
import scipy

from bench.sides import RunnerSide
from respmark import paths
from respmark.cli.app import tell_error
from respmark.cli.options import PinOptions, PlanOptions, tell
from respmark.cli.setup import set_up
from respmark.console import write_out
from respmark.errors import ExitCode, InvalidRequestError, RespmarkError
from respmark.files import write_out_file
from respmark.kinds.loops.work import slice_work
from respmark.machine.guardian import Guardian
from respmark.machine.kernel import PROC
from respmark.machine.lock import lock_path, only_run
from respmark.plan.make import make_plan
from respmark.plan.plan import Trial
from respmark.run.quiet import BEFORE_SLICE_S, wait_until_quiet
from respmark.run.testbed import OpenOptions, opened_testbed
from respmark.runners.local import open_local
from respmark.specs.catalogue import Catalogue

SCHED = {
    "se.nr_migrations": "migrations",
    "nr_voluntary_switches": "voluntary switches",
    "nr_involuntary_switches": "involuntary switches",
}
"""Fields of a thread's `sched`, and what they are called here."""
STAT = {"irq": 6, "softirq": 7, "steal": 8}
"""Fields of the first line of `/proc/stat`, in clock ticks."""
MINOR_FAULTS, PROCESSOR = 7, 36
"""Fields of a thread's `stat` after its name, from 0 on (proc(5): 10 and 39)."""

Counts = dict[str, float]


def process_counts(pid: int) -> Counts:
    """Return what the kernel counts for all threads of a process; empty for one that has ended."""
    found: Counts = dict.fromkeys([*SCHED.values(), "waited for a CPU, µs", "page faults"], 0.0)
    for task in _tasks(pid):
        for line in _read(task / "sched").splitlines():
            name, _, value = line.partition(":")
            if (known := SCHED.get(name.strip())) is not None:
                found[known] += float(value)
        scheduled = _read(task / "schedstat").split()
        found["waited for a CPU, µs"] += int(scheduled[1]) / 1e3 if scheduled else 0.0
        fields = _fields(task)
        found["page faults"] += int(fields[MINOR_FAULTS]) if fields else 0
    return found


def busiest_cpu(pid: int) -> int | None:
    """Return the CPU on which the thread was last that has used the most CPU time of a process."""
    used = {task: int((_read(task / "schedstat").split() or ["0"])[0]) for task in _tasks(pid)}
    fields = _fields(max(used, key=lambda task: used[task])) if used else []
    return int(fields[PROCESSOR]) if fields else None


def machine_counts() -> Counts:
    """Return what the kernel counts for the machine."""
    fields = _read(PROC / "stat").partition("\n")[0].split()
    return {f"{name}, ticks": float(fields[place]) for name, place in STAT.items()} if fields else {}


def frequency_mhz() -> float | None:
    """Return the CPUs' mean frequency now; None where the kernel does not say."""
    lines = (line.partition(":") for line in _read(PROC / "cpuinfo").splitlines())
    known = [float(value) for name, _, value in lines if name.strip() == "cpu MHz"]
    return fmean(known) if known else None


def _tasks(pid: int) -> list[Path]:
    try:
        return list((PROC / str(pid) / "task").iterdir())
    except OSError:
        return []


def _fields(task: Path) -> list[str]:
    return _read(task / "stat").rpartition(")")[2].split()


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def counts_of(client: Sequence[int], server: int | None) -> Counts:
    """Return every count that grows, by name."""
    every = {f"client: {name}": 0.0 for name in process_counts(-1)}
    for pid in client:
        for name, value in process_counts(pid).items():
            every[f"client: {name}"] += value
    of_server = {} if server is None else {f"server: {name}": value for name, value in process_counts(server).items()}
    return every | of_server | {f"machine: {name}": value for name, value in machine_counts().items()}


def measure(side: RunnerSide, slices: int, gap_s: float) -> Iterator[Counts]:
    """Yield one slice after the other: how fast it was, and what the kernel counted in it."""
    pids = [pid for process in side.processes.runners for pid in [*(process.threads_ns() or {})][:1]]
    server = side.processes.in_use.server.pid
    for number in range(1, slices + 1):
        time.sleep(gap_s)
        wait_until_quiet([side.processes], BEFORE_SLICE_S)
        before = counts_of(pids, server)
        speed = side.work(slice_work(side.loop, number))
        after = counts_of(pids, server)
        grown = {name: value - before.get(name, 0.0) for name, value in after.items()}
        cpus = [busiest_cpu(pids[0]) if pids else None, None if server is None else busiest_cpu(server)]
        yield {
            "RPS": speed.rps,
            "client CPU, ns per command": speed.cpu_ns_per_command,
            **grown,
            "both on one CPU": float(cpus[0] is not None and cpus[0] == cpus[1]),
            "client's CPU": float(-1 if cpus[0] is None else cpus[0]),
            "server's CPU": float(-1 if cpus[1] is None else cpus[1]),
            "frequency, MHz": frequency_mhz() or 0.0,
        }


def table(slices: Sequence[Mapping[str, float]]) -> Iterator[str]:
    """Yield a row for each counter: what it was, and how it goes with throughput."""
    rates = [one["RPS"] for one in slices]
    yield f"{len(slices)} slices, RPS {median(rates):,.0f}, standard deviation {stdev(rates) / fmean(rates):.1%}"
    yield ""
    yield "| counter | median | lowest | highest | rank correlation with RPS | p |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for name in slices[0]:
        values = [one[name] for one in slices]
        shown = f"| {name} | {median(values):,.1f} | {min(values):,.1f} | {max(values):,.1f} |"
        if name == "RPS" or len(set(values)) == 1:
            yield f"{shown} | |"
            continue
        found = scipy.stats.spearmanr(np.array(rates), np.array(values))
        yield f"{shown} {found.statistic:+.2f} | {found.pvalue:.3f} |"


def as_csv(slices: Sequence[Mapping[str, float]]) -> str:
    """Return every slice."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(slices[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(slices)
    return text.getvalue()


def scatter(
    *,
    options: PlanOptions = PlanOptions(),
    pins: PinOptions = PinOptions(),
    slices: int = 100,
    gap_s: float = 0.5,
    out: Path | None = None,
) -> ExitCode:
    """Measure one client slice by slice, with the kernel's counters: about two minutes, most of it the gaps.

    Args:
        options: What is measured: the first cell of it.
        pins: On which CPUs.
        slices: How many.
        gap_s: How long nobody works before each.
        out: A CSV file with every slice.
    """
    if slices < 3:  # noqa: PLR2004 - for a deviation and a correlation
        raise InvalidRequestError("--slices must be at least 3")
    catalogue = Catalogue()
    request = options.request(catalogue, "quick")
    plan = make_plan(request, catalogue)
    cell = next(cell for cell in plan.cells if cell.unsupported is None)
    servers = list(map(catalogue.server, plan.settings.servers.values()))
    set_up([cell.client], catalogue, servers)
    launched = OpenOptions(
        plan, catalogue, paths.results() / "scatter", [], opener=partial(open_local, placement=pins.placement(servers))
    )
    with (
        closing(Guardian()) as guardian,
        only_run(lock_path()),
        opened_testbed(launched, guardian) as context,
    ):
        side = RunnerSide(context, Trial(cell, 1))
        try:
            side.start()
            found = list(measure(side, slices, gap_s))
        finally:
            side.kill()
    write_out("".join(f"{line}\n" for line in (f"{cell.client.name}, {cell.block}:", *table(found))))
    if out is not None:
        write_out_file(out, as_csv(found).encode())
        tell(f"slices in {out}")
    return ExitCode.OK


if __name__ == "__main__":
    try:
        sys.exit(cyclopts.run(scatter))
    except RespmarkError as error:
        tell_error(error)
        sys.exit(error.exit_code)
