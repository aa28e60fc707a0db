"""What the tables say when the wire is not what a scenario's name makes one think of."""

from typing import Any

import pytest

from respmark.contract.trial import Form, Scenario, Shape, Window
from respmark.report.wire_notes import wire_notes
from respmark.statistics.cells import cells_of
from tests.builders.plan import make_client, make_trial
from tests.builders.records import make_evidence, make_record, make_run, make_slice_record

BURST = Shape(depth=100, window=Window.BURST)
SLIDING = Shape(depth=100, window=Window.SLIDING)
BLOCK = Shape(depth=10, form=Form.BATCHED)
LONG_BLOCK = Shape(depth=100, form=Form.BATCHED)


def notes(scenario: Scenario, shape: Shape, **evidence: Any) -> str:  # noqa: ANN401 - evidence's fields
    """Return the notes on a trial of 1,000 operations with this evidence."""
    trial = make_trial(scenario, shape, client=make_client("lib"))
    record = make_record(trial, slices=[make_slice_record(evidence=make_evidence(**evidence))])
    (cell,) = cells_of(make_run(record))
    assert cell.measured is not None
    return "\n".join(wire_notes(cell, cell.measured))


@pytest.mark.parametrize(
    ("scenario", "shape", "evidence", "words"),
    [
        (Scenario.PIPELINING, BURST, {"connections_open": 100}, "each command in flight has its own connection"),
        (Scenario.PIPELINING, BURST, {"reads_processed": 20}, "combines commands issued together into a few writes"),
        (Scenario.PIPELINING, BURST, {"reads_processed": 990}, "each command is sent on its own"),
        (Scenario.PIPELINING, SLIDING, {"reads_processed": 20}, "replies arrive in groups"),
        (Scenario.TRANSACTION, BLOCK, {"reads_processed": 167}, "2.0 reads per transaction at depth 10"),
        (Scenario.THREADS, Shape(threads=16, connections=1), {"reads_processed": 100}, "1 connections for 16 threads"),
    ],
)
def test_a_wire_that_differs_from_the_name_is_told(
    scenario: Scenario, shape: Shape, evidence: dict[str, object], words: str
) -> None:
    """With the numbers that the server counted."""
    said = notes(scenario, shape, **evidence)
    assert said.startswith("the server saw ")
    assert words in said


@pytest.mark.parametrize(
    ("scenario", "shape", "evidence"),
    [
        (Scenario.PIPELINING, Shape(depth=1, window=Window.BURST), {}),
        (Scenario.PIPELINING, SLIDING, {"reads_processed": 900}),
        (Scenario.PIPELINING, BURST, {"reads_processed": 400}),
        (Scenario.PIPELINING, BURST, {"reads_processed": None}),
        (Scenario.BATCHING, Shape(depth=100), {"reads_processed": 10}),
        (Scenario.TRANSACTION, BLOCK, {"reads_processed": 84}),
        (Scenario.TRANSACTION, Shape(depth=10, form=Form.QUEUED), {"reads_processed": 1000}),
        (Scenario.TRANSACTION, LONG_BLOCK, {"reads_processed": 20, "network_input_bytes": 20 * 12_000}),
        (Scenario.THREADS, Shape(threads=16, connections=1), {"connections_open": 16}),
    ],
)
def test_a_wire_that_is_what_the_name_says_needs_no_words(
    scenario: Scenario, shape: Shape, evidence: dict[str, object]
) -> None:
    """Nor one of which the counters cannot tell: a long transaction comes in several reads, however it was sent."""
    assert notes(scenario, shape, **evidence) == ""
