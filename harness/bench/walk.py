"""Whether walking through a workload is free: a thousand commands against the same ones a hundred times over.

    .build/harness/bin/python harness/bench/walk.py [--rounds N] [--laps N] [--client NAME]...

Both walks have the same keys, commands and values, so that library and server do the same; only the way through the
commands differs. Clients batch 100 commands, where each costs the least, against a server that is started for it. Walks
take turns; the ratio of CPU per command is the geometric mean of rounds with its 95 % interval. Then the client
`null` of each language loads a million commands: how much later than a thousand it is ready, and in how much memory.
"""

import argparse
import json
import math
import random
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from statistics import fmean, stdev
from tempfile import TemporaryDirectory
from typing import IO, Any, Final, cast

import numpy as np
from scipy import stats

from respmark.paths import ROOT
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client
from respmark.specs.naming import one_client
from respmark.specs.target import SpawnedTarget
from respmark.target.guardian import Guardian
from respmark.target.spawn import spawn
from respmark.workload import columns
from respmark.workload.file import Workload
from respmark.workload.generate import generate

SEED: Final = 1
FEW: Final = 1_000
TIMES: Final = 100
MANY: Final = 1_000_000
CLIENTS: Final = ("redis-py", "node-redis", "jedis", "lettuce", "phpredis", "predis", "stackexchange-redis@1.2.6")
BATCHING: Final[dict[str, Any]] = {"scenario": "batching", "shape": {"depth": 100}}
SYNC: Final[dict[str, Any]] = {"scenario": "sync", "shape": {}}
LEAD_IN_NS: Final = 80_000_000
SLICE_NS: Final = 100_000_000
WARM_UP_SLICES: Final = 40


class Runner:
    """A runner that speaks the contract, with one client and one workload."""

    def __init__(
        self, catalogue: Catalogue, client: Client, workload: Path, target: dict[str, Any], trial: dict[str, Any]
    ) -> None:
        spec = catalogue.every_client[client.runner, client.library]
        began_s = time.monotonic()
        self.process = subprocess.Popen(  # noqa: S603 - a runner of this checkout
            catalogue.runners[client.runner].command_for(client),
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._input, self._output = cast("IO[str]", self.process.stdin), cast("IO[str]", self.process.stdout)
        common = {
            "client": client.library,
            "adapter": spec.adapter_of(client.version),
            "options": {name: value for name, value in client.options.items() if name != "tls"},
            "workload": str(workload),
            "part": 0,
            "parts": 1,
            "samples": 1 << 18,
            "target": target,
        }
        self.ask(common | trial)
        self.ready_s = time.monotonic() - began_s

    def ask(self, line: dict[str, Any]) -> Any:  # noqa: ANN401 - each answer has its own fields
        """Send a line and return the answer to it."""
        self._input.write(json.dumps(line) + "\n")
        self._input.flush()
        return next(iter(json.loads(self._output.readline()).values()))

    def cpu_ns(self, first: int) -> float:
        """Work for a slice; return the CPU time of a unit."""
        order = {"first": first, "lead_in_ns": LEAD_IN_NS, "ns": SLICE_NS, "keep": False}
        worked = self.ask({"work": order})
        used_ns = sum(worked["ended"][1:]) - sum(worked["measured_from"][1:])
        return float(used_ns / sum(worked["measured"]))

    @property
    def resident_bytes(self) -> int:
        """Return how much of its memory is resident."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) * 1024

    def close(self) -> None:
        """End it."""
        self.process.kill()
        self.process.wait()


def repeated(workload: Workload, commands: int, times: int) -> Workload:
    """Return the first `commands` of a workload, so many times over."""
    return Workload(
        header=workload.header.model_copy(update={"commands": commands * times}),
        kinds=np.tile(workload.kinds[:commands], times).astype(np.uint8),
        keys=np.tile(workload.keys[:commands], times).astype(np.uint32),
        sizes=np.tile(workload.sizes[:commands], times).astype(np.uint32),
        block=workload.block,
    )


def ratios(few: Runner, many: Runner, laps: int, draw: random.Random) -> Iterator[float]:
    """Yield the logarithm of CPU per command of the long walk to that of the short one, by lap."""
    for lap in range(-WARM_UP_SLICES, laps):
        turns = [few, many]
        draw.shuffle(turns)
        found = {one: one.cpu_ns(7_919 * (lap + WARM_UP_SLICES)) for one in turns}
        if lap >= 0:
            yield math.log(found[many] / found[few])


def walks(catalogue: Catalogue, name: str, folder: Path, target: dict[str, Any], chosen: argparse.Namespace) -> str:
    """Return a client's row: the ratio of CPU per command, with its interval over rounds."""
    client, logs, rounds = one_client(name, catalogue.clients), [], chosen.rounds
    draw = random.Random(SEED)  # noqa: S311 - the order of turns is no secret
    for _ in range(rounds):
        with (
            closing(Runner(catalogue, client, folder / "few", target, BATCHING)) as few,
            closing(Runner(catalogue, client, folder / "many", target, BATCHING)) as many,
        ):
            for runner in (few, many):
                runner.ask({"connect": {}})
            logs.append(fmean(ratios(few, many, chosen.laps, draw)))
    middle = fmean(logs)
    half = float(stats.t.ppf(0.975, rounds - 1)) * stdev(logs) / math.sqrt(rounds)
    low, ratio, high = (math.exp(value) for value in (middle - half, middle, middle + half))
    return f"| {name} | {ratio:.3f} | {low:.3f}..{high:.3f} |"


def start(catalogue: Catalogue, runner: str, folder: Path, target: dict[str, Any]) -> str:
    """Return a language's row: what it takes to load a million commands, beyond what a thousand take."""
    client = Client(name="null", library="null", runner=runner, version=None, options={})
    with (
        closing(Runner(catalogue, client, folder / "few", target, SYNC)) as few,
        closing(Runner(catalogue, client, folder / "million", target, SYNC)) as million,
    ):
        later_s, more_bytes = million.ready_s - few.ready_s, million.resident_bytes - few.resident_bytes
        return f"| {runner} | {later_s:.2f} s | {more_bytes / 1e6:.0f} MB |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure one client after another, then what a million commands cost at the start."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--laps", type=int, default=30)
    parser.add_argument("--client", action="append")
    chosen = parser.parse_args(arguments)
    catalogue, workload = Catalogue(), generate(Catalogue().workload("quick"), SEED)
    with TemporaryDirectory() as folder, closing(Guardian()) as guardian:
        files = {"few": (FEW, 1), "many": (FEW, TIMES), "million": (FEW * TIMES, MANY // (FEW * TIMES))}
        for name, (commands, times) in files.items():
            columns.write(repeated(workload, commands, times), Path(folder, name))
        server = spawn(cast("SpawnedTarget", catalogue.target("spawned")), guardian)
        try:
            target = server.for_runners.model_dump(mode="json")
            print("| client | CPU per command, 100,000 to 1,000 | 95 % interval |\n| --- | ---: | ---: |")
            for name in chosen.client or CLIENTS:
                print(walks(catalogue, name, Path(folder), target, chosen), flush=True)
            print("\n| runner | a million commands later by | more memory |\n| --- | ---: | ---: |")
            for runner in catalogue.runners:
                print(start(catalogue, runner, Path(folder), target), flush=True)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
