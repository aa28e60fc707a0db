"""Cells: all rounds of a trial, against numbers worked out by hand."""

from typing import Any

import pytest

from respmark.contract.events import SampleCovers, Slice
from respmark.contract.trial import Scenario, Shape, Window
from respmark.histogram import bucket
from respmark.results.records import SliceRecord, Status, TrialRecord
from respmark.statistics.bottleneck import Bottleneck, Busy, bottleneck
from respmark.statistics.cells import ReportCell, cells_of
from respmark.statistics.measured import Measured
from tests.builders.plan import make_client, make_trial
from tests.builders.records import (
    MILLISECOND_NS,
    SECOND_NS,
    make_evidence,
    make_latency,
    make_moment,
    make_record,
    make_result,
    make_run,
    make_slice,
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


def test_throughput_is_the_median_over_rounds_with_its_extremes() -> None:
    """Of 1,000, 5,000 and 2,000 a second the median is 2,000."""
    measured = measured_of(*rounds(1000, 5000, 2000))
    assert (measured.rps_median, measured.rps_min, measured.rps_max) == (2000, 1000, 5000)
    assert measured.operations == 8000


def test_an_even_number_of_rounds_has_the_mean_of_the_middle_ones() -> None:
    """Of 1,000, 2,000, 4,000 and 8,000 the median is 3,000."""
    assert measured_of(*rounds(8000, 1000, 4000, 2000)).rps_median == 3000


def seen(**changes: Any) -> SliceRecord:  # noqa: ANN401 - evidence's fields
    """Return a slice with other evidence."""
    return make_slice_record(evidence=make_evidence(**changes))


def working(operations: int, cpu_ms: int) -> Slice:
    """Return an answer with so much CPU."""
    begun = make_slice().started
    return make_slice(operations, ended=make_moment(begun.at_ns + SECOND_NS, cpu_ms * MILLISECOND_NS))


def test_each_figure_is_a_median_of_its_own() -> None:
    """The round with the median throughput need not have the median CPU."""
    user = [300, 100, 200]
    records = [
        make_record(
            make_trial(number=number),
            1000 * number,
            slices=[make_slice_record(1000 * number, answers=[working(1000 * number, cpu)])],
        )
        for number, cpu in enumerate(user, start=1)
    ]
    measured = measured_of(*records)
    assert measured.rps_median == 2000
    assert measured.client_cpu_percent == pytest.approx(20)
    assert measured.client_cpu_us_per_command == pytest.approx(200 / 3, rel=1e-3)


def test_what_is_known_in_some_rounds_is_their_median() -> None:
    """A round whose kernel told nothing does not count as 0."""
    records = [
        make_record(make_trial(number=number), slices=[seen(other_cpu_ns=other)])
        for number, other in ((1, None), (2, SECOND_NS), (3, SECOND_NS // 2))
    ]
    assert measured_of(*records).other_cpu_percent == pytest.approx(75)


def test_what_is_known_in_no_round_is_not_known() -> None:
    """A server before Redis 6 has no reads to tell."""
    assert measured_of(make_record(slices=[seen(reads_processed=None)])).commands_per_read is None


def test_percentiles_are_of_all_samples_of_all_rounds() -> None:
    """90 fast samples in one round and 10 slow ones in another: p50 is fast, p99 and p99.9 are slow, max is exact."""
    fast, slow = bucket(1_000_000), bucket(9_000_000)
    records = [
        make_record(make_trial(number=1), 90, results=[make_result(90, latency=make_latency([(fast, 90)], 1_000_001))]),
        make_record(make_trial(number=2), 10, results=[make_result(10, latency=make_latency([(slow, 10)], 9_003_007))]),
    ]
    measured = measured_of(*records)
    assert measured.p50_ms == pytest.approx(1.0, rel=1e-3)
    assert measured.p99_ms == measured.p999_ms == pytest.approx(9.0, rel=1e-3)
    assert measured.max_ms == 9.003007


def test_processes_of_a_trial_are_merged() -> None:
    """Their samples stand in one histogram, their operations in one throughput."""
    results = [make_result(500, latency=make_latency([(bucket(ms * 1_000_000), 500)])) for ms in (1, 3)]
    trial = make_trial(shape=Shape(processes=2))
    measured = measured_of(make_record(trial, results=results))
    assert measured.rps_median == 1000
    assert measured.p99_ms == pytest.approx(3.0, rel=1e-3)


@pytest.mark.parametrize(
    ("scenario", "shape", "covers"),
    [
        (Scenario.SYNC, Shape(), SampleCovers.COMMAND),
        (Scenario.PIPELINING, Shape(depth=9, window=Window.BURST), SampleCovers.BURST),
        (Scenario.BATCHING, Shape(depth=9), SampleCovers.BATCH),
    ],
)
def test_what_a_sample_covers_is_the_scenarios(scenario: Scenario, shape: Shape, covers: SampleCovers) -> None:
    """It follows from scenario and shape, not from what a runner says."""
    assert measured_of(make_record(make_trial(scenario, shape))).sample_covers is covers


@pytest.mark.parametrize(
    ("client", "server", "expected"),
    [
        (Busy(99.0, 99.0), Busy(10.0, 10.0), Bottleneck.CLIENT_CPU),
        (Busy(10.0, 10.0), Busy(99.0, 98.0), Bottleneck.SERVER_CPU),
        (Busy(95.0, 95.0), Busy(99.0, 99.0), Bottleneck.SERVER_CPU),
        (Busy(95.0, 95.0), Busy(95.0, 95.0), Bottleneck.CLIENT_CPU),
        (Busy(90.0, 90.0), Busy(0.0, 0.0), Bottleneck.CLIENT_CPU),
        (Busy(148.0, 60.0), Busy(50.0, 50.0), None),  # several threads, none of them full
        (Busy(100.0, 12.0), Busy(20.0, 20.0), None),  # ten threads that take turns holding a lock
        (Busy(99.0, None), Busy(20.0, None), None),  # nobody counted by thread
        (Busy(50.0, None), Busy(99.0, None), None),
        (Busy(89.9, None), Busy(89.9, None), Bottleneck.ROUND_TRIP),
        (Busy(0.0, 0.0), Busy(0.0, 0.0), Bottleneck.ROUND_TRIP),
    ],
)
def test_the_bottleneck_is_named_where_a_thread_shows_it(
    client: Busy, server: Busy, expected: Bottleneck | None
) -> None:
    """From 90 % of a processor on, a thread has no more to give; many that are half full prove nothing."""
    assert bottleneck(client, server) is expected


def test_two_processes_at_half_load_do_not_make_the_client_the_bottleneck() -> None:
    """Each of them could do more: what their CPU adds up to says nothing of either."""
    trial = make_trial(shape=Shape(processes=2))
    measured = measured_of(make_record(trial, slices=[make_slice_record(answers=[make_slice(500), make_slice(500)])]))
    assert measured.client_cpu_percent == pytest.approx(100)
    assert measured.bottleneck is Bottleneck.ROUND_TRIP


def test_drift_and_memory_are_medians_too() -> None:
    """One slice does not drift, and the builders' peak is 1 MiB."""
    measured = measured_of(*rounds(1000, 1000))
    assert measured.drift_percent is None
    assert measured.peak_memory_bytes == 2**20
    assert measured.connections_open == 1
    assert measured.connections_received == 0
    assert measured.hit_ratio == pytest.approx(0.8)


def test_a_whole_cell_is_ok_without_a_reason() -> None:
    """Nothing is to be said of it."""
    cell = cell_of(*rounds(1, 2, 3))
    assert (cell.status, cell.reason, cell.rounds, cell.rounds_failed) == (Status.OK, None, 3, 0)
    assert (cell.client, cell.library, cell.library_version) == ("lib", "lib", "1.2.3")
    assert (cell.language, cell.decodes_to) == ("Python", "bytes")
    assert cell.versions == {"lib": "1.2.3", "runtime": "4"}


def test_a_cell_that_failed_in_part_is_of_the_rounds_that_are_ok() -> None:
    """The figures leave the failed rounds out, and the reason says how many and why."""
    failed = make_record(make_trial(number=2), 9000, status=Status.FAILED, reason="claimed 2, saw 1")
    cell = cell_of(make_record(make_trial(number=1)), failed, make_record(make_trial(number=3)))
    assert (cell.status, cell.rounds, cell.rounds_failed) == (Status.OK, 2, 1)
    assert cell.reason == "1 of 3 rounds failed: claimed 2, saw 1"
    assert cell.measured is not None
    assert cell.measured.rps_max == 1000


def test_a_cell_that_failed_whole_has_no_figures() -> None:
    """Not even those of a claim that was refuted; what was loaded is still told."""
    cell = cell_of(make_record(status=Status.FAILED, reason="claimed 2, saw 1"))
    assert (cell.status, cell.reason, cell.measured) == (Status.FAILED, "claimed 2, saw 1", None)
    assert (cell.rounds, cell.rounds_failed) == (0, 1)
    assert cell.library_version == "1.2.3"


@pytest.mark.parametrize("status", [Status.UNSUPPORTED, Status.MISSING])
def test_a_cell_that_was_not_measured_keeps_its_row(status: Status) -> None:
    """Status and reason are all there is to it."""
    cell = cell_of(unmeasured(status, "because"))
    assert (cell.status, cell.reason, cell.measured) == (status, "because", None)
    assert (cell.rounds, cell.rounds_failed, cell.library_version, cell.decodes_to) == (0, 0, None, None)


def test_cells_stand_in_the_suites_order() -> None:
    """The order of the manifest counts, not that of the files; what it does not name comes last."""
    trials = [make_trial(client=make_client(name)) for name in ("a", "b", "c")]
    a, b, c = (make_record(trial) for trial in trials)
    run = make_run(a, b, c, cells=[planned_cell(c), planned_cell(a)])
    assert [cell.client for cell in cells_of(run)] == ["c", "a", "b"]


def test_a_cell_that_an_interrupted_run_did_not_reach_keeps_its_row() -> None:
    """It is neither failed nor missing; no row is left out."""
    reached, beyond = (make_record(make_trial(client=make_client(name))) for name in ("a", "b"))
    cell = cells_of(make_run(reached, cells=[planned_cell(reached), planned_cell(beyond)]))[1]
    assert (cell.client, cell.status, cell.measured) == ("b", Status.NOT_MEASURED, None)
    assert cell.reason == "the run ended before"


def test_a_cell_that_lost_rounds_says_so() -> None:
    """Whether a round failed, or the run ended before it: the figures are of the others."""
    failed = cell_of(*rounds(1000), unmeasured(Status.FAILED, "hung", make_trial(number=2)))
    assert (failed.rounds, failed.rounds_planned, failed.is_partial) == (1, 2, True)
    assert failed.reason == "1 of 2 rounds failed: hung"
    (ended,) = cells_of(make_run(*rounds(1000), rounds=3))
    assert (ended.rounds, ended.rounds_planned, ended.is_partial) == (1, 3, True)
    assert ended.reason == "2 of 3 rounds are missing: the run ended before"
    whole = cell_of(*rounds(1000, 2000))
    assert (whole.reason, whole.is_partial) == (None, False)


def test_a_cell_that_lost_slices_says_so() -> None:
    """Its rounds are all there; the slices that do not count are counted."""
    slices = [make_slice_record(1000, 1), make_slice_record(1000, 2, mismatch="KEYS 1")]
    cell = cell_of(make_record(slices=slices, reason="1 of 2 slices are not counted: KEYS 1"))
    assert (cell.rounds, cell.slices_lost, cell.is_partial) == (1, 1, True)


def test_slices_that_were_worked_again_are_not_lost() -> None:
    """Their laps are all there."""
    cell = cell_of(make_record(slices=[make_slice_record(compiling_ns=SECOND_NS), make_slice_record()]))
    assert (cell.slices_lost, cell.is_partial) == (0, False)


def test_cells_are_matched_by_identifier() -> None:
    """Rounds of two clients that come mixed are told apart."""
    trials = [make_trial(number=number, client=make_client(name)) for number in (1, 2) for name in ("a", "b")]
    records = [make_record(trial, 100 if trial.cell.client.name == "a" else 200) for trial in trials]
    assert [(cell.client, cell.measured.rps_median) for cell in cells_of(make_run(*records)) if cell.measured] == [
        ("a", 100),
        ("b", 200),
    ]


def test_a_run_without_records_has_no_cells() -> None:
    """A run that was stopped at once is an empty table, not an error."""
    assert cells_of(make_run()) == []
