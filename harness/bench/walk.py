"""Whether walking through a workload is free: a thousand commands against the same ones a hundred times over.

    .build/harness/bin/python harness/bench/walk.py [--rounds N] [--laps N] [--client NAME]...

Both walks have the same keys, commands and values, so that library and server do the same; only the way through the
commands differs. Clients batch 100 commands, where each costs the least, against a server that is started for it. Walks
take turns; the ratio of CPU per command is the geometric mean of rounds with its 95 % interval. Then the client
`null` of each language loads a million commands: how much later than a thousand it is ready, and in how much memory.
"""

import argparse
import math
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import fmean, stdev
from typing import Final, cast

import numpy as np
from scipy import stats

from respmark.contract.lines import Work
from respmark.contract.trial import Endpoint, Scenario, Shape
from respmark.machine.guardian import Guardian, guarded_folder
from respmark.runners.local import LocalExecutor
from respmark.runners.protocol import Executor, TrialRequest
from respmark.runners.runner import Runner
from respmark.servers.node import spawn
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client
from respmark.specs.naming import one_client
from respmark.specs.target import SpawnedTarget
from respmark.workload import columns
from respmark.workload.workload import Workload, generate

SEED: Final = 1
LIMIT_S: Final = 60.0
FEW: Final = 1_000
TIMES: Final = 100
MANY: Final = 1_000_000
CLIENTS: Final = ("redis-py", "node-redis", "jedis", "lettuce", "phpredis", "predis", "stackexchange-redis@1.2.6")
LEAD_IN_NS: Final = 80_000_000
SLICE_NS: Final = 100_000_000
WARM_UP_SLICES: Final = 40


def repeated(workload: Workload, commands: int, times: int) -> Workload:
    """Return the first `commands` of a workload, so many times over."""
    return Workload(
        header=workload.header.model_copy(update={"commands": commands * times}),
        kinds=np.tile(workload.kinds[:commands], times).astype(np.uint8),
        keys=np.tile(workload.keys[:commands], times).astype(np.uint32),
        sizes=np.tile(workload.sizes[:commands], times).astype(np.uint32),
        block=workload.block,
    )


@contextmanager
def connected(executor: Executor, client: Client, workload: Path, target: Endpoint) -> Iterator[Runner]:
    """Start a runner that batches, connect it, and end it."""
    runner = executor.start(TrialRequest(client, Scenario.BATCHING, Shape(depth=100), workload, target))
    runner.load(LIMIT_S)
    runner.connect(LIMIT_S)
    yield runner
    runner.end(LIMIT_S)


def cpu_ns(runner: Runner, first: int) -> float:
    """Let it work for a slice; return the CPU time of a unit."""
    runner.work(Work(first=first, lead_in_ns=LEAD_IN_NS, ns=SLICE_NS, keep=False))
    worked = runner.worked(LIMIT_S)
    return (worked.ended.cpu_ns - worked.measured_from.cpu_ns) / sum(worked.measured)


def ratios(few: Runner, many: Runner, laps: int, draw: random.Random) -> Iterator[float]:
    """Yield the logarithm of CPU per command of the long walk to that of the short one, by lap."""
    for lap in range(-WARM_UP_SLICES, laps):
        turns = [few, many]
        draw.shuffle(turns)
        found = {one: cpu_ns(one, 7_919 * (lap + WARM_UP_SLICES)) for one in turns}
        if lap >= 0:
            yield math.log(found[many] / found[few])


def walks(executor: Executor, client: Client, folder: Path, target: Endpoint, chosen: argparse.Namespace) -> str:
    """Return a client's row: the ratio of CPU per command, with its interval over rounds."""
    logs, rounds = [], chosen.rounds
    draw = random.Random(SEED)  # noqa: S311 - the order of turns is no secret
    for _ in range(rounds):
        with (
            connected(executor, client, folder / "few", target) as few,
            connected(executor, client, folder / "many", target) as many,
        ):
            logs.append(fmean(ratios(few, many, chosen.laps, draw)))
    middle = fmean(logs)
    half = float(stats.t.ppf(0.975, rounds - 1)) * stdev(logs) / math.sqrt(rounds)
    low, ratio, high = (math.exp(value) for value in (middle - half, middle, middle + half))
    return f"| {client.name} | {ratio:.3f} | {low:.3f}..{high:.3f} |"


def loaded(executor: Executor, runner: str, workload: Path, target: Endpoint) -> tuple[float, int]:
    """Return how long a runner takes to load these commands, in s, and its peak memory then, in bytes."""
    client = Client(name="null", library="null", runner=runner, version=None, options={})
    began_s = time.monotonic()
    process = executor.start(TrialRequest(client, Scenario.SYNC, Shape(), workload, target))
    process.load(LIMIT_S)
    found = time.monotonic() - began_s, process.peak_memory_bytes() or 0
    process.end(LIMIT_S)
    return found


def start(executor: Executor, runner: str, folder: Path, target: Endpoint) -> str:
    """Return a language's row: what it takes to load a million commands, beyond what a thousand take."""
    few_s, few_bytes = loaded(executor, runner, folder / "few", target)
    million_s, million_bytes = loaded(executor, runner, folder / "million", target)
    return f"| {runner} | {million_s - few_s:.2f} s | {(million_bytes - few_bytes) / 1e6:.0f} MB |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure one client after another, then what a million commands cost at the start."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--laps", type=int, default=30)
    parser.add_argument("--client", action="append")
    chosen = parser.parse_args(arguments)
    catalogue = Catalogue()
    workload = generate(catalogue.workload("quick"), SEED)
    with (
        closing(Guardian()) as guardian,
        guarded_folder(guardian, "walk") as folder,
        LocalExecutor(catalogue.runners, catalogue.every_client, guardian) as executor,
    ):
        columns.write(repeated(workload, FEW, 1), folder / "few")
        columns.write(repeated(workload, FEW, TIMES), folder / "many")
        columns.write(repeated(workload, FEW * TIMES, MANY // (FEW * TIMES)), folder / "million")
        server = spawn(cast("SpawnedTarget", catalogue.target("spawned")), guardian)
        try:
            print("| client | CPU per command, 100,000 to 1,000 | 95 % interval |\n| --- | ---: | ---: |")
            for name in chosen.client or CLIENTS:
                client = one_client(name, catalogue.clients)
                print(walks(executor, client, folder, server.endpoint, chosen), flush=True)
            print("\n| runner | a million commands later by | more memory |\n| --- | ---: | ---: |")
            for name in catalogue.languages:
                print(start(executor, name, folder, server.endpoint), flush=True)
        finally:
            server.close()


if __name__ == "__main__":
    main()
