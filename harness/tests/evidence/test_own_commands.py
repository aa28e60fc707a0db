"""The upper bound of what clients send besides the workload, on the servers that people have."""

from pathlib import Path

import pytest

from respmark.contract.trial import Scenario, Shape
from respmark.evidence.snapshot import evidence_between
from respmark.evidence.verdict import Asked, asked_of, slice_mismatches
from respmark.results.records import Evidence
from respmark.results.slice_arrays import SliceArrays
from tests.builders.records import make_evidence, make_slice, make_slice_record
from tests.evidence.recorded import FOLDER, Recorded, recorded

SERVERS = sorted(FOLDER.glob("*.jsonl"))
CONNECTING = asked_of(Scenario.NEW_CONNECTION, Shape(), 60)


def unexplained(evidence: Evidence, asked: Asked, units: int = 1000) -> str:
    """Return what is said of commands of others, if anything."""
    record = make_slice_record(answers=[make_slice(units)], evidence=evidence)
    said = slice_mismatches(SliceArrays.of([record]), [asked], cpus=2).get(0, "")
    return next((one for one in said.split("; ") if "not in the workload" in one), "")


def test_servers_of_every_kind_are_recorded() -> None:
    """Redis before and after 7.0, when subcommands began to be counted apart, and both Valkeys that wheels bring."""
    names = [path.stem for path in SERVERS]
    assert names == ["redis-6.2.14", "redis-7.0.15", "redis-8.2.3", "valkey-8.1.8", "valkey-9.1.2"]


@pytest.mark.parametrize("path", SERVERS, ids=lambda path: path.stem)
def test_no_client_is_refused_for_its_handshake(path: Path) -> None:
    """What real clients sent when they opened connections is within the bound, however the server counts it."""
    slices = list(recorded(path))
    assert {"redis-py", "node-redis", "jedis", "lettuce", "phpredis", "predis"} <= {one.client for one in slices}
    for one in slices:
        evidence = evidence_between(one.before, one.after, one.context)
        assert evidence.connections_received >= one.units, one.client
        assert unexplained(evidence, CONNECTING, one.units) == "", one.client


def test_redis_before_7_counts_subcommands_under_their_command() -> None:
    """That is what the bound has to hold: three CLIENT of redis-py for each connection, one line of INFO for all."""
    [redis_py] = [one for one in recorded(FOLDER / "redis-6.2.14.jsonl") if one.client == "redis-py"]
    assert of(redis_py).setup_calls["client"] == 3 * of(redis_py).connections_received
    [redis_py] = [one for one in recorded(FOLDER / "valkey-9.1.2.jsonl") if one.client == "redis-py"]
    assert of(redis_py).setup_calls["client|setinfo"] == 2 * of(redis_py).connections_received


def of(one: Recorded) -> Evidence:
    """Return the evidence that a recorded slice makes."""
    return evidence_between(one.before, one.after, one.context)


@pytest.mark.parametrize("names", [("client",), ("client|setinfo", "client|tracking", "client|id")])
def test_the_bound_is_the_same_however_subcommands_are_counted(names: tuple[str, ...]) -> None:
    """All of a command together: what one server counts in one line, another counts in several."""
    each = 80 // len(names)
    calls = dict.fromkeys(names, each) | {names[0]: 80 - each * (len(names) - 1)}
    assert unexplained(make_evidence(setup_calls=calls, connections_received=10), CONNECTING) == ""
    more = calls | {names[0]: calls[names[0]] + 1}
    assert "CLIENT 81 (at most 80)" in unexplained(make_evidence(setup_calls=more, connections_received=10), CONNECTING)


def test_a_command_that_no_spec_names_may_belong_to_the_trials_own_connections() -> None:
    """Another version of a library may send it; connections that somebody else opened explain nothing."""
    evidence = make_evidence(other_calls={"command": 1000}, connections_received=1000)
    assert unexplained(evidence, CONNECTING) == ""
    assert "COMMAND 1,000 (at most 0)" in unexplained(evidence, asked_of(Scenario.SYNC, Shape(), 60))
