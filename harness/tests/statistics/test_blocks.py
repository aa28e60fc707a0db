"""The cells of a block against its baseline."""

from collections.abc import Sequence

import pytest
from pydantic import ValidationError

from respmark.contract.trial import Scenario, Shape
from respmark.paths import HARNESS
from respmark.plan.trial import Cell, Trial
from respmark.results.records import SliceRecord, Status, TrialRecord
from respmark.results.store import read_run
from respmark.statistics.blocks import Comparison, ShownRatio, blocks_of, comparisons_of
from respmark.statistics.measured import COMPARED
from tests.builders.plan import make_client
from tests.builders.records import (
    SECOND_NS,
    make_evidence,
    make_moment,
    make_record,
    make_slice,
    make_slice_record,
    unmeasured,
)

VERSION_1 = HARNESS / "tests" / "results" / "version1"


def trial_of(client: str, number: int = 1, depth: int | None = None) -> Trial:
    """Return a trial of `sync`, or of batching with a depth."""
    scenario = Scenario.SYNC if depth is None else Scenario.BATCHING
    return Trial(Cell(make_client(client), scenario, Shape(depth=depth), None), number)


def record(client: str, *operations: int, number: int = 1, depth: int | None = None) -> TrialRecord:
    """Return a round of a client with so many operations in each lap of a second."""
    slices = [make_slice_record(done, lap) for lap, done in enumerate(operations, start=1)]
    return make_record(trial_of(client, number, depth), slices=slices)


def found(records: Sequence[TrialRecord], baseline: str | None = None) -> dict[str, float]:
    """Return the ratio of throughput by cell."""
    return {cell_id: one.ratio("rps").value for cell_id, one in comparisons_of(blocks_of(records), baseline).items()}


def test_the_first_client_of_a_block_is_its_baseline() -> None:
    """It has no comparison of its own, the others have their ratio to it."""
    comparisons = comparisons_of(blocks_of([record("a", 1000), record("b", 2000), record("c", 500)]))
    assert {cell_id: one.ratio("rps").value for cell_id, one in comparisons.items()} == {
        "b--sync": pytest.approx(2.0),
        "c--sync": pytest.approx(0.5),
    }
    assert {(one.baseline, one.baseline_client) for one in comparisons.values()} == {("a--sync", "a")}


def test_a_block_can_compare_workloads() -> None:
    """One client with two of them: the first is the baseline, and is named with its workload."""
    other = record("a", 500).model_copy(update={"cell_id": "a--sync--workload=mget", "workload": "mget"})
    (comparison,) = comparisons_of(blocks_of([record("a", 1000), other])).values()
    assert comparison.ratio("rps").value == pytest.approx(0.5)
    assert (comparison.baseline, comparison.baseline_client, comparison.baseline_workload) == ("a--sync", "a", "tiny")


def test_a_baseline_can_be_named() -> None:
    """Then every other is compared with it; a block that has not got it has no comparisons."""
    block = [record("a", 1000), record("b", 2000)]
    assert found(block, "b") == {"a--sync": pytest.approx(0.5)}
    assert found(block, "c") == {}


def test_a_baseline_whose_first_round_failed_is_still_the_baseline() -> None:
    """Which one it is must not hang on which round went wrong."""
    failed = unmeasured(Status.FAILED, "crashed", trial_of("a", 1))
    later = [record("a", 1000, number=2), record("b", 3000, number=2)]
    assert found([failed, record("b", 2000), *later]) == {"b--sync": pytest.approx(3.0)}


def test_where_the_first_never_counts_the_next_is_the_baseline() -> None:
    """A client that failed whole, or whose slices nobody backs, is nobody's measure."""
    failed = unmeasured(Status.FAILED, "crashed", trial_of("a"))
    not_backed = make_record(trial_of("b"), slices=[make_slice_record(1, mismatch="it did not")])
    assert found([failed, not_backed, record("c", 1000), record("d", 2000)]) == {"d--sync": pytest.approx(2.0)}


def test_blocks_are_apart() -> None:
    """Each has a baseline of its own."""
    records = [record("a", 1000), record("b", 2000), record("b", 300, depth=10), record("a", 600, depth=10)]
    assert found(records) == {"b--sync": pytest.approx(2.0), "a--batching--depth=10": pytest.approx(2.0)}


def lap(number: int, operations: int, mismatch: str | None = None) -> SliceRecord:
    """Return the slice of a lap."""
    return make_slice_record(operations, number, mismatch=mismatch)


def test_a_lap_that_one_of_them_lacks_is_left_out_of_both() -> None:
    """Slices are compared with those of the same lap, or not at all."""
    a = make_record(trial_of("a"), slices=[lap(1, 1000), lap(2, 100, "refuted"), lap(3, 1000)])
    b = make_record(trial_of("b"), slices=[lap(2, 5000), lap(3, 2000)])
    assert found([a, b]) == {"b--sync": pytest.approx(2.0)}


def test_without_a_lap_in_common_there_is_no_comparison() -> None:
    """Nothing is put in its place."""
    a = make_record(trial_of("a"), slices=[lap(1, 1000)])
    b = make_record(trial_of("b"), slices=[lap(2, 2000)])
    assert found([a, b]) == {}


def test_cpu_is_compared_as_throughput_is() -> None:
    """Client and server CPU per command, each a ratio of its own."""
    busy = make_slice(1000, ended=make_moment(2 * SECOND_NS, SECOND_NS))
    evidence = make_evidence(1000, server_cpu_user_ns=50_000_000, server_cpu_system_ns=50_000_000)
    b = make_record(trial_of("b"), slices=[make_slice_record(1000, answers=[busy], evidence=evidence)])
    (comparison,) = comparisons_of(blocks_of([record("a", 1000), b])).values()
    assert comparison.ratio("rps").value == pytest.approx(1.0)
    assert comparison.ratio("client_cpu").value == pytest.approx(2.0)
    assert comparison.ratio("server_cpu").value == pytest.approx(0.5)


def test_one_round_has_ratios_without_intervals() -> None:
    """And shows nothing."""
    (comparison,) = comparisons_of(blocks_of([record("a", 1000, 1000), record("b", 9000, 9000)])).values()
    assert comparison.ratio("rps").value == pytest.approx(9.0)
    assert comparison.ratio("rps") == ShownRatio(value=comparison.ratio("rps").value, low=None, high=None, shown=False)
    assert comparison.ratio("rps").half_width is None


def clear(*, looks: int = 1) -> Comparison:
    """Return the comparison of two clients over four rounds, of which one is twice as fast."""
    records = [
        one
        for number, drift in enumerate((0, 10, -10, 5), start=1)
        for one in (
            record("a", 1000, 1010 + drift, 990, number=number),
            record("b", 2000 + drift, 1990, 2010, number=number),
        )
    ]
    (comparison,) = comparisons_of(blocks_of(records), looks=looks).values()
    return comparison


def test_a_clear_difference_is_shown_with_its_interval() -> None:
    """Which holds the ratio, and not 1; half its width is told as a part of the ratio."""
    rps = clear().ratio("rps")
    assert rps.low is not None
    assert rps.high is not None
    assert 1 < rps.low < 2.0 < rps.high
    assert rps.shown
    assert rps.half_width == pytest.approx((rps.high - rps.low) / 2 / rps.value)


def test_several_looks_widen_the_intervals() -> None:
    """Whoever looks five times must be five times as sure each time."""
    once, often = clear().ratio("rps").half_width, clear(looks=5).ratio("rps").half_width
    assert once is not None
    assert often is not None
    assert often > once


def test_records_of_version_1_have_no_comparisons() -> None:
    """They had one window each, minutes apart: there are no laps."""
    assert comparisons_of(blocks_of(read_run(VERSION_1).records)) == {}


def test_every_metric_that_is_compared_has_a_ratio() -> None:
    """Whoever adds a metric leaves none out, and no other name is one."""
    ratio = ShownRatio(value=1, low=None, high=None, shown=False)
    labels = {"baseline": "a--sync", "baseline_client": "a", "baseline_workload": "tiny"}
    for keys in (["rps", "client_cpu"], [*COMPARED, "latency"]):
        with pytest.raises(ValidationError, match="ratios are of rps, client_cpu, server_cpu, not of rps"):
            Comparison.model_validate(labels | dict.fromkeys(keys, ratio))
    whole = Comparison.model_validate(labels | dict.fromkeys(COMPARED, ratio))
    assert list(whole.model_dump()) == [*labels, *COMPARED]
