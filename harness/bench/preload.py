"""Preloading compared with `redis-benchmark -t set -d 1024 -P 100`, on the same server program and machine.

    .build/harness/bin/python harness/bench/preload.py [--keys N] [--pairs N]

Each measurement has its own fresh server, and the two sides take turns. redis-benchmark runs once under the same
conditions (`-r`: as many different keys), and once without `-r`, where it writes one key again and again into warm
memory. Prints the ratio preload / redis-benchmark with its bootstrap interval.
"""

import argparse
import csv
import io
import subprocess
import time
from contextlib import closing

import numpy as np

from respmark.specs.catalogue import Catalogue
from respmark.specs.target import SpawnedTarget
from respmark.statistics.ratio import median_interval
from respmark.target.guardian import Guardian
from respmark.target.preload import more_lanes, preload
from respmark.target.target import opened
from respmark.workload.generate import generate, preload_sizes

SEED = 1
TARGET_RATIO = 0.9


def preload_rate(guardian: Guardian, spec: SpawnedTarget, keys: int) -> float:
    """Return how many SETs per second our preloading writes into an empty server."""
    workload_spec = Catalogue().workload("post")
    workload, sizes = generate(workload_spec, SEED), preload_sizes(workload_spec, SEED)
    with opened(spec, guardian, allow_flush=False) as target:
        began = time.perf_counter()
        with more_lanes(target.control) as others:
            preload(target.control, workload, np.arange(keys, dtype=np.uint32), sizes, others)
        return keys / (time.perf_counter() - began)


def benchmark_rate(guardian: Guardian, spec: SpawnedTarget, keys: int, *, different_keys: bool) -> float:
    """Return how many SETs per second redis-benchmark writes into an empty server."""
    with opened(spec, guardian, allow_flush=False) as target:
        command = ["redis-benchmark", "-p", str(target.endpoint.port), "-t", "set", "-d", "1024", "-P", "100"]
        command += ["-n", str(keys), "--csv", *(["-r", str(keys)] if different_keys else [])]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603
        return float(next(csv.DictReader(io.StringIO(output)))["rps"])


def main() -> None:
    """Measure the sides in turn, and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", type=int, default=1_000_000)
    parser.add_argument("--pairs", type=int, default=5)
    arguments = parser.parse_args()
    spec = Catalogue().target("spawned")
    rates: dict[str, list[float]] = {"preload": [], "same work (-r)": [], "one key (no -r)": []}
    with closing(Guardian()) as guardian:
        for _ in range(arguments.pairs):
            rates["preload"].append(preload_rate(guardian, spec, arguments.keys))
            for name, different in (("same work (-r)", True), ("one key (no -r)", False)):
                rates[name].append(benchmark_rate(guardian, spec, arguments.keys, different_keys=different))
    for name, values in rates.items():
        print(f"{name:>16}: median {np.median(values):>9,.0f} SET/s  ({min(values):,.0f}..{max(values):,.0f})")
    for name in list(rates)[1:]:
        ratios = [ours / theirs for ours, theirs in zip(rates["preload"], rates[name], strict=True)]
        interval = median_interval(ratios)
        print(f"preload / {name}: {interval.median:.2f} ({interval.low:.2f}..{interval.high:.2f}), aim {TARGET_RATIO}")


if __name__ == "__main__":
    main()
