"""Tables of micro-benchmarks."""

import pytest
from syrupy.assertion import SnapshotAssertion

from respmark.contract.trial import Form, Scenario, Shape
from respmark.micro.model import Collections, MicroRun
from respmark.report.markdown import markdown
from respmark.report.micro import micro_chapters
from respmark.results.records import Status
from tests.builders.plan import SHIPPED
from tests.micro.builders import make_measured, make_micro_record, make_micro_run


@pytest.fixture
def run() -> MicroRun:
    batch = {"topic": "batching", "scenario": "batching", "shape": Shape(depth=100), "commands": 100}
    lettuce = {"library": "lettuce", "subject": "lettuce", "library_version": "7.7.0.RELEASE"}
    alone = {"scenario": None, "shape": None}
    form = {"scenario": Scenario.TRANSACTION, "shape": Shape(depth=10, form=Form.BATCHED)}
    jmh = Collections(count=2, time_ms=3.5)
    net = Collections(per_1000_operations={"gen0": 0.75, "gen1": 0.0, "gen2": 0.0})
    borrow = {"operation": "borrow, give back", "parameters": {"wrapped": "true"}, "commands": None}
    return make_micro_run(
        make_micro_record(topic="encode", **alone, measured=make_measured(time_ns=63.2, error_ns=2.0)),
        make_micro_record(**batch, measured=make_measured(collections=jmh, error_ns=40_000.0)),
        make_micro_record(**batch, **lettuce, measured=make_measured(collections=net, allocated_bytes=None)),
        make_micro_record(**batch | {"shape": Shape(depth=10), "commands": 10}),
        make_micro_record(measured=make_measured(error_ns=None, iterations=1)),
        make_micro_record(**lettuce, status=Status.FAILED, reason="a wrong value", measured=None),
        make_micro_record(operation="SET", status=Status.UNSUPPORTED, reason="mode `ss`", measured=None),
        make_micro_record(
            **(lettuce | alone | borrow),
            topic="pool-borrow",
            measured=make_measured(time_ns=302.6, collections=Collections(count=0)),
        ),
        make_micro_record(topic="transaction", **form),
    )


def test_scenarios_come_first_and_every_benchmark_has_a_row(run: MicroRun, snapshot: SnapshotAssertion) -> None:
    """Small shapes before large ones, whatever order the tool measured in; what failed says why."""
    assert markdown(micro_chapters(run, SHIPPED.scenarios)) == snapshot
