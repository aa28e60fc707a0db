"""pyperf's JSON."""

import json
from pathlib import Path
from typing import Any

import pytest

from respmark.errors import InvalidRequestError
from respmark.micro.model import MicroRecord
from respmark.micro.pyperf import read_pyperf
from respmark.results.records import Status


def content(*values: list[float], **metadata: Any) -> dict[str, Any]:  # noqa: ANN401 - whatever a file may hold
    """Return a file as pyperf writes it: its first process calibrates."""
    runs: list[dict[str, Any]] = [{"metadata": {"calibrate_loops": 8}, "warmups": [[1, 4.6e-07]]}]
    runs += [{"metadata": {}, "values": one, "warmups": []} for one in values]
    return {
        "benchmarks": [{"metadata": {"name": "encode", **metadata}, "runs": runs}],
        "metadata": {"cpu_model_name": "A CPU", "perf_version": "2.10.0", "python_version": "3.11.7 (64-bit)"},
        "version": "1.0",
    }


def read(folder: Path, found: object) -> MicroRecord:
    """Write a file of one benchmark and read it."""
    path = folder / "bench.json"
    path.write_text(json.dumps(found))
    tool, machine, (record,) = read_pyperf(path)
    assert (tool.version, machine) == ("2.10.0", "A CPU")
    return record


def test_a_benchmark_has_its_mean_and_its_spread(tmp_path: Path) -> None:
    """In nanoseconds, over the values of all processes that measured."""
    record = read(tmp_path, content([10e-9, 20e-9], [30e-9, 40e-9]))
    measured = record.measured
    assert measured is not None
    assert (record.benchmark, record.runtime) == ("encode", "Python 3.11.7 (64-bit)")
    assert measured.time_ns == pytest.approx(25)
    assert measured.error_ns == pytest.approx(12.91, rel=0.01)
    assert (measured.forks, measured.iterations, measured.threads) == (2, 4, 1)


def test_one_value_has_no_spread(tmp_path: Path) -> None:
    """Then no error is told."""
    measured = read(tmp_path, content([10e-9])).measured
    assert measured is not None
    assert measured.error_ns is None


def test_what_is_no_time_keeps_its_row(tmp_path: Path) -> None:
    """Memory, or nothing at all."""
    found = read(tmp_path, content([10.0], unit="byte"))
    assert (found.status, found.measured, found.reason) == (Status.UNSUPPORTED, None, "pyperf's unit `byte` is no time")
    assert read(tmp_path, content()).reason == "pyperf gives no values above 0"


def test_another_file_is_refused(tmp_path: Path) -> None:
    """With how pyperf writes it."""
    with pytest.raises(InvalidRequestError, match=r"is not a result file of pyperf: `benchmarks`.*-o FILE"):
        read(tmp_path, {"results": []})
