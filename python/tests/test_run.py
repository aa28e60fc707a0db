"""Every scenario against a real server: what the runner claims is what the server counted."""

from typing import Any

import pytest

from paths import GOLDEN_WORKLOAD
from respmark_python.workload.commands import Workload
from respmark_python.workload.file import read_workload
from runner import GO, Runner, measure, trial
from server import Server
from workloads import KEY, VALUE, expected_calls, literal, write_workload

BATCH = {"depth": 7}
SHAPES: dict[str, tuple[str, dict[str, Any], str, int]] = {
    "sync": ("sync", {}, "command", 1),
    "batching": ("batching", BATCH, "batch", 1),
    "transaction": ("transaction", {**BATCH, "form": "batched"}, "transaction", 1),
    "threads": ("threads", {"threads": 3, "connections": 1}, "command", 3),
    "threads-2-clients": ("threads", {"threads": 3, "connections": 2}, "command", 3),
    "pool": ("pool", {"threads": 3, "max_total": 2}, "command", 3),
    "burst": ("pipelining", {**BATCH, "window": "burst"}, "burst", 1),
    "sliding": ("pipelining", {**BATCH, "window": "sliding"}, "command", 1),
    "new-connection": ("new-connection", {}, "connection", 1),
}
CONNECTIONS = {"threads": 3, "threads-2-clients": 3, "pool": 2, "burst": 7, "sliding": 7}


def counted(server: Server, request: dict[str, Any]) -> tuple[dict[str, Any], dict[str, int], dict[str, int]]:
    """Measure, with the server's statistics reset at `go`; return result, calls and INFO stats."""
    runner = Runner(request)
    runner.event()
    server.control.config_resetstat()
    result = runner.go()[-1]
    return result, server.calls(), server.control.info("stats")


@pytest.mark.parametrize("name", SHAPES)
def test_the_server_counts_what_the_runner_claims(
    name: str, server: Server, target: dict[str, Any], workload: Workload
) -> None:
    """Calls of each command, hits and misses, and what a sample covers are exactly as claimed."""
    scenario, shape, covers, walkers = SHAPES[name]
    result, calls, stats = counted(server, trial(scenario, shape, target=target))
    expected = expected_calls(workload, result["segments"])
    assert {command: calls.get(command, 0) for command in expected} == expected
    assert result["operations"] == sum(expected.values()) == sum(s["operations"] for s in result["segments"]) > 0
    assert len(result["segments"]) == walkers
    assert result["latency"]["sample_covers"] == covers
    assert result["units"] == sum(count for _, count in result["latency"]["histogram"])
    assert result["operations"] == result["units"] * (
        BATCH["depth"] if covers in {"batch", "burst", "transaction"} else 1
    )
    assert calls.get("multi", 0) == calls.get("exec", 0) == (result["units"] if covers == "transaction" else 0)
    assert stats["total_connections_received"] == (result["units"] if name == "new-connection" else 0)
    assert (result["errors"], result["first_error"], result["decodes_to"]) == ({}, None, "bytes")
    assert result["elapsed_ns"] >= 50_000_000


@pytest.mark.parametrize("name", CONNECTIONS)
def test_connections_are_opened_before_the_window(name: str, server: Server, target: dict[str, Any]) -> None:
    """When the runner is ready it has every connection that the scenario can use."""
    scenario, shape, *_ = SHAPES[name]
    runner = Runner(trial(scenario, shape, target=target, warmup_s=0, verify_commands=0))
    runner.event()
    # The control connection is one of them.
    assert server.control.info("clients")["connected_clients"] - 1 == CONNECTIONS[name]
    runner.go()


@pytest.mark.parametrize("name", ["threads", "sliding"])
def test_connections_stay_open_until_standard_input_ends(name: str, server: Server, target: dict[str, Any]) -> None:
    """After the result the harness still finds every connection in the server's counters."""
    scenario, shape, *_ = SHAPES[name]
    runner = Runner(trial(scenario, shape, target=target))
    runner.event()
    runner.tell(GO)
    assert runner.event()["event"] == "result"
    assert server.control.info("clients")["connected_clients"] - 1 == CONNECTIONS[name]
    assert runner.finish() == (0, "")


@pytest.mark.parametrize(
    ("options", "scenario", "packer"),
    [
        ({"parser": "python"}, "sync", "python"),
        ({"parser": "python-parser", "protocol": 2}, "batching", "hiredis"),
        ({"parser": "python-parser", "protocol": 3}, "pipelining", "hiredis"),
        ({"parser": "python-parser", "protocol": 3}, "new-connection", "hiredis"),
        ({"parser": "hiredis", "protocol": 2}, "pool", "hiredis"),
    ],
)
def test_options_take_effect(
    options: dict[str, Any], scenario: str, packer: str, server: Server, target: dict[str, Any]
) -> None:
    """Replies are right with every parser and protocol; the result states them, and what was really loaded."""
    shapes: dict[str, Any] = {"batching": BATCH, "pipelining": SHAPES["burst"][1], "pool": SHAPES["pool"][1]}
    request = trial(scenario, shapes.get(scenario), target=target, client={"library": "redis-py", "options": options})
    result, calls, _ = counted(server, request)
    settings = {"protocol": 3, **options, "packer": packer}
    assert {name: result["runtime_settings"][name] for name in settings} == settings
    assert ("hiredis" in result["versions"]) == (options["parser"] != "python")
    assert ("hello" in calls) == (scenario == "new-connection")


def test_each_part_walks_its_own_part(target: dict[str, Any], workload: Workload) -> None:
    """The second of two processes begins in the middle of the file, each of its threads elsewhere."""
    place = {"path": str(GOLDEN_WORKLOAD), "part": 1, "parts": 2}
    shape = {"threads": 3, "connections": 1, "processes": 2}
    _, result = measure(trial("threads", shape, target=target, workload=place))
    assert [segment["first_command"] for segment in result["segments"]] == [120, 160, 200]
    assert workload.commands == 240


def test_units_are_verified_whole(target: dict[str, Any]) -> None:
    """Verification rounds up to whole units; without warm-up nothing else is done before `ready`."""
    ready, _ = measure(trial("batching", BATCH, target=target, warmup_s=0))
    assert (ready["verified_replies"], ready["warmup_operations"]) == (35, 0)


def test_more_in_flight_than_the_default_pool_has(server: Server, target: dict[str, Any]) -> None:
    """The pool is raised to the depth when its default is not enough, and the result says so."""
    result, _, stats = counted(server, trial("pipelining", {"depth": 101, "window": "sliding"}, target=target))
    assert result["runtime_settings"]["max_connections"] == 101
    assert (result["errors"], stats["total_connections_received"]) == ({}, 0)


@pytest.mark.parametrize("name", ["sync", "threads"])
def test_progress_is_told_each_second(name: str, target: dict[str, Any]) -> None:
    """A window of more than a second tells how far it is, never more than the result claims."""
    scenario, shape, *_ = SHAPES[name]
    runner = Runner(trial(scenario, shape, target=target, warmup_s=0, measure_s=1.1))
    runner.event()
    progress, result = runner.go()
    assert (progress["event"], progress["trial_id"]) == ("progress", "test")
    assert 1_000_000_000 <= progress["elapsed_ns"] < result["elapsed_ns"]
    assert 0 < progress["operations"] < result["operations"]
    assert 0 < result["first_half"]["operations"] < result["operations"]
    assert result["cpu_user_ns"] + result["cpu_system_ns"] > 0


def test_unix_socket_and_database(server: Server, workload: Workload) -> None:
    """A unix socket is a target like any other, and the trial's database is the one that is used."""
    place = {"unix_socket": str(server.unix_socket), "database": 3}
    for scenario in ("sync", "pool"):
        shape = SHAPES[scenario][1]
        runner = Runner(trial(scenario, shape, target=place, verify_commands=0))
        runner.event()
        runner.go()
    written = {
        workload.key(key) for index, key in enumerate(workload.columns.keys) if workload.kind(index).name == "SET"
    }
    assert set(server.control.info("keyspace")) == {"db0", "db3"}
    assert server.control.info("keyspace")["db3"]["keys"] == len(written)


@pytest.mark.parametrize("scenario", ["sync", "batching", "pipelining", "new-connection"])
def test_any_command_works(scenario: str, server: Server, target: dict[str, Any], tmp_path: Any) -> None:
    """A mix of other commands arrives as it stands in the file."""
    mix = [
        ("PING", []),
        ("MSET", [KEY, VALUE]),
        ("DEL", [KEY]),
        ("INCR", [KEY]),
        ("SET", [KEY, VALUE, literal("EX"), literal("100")]),
        ("RPUSH", [literal("list"), VALUE]),
        ("LRANGE", [literal("list"), literal("0"), literal("9")]),
        ("LPOP", [literal("list")]),
        ("SADD", [literal("set"), VALUE]),
        ("SPOP", [literal("set")]),
        ("ZADD", [literal("sorted"), literal("1"), VALUE]),
    ]
    path = write_workload(tmp_path / "mix.workload", mix)
    shapes: dict[str, Any] = {"batching": BATCH, "pipelining": {"depth": 1, "window": "burst"}}
    result, calls, _ = counted(
        server, trial(scenario, shapes.get(scenario), target=target, workload={"path": str(path)})
    )
    expected = expected_calls(read_workload(path), result["segments"])
    assert {command: calls[command] for command in expected} == expected
    assert (len(expected), result["errors"]) == (len(mix), {})
