"""Up to which rate the log of `keep_going` is no burden, by language: callers of the client that does nothing.

    .build/harness/bin/python harness/bench/keeping_going.py [--language NAME]... [--seconds 3]

Each language's runner keeps going with its client `null` at one rate after the other, with ten callers where they are
threads. Two lines of its log belong to a unit; a unit begins late where writing them takes longer than there is time.
At a rate that is no burden, 99 of 100 units begin within three milliseconds of when they are due: timers of Node, Go,
tokio and .NET wake up to two too late. On a quiet machine: `faults` sends 40 commands a second.
"""

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from respmark.contract.lines import Due, KeepGoing
from respmark.contract.trial import Shape
from respmark.errors import RespmarkError
from respmark.machine.guardian import Guardian, guarded_folder
from respmark.plan.faults import callers_shape
from respmark.runners.local import LocalExecutor
from respmark.runners.protocol import Executor, TrialRequest
from respmark.servers.server import open_server
from respmark.specs.catalogue import USUAL_SERVER, Catalogue
from respmark.specs.client import ClientSpec
from respmark.specs.naming import make_client
from respmark.workload import columns
from respmark.workload.workload import generate

CALLERS: Final = 10
RATES: Final = (40, 100, 400, 1_000, 4_000, 10_000, 40_000)
LIMIT_S: Final = 60.0
AHEAD_NS: Final = 300_000_000
"""How long before the first unit is due the runner is told."""
NO_BURDEN_MS: Final = 3.0
BEHIND_MS: Final = 100.0
"""Whoever begins so late falls behind: higher rates show nothing more."""


class Seen(NamedTuple):
    """What one rate showed."""

    rate: int
    units: int
    """That ended."""
    late_ms: float
    """The 99th percentile of how long after its due time a unit began."""
    took_us: float
    """The median from begin to end."""
    cpu_us: float
    """Of the process for each unit."""


def at_rate(executor: Executor, request: TrialRequest, folder: Path, rate: int, seconds: float) -> Seen:
    """Let a runner keep going at a rate, and read its log; raises RespmarkError if it fails."""
    process = executor.start(request)
    process.load(LIMIT_S)
    process.connect(LIMIT_S)
    due_ns = (np.arange(round(rate * seconds)) * (1e9 / rate)).astype("<i8")
    due, log = folder / f"{rate}.due", folder / f"{rate}.log"
    due.write_bytes(due_ns.tobytes())
    at_ns, before_ns = time.monotonic_ns() + AHEAD_NS, process.cpu_ns() or 0
    until_ns = at_ns + round((2 * seconds + 1) * 1e9)
    enough = str(folder / "enough")
    process.keep_going(KeepGoing(due=Due(file=str(due), at=at_ns), log=str(log), enough=enough, until=until_ns))
    process.went(2 * seconds + LIMIT_S)
    used_ns = (process.cpu_ns() or 0) - before_ns
    process.end(LIMIT_S)
    lines = [json.loads(line) for line in log.read_bytes().splitlines()]
    began = {line["unit"]: line["began"] for line in lines if "began" in line}
    ended = {line["unit"]: line["ended"] for line in lines if "ended" in line}
    late = [began[unit] - at_ns - int(due_ns[unit]) for unit in ended]
    took = [ended[unit] - began[unit] for unit in ended]
    return Seen(
        rate=rate,
        units=len(ended),
        late_ms=float(np.percentile(late, 99)) / 1e6,
        took_us=float(np.median(took)) / 1e3,
        cpu_us=used_ns / max(1, len(ended)) / 1e3,
    )


def of_language(spec: ClientSpec, catalogue: Catalogue, seconds: float) -> Iterator[Seen]:
    """Yield what each rate shows of a language's runner, up to the first at which it falls behind."""
    client = make_client(spec, None, {})
    scenario = spec.callers_of(client)
    shape = callers_shape(Shape(threads=CALLERS), scenario).model_copy(update={"processes": 1, "fault": None})
    with (
        closing(Guardian()) as guardian,
        guarded_folder(guardian, "keeping-going") as folder,
        closing(open_server(catalogue.server(USUAL_SERVER), guardian, allow_flush=True)) as server,
        LocalExecutor(catalogue.runners, catalogue.every_client, guardian) as executor,
    ):
        path = folder / "quick.columns"  # clients that do nothing have GET and SET alone
        columns.write(generate(catalogue.workload("quick"), seed=1), path)
        for rate in RATES:
            found = at_rate(
                executor, TrialRequest(client, scenario, shape, path, server.endpoint), folder, rate, seconds
            )
            yield found
            if found.late_ms > BEHIND_MS:
                return


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each language and rate, and the highest rate that is no burden."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--language", action="append")
    parser.add_argument("--seconds", type=float, default=3.0)
    given, catalogue = parser.parse_args(arguments), Catalogue()
    nulls = [spec for (runner, library), spec in catalogue.every_client.items() if library == "null"]
    for spec in nulls:
        if not catalogue.runners[spec.runner].keep_going or (given.language and spec.runner not in given.language):
            continue
        highest = 0
        try:
            for seen in of_language(spec, catalogue, given.seconds):
                print(
                    f"{spec.runner} {seen.rate:,}/s: {seen.units:,} units, 99 % begin within {seen.late_ms:.2f} ms, "
                    f"each takes {seen.took_us:.0f} µs, and {seen.cpu_us:.0f} µs of CPU"
                )
                highest = seen.rate if seen.late_ms <= NO_BURDEN_MS else highest
            print(f"{spec.runner}: no burden up to {highest:,} units a second")
        except RespmarkError as error:
            print(f"{spec.runner}: {error}")


if __name__ == "__main__":
    main()
