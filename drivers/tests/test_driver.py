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
echo '"test","rps","avg_latency_ms"'
echo '"SET","20000.00","0.049"'
"""
SERVER = {"host": "127.0.0.1", "port": 7, "unix_socket": None, "database": 2, "username": None, "password": "hush"}
WORK: dict[str, Any] = {"work": {"first": [0], "lead_in_ns": 20_000_000, "ns": 50_000_000, "keep": True}}


def write_workload(path: Path, kind: dict[str, Any], highest: int = 41) -> Path:
    """Write three commands, of which the last has the highest key, and values of 3, 5 and 9 bytes."""
    header = {"commands": 3, "key_bytes": len(PREFIX) + 12, "values": [9, 3, 5], "kinds": [kind]}
    keys = "".join(f"{PREFIX}{number:012d}" for number in (4, 0, highest)) if "key" in kind["arguments"] else ""
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
        "server": {**SERVER, "tls": None},
    }
    said = subprocess.run(
        [sys.executable, RUNNER],
        input="".join(json.dumps(line) + "\n" for line in ({**given, **trial}, *lines)),
        env={"PATH": f"{folder}:/usr/bin:/bin" if list(folder.glob("*bench*k")) else str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    return [json.loads(line) for line in said.stdout.splitlines()], said.stderr.strip()


def put(folder: Path, name: str, script: str) -> Path:
    """Put a driver on PATH; return the file with its calls."""
    program = folder / name
    program.write_text(script)
    program.chmod(0o755)
    return folder / f"{name}.calls"


@pytest.fixture
def driver(tmp_path: Path) -> Path:
    """Put one on PATH."""
    return put(tmp_path, "redis-benchmark", DRIVER)


def test_what_it_claims_is_what_it_asked_for(tmp_path: Path, driver: Path) -> None:
    """In whole batches, over as many connections as the pool has; all of them are the first walker's units."""
    shape = {"depth": 10, "threads": 4, "max_total": 2}
    (loaded, connected, worked, samples), _ = answers(tmp_path, {"connect": {}}, WORK, {"samples": {}}, shape=shape)
    assert (loaded["loaded"]["versions"], connected) == ({"redis-benchmark": "9.8.7"}, {"connected": {}})
    calls = [line.split() for line in driver.read_text().splitlines()]
    assert {call[call.index("-c") + 1] for call in calls} == {"2"}
    _, sent = (int(call[call.index("-n") + 1]) for call in calls)  # the first is that of `connect`
    units, *others = worked["worked"]["measured"]
    assert (10 * units, others, worked["worked"]["lead_in"]) == (sent, [0, 0, 0], [0, 0, 0, 0])
    elapsed_ns = worked["worked"]["ended"][0] - worked["worked"]["measured_from"][0]
    assert elapsed_ns == sent * 1e9 / 20_000 >= WORK["work"]["ns"]
    assert worked["worked"]["ended"][1:] > worked["worked"]["started"][1:]  # the driver's own CPU
    assert samples == {"samples": {"latencies": "", "counts": [], "dropped": 0}}


def test_keys_are_the_workloads_and_the_value_is_its_median(tmp_path: Path, driver: Path) -> None:
    """Numbers are below the highest that the workload has; what is shown names no password and no value."""
    (loaded, _), _ = answers(tmp_path, {"connect": {}})
    call = driver.read_text().splitlines()[0]
    assert call.startswith("-h 127.0.0.1 -p 7 --dbnum 2 -a hush -c 1 -P 1 -r 42 --csv -n 2000 SET ")
    assert call.endswith(f"SET {PREFIX}__rand_int__ 55555 7")
    shown = "redis-benchmark -c 1 -P 1 -r 42 SET …__rand_int__ <5 bytes> 7"
    assert loaded["loaded"]["settings"]["driver"] == shown


def test_a_command_without_keys_has_no_range(tmp_path: Path, driver: Path) -> None:
    """And a connection of its own where the scenario says so."""
    answers(tmp_path, {"connect": {}}, kind={"name": "PING", "arguments": []}, scenario="new-connection")
    assert driver.read_text().splitlines()[0].endswith("-c 1 -P 1 -k 0 --csv -n 2000 PING")


def test_it_ends_with_the_drivers_words(tmp_path: Path, driver: Path) -> None:
    """Also where there is none."""
    said, error = answers(tmp_path, {"connect": {}}, kind={"name": "REFUSED", "arguments": []})
    assert (len(said), error) == (1, "Error from server: NOPERM")
    driver.with_suffix("").unlink()
    assert answers(tmp_path)[1] == "redis-benchmark is not on PATH"


MEMTIER = """#!/bin/sh
if [ "$1" = --version ]; then echo "memtier_benchmark 2.1.4"; echo "Copyright (C) 2011-2024"; exit; fi
echo "$*" >>"$0.calls"
echo '{"ALL STATS": {"Runtime": {"Total duration": 100}}}'
"""
MEMTIER_CLIENT: dict[str, Any] = {"client": "memtier_benchmark", "scenario": "pool"}


def test_memtier_says_itself_how_long_it_worked(tmp_path: Path) -> None:
    """It ends at a whole second, whenever its work does."""
    calls = put(tmp_path, "memtier_benchmark", MEMTIER)
    shape = {"threads": 4, "max_total": 2}
    (_, _, worked), _ = answers(tmp_path, {"connect": {}}, WORK, shape=shape, **MEMTIER_CLIENT)
    _, sent = (int(call.split()[-1]) for call in calls.read_text().splitlines())
    found = worked["worked"]
    assert 2 * sent == found["measured"][0]
    assert found["ended"][0] - found["measured_from"][0] == 100 * 10**6


@pytest.mark.parametrize(
    ("highest", "numbers"), [(41, "10..41"), (99_999, "10000..99999"), (10_050, "1000..9999"), (5, "0..5")]
)
def test_memtiers_keys_are_those_of_the_commonest_length(tmp_path: Path, highest: int, numbers: str) -> None:
    """It writes no leading zeros: they are the end of its prefix."""
    calls = put(tmp_path, "memtier_benchmark", MEMTIER)
    lowest, highest_used = numbers.split("..")
    workload = write_workload(tmp_path / "keys", {"name": "SET", "arguments": ["key", "value"]}, highest)
    (loaded, _), _ = answers(tmp_path, {"connect": {}}, workload=str(workload), **MEMTIER_CLIENT)
    zeros = "0" * (12 - len(highest_used))
    call = calls.read_text().splitlines()[0]
    assert f"--key-minimum {lowest} --key-maximum {highest_used} " in call
    assert f"--command SET __key__ __data__ --key-prefix {PREFIX}{zeros} --command-key-pattern R -n " in call
    assert loaded["loaded"]["settings"]["driver"].endswith(f"{highest_used} --command=SET …__key__ <5 bytes>")
