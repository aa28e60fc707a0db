"""Every scenario against a real server: what the runner claims is what the server counted."""

import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import redis

from paths import GOLDEN, GOLDEN_WORKLOAD
from respmark_python.workload.file import read_workload
from respmark_python.workload.workload import Workload
from runner import Runner, measure, refuse, slice_order, trial
from server import Server
from workloads import KEY, VALUE, expected_calls, preload, preload_structures, write_workload

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
    "asyncio-sync": ("sync", {}, "command", 1),
    "asyncio-batching": ("batching", BATCH, "batch", 1),
    "asyncio-transaction": ("transaction", {**BATCH, "form": "batched"}, "transaction", 1),
    "asyncio-pool": ("pool", {"threads": 3, "max_total": 2}, "command", 3),
    "asyncio-new-connection": ("new-connection", {}, "connection", 1),
}
CONNECTIONS = {
    "threads": 3,
    "threads-2-clients": 3,
    "pool": 2,
    "burst": 7,
    "sliding": 7,
    "asyncio-sync": 1,
    "asyncio-pool": 2,
}


def trial_of(name: str, **changes: Any) -> dict[str, Any]:
    """Return a trial of one of the shapes, through the API that its name says."""
    scenario, shape, *_ = SHAPES[name]
    options = {"api": "asyncio"} if name.startswith("asyncio-") else {}
    return trial(scenario, shape, client={"library": "redis-py", "options": options}, **changes)


SLICES: tuple[dict[str, Any], ...] = (
    {"keep_samples": False},
    {"first_command": 77},
    {"first_command": 239, "lead_in_ns": 0},
    {"first_command": 5, "duration_ns": 1},
)


def counted(server: Server, runner: Runner, number: int = 1, **changes: Any) -> tuple[Any, Any, Any]:
    """Order a slice, with the server's statistics reset before it; return its event, calls and INFO stats."""
    server.control.config_resetstat()
    done = runner.slice(number, **changes)
    return done, server.calls(), server.control.info("stats")


@pytest.mark.parametrize("name", SHAPES)
def test_the_server_counts_what_the_runner_claims(
    name: str, server: Server, target: dict[str, Any], workload: Workload
) -> None:
    """In every slice, calls of each command and connections are exactly as claimed, lead-in or not, kept or not."""
    _, _, covers, walkers = SHAPES[name]
    runner = Runner(trial_of(name, target=target))
    runner.connect()
    per_unit = BATCH["depth"] if covers in {"batch", "burst", "transaction"} else 1
    kept = 0
    for number, changes in enumerate(SLICES, start=1):
        done, calls, stats = counted(server, runner, number, **changes)
        units = done["lead_in"]["units"] + done["measured"]["units"]
        expected = expected_calls(workload, done["segments"])
        assert {command: calls.get(command, 0) for command in expected} == expected
        assert calls.get("multi", 0) == calls.get("exec", 0) == (units if covers == "transaction" else 0)
        assert stats["total_connections_received"] == (units if covers == "connection" else 0)
        assert sum(segment["operations"] for segment in done["segments"]) == units * per_unit
        for part in ("lead_in", "measured"):
            assert done[part]["operations"] == done[part]["units"] * per_unit
        first = changes.get("first_command", 0)
        assert [segment["first_command"] for segment in done["segments"]] == [
            (first + i * workload.commands // walkers) % workload.commands for i in range(walkers)
        ]
        assert (done["slice"], done["errors"], done["first_error"]) == (number, {}, None)
        kept += done["measured"]["units"] if changes.get("keep_samples", True) else 0
    latency = runner.end()["latency"]
    assert latency["sample_covers"] == covers
    assert sum(count for _, count in latency["histogram"]) == kept > 0


def test_moments_are_in_order_and_cover_what_was_ordered(target: dict[str, Any]) -> None:
    """Lead-in and measured part last as long as ordered, CPU time only grows, and the clock is the machine's."""
    runner = Runner(trial(target=target))
    runner.connect()
    before = time.monotonic_ns()
    done = [runner.slice(1), runner.slice(2, lead_in_ns=0)]
    after = time.monotonic_ns()
    moments = [slice_[name] for slice_ in done for name in ("started", "measured_from", "ended")]
    for field in ("at_ns", "cpu_user_ns", "cpu_system_ns"):
        assert [moment[field] for moment in moments] == sorted(moment[field] for moment in moments)
    assert before < moments[0]["at_ns"]
    assert moments[-1]["at_ns"] < after
    order = slice_order()
    assert moments[1]["at_ns"] - moments[0]["at_ns"] >= order["lead_in_ns"]
    assert moments[2]["at_ns"] - moments[1]["at_ns"] >= order["duration_ns"]
    assert done[1]["lead_in"] == {"operations": 0, "units": 0}


@pytest.mark.parametrize("name", SHAPES)
def test_nothing_is_connected_before_the_order(name: str, server: Server, target: dict[str, Any]) -> None:
    """A runner that is loaded has not spoken to the server."""
    server.control.config_resetstat()
    runner = Runner(trial_of(name, target=target))
    runner.event("loaded")
    assert server.control.info("stats")["total_connections_received"] == 0
    runner.finish()


@pytest.mark.parametrize("name", CONNECTIONS)
def test_connections_are_open_from_ready_to_the_end(name: str, server: Server, target: dict[str, Any]) -> None:
    """Ready, the runner has every connection that the scenario can use, and after the result it still has them."""
    runner = Runner(trial_of(name, target=target, verify_commands=0))
    runner.connect()
    # The control connection is one of them.
    assert server.control.info("clients")["connected_clients"] - 1 == CONNECTIONS[name]
    runner.slice()
    runner.result()
    assert server.control.info("clients")["connected_clients"] - 1 == CONNECTIONS[name]
    assert runner.finish() == (0, "")


@pytest.mark.parametrize("name", ["sync", "threads", "sliding"])
def test_nothing_happens_while_the_runner_waits(name: str, server: Server, target: dict[str, Any]) -> None:
    """Between slices its threads, the same all the time, sleep without waking, and the server hears nothing."""
    scenario, shape, _, walkers = SHAPES[name]
    runner = Runner(trial(scenario, shape, target=target))
    runner.connect()
    runner.slice()
    before, commands = runner.switches(), server.control.info("stats")["total_commands_processed"]
    time.sleep(0.3)
    assert runner.switches() == before
    # The control connection asked for the statistics.
    assert server.control.info("stats")["total_commands_processed"] == commands + 1
    runner.slice(2)
    assert set(runner.switches()) == set(before)
    assert len(before) == (walkers + 1 if name == "threads" else 1)
    runner.end()


def test_health_begins_with_the_first_slice_that_is_kept(target: dict[str, Any]) -> None:
    """Without a slice that is kept there are no samples, and with no slice at all there is a result."""
    runner = Runner(trial(target=target))
    runner.connect()
    runner.slice(keep_samples=False)
    result = runner.end()
    assert (result["latency"]["histogram"], result["latency"]["max_ns"]) == ([], 0)
    assert set(result["runtime_health"]) == {"gc_collections", "gc_pause_ns"}
    assert result["decodes_to"] == "bytes"


def test_the_client_that_does_nothing_needs_no_server() -> None:
    """It walks the workload as every client does; what it takes is the loop's own."""
    runner = Runner(trial(target={"host": "127.0.0.1", "port": 1}, client={"library": "null"}, verify_commands=0))
    runner.connect()
    done = runner.slice(first_command=77)
    assert done["segments"][0]["first_command"] == 77
    assert done["measured"]["units"] > 0
    assert (done["errors"], runner.end()["versions"]["null"]) == ({}, "0")


def test_a_million_commands_fit(tmp_path: Path, server: Server, target: dict[str, Any]) -> None:
    """A runner with a million commands needs less than 150 MB."""
    path = write_workload(tmp_path / "w", [("GET", [KEY]), ("SET", [KEY, VALUE])], rows=1_000_000)
    preload(server.control, read_workload(path))
    _, done, result = measure(trial("batching", BATCH, target=target, workload={"path": str(path)}))
    assert done["errors"] == {}
    assert 50_000_000 < result["peak_memory_bytes"] < 150_000_000


@pytest.mark.parametrize(
    ("options", "scenario", "packer"),
    [
        ({"parser": "python"}, "sync", "python"),
        ({"parser": "python-parser", "protocol": 2}, "batching", "hiredis"),
        ({"parser": "python-parser", "protocol": 3}, "pipelining", "hiredis"),
        ({"parser": "python-parser", "protocol": 3}, "new-connection", "hiredis"),
        ({"parser": "hiredis", "protocol": 2}, "pool", "hiredis"),
        ({"decode": "text"}, "sync", "hiredis"),
        ({"decode": "text", "parser": "python"}, "batching", "python"),
        ({"decode": "text"}, "pipelining", "hiredis"),
    ],
)
def test_options_take_effect(
    options: dict[str, Any], scenario: str, packer: str, server: Server, target: dict[str, Any]
) -> None:
    """Replies are right with every parser, protocol and kind of value; the result states what was loaded."""
    shapes: dict[str, Any] = {"batching": BATCH, "pipelining": SHAPES["burst"][1], "pool": SHAPES["pool"][1]}
    request = trial(scenario, shapes.get(scenario), target=target, client={"library": "redis-py", "options": options})
    runner = Runner(request)
    runner.connect()
    _, calls, _ = counted(server, runner)
    result = runner.end()
    values = {"text": "str", "bytes": "bytes"}[options.get("decode", "bytes")]
    settings = {"protocol": 3, "decode": "bytes", **options, "packer": packer, "values_given_as": values}
    assert {name: result["runtime_settings"][name] for name in settings} == settings
    assert result["decodes_to"] == settings["decode"]
    assert ("hiredis" in result["versions"]) == (options.get("parser") != "python")
    assert ("hello" in calls) == (scenario == "new-connection")


def test_each_part_walks_its_own_part(target: dict[str, Any], workload: Workload) -> None:
    """The second of two processes begins in the middle of the file, each of its threads elsewhere."""
    place = {"path": str(GOLDEN_WORKLOAD), "part": 1, "parts": 2}
    shape = {"threads": 3, "connections": 1, "processes": 2}
    runner = Runner(trial("threads", shape, target=target, workload=place))
    runner.connect()
    starts = [[segment["first_command"] for segment in runner.slice(first_command=at)["segments"]] for at in (0, 100)]
    assert starts == [[120, 160, 200], [220, 20, 60]]
    assert workload.commands == 240
    runner.end()


@pytest.mark.parametrize(("verify_commands", "verified"), [(30, 35), (0, 0)])
def test_units_are_verified_whole(verify_commands: int, verified: int, server: Server, target: dict[str, Any]) -> None:
    """Verification rounds up to whole units; nothing else is sent before `ready`."""
    server.control.config_resetstat()
    runner = Runner(trial("batching", BATCH, target=target, verify_commands=verify_commands))
    ready = runner.connect()
    calls = server.calls()
    assert ready["verified_replies"] == verified
    assert sum(calls.get(name, 0) for name in ("get", "set", "ping", "getrange")) == verified
    runner.end()


def test_more_in_flight_than_the_default_pool_has(server: Server, target: dict[str, Any]) -> None:
    """The pool is raised to the depth when its default is not enough, and the result says so."""
    runner = Runner(trial("pipelining", {"depth": 101, "window": "sliding"}, target=target))
    runner.connect()
    done, _, stats = counted(server, runner)
    assert runner.end()["runtime_settings"]["max_connections"] == 101
    assert (done["errors"], stats["total_connections_received"]) == ({}, 0)


def test_unix_socket_and_database(server: Server, workload: Workload) -> None:
    """A unix socket is a target like any other, and the trial's database is the one that is used."""
    place = {"unix_socket": str(server.unix_socket), "database": 3}
    for scenario in ("sync", "pool"):
        shape = SHAPES[scenario][1]
        measure(trial(scenario, shape, target=place, verify_commands=0))
    written = {
        workload.key(key) for index, key in enumerate(workload.columns.keys) if workload.kind(index).name == "SET"
    }
    assert set(server.control.info("keyspace")) == {"db0", "db3"}
    with closing(redis.Redis(unix_socket_path=str(server.unix_socket), db=3, decode_responses=True)) as there:
        assert set(there.keys()) <= written


@pytest.mark.parametrize("scenario", ["sync", "batching", "pipelining", "new-connection"])
def test_every_command_works(scenario: str, server: Server, target: dict[str, Any]) -> None:
    """Commands of the golden workload of commands are verified, and the server counts each as it stands in the file."""
    path = GOLDEN / "commands.workload"
    workload = read_workload(path)
    preload_structures(server.control, workload)
    shapes: dict[str, Any] = {"batching": BATCH, "pipelining": {"depth": 1, "window": "burst"}}
    runner = Runner(
        trial(scenario, shapes.get(scenario), target=target, workload={"path": str(path)}, verify_commands=200)
    )
    runner.connect()
    done, calls, _ = counted(server, runner, first_command=0, lead_in_ns=0, duration_ns=1)
    expected = expected_calls(workload, done["segments"])
    assert ({command: calls[command] for command in expected}, done["errors"]) == (expected, {})
    runner.end()


def test_a_command_without_a_method_is_refused(target: dict[str, Any], tmp_path: Path) -> None:
    """A trial whose workload has a command that no method sends ends with exit code 3 before it is loaded."""
    path = write_workload(tmp_path / "mix.workload", [("INCR", [KEY])])
    code, message = refuse(trial(target=target, workload={"path": str(path)}))
    assert (code, "incr() does not send INCR" in message) == (3, True)
