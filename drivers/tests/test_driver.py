"""The runner against a driver that only writes down how it was called."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

RUNNER = Path(__file__).parents[1] / "runner"
PREFIX = "respmark:1a2b3c4d:key:"
DRIVER = """#!/bin/sh
if [ "$1" = --version ]; then echo "redis-benchmark 9.8.7"; exit; fi
echo "$*" >>"$0.calls"
case "$*" in *REFUSED*) echo "Error from server: NOPERM" >&2; exit 1;; esac
"""
TARGET = {"host": "127.0.0.1", "port": 7, "unix_socket": None, "database": 2, "username": None, "password": "hush"}
WORK = {"work": {"first": 0, "lead_in_ns": 20_000_000, "ns": 50_000_000, "keep": True}}


def write_workload(path: Path, kind: dict[str, Any]) -> Path:
    """Write three commands, of which the last has the highest key, and values of 3, 5 and 9 bytes."""
    header = {"commands": 3, "key_bytes": len(PREFIX) + 12, "values": [9, 3, 5], "kinds": [kind]}
    keys = "".join(f"{PREFIX}{number:012d}" for number in (4, 0, 41)) if "key" in kind["arguments"] else ""
    path.write_bytes(json.dumps(header).encode() + b"\n" + bytes(6) + f"{keys}nine-long33355555".encode())
    return path


def answers(
    folder: Path, *lines: dict[str, Any], kind: dict[str, Any] | None = None, **trial: Any
) -> tuple[list[dict[str, Any]], str]:
    """Return what the runner answers, and what it prints to standard error."""
    given = {
        "client": "redis-benchmark",
        "options": {},
        "scenario": "sync",
        "shape": {},
        "workload": str(
            write_workload(folder / "columns", kind or {"name": "SET", "arguments": ["key", "value", {"literal": 7}]})
        ),
        "target": {**TARGET, "tls": None},
    }
    said = subprocess.run(
        [sys.executable, RUNNER],
        input="".join(json.dumps(line) + "\n" for line in ({**given, **trial}, *lines)),
        env={"PATH": f"{folder}:/usr/bin:/bin" if (folder / "redis-benchmark").exists() else str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    return [json.loads(line) for line in said.stdout.splitlines()], said.stderr.strip()


@pytest.fixture
def driver(tmp_path: Path) -> Path:
    """Put a driver on PATH; return the file with its calls."""
    program = tmp_path / "redis-benchmark"
    program.write_text(DRIVER)
    program.chmod(0o755)
    return tmp_path / "redis-benchmark.calls"


def test_what_it_claims_is_what_it_asked_for(tmp_path: Path, driver: Path) -> None:
    """In whole batches, over as many connections as the pool has; all of them are the first walker's units."""
    shape = {"depth": 10, "threads": 4, "max_total": 2}
    (loaded, connected, worked, samples), _ = answers(tmp_path, {"connect": {}}, WORK, {"samples": {}}, shape=shape)
    assert (loaded["loaded"]["versions"], connected) == ({"redis-benchmark": "9.8.7"}, {"connected": {}})
    calls = [line.split() for line in driver.read_text().splitlines()]
    assert {call[call.index("-c") + 1] for call in calls} == {"2"}
    sent = [int(call[call.index("-n") + 1]) for call in calls][4:]  # the first four are those of `connect`
    lead_in, measured = worked["worked"]["lead_in"], worked["worked"]["measured"]
    assert sum(sent) == 10 * (lead_in[0] + measured[0])
    assert lead_in[1:] == measured[1:] == [0, 0, 0]
    assert worked["worked"]["ended"][0] - worked["worked"]["measured_from"][0] >= WORK["work"]["ns"]
    assert worked["worked"]["ended"][1:] > worked["worked"]["started"][1:]  # the driver's own CPU
    assert samples == {"samples": {"latencies": "", "counts": [], "dropped": 0}}


def test_keys_are_the_workloads_and_the_value_is_its_median(tmp_path: Path, driver: Path) -> None:
    """Numbers are below the highest that the workload has; what is shown names no password and no value."""
    (loaded, _), _ = answers(tmp_path, {"connect": {}})
    call = driver.read_text().splitlines()[0]
    assert call.startswith("-h 127.0.0.1 -p 7 --dbnum 2 -a hush -c 1 -P 1 -r 42 --csv -n 1 SET ")
    assert call.endswith(f"SET {PREFIX}__rand_int__ 55555 7")
    shown = "redis-benchmark -c 1 -P 1 -r 42 SET …__rand_int__ <5 bytes> 7"
    assert loaded["loaded"]["settings"]["driver"] == shown


def test_a_command_without_keys_has_no_range(tmp_path: Path, driver: Path) -> None:
    """And a connection of its own where the scenario says so."""
    answers(tmp_path, {"connect": {}}, kind={"name": "PING", "arguments": []}, scenario="new-connection")
    assert driver.read_text().splitlines()[0].endswith("-c 1 -P 1 -k 0 --csv -n 1 PING")


def test_it_ends_with_the_drivers_words(tmp_path: Path, driver: Path) -> None:
    """Also where there is none."""
    said, error = answers(tmp_path, {"connect": {}}, kind={"name": "REFUSED", "arguments": []})
    assert (len(said), error) == (1, "Error from server: NOPERM")
    driver.with_suffix("").unlink()
    assert answers(tmp_path)[1] == "redis-benchmark is not on PATH"
