"""A claim against what was asked for and what the server counted: each rule once."""

from pathlib import Path
from typing import Any, Final

import pytest

from respmark.contract.lines import CacheCounts, Loaded, Moment, Worked
from respmark.contract.trial import Scenario
from respmark.kinds.loops.check import mismatches, sort_calls, unexpected_commands
from respmark.run.label import version_mismatch
from respmark.servers.info import Calls
from respmark.specs.naming import one_client
from tests.builders.plan import SHIPPED, make_client
from tests.kinds.loops.make_evidence import (
    CALLS,
    SECOND_NS,
    make_calls,
    make_evidence,
    make_expectation,
    make_judged,
    make_worked,
)
from tests.kinds.loops.recorded import FOLDER, recorded


def calls(**workload: Calls) -> dict[str, Any]:
    return {"calls": make_calls(workload={name: Calls(count) for name, count in CALLS.items()} | workload)}


def test_a_command_that_was_sent_on_is_no_error() -> None:
    """It is counted where it was not carried out, and where it was; one more is an error."""
    given = calls(get=Calls(800, rejected=3))
    assert mismatches(make_judged(**given, evidence=make_evidence(redirects=3))) is None
    said = mismatches(make_judged(**given, evidence=make_evidence(redirects=2)))
    assert said == "the server answered 3 GET with an error"


@pytest.mark.parametrize(("asked", "is_right"), [(12, True), (13, False)])
def test_a_client_that_is_sent_on_may_ask_where_slots_are(asked: int, *, is_right: bool) -> None:
    """Twice for each command; each open connection may ask a little more."""
    given = calls(get=Calls(800, rejected=6)) | {"evidence": make_evidence(redirects=6, connections=0)}
    setup = make_calls(workload=given["calls"].workload, setup={"cluster|slots": asked})
    said = mismatches(make_judged(**given | {"calls": setup}))
    assert (said is None) is is_right


@pytest.mark.parametrize(("seen", "counts"), [(100, True), (450, True), (500, True), (501, False), (99, False)])
def test_a_command_may_be_split_where_its_keys_are_across_slots(seen: int, *, counts: bool) -> None:
    """Into as many as it has keys, and every key is asked for once."""
    expected = make_expectation(calls={"mget": 100}, most={"mget": 500}, hits=500, misses=0)
    evidence = make_evidence(hits=500, misses=0, input_bytes=110_000)
    judged = make_judged(expected=expected, evidence=evidence, calls=make_calls(workload={"mget": Calls(seen)}))
    assert (mismatches(judged) is None) is counts


def test_a_claim_that_is_true_is_not_refuted() -> None:
    """With one process and with two, and where nobody knows how many latencies there are."""
    assert mismatches(make_judged()) is None
    assert mismatches(make_judged(answers=[make_worked(500), make_worked(500)])) is None
    assert mismatches(make_judged(sampled=None)) is None


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"answers": [make_worked(ended=Moment(2 * SECOND_NS - 1, 0, 0))]}, "not the 1000 ms asked for"),
        ({"answers": [make_worked(), make_worked(0)]}, "no operation was completed in the slice"),
        (
            {"answers": [make_worked(errors={"Timeout": 2}, first_error="slow")]},
            "2 x Timeout in the slice, first: slow",
        ),
        ({"sampled": 990}, "the runner claims 1,000 units but has 990 latency samples"),
        (calls(get=Calls(799)), "claimed 1,000 calls, the server saw 999 (GET 800 claimed, 799 seen)"),
        (
            calls(get=Calls(900), set=Calls(100)),
            "claimed 1,000 calls, the server saw 1,000 (GET 800 claimed, 900 seen; SET 200 claimed, 100 seen)",
        ),
        (
            {"expected": make_expectation(calls=CALLS | {"multi": 10})},
            "claimed 1,010 calls, the server saw 1,000 (MULTI 10 claimed, 0 seen)",
        ),
        (calls(set=Calls(200, failed=2, rejected=1)), "the server answered 3 SET with an error"),
        (
            {"evidence": make_evidence(hits=600, misses=200)},
            "the workload has 640 hits and 160 misses, the server saw 600 and 200",
        ),
        ({"evidence": make_evidence(evicted_keys=12)}, "the server dropped 12 keys in the slice (memory limit?)"),
        ({"evidence": make_evidence(expired_keys=12)}, "12 keys expired in the slice, but the workload's never expire"),
        (
            {"calls": make_calls(others={"keys": 3})},
            "the server saw commands that are not in the workload: KEYS 3 (at most 2)",
        ),
        (
            {"evidence": make_evidence(input_bytes=99_999)},
            "the claimed commands have 100,000 bytes, the server read 99,999",
        ),
        (
            {"evidence": make_evidence(input_bytes=101_700)},
            "the claimed commands have 100,000 bytes, the server read 101,700",
        ),
    ],
)
def test_what_the_server_does_not_back_is_refused(changes: dict[str, Any], said: str) -> None:
    """With the numbers of both sides."""
    assert said in (mismatches(make_judged(**changes)) or "")


def test_what_a_server_does_not_count_is_not_judged() -> None:
    """Nor what is not known of the workload."""
    names = ("hits", "misses", "evicted_keys", "expired_keys", "input_bytes")
    assert mismatches(make_judged(evidence=make_evidence(**dict.fromkeys(names)))) is None
    unknown = make_expectation(hits=None, misses=None)
    assert mismatches(make_judged(expected=unknown, evidence=make_evidence(hits=0))) is None


GETS, MISSES = 800, 500


def caching(hits: int | None = GETS - MISSES, misses: int = MISSES) -> Worked:
    return make_worked(cache=CacheCounts(hits=hits, misses=misses, invalidations=5))


@pytest.mark.parametrize(
    ("answer", "tracking", "said"),
    [
        (caching(), 1, ""),
        (caching(hits=None), 1, ""),
        (caching(), None, ""),
        (caching(hits=0, misses=GETS), 0, ""),
        (
            caching(),
            0,
            "the reads of 0 connections, but 1 processes have a cache: caches that it does not track would go stale",
        ),
        (caching(hits=301), 1, "counts 301 hits and 500 misses, the runner claims 800 GETs"),
        (caching(hits=None, misses=801), 1, "counts 0 hits and 801 misses, the runner claims 800 GETs"),
        (make_worked(), 1, "the runner does not report what the client-side cache did"),
    ],
)
def test_a_local_cache_must_count_as_it_answers(answer: Worked, tracking: int | None, said: str) -> None:
    """And the server must track its reads, where it reports that at all."""
    expected = make_expectation(hits=None, misses=None, local_reads=GETS)
    found = mismatches(
        make_judged(answers=[answer], expected=expected, evidence=make_evidence(tracking_clients=tracking))
    )
    assert said in (found or "") if said else found is None


LOADED = {"lib": "1.2.3", "runtime": "4"}


@pytest.mark.parametrize(
    ("version", "versions", "before", "said"),
    [
        (None, LOADED, None, None),
        ("1.2.3", LOADED, LOADED, None),
        ("distribution", LOADED, None, None),
        ("1.2.4", LOADED, None, "lib 1.2.3 was loaded instead of 1.2.4"),
        (None, {"runtime": "4"}, None, "the runner does not say which version of lib it loaded"),
        (None, {**LOADED, "slow": "3"}, None, "slow was loaded, although lib must run without it"),
        (
            None,
            {**LOADED, "runtime": "5"},
            LOADED,
            "runtime 5 was loaded, but another process or round loaded 4",
        ),
        (None, {"lib": "1.2.3"}, LOADED, "runtime none was loaded, but another process or round loaded 4"),
    ],
)
def test_what_was_loaded_is_what_the_label_says(
    version: str | None, versions: dict[str, str], before: dict[str, str] | None, said: str | None
) -> None:
    """In every round; a version that is a word is whatever is there."""
    loaded = [Loaded(contract=4, versions=versions)]
    assert version_mismatch(make_client(version=version), loaded, before, frozenset({"slow"})) == said


SERVERS = sorted(FOLDER.glob("*.jsonl"))
CONNECT: Final = {
    name
    for name, spec in SHIPPED.clients.items()
    if spec.capabilities.is_library and spec.why_not(one_client(name, SHIPPED.clients), Scenario.NEW_CONNECTION) is None
}
"""Every library that can open a connection for each command."""


@pytest.mark.parametrize("path", SERVERS, ids=lambda path: path.stem)
def test_no_client_is_refused_for_its_handshake(path: Path) -> None:
    """What real clients sent when they opened connections is within the bound, however the server counts it."""
    slices = list(recorded(path))
    assert {one.client.partition("[")[0] for one in slices} == CONNECT
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
    """One and one more a second for each connection, twice for a replica; one library selects before each MULTI.

    One sends three PINGs after each EXEC.
    """
    seen = make_evidence(connections=3, replicas=1)
    assert unexpected_commands(make_calls(library={"ping": 10}), seen, opened=0) is None
    assert "PING 11 (at most 10)" in (unexpected_commands(make_calls(library={"ping": 11}), seen, opened=0) or "")
    transactions = make_calls(workload={"exec": Calls(5)}, setup={"select": 15})
    assert unexpected_commands(transactions, seen, opened=0) is None
    cleaned = make_calls(workload={"exec": Calls(500)}, library={"ping": 1_510})
    assert unexpected_commands(cleaned, seen, opened=0) is None
    cleaned = make_calls(workload={"exec": Calls(500)}, library={"ping": 1_511})
    assert "PING 1,511 (at most 1,510)" in (unexpected_commands(cleaned, seen, opened=0) or "")


def test_a_cache_may_send_commands_with_each_get_that_it_has_no_answer_to() -> None:
    """No more than one of each kind; other scenarios have no such GETs."""
    each = dict.fromkeys(("multi", "pttl", "exec"), MISSES)
    calls = make_calls(
        workload={"get": Calls(MISSES), "set": Calls(200)}, setup={"client|caching": MISSES}, library=each
    )
    expected = make_expectation(calls={"get": MISSES, "set": 200}, hits=None, misses=None, local_reads=GETS)
    seen = make_evidence(tracking_clients=1, input_bytes=100_000 + 100 * MISSES)
    judged = make_judged(answers=[caching()], expected=expected, calls=calls, evidence=seen)
    assert mismatches(judged) is None
    assert "PTTL 500 (at most 2)" in (unexpected_commands(calls, seen, opened=0) or "")


def test_an_option_may_send_commands_beside_each_unit() -> None:
    """As many as units, and no more."""
    seen, calls = make_evidence(connections=0), make_calls(library={"ping": 1000})
    assert unexpected_commands(calls, seen, opened=0, beside={"ping": 1000}) is None
    assert "PING 1,000 (at most 999)" in (unexpected_commands(calls, seen, opened=0, beside={"ping": 999}) or "")
