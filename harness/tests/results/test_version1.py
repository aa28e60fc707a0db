"""Results of version 1 are still read and reported."""

import pytest

from respmark.contract.trial import Scenario
from respmark.paths import HARNESS
from respmark.results.records import Status
from respmark.results.store import Run, read_model, read_run
from respmark.results.version1 import TrialRecord1
from respmark.statistics.cells import cells_of
from respmark.statistics.measured import Measured, measured_of
from respmark.statistics.rounds import round_of

VERSION_1 = HARNESS / "tests" / "results" / "version1"
TRIAL = VERSION_1 / "trials" / "redis-py--sync--round=1.json"


@pytest.fixture(scope="module")
def run() -> Run:
    """Return a part of a run that respmark 0.1 measured."""
    return read_run(VERSION_1)


def figures(record: TrialRecord1) -> Measured:
    """Return the figures of a cell of this trial alone."""
    found = round_of(record)
    assert found is not None
    return measured_of([found])


def test_every_record_is_read_as_version_1(run: Run) -> None:
    """Its manifest decides, not a guess."""
    assert run.manifest.schema_version == 1
    assert run.records
    assert {type(record) for record in run.records} == {TrialRecord1}
    assert run.manifest.laps is None


def test_a_record_has_the_figures_of_its_window() -> None:
    """Worked out from its fields; what came with slices is not known of it."""
    record = read_model(TRIAL, TrialRecord1)
    assert (record.scenario, record.status) == (Scenario.SYNC, Status.OK)
    found = figures(record)
    assert record.evidence is not None
    (result,) = record.results
    cpu_ns = result.cpu_user_ns + result.cpu_system_ns
    assert found.operations == result.operations
    assert found.rps_median == pytest.approx(result.operations / result.elapsed_ns * 1e9)
    assert found.client_cpu_us_per_command == pytest.approx(cpu_ns / result.operations / 1e3)
    server_ns = record.evidence.server_cpu_user_ns + record.evidence.server_cpu_system_ns
    assert found.server_cpu_us_per_command == pytest.approx(server_ns / result.operations / 1e3)
    unknown = {name for name, value in dict(found).items() if value is None}
    assert {"slices", "waiting_cpu_percent", "warmup_s"} <= unknown


def test_a_record_without_evidence_has_no_figures() -> None:
    """It failed, or was not measured."""
    assert round_of(read_model(TRIAL, TrialRecord1).model_copy(update={"evidence": None})) is None


def test_drift_is_the_second_half_of_the_window_against_the_first() -> None:
    """By hand, from the moment that the runner told."""
    record = read_model(TRIAL, TrialRecord1)
    (result,) = record.results
    half = result.first_half
    assert half is not None
    first = half.operations / half.elapsed_ns
    second = (result.operations - half.operations) / (result.elapsed_ns - half.elapsed_ns)
    found = figures(record)
    assert found.drift_percent == pytest.approx((second / first - 1) * 100)


def test_cells_have_medians_over_rounds_and_no_ratios(run: Run) -> None:
    """One window a trial, minutes apart, is compared with nothing."""
    cells = cells_of(run)
    assert len(cells) == len(run.manifest.cells)
    measured = [cell for cell in cells if cell.measured is not None]
    assert measured
    assert {cell.rounds for cell in measured} == {3}
    assert {cell.comparison for cell in cells} == {None}
