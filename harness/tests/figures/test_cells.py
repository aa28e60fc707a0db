"""Cells: all rounds of a trial, against numbers worked out by hand."""

import pytest

from respmark.figures.cells import Cell
from respmark.figures.ranking import cells_of
from respmark.kinds.loops.metrics import LoopFigures
from respmark.kinds.loops.notes import caveats
from respmark.kinds.loops.record import LoopRecord, WarmUp
from respmark.results.records import Status
from tests.builders.plan import make_trial
from tests.builders.records import (
    make_latency,
    make_record,
    make_run,
    make_slice_record,
    unmeasured,
)


def cell_of(*records: LoopRecord) -> Cell:
    (cell,) = cells_of(make_run(*records))
    return cell


def measured_of(*records: LoopRecord) -> LoopFigures:
    measured = cell_of(*records).measured
    assert isinstance(measured, LoopFigures)
    return measured


def rounds(*operations: int) -> list[LoopRecord]:
    return [make_record(make_trial(number=number), done) for number, done in enumerate(operations, start=1)]


@pytest.mark.parametrize(
    ("operations", "median"), [((1000, 5000, 2000), 2000), ((8000, 1000, 4000, 2000), 3000), ((7,), 7)]
)
def test_throughput_is_the_median_over_rounds_with_its_extremes(operations: tuple[int, ...], median: float) -> None:
    """Of an even number of rounds, the mean of those in the middle."""
    found = measured_of(*rounds(*operations))
    assert found.rps_median == pytest.approx(median)
    assert (found.rps_min, found.rps_max) == pytest.approx((min(operations), max(operations)))
    assert found.operations == sum(operations)


def test_percentiles_are_of_all_samples_of_all_rounds() -> None:
    """90 fast samples in one round and 10 slow ones in another: p50 is fast, p99 and p99.9 are slow, max is exact."""
    fast, slow = 999_936, 8_994_816  # the buckets of 1 and 9 ms
    records = [
        make_record(make_trial(number=1), latency=make_latency([(fast, 90)], 1_000_001)),
        make_record(make_trial(number=2), latency=make_latency([(slow, 10)], 9_003_007)),
    ]
    found = measured_of(*records)
    assert found.p50_ms == pytest.approx(1.0, rel=1e-3)
    assert found.p99_ms == found.p999_ms == pytest.approx(9.0, rel=1e-3)
    assert found.max_ms == 9.003007


def test_a_failed_round_is_reported_and_in_no_figure() -> None:
    failed = make_record(make_trial(number=2), 9000, status=Status.FAILED, reason="claimed 2, saw 1")
    cell = cell_of(make_record(make_trial(number=1)), failed, make_record(make_trial(number=3)))
    assert (cell.status, cell.rounds, cell.rounds_failed) == (Status.OK, 2, 1)
    assert cell.reason == "1 of 3 rounds failed: claimed 2, saw 1"
    assert cell.measured is not None
    assert cell.measured.rps_max == pytest.approx(1000)


@pytest.mark.parametrize("status", [Status.FAILED, Status.UNSUPPORTED, Status.MISSING])
def test_a_cell_without_figures_keeps_its_row(status: Status) -> None:
    """Status and reason are all there is to it, and what was loaded before it failed."""
    cell = cell_of(unmeasured(status, "because"))
    assert (cell.status, cell.reason, cell.measured) == (status, "because", None)
    assert (cell.rounds, cell.rounds_failed) == (0, int(status is Status.FAILED))
    assert (cell.library_version, cell.decodes_to) == (None, None)
    assert cell_of(make_record(status=Status.FAILED)).library_version == "1.2.3"


def test_a_cell_that_lost_rounds_says_so() -> None:
    """Whether a round failed, or the run ended before it: the figures are of the others."""
    failed = cell_of(*rounds(1000), unmeasured(Status.FAILED, "hung", make_trial(number=2)))
    assert (failed.rounds, failed.rounds_planned, failed.is_partial) == (1, 2, True)
    (ended,) = cells_of(make_run(*rounds(1000), rounds=3))
    assert (ended.rounds, ended.rounds_planned, ended.is_partial) == (1, 3, True)
    assert ended.reason == "2 of 3 rounds are missing: the run ended early"
    whole = cell_of(*rounds(1000, 2000))
    assert (whole.reason, whole.is_partial) == (None, False)


def test_a_cell_that_lost_slices_says_so() -> None:
    """Those that were repeated are not lost: their laps are all there."""
    slices = [
        make_slice_record(number=1, is_repeated=True),
        make_slice_record(number=1),
        make_slice_record(number=2, reason="KEYS 1"),
    ]
    cell = cell_of(make_record(slices=slices, reason="1 of 2 slices are not counted: KEYS 1"))
    assert (cell.rounds, cell.slices_lost, cell.is_partial) == (1, 1, True)
    repeated = cell_of(make_record(slices=slices[:2]))
    assert (repeated.slices_lost, repeated.is_partial) == (0, False)


@pytest.mark.parametrize(("apart", "is_mixed"), [((True, False), True), ((True, True), False), ((False, False), False)])
def test_a_cell_says_whether_its_rounds_had_different_placements(apart: tuple[bool, ...], *, is_mixed: bool) -> None:
    """Kept off the server's CPU in one round and not in another, it was measured under two conditions."""
    warm_ups = [WarmUp(slices=9, work_s=1, is_steady=True, is_apart_from_server=one) for one in apart]
    records = [make_record(make_trial(number=number), warm_up=one) for number, one in enumerate(warm_ups, start=1)]
    said = "kept off the server's CPU in some rounds and not in others: 1 cells"
    assert (said in caveats([cell_of(*records)])) is is_mixed
