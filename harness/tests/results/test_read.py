"""A run as it is read: its trials, the table of its slices, its samples."""

import io

import polars as pl

from respmark.contract.trial import Scenario, Shape
from respmark.kinds.loops.record import SliceRecord
from respmark.kinds.loops.slices import loops_of
from respmark.results.read import LABELS, parquet
from respmark.results.records import Status
from tests.builders.plan import make_client, make_trial
from tests.builders.records import make_latency, make_record, make_run, make_slice_record


def test_slices_are_rows_with_what_they_are_of() -> None:
    """Whatever a slice lacks is null, not 0."""
    slices = [
        make_slice_record(number=1, reads=None, own_commands={"ping": 2}),
        make_slice_record(2000, 2, reason="lost", p50_ns=2.5),
    ]
    trial = make_trial(Scenario.BATCHING, Shape(depth=10), 3, make_client("lib[parser=slow]"))
    table = make_run(make_record(trial, slices=slices)).slices
    assert table.columns == [*LABELS, *SliceRecord.model_fields]
    labels = {
        "trial_id": trial.id,
        "cell_id": trial.cell.id,
        "block": "batching--depth=10",
        "round": 3,
        "client": "lib[parser=slow]",
        "library": "lib",
        "scenario": "batching",
        "depth": 10,
        "window": None,
        "status": "ok",
    }
    assert table.select(*labels).unique().row(0, named=True) == labels
    measured = table.select("lap", "operations", "reads", "reason", "is_repeated", "p50_ns", "own_commands").rows()
    assert measured == [
        (1, 1000, None, None, False, None, '{"ping": 2}'),
        (2, 2000, 2000, "lost", False, 2.5, None),
    ]


def test_trials_are_in_the_order_of_rounds_and_keep_no_slices() -> None:
    """Ten comes after nine; their latencies keep the longest."""
    run = make_run(*(make_record(make_trial(number=number)) for number in (10, 9, 1)))
    assert [trial.round for trial in run.trials] == [1, 9, 10]
    assert {len(trial.slices) for trial in loops_of(run)} == {0}
    assert [trial.latency for trial in loops_of(run)] == [make_latency([], 999_936)] * 3


def test_samples_of_a_cell_are_those_of_its_good_rounds() -> None:
    """A failed round's figures are not told."""
    latency = make_latency([(1000, 2), (3000, 1)])
    run = make_run(
        make_record(make_trial(number=1), latency=latency),
        make_record(make_trial(number=2), latency=latency),
        make_record(make_trial(number=3), latency=latency, status=Status.FAILED),
    )
    assert list(run.latency["lib--sync"]) == [(1000, 4), (3000, 2)]


def test_parquet_has_the_table() -> None:
    """As any reader of the format finds it."""
    run = make_run(make_record(slices=[make_slice_record(own_commands={"ping": 1}), make_slice_record(number=2)]))
    assert pl.read_parquet(io.BytesIO(parquet(run))).equals(run.slices)
