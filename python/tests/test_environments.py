"""The environment of the version that the published post measured, where `make setup` has made it."""

from typing import Any

import pytest

from paths import ENVIRONMENTS
from respmark_python.workload.workload import Workload
from runner import Runner, measure, refuse, slice_order, trial
from server import Server
from workloads import expected_calls

NAME = "redis-py-3.5.3"
CLIENT = {"library": "redis-py", "version": "3.5.3"}
SHAPES: dict[str, dict[str, Any]] = {
    "sync": {},
    "batching": {"depth": 7},
    "transaction": {"depth": 7, "form": "batched"},
    "threads": {"threads": 3, "connections": 2},
    "pool": {"threads": 3, "max_total": 2},
    "new-connection": {},
}

pytestmark = pytest.mark.skipif(not (ENVIRONMENTS / NAME).exists(), reason=f"`make setup` has not made {NAME}")


@pytest.mark.parametrize("scenario", SHAPES)
def test_every_scenario_of_the_old_version(
    scenario: str, server: Server, target: dict[str, Any], workload: Workload
) -> None:
    """The server counts what the runner claims with the old version, too."""
    runner = Runner(trial(scenario, SHAPES[scenario], target=target, client=CLIENT), NAME)
    runner.connect()
    server.control.config_resetstat()
    done = runner.slice(first_command=7)
    calls, expected = server.calls(), expected_calls(workload, done["segments"])
    connections = server.control.info("stats")["total_connections_received"]
    assert {command: calls.get(command, 0) for command in expected} == expected
    units = done["lead_in"]["units"] + done["measured"]["units"]
    assert connections == (units if scenario == "new-connection" else 0)
    result = runner.end()
    assert (result["versions"]["redis-py"], result["runtime_settings"]["packer"]) == ("3.5.3", "python")


def test_the_old_version_without_hiredis(target: dict[str, Any]) -> None:
    """Its pure-Python parser works."""
    *_, result = measure(trial(target=target, client={**CLIENT, "options": {"parser": "python"}}), NAME)
    assert "hiredis" not in result["versions"]


@pytest.mark.parametrize(
    ("scenario", "shape", "options", "message"),
    [
        ("pipelining", {"depth": 2, "window": "burst"}, {}, "no asynchronous API"),
        ("sync", {}, {"protocol": 3}, "has protocol 2, not 3"),
        ("sync", {}, {"parser": "python-parser"}, "has parser hiredis, python, not python-parser"),
    ],
)
def test_what_the_old_version_cannot_do(
    scenario: str, shape: dict[str, Any], options: dict[str, Any], message: str
) -> None:
    """What only newer versions have is unsupported, not invalid."""
    code, sentence = refuse(trial(scenario, shape, client={**CLIENT, "options": options}), environment=NAME)
    assert (code, message in sentence) == (3, True)


def test_the_old_version_loses_its_target(own_server: Server) -> None:
    """Without the retries of newer versions, 25 failures in a row come at once."""
    place = {"host": "127.0.0.1", "port": own_server.port}
    runner = Runner(trial(target=place, client=CLIENT), NAME)
    runner.connect()
    runner.tell(slice_order(duration_ns=30_000_000_000))
    own_server.kill()
    code, errors = runner.finish()
    assert (code, f"127.0.0.1:{own_server.port} was lost: 25 units in a row failed (" in errors) == (4, True)
