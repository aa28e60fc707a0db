"""Simulates the common start of a slice on many hosts: how far apart they begin, and what the calls cost.

    .build/harness/bin/python harness/bench/barrier.py
    .build/harness/bin/python harness/bench/barrier.py --calls     what a call costs here, in a cluster of three workers

Calls to all hosts are under way at the same time, but each takes CPU of the one thread that sends and receives them.
Each host's clock is known from the reading with the shortest round trip.
"""

import sys
import time
from typing import Final

import numpy as np

from respmark.machine.host_clock import KEPT
from respmark.run.processes import TOGETHER_NS, TOGETHER_NS_A_PROCESS
from respmark.runners.dask import cluster, open_agents

HOSTS: Final = (1, 3, 10, 30, 100, 300, 1000)
SLICES: Final = 400
TOGETHER: Final = 0.98
"""Share of a slice in which all hosts should be at work."""
CALL_MS: Final = 1.0
"""Median of a call to an actor and back, in a cluster on one network."""
OWN_MS: Final = 0.9
"""CPU here of a call, by `--calls`."""
CALLS: Final = 3
"""Beside the order: two looks at the counters before it, and the answer."""
SPREAD: Final = 0.5
"""Standard deviation of the logarithm of a call's time: one in a hundred takes three times as long."""
LATE_MS: Final = 0.06
"""Mean time by which a sleep ends late on an idle host."""
DRAWN_S: Final = 0.12
"""A slice, with 0.08 s of lead-in before it."""
LEAD_IN_S: Final = 0.08
MEASURED: Final = 1000
"""Calls that are measured."""


def main() -> None:
    """Print a row for each number of hosts."""
    print(
        "| hosts | orders take | too late | begin within | slices with 98 % together | of a slice's time is measured |"
    )
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    random = np.random.default_rng(1)
    for hosts in HOSTS:
        calls = random.lognormal(np.log(CALL_MS), SPREAD, (SLICES, hosts))
        sent = OWN_MS * np.arange(1, hosts + 1) + calls / 2
        ahead_ms = (TOGETHER_NS + hosts * TOGETHER_NS_A_PROCESS) / 1e6
        late = np.maximum(0.0, sent - ahead_ms)
        ways = random.lognormal(np.log(CALL_MS / 2), SPREAD, (SLICES, hosts, KEPT, 2))
        shortest = ways.sum(axis=3).argmin(axis=2)
        best = np.take_along_axis(ways, shortest[:, :, None, None], axis=2)[:, :, 0]
        clock = (best[..., 0] - best[..., 1]) / 2
        began = late + clock + random.exponential(LATE_MS, (SLICES, hosts))
        skew = began.max(axis=1) - began.min(axis=1)
        together = 1 - skew / (DRAWN_S * 1e3)
        answered_ms = OWN_MS * hosts + calls.max(axis=1)
        whole_ms = ahead_ms + (LEAD_IN_S + DRAWN_S) * 1e3 + CALLS * answered_ms
        print(
            f"| {hosts:,} | {np.median(sent.max(axis=1)):,.0f} ms | {np.mean(late.max(axis=1) > 0):.1%} "
            f"| {np.median(skew):.2f} ms | {np.mean(together >= TOGETHER):.0%} "
            f"| {DRAWN_S * 1e3 / np.median(whole_ms):.0%} |"
        )


def measure_calls() -> None:
    """Print what a call to an agent takes, and the CPU that it takes here."""
    with cluster("local:3") as connected, open_agents(connected, connected.workers) as hosts:
        began_ns, used_ns = time.monotonic_ns(), time.process_time_ns()
        for number in range(MEASURED):
            hosts[number % len(hosts)].call("clock")
        lasted_ms, cpu_ms = (time.monotonic_ns() - began_ns) / 1e6, (time.process_time_ns() - used_ns) / 1e6
    print(f"a call takes {lasted_ms / MEASURED:.2f} ms, {cpu_ms / MEASURED:.2f} ms of CPU here")


if __name__ == "__main__":
    measure_calls() if "--calls" in sys.argv[1:] else main()
