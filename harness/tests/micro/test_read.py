"""What JMH and BenchmarkDotNet wrote, in the one form."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from respmark.contract.trial import Form, Scenario, Shape, Window
from respmark.errors import InvalidRequestError
from respmark.micro.model import Measured, MicroRecord, Tool
from respmark.micro.read import read_benchmarkdotnet, read_failures, read_jmh
from respmark.results.records import Status
from tests.micro.builders import BENCHMARKDOTNET, JMH, benchmarkdotnet_entry, export, jmh_entry, written

Reader = Callable[[Path], tuple[Tool, list[MicroRecord]]]


def of_jmh(folder: Path, **changes: Any) -> MicroRecord:  # noqa: ANN401 - an entry's fields
    """Return the record of a JMH file with one benchmark."""
    _, (record,) = read_jmh(written(folder, [jmh_entry(**changes)]))
    return record


def of_dotnet(folder: Path, **changes: Any) -> MicroRecord:  # noqa: ANN401 - as above
    """Return the record of an export with one benchmark."""
    _, (record,) = read_benchmarkdotnet(written(folder, export(benchmarkdotnet_entry(**changes))))
    return record


def figures(record: MicroRecord) -> Measured:
    """Return its figures."""
    assert record.measured is not None, record.reason
    return record.measured


def test_a_real_file_of_jmh_is_read_whole() -> None:
    """Every benchmark of the project's own program is known by library, scenario and operation."""
    tool, records = read_jmh(JMH)
    assert tool.version == "1.37"
    assert {record.status for record in records} == {Status.OK}
    assert {(record.library, record.library_version) for record in records} == {
        ("jedis", "8.0.2"),
        ("lettuce", "7.7.0.RELEASE"),
    }
    assert Counter(record.topic for record in records if record.library == "lettuce") == Counter(
        {"sync": 2, "pipelining": 4, "batching": 4, "transaction": 4} | {"pool-borrow": 2, "encode": 2, "decode": 1}
    )
    assert all(record.measured and record.measured.allocated_bytes for record in records)
    burst = next(r for r in records if r.benchmark.endswith("lettuce.Pipelining.get") and r.commands == 100)
    assert burst.shape == Shape(depth=100, window=Window.BURST)
    assert burst.ns_per_command == figures(burst).time_ns / 100


def test_a_real_export_of_benchmarkdotnet_is_read_whole() -> None:
    """Every benchmark of the project's own program is known by scenario, shape and operation."""
    tool, records = read_benchmarkdotnet(BENCHMARKDOTNET)
    assert tool.version == "0.14.0"
    assert {(record.status, record.library) for record in records} == {(Status.OK, "stackexchange-redis")}
    depths = (10, 100)
    assert {(record.scenario, record.shape) for record in records} == {
        (Scenario.SYNC, Shape()),
        *((Scenario.PIPELINING, Shape(depth=depth, window=Window.BURST)) for depth in depths),
        *((Scenario.BATCHING, Shape(depth=depth)) for depth in depths),
        *((Scenario.TRANSACTION, Shape(depth=depth, form=Form.BATCHED)) for depth in depths),
    }
    assert {record.operation for record in records} == {"GET", "SET"}


def test_figures_are_the_tools_own(tmp_path: Path) -> None:
    """BenchmarkDotNet's `Error` is its margin, and collections are of a thousand operations; JMH counts them."""
    dotnet = of_dotnet(tmp_path)
    measured = figures(dotnet)
    assert (measured.time_ns, measured.error_ns, measured.allocated_bytes) == (80_000, 3160, 14_116)
    assert measured.collections.per_1000_operations == {"gen0": 0.75, "gen1": 0.5, "gen2": 0}
    assert (measured.forks, measured.iterations, dotnet.ns_per_command) == (2, 3, 8_000)
    jmh = of_jmh(tmp_path)
    measured = figures(jmh)
    assert (measured.collections.count, measured.collections.time_ms) == (3, 4.0)
    assert (measured.forks, measured.iterations) == (2, 10)
    assert (jmh.flags, jmh.library_version) == (("-Xmx512m",), "8.0.2")  # our own flags are not the JVM's


def test_giving_back_a_connection_sends_no_command(tmp_path: Path) -> None:
    """There is no time a command where no command is sent; parameters that are no shape stay."""
    name = "org.respmark.bench.lettuce.PoolBorrow.borrowAndReturn"
    record = of_jmh(tmp_path, benchmark=name, params={"wrapped": "true"})
    assert (record.topic, record.commands, record.ns_per_command) == ("pool-borrow", None, None)
    assert (record.parameters, record.scenario) == ({"wrapped": "true"}, None)


@pytest.mark.parametrize("parameters", ["Depth=10&Size=3", "Depth=10, Size=3"])
def test_parameters_are_told_apart(tmp_path: Path, parameters: str) -> None:
    """The depth is the shape's; the others stay."""
    record = of_dotnet(tmp_path, Parameters=parameters)
    assert (record.shape, record.parameters) == (Shape(depth=10), {"Size": "3"})


@pytest.mark.parametrize("change", [{"mode": "thrpt"}, {"unit": "us/op"}, {"score": "NaN"}, {"score": 0.0}])
def test_a_jmh_benchmark_without_a_mean_time_keeps_its_row(tmp_path: Path, change: dict[str, Any]) -> None:
    """With the reason, and is no failure of the rest."""
    _, (record, other) = read_jmh(written(tmp_path, [jmh_entry(**change), jmh_entry()]))
    assert (record.status, record.measured, other.status) == (Status.UNSUPPORTED, None, Status.OK)
    assert record.reason


@pytest.mark.parametrize("statistics", [None, *({"N": 3, "Mean": mean} for mean in ("NaN", 0.0, -1.0, None))])
def test_a_dotnet_benchmark_without_figures_failed(tmp_path: Path, statistics: object) -> None:
    """It keeps its row."""
    record = of_dotnet(tmp_path, Statistics=statistics, Memory=None, Measurements=None)
    assert (record.status, record.measured) == (Status.FAILED, None)
    assert record.reason


@pytest.mark.parametrize("error", ["NaN", float("nan"), "+INF", float("inf"), None])
def test_one_iteration_has_no_error(tmp_path: Path, error: object) -> None:
    """Whatever a tool writes for it; it is neither 0 nor a fault."""
    assert figures(of_jmh(tmp_path, error=error)).error_ns is None
    statistics = {"N": 1, "Mean": 5.0, "StandardError": 0, "ConfidenceInterval": {"Margin": error}}
    assert figures(of_dotnet(tmp_path, Statistics=statistics)).error_ns is None


def test_without_an_interval_the_error_is_said_to_be_another(tmp_path: Path) -> None:
    """A standard error is much smaller than the margin; they must not be taken for each other."""
    measured = figures(of_dotnet(tmp_path, Statistics={"N": 3, "Mean": 5.0, "StandardError": 0.5}))
    assert (measured.error_ns, measured.error_is.split()[0]) == (0.5, "standard")


def test_what_a_tool_leaves_out_is_not_made_up(tmp_path: Path) -> None:
    """No profiler of garbage collection or memory; measured in the tool's own process, which JMH calls no fork."""
    jmh = figures(of_jmh(tmp_path, secondaryMetrics={}, forks=0))
    dotnet = figures(of_dotnet(tmp_path, Memory=None, Measurements=[{"LaunchIndex": 0}]))
    assert jmh.allocated_bytes is jmh.collections.count is dotnet.allocated_bytes is None
    assert dotnet.collections.per_1000_operations == {}
    assert jmh.forks == dotnet.forks == 1


@pytest.mark.parametrize(
    ("name", "topic", "subject"),
    [
        ("com.example.MyBench.parse", "MyBench", "parse"),
        ("org.respmark.bench.jedis.Somersault.get", "Somersault", "get"),
        ("lonely", "lonely", "lonely"),
    ],
)
def test_of_other_benchmarks_nothing_is_guessed(tmp_path: Path, name: str, topic: str, subject: str) -> None:
    """Their class is the table and their methods are the columns."""
    record = of_jmh(tmp_path, benchmark=name, params={"size": "3"})
    assert (record.topic, record.subject, record.library, record.commands) == (topic, subject, None, None)
    assert record.parameters == {"size": "3"}
    record = of_dotnet(tmp_path, Namespace="Other", Type="Parsing", Method="Fast", Parameters="")
    assert (record.topic, record.subject, record.library, record.scenario) == ("Parsing", "Fast", None, None)


def test_a_byte_order_mark_and_new_fields_are_no_fault(tmp_path: Path) -> None:
    """.NET writes one; a later version of a tool may write more."""
    path = tmp_path / "export.json"
    path.write_text(json.dumps(export(benchmarkdotnet_entry(new="field"))), encoding="utf-8-sig")
    assert len(read_benchmarkdotnet(path)[1]) == 1


@pytest.mark.parametrize(
    ("reader", "content", "said"),
    [
        (read_jmh, [{"mode": "avgt"}], "is not a result file of JMH: KeyError: 'benchmark'"),
        (read_jmh, {"Benchmarks": []}, "is not a result file of JMH"),
        (read_benchmarkdotnet, {"Title": "brief"}, "is not a full JSON export of BenchmarkDotNet"),
        (read_benchmarkdotnet, [], "is not a full JSON export of BenchmarkDotNet"),
    ],
)
def test_another_file_is_refused(tmp_path: Path, reader: Reader, content: object, said: str) -> None:
    """The sentence names the file, and what is missing."""
    with pytest.raises(InvalidRequestError, match=rf"results\.json {said}"):
        reader(written(tmp_path, content))


def test_failed_benchmarks_keep_their_rows(tmp_path: Path) -> None:
    """JMH leaves them out of its file; our program lists them."""
    failure = {"benchmark": "org.respmark.bench.jedis.Batching.get", "params": {"depth": "10"}, "reason": "wrong reply"}
    (record,) = read_failures(written(tmp_path, [failure]))
    assert (record.status, record.reason, record.measured) == (Status.FAILED, "wrong reply", None)
    assert (record.library, record.shape) == ("jedis", Shape(depth=10))
