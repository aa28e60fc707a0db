"""JMH's files in the one form."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st
from pydantic import TypeAdapter

from respmark.contract.trial import Shape, Window
from respmark.errors import InvalidRequestError
from respmark.micro.jmh import Entry, _measured, read_failures, read_jmh
from respmark.micro.model import Measured, MicroRecord
from respmark.results.records import Status
from tests.micro.builders import JMH, jmh_entry, written

SCORES = st.floats(1e-3, 1e9)


def read_one(folder: Path, entry: dict[str, Any]) -> MicroRecord:
    """Return the record of a file with one benchmark."""
    _, (record,) = read_jmh(written(folder, [entry]))
    return record


def measured(entry: dict[str, Any]) -> Measured:
    """Return the figures of one benchmark."""
    figures, reason = _measured(TypeAdapter(Entry).validate_python(entry))
    assert figures is not None, reason
    return figures


def test_a_real_file_is_read_whole() -> None:
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


def test_a_command_is_a_part_of_its_operation() -> None:
    """A burst of 100 that takes 1 ms is 10 µs per command."""
    _, records = read_jmh(JMH)
    record = next(r for r in records if r.benchmark.endswith("lettuce.Pipelining.get") and r.commands == 100)
    assert record.shape == Shape(depth=100, window=Window.BURST)
    assert record.measured is not None
    assert record.ns_per_command == record.measured.time_ns / 100


def test_giving_back_a_connection_sends_no_command(tmp_path: Path) -> None:
    """There is no time a command where no command is sent; parameters that are no shape stay."""
    entry = jmh_entry(benchmark="org.respmark.bench.lettuce.PoolBorrow.borrowAndReturn", params={"wrapped": "true"})
    record = read_one(tmp_path, entry)
    assert (record.topic, record.commands, record.ns_per_command) == ("pool-borrow", None, None)
    assert record.parameters == {"wrapped": "true"}
    assert record.scenario is None


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"mode": "thrpt"}, "mode `thrpt` with the unit `ns/op` is not the time"),
        ({"unit": "us/op"}, "mode `avgt` with the unit `us/op` is not the time"),
        ({"score": "NaN"}, "no score above 0"),
        ({"score": 0.0}, "no score above 0"),
    ],
)
def test_what_has_no_time_keeps_its_row(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    """What cannot be brought into the one form is named, with the reason, and is no failure of the rest."""
    _, (record, other) = read_jmh(written(tmp_path, [jmh_entry(**changes), jmh_entry()]))
    assert record.status is Status.UNSUPPORTED
    assert said in (record.reason or "")
    assert record.measured is None
    assert other.status is Status.OK


@pytest.mark.parametrize("error", ["NaN", float("nan"), "+INF", float("inf"), None])
def test_one_iteration_has_no_error(tmp_path: Path, error: object) -> None:
    """JMH writes it as text or as no number; it is neither 0 nor a fault."""
    record = read_one(tmp_path, jmh_entry(error=error))
    assert record.measured is not None
    assert record.measured.error_ns is None


def test_without_the_gc_profiler_there_are_no_bytes(tmp_path: Path) -> None:
    """What was not measured is not 0."""
    record = read_one(tmp_path, jmh_entry(secondaryMetrics={}))
    assert record.measured is not None
    assert record.measured.allocated_bytes is None
    assert record.measured.collections.count is None


def test_what_is_new_in_a_file_is_passed_over(tmp_path: Path) -> None:
    """A later JMH may write more; we need no more than we know."""
    assert read_one(tmp_path, jmh_entry(vibes="good")).status is Status.OK


def test_our_own_flags_are_not_the_jvms(tmp_path: Path) -> None:
    """The target's port is no setting of the JVM, and the library's version has a place of its own."""
    record = read_one(tmp_path, jmh_entry())
    assert record.flags == ("-Xmx512m",)
    assert record.library_version == "8.0.2"


def test_no_fork_is_jmhs_own_process(tmp_path: Path) -> None:
    """`-f 0` measures, too."""
    record = read_one(tmp_path, jmh_entry(forks=0))
    assert record.measured is not None
    assert (record.measured.forks, record.measured.iterations) == (1, 5)


@pytest.mark.parametrize(
    ("name", "topic", "subject"),
    [
        ("com.example.MyBench.parse", "MyBench", "parse"),
        ("org.respmark.bench.jedis.Somersault.get", "Somersault", "get"),
        ("org.respmark.bench.jedis.Batching.get", "Batching", "get"),  # without a depth it is none that we know
        ("lonely", "lonely", "lonely"),
    ],
)
def test_of_other_benchmarks_nothing_is_guessed(tmp_path: Path, name: str, topic: str, subject: str) -> None:
    """Their class is the table and their methods are the columns."""
    record = read_one(tmp_path, jmh_entry(benchmark=name, params={"size": "3"}))
    assert (record.topic, record.subject, record.library, record.commands) == (topic, subject, None, None)
    assert record.parameters == {"size": "3"}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"Benchmarks": []}, "is not a result file of JMH"),
        ([{"mode": "avgt"}], r"`\[0\]\.benchmark`"),
        ([{**jmh_entry(), "primaryMetric": {"score": 1.0}}], "`scoreUnit|`.*scoreError`"),
        ([{**jmh_entry(), "threads": 0}], "threads"),
    ],
)
def test_another_file_is_refused(tmp_path: Path, content: object, said: str) -> None:
    """The sentence names the file, what is missing, and how to make one."""
    with pytest.raises(InvalidRequestError, match=said) as caught:
        read_jmh(written(tmp_path, content))
    assert "-rf json" in str(caught.value)
    assert "results.json" in str(caught.value)


def test_a_file_that_is_no_json_is_refused(tmp_path: Path) -> None:
    """JMH's own text, for instance."""
    path = tmp_path / "jmh.txt"
    path.write_text("Benchmark  Mode  Cnt  Score\n")
    with pytest.raises(InvalidRequestError, match=r"jmh\.txt is not JSON"):
        read_jmh(path)
    with pytest.raises(InvalidRequestError, match="nothing-here cannot be read: No such file"):
        read_jmh(tmp_path / "nothing-here")


def test_failed_benchmarks_keep_their_rows(tmp_path: Path) -> None:
    """JMH leaves them out of its file; our program lists them."""
    path = tmp_path / "failures.json"
    failure = {"benchmark": "org.respmark.bench.jedis.Batching.get", "params": {"depth": "10"}, "reason": "wrong reply"}
    path.write_text(json.dumps([failure]))
    (record,) = read_failures(path)
    assert (record.status, record.reason, record.measured) == (Status.FAILED, "wrong reply", None)
    assert (record.library, record.shape) == ("jedis", Shape(depth=10))
