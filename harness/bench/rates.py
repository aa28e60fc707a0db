"""What rates show that closed loops hide, and how exactly runners keep to them.

    .build/harness/bin/python harness/bench/rates.py [--client NAME]... [--rate N] [--stall-ms N]

A server is stopped (SIGSTOP) in the middle of a slice of a second: with a rate, every unit that was due meanwhile has
waited; a closed loop has one slow unit. Then the client `null` of each language, which does nothing, is given the rate:
what its units are late by is the runner's.
"""

import argparse
import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Final, cast

import numpy as np

from respmark.contract.lines import Work
from respmark.contract.rate import parsed
from respmark.contract.trial import Scenario, Shape
from respmark.errors import RunnerMissingError
from respmark.kinds.loops.arrivals import ArrivalFiles, begins_at
from respmark.machine.guardian import Guardian, guarded_folder
from respmark.runners.local import LocalExecutor
from respmark.runners.protocol import Executor, Latencies, TrialRequest
from respmark.servers.node import spawn
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client
from respmark.specs.naming import one_client
from respmark.specs.server import SpawnedServer
from respmark.workload import columns
from respmark.workload.workload import generate

LIMIT_S: Final = 60.0
SECOND_NS: Final = 10**9
WORK: Final = Work(first=0, lead_in_ns=SECOND_NS // 10, ns=SECOND_NS, keep=True)


def measured(executor: Executor, request: TrialRequest, stop: Callable[[], None] | None = None) -> Latencies:
    """Return the units of the last of three slices, at whose beginning `stop` is called."""
    rate, work = request.shape.rate, WORK
    if rate is not None:
        work = ArrivalFiles(request.workload.parent, seed=1).work(WORK, parsed(rate), per_unit=1, processes=1)
    runner = executor.start(request)
    runner.load(LIMIT_S)
    runner.connect(LIMIT_S)
    for is_last in (False, False, True):
        if stop and is_last:
            stop()
        runner.work(begins_at(work, time.monotonic_ns()))
        runner.worked(LIMIT_S)
    kept = runner.samples(LIMIT_S)[-1]
    runner.end(LIMIT_S)
    return kept


def row(name: str, of: str, values_ns: Latencies) -> str:
    """Return a row of a table: percentiles in ms."""
    shown = (f"{value / 1e6:.3f}" for value in (*np.percentile(values_ns, [50, 90, 99, 99.9]), values_ns.max()))
    return f"| {name} | {of} | {len(values_ns):,} | {' | '.join(shown)} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--client", action="append")
    parser.add_argument("--rate", type=float, default=2_000.0)
    parser.add_argument("--stall-ms", type=float, default=100.0)
    chosen = parser.parse_args(arguments)
    catalogue, rate = Catalogue(), f"{chosen.rate:g}"
    with (
        closing(Guardian()) as guardian,
        guarded_folder(guardian, "rates") as folder,
        LocalExecutor(catalogue.runners, catalogue.every_client, guardian) as executor,
    ):
        columns.write(generate(catalogue.workload("quick"), 1), folder / "columns")
        server = spawn(cast("SpawnedServer", catalogue.server("spawned")), guardian)

        def stop() -> None:
            for after_s, sign in ((0.5, signal.SIGSTOP), (0.5 + chosen.stall_ms / 1e3, signal.SIGCONT)):
                threading.Timer(after_s, os.kill, (server.pid, sign)).start()

        def request(client: Client, rate: str | None) -> TrialRequest:
            return TrialRequest(client, Scenario.SYNC, Shape(rate=rate), folder / "columns", server.endpoint)

        try:
            head = f"| units | p50 | p90 | p99 | p99.9 | longest, ms |\n| --- | --- |{' ---: |' * 6}"
            print(f"The server stops for {chosen.stall_ms:g} ms.\n\n| client | time {head}")
            for name in chosen.client or ("redis-py", "node-redis", "jedis"):
                client = one_client(name, catalogue.clients)
                units = measured(executor, request(client, rate), stop)
                print(row(name, f"response at {rate}/s", units[:, 0] + units[:, 2]))
                print(row(name, f"service at {rate}/s", units[:, 0]))
                print(row(name, "closed loop", measured(executor, request(client, None), stop)))
            print(f"\nUnits of clients that do nothing, due at {rate}/s.\n\n| runner | time {head}")
            for name in catalogue.languages:
                null = Client(name="null", library="null", runner=name, version=None, options={})
                try:
                    print(row(name, "lag", measured(executor, request(null, rate))[:, 2]))
                except RunnerMissingError as error:
                    print(f"{name}: {error}")
        finally:
            server.close()


if __name__ == "__main__":
    main()
