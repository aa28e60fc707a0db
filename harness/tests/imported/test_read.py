"""Files of load generators, as the tools write them."""

import json
from pathlib import Path
from typing import Any

import pytest

from respmark.errors import InvalidRequestError
from respmark.imported.model import ImportedRecord, LoadTool
from respmark.imported.read import read_records

CSV = """\
"test","rps","avg_latency_ms","min_latency_ms","p50_latency_ms","p95_latency_ms","p99_latency_ms","max_latency_ms"
"SET","12195.12","2.984","0.016","0.391","12.391","15.503","15.607"
"GET a","11299.43","3.410","0.072","0.351","13.071","24.111","24.207"
"""
"""What redis-benchmark 7.0 wrote."""
MEMTIER: dict[str, Any] = {
    "configuration": {"server": "h", "clients": 50, "threads": 4, "pipeline": 1, "data_size": 32, "authenticate": "pw"},
    "run information": {"Threads count": 4},
    "ALL STATS": {
        "Runtime": {"Start time": 1, "Finish time": 2, "Total duration": 1, "Time unit": "MILLISECONDS"},
        "Sets": {
            "Count": 10,
            "Ops/sec": 4665.12,
            "Latency": 3.9,
            "Average Latency": 3.9,
            "Max Latency": 9.0,
            "Percentile Latencies": {"p50.00": 3.1, "p99.00": 8.1, "p99.90": 8.9, "Histogram log format": {}},
        },
        "Waits": {"Count": 0, "Ops/sec": 0.0, "Percentile Latencies": {}},
        "Totals": {"Count": 10, "Ops/sec": 51265.11, "Percentile Latencies": {"p50.00": 3.0}},
    },
}
GLIDE: dict[str, Any] = {
    "client": "glide",
    "num_of_tasks": 100,
    "data_size": 100,
    "tps": 45000,
    "client_count": 1,
    "is_cluster": False,
    "get_existing_p50_latency": 0.12,
    "get_existing_p90_latency": 0.25,
    "get_existing_p99_latency": 0.45,
    "get_existing_average_latency": 0.15,
    "set_p50_latency": 0.18,
    "set_p99_latency": 0.58,
}
RESP_BENCH: dict[str, Any] = {
    "metadata": {"driver_id": "redis-py", "primary_driver_version": "7.1.0"},
    "phase": {"id": "STEADY", "status": "COMPLETED", "duration_ms": 2000, "connections": 10},
    "totals": {"requests": 5000, "errors": 0},
    "metrics": {
        "GET": {
            "requests": 4000,
            "errors": 0,
            "latency": {"unit": "us", "count": 4000, "summary": {"p50": 120, "p99": 900, "p999": 1500, "max": 2000}},
        }
    },
}


def read(tool: LoadTool, folder: Path, content: object) -> list[ImportedRecord]:
    """Write a file and read it as the tool's."""
    path = folder / "file"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return read_records(tool, path)


@pytest.mark.parametrize("tool", [LoadTool.REDIS_BENCHMARK, LoadTool.VALKEY_BENCHMARK])
def test_the_csv_of_redis_benchmark(tmp_path: Path, tool: LoadTool) -> None:
    """A row a test; the tool is its own client."""
    one, two = read(tool, tmp_path, CSV)
    assert (one.client, one.command, one.rps, one.mean_ms) == (str(tool), "SET", 12195.12, 2.984)
    assert (one.p50_ms, one.p99_ms, one.p999_ms, one.max_ms) == (0.391, 15.503, None, 15.607)
    assert two.command == "GET a"


def test_the_csv_of_older_versions_has_no_head(tmp_path: Path) -> None:
    """Test and rate alone."""
    (one,) = read(LoadTool.REDIS_BENCHMARK, tmp_path, '"SET","12195.12"\n')
    assert (one.command, one.rps, one.p50_ms) == ("SET", 12195.12, None)


def test_memtier(tmp_path: Path) -> None:
    """What was sent, with its conditions; what was not sent, and passwords, are left out."""
    one, all_together = read(LoadTool.MEMTIER, tmp_path, MEMTIER)
    assert (one.command, one.rps, one.mean_ms, one.max_ms) == ("Sets", 4665.12, 3.9, 9.0)
    assert (one.p50_ms, one.p99_ms, one.p999_ms) == (3.1, 8.1, 8.9)
    assert one.conditions == {"clients": "50", "threads": "4", "pipeline": "1", "data_size": "32"}
    assert (all_together.command, all_together.rps, all_together.p99_ms) == ("Totals", 51265.11, None)


def test_valkey_glide(tmp_path: Path) -> None:
    """One rate of all commands together, and the latencies of each."""
    everything, get, put = read(LoadTool.VALKEY_GLIDE, tmp_path, [GLIDE])
    assert (everything.client, everything.command, everything.rps, everything.p50_ms) == ("glide", "all", 45000, None)
    assert (get.command, get.rps, get.mean_ms, get.p50_ms, get.p99_ms) == ("get_existing", None, 0.15, 0.12, 0.45)
    assert (put.command, put.mean_ms, put.p99_ms) == ("set", None, 0.58)
    assert get.conditions == {"data_size": "100", "tasks": "100", "clients": "1"}


def test_resp_bench(tmp_path: Path) -> None:
    """A line a phase; rates are requests by the phase's time, latencies become milliseconds."""
    text = json.dumps(RESP_BENCH) + "\n\n" + json.dumps(RESP_BENCH | {"metadata": {}}) + "\n"
    one, two = read(LoadTool.RESP_BENCH, tmp_path, text)
    assert (one.client, one.client_version, one.command, one.rps) == ("redis-py", "7.1.0", "GET", 2000)
    assert (one.p50_ms, one.p99_ms, one.p999_ms, one.max_ms) == pytest.approx((0.12, 0.9, 1.5, 2.0))
    assert one.conditions == {"phase": "STEADY", "connections": "10"}
    assert (two.client, two.client_version) == ("resp-bench", None)


@pytest.mark.parametrize(
    ("tool", "content", "words"),
    [
        (LoadTool.MEMTIER, "{", "is not JSON"),
        (LoadTool.MEMTIER, {"stats": {}}, "is not a result file of memtier_benchmark: `ALL STATS`"),
        (LoadTool.MEMTIER, {"ALL STATS": {"Gets": {"Ops/sec": "many"}}}, "--json-out-file"),
        (LoadTool.MEMTIER, {"ALL STATS": {}}, "holds no result of memtier"),
        (LoadTool.REDIS_BENCHMARK, "", "holds no result of redis-benchmark"),
        (LoadTool.REDIS_BENCHMARK, "a,b,c\n", "does not fit its head"),
        (LoadTool.REDIS_BENCHMARK, "GET,nan\n", "`nan` is no figure"),
        (LoadTool.VALKEY_GLIDE, {"client": "glide"}, "is not a result file of valkey-glide's benchmarks"),
        (LoadTool.VALKEY_GLIDE, [{"tps": 1}], "`[0].client`"),
        (LoadTool.RESP_BENCH, "{}\n", "`phase`"),
        (LoadTool.RESP_BENCH, "no\n", "line 1 is not JSON"),
    ],
)
def test_what_is_no_such_file_is_refused(tmp_path: Path, tool: LoadTool, content: object, words: str) -> None:
    """With what is wrong, and how the tool writes it."""
    with pytest.raises(InvalidRequestError) as caught:
        read(tool, tmp_path, content)
    assert words in str(caught.value)


def test_another_unit_is_refused(tmp_path: Path) -> None:
    """Nothing is taken for microseconds that is something else."""
    content = json.loads(json.dumps(RESP_BENCH))
    content["metrics"]["GET"]["latency"]["unit"] = "ns"
    with pytest.raises(InvalidRequestError, match="in `ns`"):
        read(LoadTool.RESP_BENCH, tmp_path, json.dumps(content))
