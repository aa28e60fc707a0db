"""What JMH and BenchmarkDotNet wrote, in the one form."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from respmark.contract.trial import Form, Scenario, Shape, Window
from respmark.errors import InvalidRequestError
from respmark.micro.model import (
    MicroFigures,
    MicroRecord,
    Tool,
    read_benchmarkdotnet,
    read_failures,
    read_jmh,
    read_own,
)
from respmark.results.records import Status
from tests.micro.builders import BENCHMARKDOTNET, JMH, written

Reader = Callable[[Path], tuple[Tool, list[MicroRecord]]]


def figures(record: MicroRecord) -> MicroFigures:
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


def test_figures_are_the_tools_own() -> None:
    """BenchmarkDotNet's `Error` is its margin, and collections are of a thousand operations; JMH counts them."""
    _, (dotnet, *_) = read_benchmarkdotnet(BENCHMARKDOTNET)
    measured = figures(dotnet)
    assert (measured.time_ns, measured.error_ns) == pytest.approx((53_258.47, 209_223.42))
    assert (measured.allocated_bytes, measured.forks, measured.iterations) == (1297, 1, 3)
    assert measured.collections.per_1000_operations == pytest.approx({"gen0": 1000 / 16_384, "gen1": 0, "gen2": 0})
    _, (jmh, *_) = read_jmh(JMH)
    measured = figures(jmh)
    assert (measured.time_ns, measured.error_ns) == pytest.approx((68_610.99, 88_919.59))
    assert (measured.collections.count, measured.collections.time_ms) == (2, 2.0)
    assert (measured.forks, measured.iterations, jmh.ns_per_command) == (1, 3, measured.time_ns / 10)
    assert (jmh.flags, jmh.library_version) == (("-Xms512m", "-Xmx512m"), "8.0.2")  # our own flags are not the JVM's


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


def test_parsing_alone_is_read_with_its_error_over_processes(tmp_path: Path) -> None:
    entry = {"benchmark": "decode.GET", "subject": "redis-py[parser=python]", "operation": "GET, 10 bytes"}
    content = {
        "runtime": "CPython 3.11.7",
        "versions": {"redis-py": "8.1.0"},
        "benchmarks": [entry | {"forks": [[900, 1100], [1100, 1300]]}],
    }
    path = tmp_path / "python.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    tool, (record,) = read_own(path)
    assert (tool.name, record.library, record.library_version) == ("respmark", "redis-py", "8.1.0")
    assert (record.topic, record.subject, record.operation) == ("decode", entry["subject"], entry["operation"])
    found = figures(record)
    assert (found.time_ns, found.forks, found.iterations) == (1100, 2, 4)
    assert found.error_ns == pytest.approx(100)
    with pytest.raises(InvalidRequestError, match="is not a result file of respmark's micro-benchmarks"):
        read_own(Path(__file__))
