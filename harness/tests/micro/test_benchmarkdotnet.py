"""BenchmarkDotNet's full JSON exports in the one form."""

import json
from pathlib import Path
from typing import Any

import pytest

from respmark.contract.trial import Form, Scenario, Shape, Window
from respmark.errors import InvalidRequestError
from respmark.micro.benchmarkdotnet import read_benchmarkdotnet
from respmark.micro.model import MicroRecord
from respmark.results.records import Status
from tests.micro.builders import BENCHMARKDOTNET, benchmarkdotnet_entry, export, written


def read_one(folder: Path, **changes: Any) -> MicroRecord:  # noqa: ANN401 - an entry's fields
    """Return the record of an export with one benchmark."""
    _, (record,) = read_benchmarkdotnet(written(folder, export(benchmarkdotnet_entry(**changes))))
    return record


def test_a_real_export_is_read_whole() -> None:
    """Every benchmark of the project's own program is known by scenario, shape and operation."""
    tool, records = read_benchmarkdotnet(BENCHMARKDOTNET)
    assert tool.version == "0.14.0"
    assert {record.status for record in records} == {Status.OK}
    assert {record.library for record in records} == {"stackexchange-redis"}
    depths = (10, 100)
    assert {(record.scenario, record.shape) for record in records} == {
        (Scenario.SYNC, Shape()),
        *((Scenario.PIPELINING, Shape(depth=depth, window=Window.BURST)) for depth in depths),
        *((Scenario.BATCHING, Shape(depth=depth)) for depth in depths),
        *((Scenario.TRANSACTION, Shape(depth=depth, form=Form.BATCHED)) for depth in depths),
    }
    assert {record.operation for record in records} == {"GET", "SET"}


def test_figures_are_benchmarkdotnets_own(tmp_path: Path) -> None:
    """Times are nanoseconds there, its `Error` is the margin, collections are of a thousand operations."""
    record = read_one(tmp_path)
    measured = record.measured
    assert measured is not None
    assert (measured.time_ns, measured.error_ns, measured.allocated_bytes) == (80_000, 3160, 14_116)
    assert measured.collections.per_1000_operations == {"gen0": 0.75, "gen1": 0.5, "gen2": 0}
    assert (measured.forks, measured.iterations) == (2, 3)
    assert "confidence interval" in measured.error_is
    assert record.ns_per_command == 8_000


def test_a_benchmark_without_figures_failed(tmp_path: Path) -> None:
    """It keeps its row."""
    record = read_one(tmp_path, Statistics=None, Memory=None, Measurements=None)
    assert (record.status, record.measured) == (Status.FAILED, None)
    assert record.reason


@pytest.mark.parametrize("mean", ["NaN", 0.0, -1.0, None])
def test_a_mean_that_is_no_time_is_no_figure(tmp_path: Path, mean: object) -> None:
    """Nothing takes no time."""
    assert read_one(tmp_path, Statistics={"N": 3, "Mean": mean}).status is Status.FAILED


def test_one_iteration_has_no_error(tmp_path: Path) -> None:
    """Whatever is written for its error, one value has no spread."""
    statistics = {"N": 1, "Mean": 5.0, "StandardError": 0, "ConfidenceInterval": {"Margin": "NaN"}}
    record = read_one(tmp_path, Statistics=statistics)
    assert record.measured is not None
    assert record.measured.error_ns is None


def test_without_an_interval_the_error_is_said_to_be_another(tmp_path: Path) -> None:
    """A standard error is much smaller than the margin; they must not be taken for each other."""
    record = read_one(tmp_path, Statistics={"N": 3, "Mean": 5.0, "StandardError": 0.5})
    assert record.measured is not None
    assert (record.measured.error_ns, record.measured.error_is.split()[0]) == (0.5, "standard")


def test_without_the_memory_diagnoser_there_are_no_bytes(tmp_path: Path) -> None:
    """What was not measured is not 0."""
    record = read_one(tmp_path, Memory=None)
    assert record.measured is not None
    assert record.measured.allocated_bytes is None
    assert record.measured.collections.per_1000_operations == {}


@pytest.mark.parametrize("parameters", ["Depth=10&Size=3", "Depth=10, Size=3"])
def test_parameters_are_told_apart(tmp_path: Path, parameters: str) -> None:
    """The depth is the shape's; the others stay."""
    record = read_one(tmp_path, Parameters=parameters)
    assert record.shape == Shape(depth=10)
    assert record.parameters == {"Size": "3"}


def test_of_other_benchmarks_nothing_is_guessed(tmp_path: Path) -> None:
    """Their class is the table and their methods are the columns."""
    record = read_one(tmp_path, Namespace="Other", Type="Parsing", Method="Fast", Parameters="")
    assert (record.topic, record.subject, record.library, record.scenario) == ("Parsing", "Fast", None, None)


def test_a_measurement_in_its_own_process_counts_as_one(tmp_path: Path) -> None:
    """BenchmarkDotNet numbers launches from 0 there."""
    record = read_one(tmp_path, Measurements=[{"LaunchIndex": 0}])
    assert record.measured is not None
    assert record.measured.forks == 1


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    """.NET writes one."""
    path = tmp_path / "export.json"
    path.write_text(json.dumps(export(benchmarkdotnet_entry(new="field"))), encoding="utf-8-sig")
    assert len(read_benchmarkdotnet(path)[1]) == 1


@pytest.mark.parametrize("content", [[], {"Title": "brief"}, {**export(), "Benchmarks": [{"Type": "T"}]}])
def test_another_file_is_refused(tmp_path: Path, content: object) -> None:
    """The brief export, for instance; the sentence says how to make the full one."""
    with pytest.raises(InvalidRequestError, match=r"is not a full JSON export of BenchmarkDotNet: .*fulljson"):
        read_benchmarkdotnet(written(tmp_path, content))
