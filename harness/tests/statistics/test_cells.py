"""Cells: all rounds of a trial, against numbers worked out by hand."""

from pathlib import Path

import pytest

from respmark.contract.trial import SampleCovers, Scenario, Shape, Window
from respmark.histogram import bucket
from respmark.results.records import Status, TrialRecord
from respmark.results.store import RunFolder
from respmark.statistics.cells import ReportCell, cells_of, read_counted
from respmark.statistics.measured import Measured
from tests.builders.plan import make_client, make_trial
from tests.builders.records import (
    MILLISECOND_NS,
    SECOND_NS,
    make_latency,
    make_manifest,
    make_record,
    make_run,
    make_slice_record,
    planned_cell,
    unmeasured,
)


def cell_of(*records: TrialRecord) -> ReportCell:
    """Return the one cell of these records."""
    (cell,) = cells_of(make_run(*records))
    return cell


def measured_of(*records: TrialRecord) -> Measured:
    """Return the figures of the one cell of these records."""
    measured = cell_of(*records).measured
    assert measured is not None
    return measured


def rounds(*operations: int) -> list[TrialRecord]:
    """Return a record a round with so many operations in one second each."""
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


def test_each_figure_is_a_median_of_its_own() -> None:
    """The round with the median throughput need not have the median CPU."""
    records = [
        make_record(
            make_trial(number=number),
            slices=[make_slice_record(1000 * number, client_cpu_ns=used_ns, slice_cpu_ns=used_ns)],
        )
        for number, used_ns in enumerate((300 * MILLISECOND_NS, 100 * MILLISECOND_NS, 200 * MILLISECOND_NS), start=1)
    ]
    found = measured_of(*records)
    assert found.rps_median == pytest.approx(2000)
    assert found.client_cpu_percent == pytest.approx(20)
    assert found.client_cpu_us_per_command == pytest.approx(200 / 3)


def test_what_is_known_in_some_rounds_is_their_median() -> None:
    """A round whose kernel counted nothing does not count as 0."""
    records = [
        make_record(make_trial(number=number), slices=[make_slice_record(other_cpu_ns=other)])
        for number, other in ((1, None), (2, SECOND_NS), (3, SECOND_NS // 2))
    ]
    assert measured_of(*records).other_cpu_percent == pytest.approx(75)


def test_percentiles_are_of_all_samples_of_all_rounds() -> None:
    """90 fast samples in one round and 10 slow ones in another: p50 is fast, p99 and p99.9 are slow, max is exact."""
    fast, slow = bucket(1_000_000), bucket(9_000_000)
    records = [
        make_record(make_trial(number=1), latency=make_latency([(fast, 90)], 1_000_001)),
        make_record(make_trial(number=2), latency=make_latency([(slow, 10)], 9_003_007)),
    ]
    found = measured_of(*records)
    assert found.p50_ms == pytest.approx(1.0, rel=1e-3)
    assert found.p99_ms == found.p999_ms == pytest.approx(9.0, rel=1e-3)
    assert found.max_ms == 9.003007
    assert list(found.latency) == [(fast, 90), (slow, 10)]


@pytest.mark.parametrize(
    ("scenario", "shape", "covers"),
    [
        (Scenario.SYNC, Shape(), SampleCovers.COMMAND),
        (Scenario.PIPELINING, Shape(depth=9, window=Window.BURST), SampleCovers.BURST),
    ],
)
def test_what_a_sample_covers_is_the_scenarios(scenario: Scenario, shape: Shape, covers: SampleCovers) -> None:
    """It follows from scenario and shape."""
    assert measured_of(make_record(make_trial(scenario, shape))).sample_covers is covers


def test_a_failed_round_is_told_and_in_no_figure() -> None:
    """The others count."""
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


def test_cells_are_in_the_suites_order() -> None:
    """Rounds of two clients that come mixed are told apart by identifier."""
    trials = [make_trial(number=number, client=make_client(name)) for number in (1, 2) for name in ("a", "b")]
    records = [make_record(trial, 100 if trial.cell.client.name == "a" else 200) for trial in trials]
    beyond = make_record(make_trial(client=make_client("c")))
    found = cells_of(make_run(*records, cells=[planned_cell(one) for one in (records[1], beyond, records[0])]))
    assert [(cell.client, cell.measured and round(cell.measured.rps_median)) for cell in found] == [
        ("b", 200),
        ("c", None),
        ("a", 100),
    ]
    assert (found[1].status, found[1].reason) == (Status.NOT_MEASURED, "the run ended before")
    assert cells_of(make_run()) == []


def test_a_cell_that_lost_rounds_says_so() -> None:
    """Whether a round failed, or the run ended before it: the figures are of the others."""
    failed = cell_of(*rounds(1000), unmeasured(Status.FAILED, "hung", make_trial(number=2)))
    assert (failed.rounds, failed.rounds_planned, failed.is_partial) == (1, 2, True)
    (ended,) = cells_of(make_run(*rounds(1000), rounds=3))
    assert (ended.rounds, ended.rounds_planned, ended.is_partial) == (1, 3, True)
    assert ended.reason == "2 of 3 rounds are missing: the run ended before"
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


def test_rounds_that_are_to_come_are_not_missing(tmp_path: Path) -> None:
    """A run that goes on has lost nothing yet."""
    made = RunFolder.create(tmp_path / "run")
    made.write_manifest(make_manifest(rounds=3))
    made.append(make_record(make_trial(number=1)))
    assert [cell.is_partial for cell in read_counted(made.folder).cells] == [True]
    assert [cell.is_partial for cell in read_counted(made.folder, rounds=1).cells] == [False]
