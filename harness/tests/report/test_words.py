"""What a reader must know beside the figures."""

from typing import Any

import pytest

from respmark.contract.events import Half
from respmark.contract.trial import Form, Scenario, Shape, Window
from respmark.records import Status
from respmark.report.words import footnotes, missing_notes, shape_label
from respmark.statistics.cells import cells_of
from tests.builders import (
    SECOND_NS,
    make_client,
    make_evidence,
    make_record,
    make_result,
    make_run,
    make_trial,
    unmeasured,
)

BURST = Shape(depth=100, window=Window.BURST)


def notes(*records: Any) -> list[str]:  # noqa: ANN401 - trial records
    """Return the notes of these records' cells."""
    return list(footnotes(cells_of(make_run(*records))))


@pytest.mark.parametrize(
    ("shape", "label"),
    [
        (Shape(), ""),
        (Shape(depth=100, window=Window.BURST), "depth 100, burst"),
        (Shape(depth=10, form=Form.QUEUED), "depth 10, queued"),
        (Shape(threads=10, max_total=10, max_idle=0), "10 threads, max_total 10, max_idle 0"),
        (Shape(threads=1, connections=1), "1 thread, 1 client"),
        (Shape(threads=4, connections=2, processes=3), "4 threads, 2 clients, 3 processes"),
    ],
)
def test_a_shape_is_written_in_words(shape: Shape, label: str) -> None:
    """What does not apply is left out; one is not written as many."""
    assert shape_label(shape) == label


def test_a_good_cell_needs_no_note() -> None:
    """Where all is as it should be, there is nothing to say."""
    assert notes(make_record()) == []


@pytest.mark.parametrize("status", [Status.FAILED, Status.UNSUPPORTED])
def test_a_cell_without_figures_has_its_reason(status: Status) -> None:
    """Client, shape, state and reason are in one line."""
    trial = make_trial(Scenario.BATCHING, Shape(depth=10))
    assert notes(unmeasured(status, "because", trial)) == [f"lib (depth 10): {status}: because"]


def test_a_cell_that_failed_in_part_has_a_starred_note() -> None:
    """The star in the table leads to it."""
    records = [make_record(make_trial(number=1)), unmeasured(Status.FAILED, "hung", make_trial(number=2))]
    assert notes(*records) == ["* lib: 1 of 2 rounds failed: hung"]


def test_missing_clients_are_not_told_in_every_table() -> None:
    """Their reason stands once, below all tables, client by client."""
    records = [unmeasured(Status.MISSING, "no npm", make_trial(client=make_client(name))) for name in ("a", "b")]
    assert notes(*records) == []
    records.append(unmeasured(Status.MISSING, "no npm", make_trial(Scenario.POOL, client=make_client("a"))))
    assert missing_notes(cells_of(make_run(*records))) == ["a is missing: no npm", "b is missing: no npm"]


def pipelined(shape: Shape = BURST, scenario: Scenario = Scenario.PIPELINING, **evidence: Any) -> list[str]:  # noqa: ANN401 - evidence's fields
    """Return the notes of a cell with this evidence."""
    return notes(make_record(make_trial(scenario, shape), evidence=make_evidence(**evidence)))


def test_pipelining_over_many_connections_is_told() -> None:
    """A library that opens a connection for each command in flight does not pipeline, and the table says so."""
    (note,) = pipelined(connections_open=100, reads_processed=1000)
    assert "the server saw 100 connections and 1.0 commands a read at depth 100" in note
    assert "each command in flight has a connection of its own" in note


def test_the_note_is_for_pipelining_deeper_than_one() -> None:
    """Depth 1 cannot share a read, a server that does not tell is not judged, and other scenarios are others."""
    alone: Any = {"connections_open": 100, "reads_processed": 1000}
    assert pipelined(Shape(depth=1, window=Window.BURST), **alone) == []
    assert pipelined(connections_open=100, reads_processed=None) == []
    assert pipelined(Shape(threads=100, connections=1), Scenario.THREADS, **alone) == []


@pytest.mark.parametrize(("first", "told"), [(400, "+50 %"), (600, "-33 %"), (490, None), (520, None)])
def test_drift_is_told_when_halves_differ(first: int, told: str | None) -> None:
    """Of 1,000 operations, so many in the first half second: only a difference of more than 10 % is worth a line."""
    half = Half(operations=first, elapsed_ns=SECOND_NS // 2)
    found = notes(make_record(results=[make_result(first_half=half)]))
    assert bool(found) is bool(told)
    assert all(str(told) in note and "--warmup-s" in note for note in found)


@pytest.mark.parametrize(
    ("counted_ms", "flagged"), [(500, False), (524, False), (474, True), (530, True), (None, False)]
)
def test_two_counts_of_client_cpu_that_differ_are_told(counted_ms: int | None, *, flagged: bool) -> None:
    """The runner says 500 ms; five percent off is as good as it gets, and no count is no difference."""
    record = make_record(counted_cpu_ns=None if counted_ms is None else counted_ms * SECOND_NS // 1000)
    found = notes(record)
    assert bool(found) is flagged
    if flagged:
        assert "control group counted" in found[0]
        assert f"{(counted_ms or 0) / 5 - 100:+.0f} %" in found[0]
