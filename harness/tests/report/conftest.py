"""A small run by hand that has everything a table must show."""

import pytest

from respmark.contract.trial import SampleCovers, Scenario, Shape, Window
from respmark.figures.cells import RunFigures
from respmark.kinds.loops.record import LoopRecord
from respmark.report.report import Report
from respmark.results.records import Status
from tests.builders.plan import SHIPPED, make_client, make_trial
from tests.builders.records import (
    SECOND_NS,
    make_latency,
    make_record,
    make_run,
    make_slice_record,
    planned_cell,
    unmeasured,
)

FAST, SLOW = make_client("lib"), make_client("lib[parser=slow]")
OTHER = make_client("other", library="other", runner="node")
GONE = make_client("gone", library="gone", runner="node")
SLOWEST_NS = 2_000_000
BURST = Shape(depth=100, window=Window.BURST)


def sync() -> list[LoopRecord]:
    slowest = make_latency([(999_936, 19_999), (1_999_872, 1)], SLOWEST_NS)
    lost = "claimed 9,000 calls, the server saw 8,999 (GET 7,200 claimed, 7,199 seen)"
    ended = "the runner exited with code 1 before its result: Error: a | b"
    return [
        make_record(make_trial(number=1, client=FAST), 20_000, latency=slowest),
        make_record(make_trial(number=2, client=FAST), 22_000),
        make_record(make_trial(number=3, client=FAST), 21_345),
        make_record(make_trial(number=1, client=SLOW), 9_000),
        make_record(make_trial(number=2, client=SLOW), 9_000, status=Status.FAILED, reason=lost),
        unmeasured(Status.FAILED, ended, make_trial(number=1, client=OTHER)),
        unmeasured(Status.MISSING, "npm: not found; install Node.js", make_trial(client=GONE)),
    ]


def pipelining() -> list[LoopRecord]:
    spread = make_slice_record(50_000, connections_open=100, connections_received=3)
    return [
        make_record(make_trial(Scenario.PIPELINING, BURST, client=FAST), 50_000, slices=[spread]),
        unmeasured(Status.UNSUPPORTED, "it has no asynchronous API", make_trial(Scenario.PIPELINING, BURST, 1, OTHER)),
        unmeasured(Status.MISSING, "npm: not found; install Node.js", make_trial(Scenario.PIPELINING, BURST, 1, GONE)),
    ]


def batching() -> list[LoopRecord]:
    drifting = [
        make_slice_record(
            operations, number, units=operations // 100, reads=1000, server_commands=100_000, server_cpu_ns=SECOND_NS
        )
        for number, operations in enumerate((80_000, 120_000), start=1)
    ]
    latency = make_latency([(999_936, 1000)], covers=SampleCovers.BATCH)
    ancient = make_slice_record(3_000, reads=None, other_cpu_ns=None, hits=None, misses=None)
    deep, flat = Shape(depth=100), Shape(depth=2)
    return [
        make_record(make_trial(Scenario.BATCHING, deep, client=FAST), slices=drifting, latency=latency),
        make_record(make_trial(Scenario.BATCHING, flat, client=FAST), 3_000, slices=[ancient]),
        make_record(make_trial(Scenario.BATCHING, Shape(depth=2, processes=2), client=SLOW), 3_000),
    ]


@pytest.fixture(scope="session")
def run() -> RunFigures:
    records = [*sync(), *pipelining(), *batching()]
    beyond = make_record(make_trial(Scenario.BATCHING, Shape(depth=100), client=OTHER))
    cells = list({record.cell_id: planned_cell(record) for record in (*records, beyond)}.values())
    return make_run(*records, warnings=["swap: 12 MB in use; `swapoff -a`"], cells=cells, rounds=1)


@pytest.fixture(scope="session")
def report(run: RunFigures) -> Report:
    return Report(run, SHIPPED.scenarios)
