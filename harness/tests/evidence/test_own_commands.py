"""The upper bound of what clients send besides the workload, on the servers that people have."""

from pathlib import Path

import pytest

from respmark.evidence.check import sort_calls, unexpected_commands
from respmark.evidence.info import Calls
from tests.evidence.make import make_calls, make_evidence
from tests.evidence.recorded import FOLDER, recorded

SERVERS = sorted(FOLDER.glob("*.jsonl"))


@pytest.mark.parametrize("path", SERVERS, ids=lambda path: path.stem)
def test_no_client_is_refused_for_its_handshake(path: Path) -> None:
    """What real clients sent when they opened connections is within the bound, however the server counts it."""
    slices = list(recorded(path))
    assert {"redis-py", "node-redis", "jedis", "lettuce", "phpredis", "predis"} <= {one.client for one in slices}
    for one in slices:
        assert one.evidence.connections_received >= one.units, one.client
        assert unexpected_commands(one.calls, one.evidence, one.units) is None, one.client


def test_calls_are_sorted_by_who_may_have_sent_them() -> None:
    """Handshakes are counted apart, as is what a library's spec names; what nobody should have sent stands alone."""
    counted = {
        "get": Calls(8, 1, 2),
        "client|setinfo": Calls(2),
        "select": Calls(1),
        "command|docs": Calls(1),
        "readonly": Calls(0, 0, 2),
        "keys": Calls(1),
    }
    found = sort_calls(counted, {"get", "set"}, frozenset({"command", "readonly"}))
    assert found.workload == {"get": Calls(8, 1, 2)}
    assert found.setup == {"client|setinfo": 2, "select": 1}
    assert found.library == {"command|docs": 1, "readonly": 2}
    assert found.others == {"keys": 1}


@pytest.mark.parametrize("names", [("client",), ("client|setinfo", "client|tracking", "client|id")])
def test_the_bound_is_the_same_however_subcommands_are_counted(names: tuple[str, ...]) -> None:
    """All of a command together: what one server counts in one line, another counts in several."""
    each, seen = 80 // len(names), make_evidence(connections_received=10, connections=0)
    calls = dict.fromkeys(names, each) | {names[0]: 80 - each * (len(names) - 1)}
    assert unexpected_commands(make_calls(setup=calls), seen, opened=0) is None
    more = make_calls(setup=calls | {names[0]: calls[names[0]] + 1})
    assert "CLIENT 81 (at most 80)" in (unexpected_commands(more, seen, opened=0) or "")


def test_a_command_that_no_spec_names_may_belong_to_the_trials_own_connections() -> None:
    """Another version of a library may send it; connections that somebody else opened explain nothing."""
    calls, seen = make_calls(others={"command": 1000}), make_evidence(connections_received=1000, connections=0)
    assert unexpected_commands(calls, seen, opened=1000) is None
    assert "COMMAND 1,000 (at most 0)" in (unexpected_commands(calls, seen, opened=0) or "")


def test_open_connections_replicas_and_transactions_explain_a_few() -> None:
    """One and one more a second for each connection, twice for a replica; one library selects before each MULTI."""
    seen = make_evidence(connections=3, replicas=1)
    assert unexpected_commands(make_calls(library={"ping": 10}), seen, opened=0) is None
    assert "PING 11 (at most 10)" in (unexpected_commands(make_calls(library={"ping": 11}), seen, opened=0) or "")
    transactions = make_calls(workload={"exec": Calls(5)}, setup={"select": 15})
    assert unexpected_commands(transactions, seen, opened=0) is None
