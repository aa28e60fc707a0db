"""The difference between two readings of the server's counters."""

import pytest

from respmark.errors import TargetError
from respmark.evidence.kernel import MachineCpu
from respmark.evidence.snapshot import Context, Snapshot, connections, evidence_between, handshake_between, take
from respmark.results.records import Calls, Evidence, Expectation
from tests.fakes import FakeControl, FakeServer

EXPECTED = Expectation(calls={"get": 8, "set": 2}, hits=6, misses=2)


def snapshot(at_ns: int = 0, machine: MachineCpu | None = None, calls: str = "", **counters: float) -> Snapshot:
    """Return a reading with these counters; what is not given is 0."""
    usual = {
        "connected_clients": 1,
        "total_connections_received": 0,
        "total_reads_processed": 0,
        "keyspace_hits": 0,
        "keyspace_misses": 0,
        "evicted_keys": 0,
        "expired_keys": 0,
        "total_net_input_bytes": 0,
        "total_net_output_bytes": 0,
        "used_cpu_user": 0.0,
        "used_cpu_sys": 0.0,
    }
    lines = [f"{name}:{value}" for name, value in (usual | counters).items()]
    lines += [f"cmdstat_{line}" for line in calls.split()]
    return Snapshot(at_ns, "\r\n".join(lines) + "\r\n", machine)


def between(before: Snapshot, after: Snapshot, **context: object) -> Evidence:
    """Return the evidence of a trial on a local server whose runner used 100 ns."""
    usual: dict[str, object] = {"expectation": EXPECTED, "runner_cpu_ns": 100, "server_is_local": True}
    return evidence_between(before, after, Context(**usual | context))  # type: ignore[arg-type]


def test_counters_are_differences() -> None:
    """What was counted before `go` is nobody's doing in the window."""
    before = snapshot(1000, total_connections_received=5, keyspace_hits=10, keyspace_misses=1, evicted_keys=2)
    after = snapshot(
        5000,
        total_connections_received=7,
        keyspace_hits=16,
        keyspace_misses=4,
        evicted_keys=3,
        expired_keys=9,
        total_net_input_bytes=77,
    )
    evidence = between(before, after)
    assert evidence.elapsed_ns == 4000
    assert evidence.connections_received == 2
    assert (evidence.keyspace_hits, evidence.keyspace_misses) == (6, 3)
    assert (evidence.evicted_keys, evidence.expired_keys) == (1, 9)
    assert evidence.network_input_bytes == 77
    assert evidence.expected == EXPECTED


def test_calls_are_sorted_into_workload_setup_and_others() -> None:
    """Handshakes are counted apart, and what nobody should have sent stands alone."""
    before = snapshot(calls="get:calls=100 hello:calls=3 client|setinfo:calls=6 keys:calls=1")
    after = snapshot(
        calls="get:calls=108 set:calls=2 hello:calls=4 client|setinfo:calls=8 select:calls=1 auth:calls=1 "
        "keys:calls=1 flushall:calls=1 config|get:calls=2"
    )
    evidence = between(before, after)
    assert evidence.workload_calls == {"get": Calls(calls=8), "set": Calls(calls=2)}
    assert evidence.setup_calls == {"hello": 1, "client|setinfo": 2, "select": 1, "auth": 1}
    assert evidence.other_calls == {"flushall": 1, "config|get": 2}


def test_a_clients_own_setup_commands_are_counted_apart() -> None:
    """What a library's spec names is no stranger's."""
    after = snapshot(calls="command|docs:calls=1 readonly:calls=2 keys:calls=1")
    evidence = between(snapshot(), after, setup_commands=frozenset({"command", "readonly"}))
    assert evidence.setup_calls == {}
    assert evidence.library_calls == {"command|docs": 1, "readonly": 2}
    assert evidence.other_calls == {"keys": 1}


def test_our_own_info_is_left_out() -> None:
    """Neither its call, nor its read, nor its reply counts."""
    before = snapshot(total_reads_processed=50, total_net_output_bytes=1000)
    after = snapshot(
        calls="info:calls=1", total_reads_processed=61, total_net_output_bytes=1000 + 500 + len(before.info)
    )
    evidence = between(before, after)
    assert (evidence.other_calls, evidence.setup_calls, evidence.library_calls) == ({}, {}, {})
    assert evidence.reads_processed == 10
    assert evidence.network_output_bytes == 500


def test_our_own_connection_is_left_out() -> None:
    """The others are runners'."""
    assert connections(snapshot(connected_clients=4)) == 3


def test_connections_of_the_trial_are_told_from_those_that_wait() -> None:
    """Who counted them while it connected tells how many they are."""
    before, after = snapshot(connected_clients=40), snapshot(connected_clients=40)
    assert between(before, after, connections_open=3).connections_open == 3


def test_connecting_is_evidence_of_its_own() -> None:
    """What the server saw of handshake and verification, less our own INFO."""
    before = snapshot(total_connections_received=5, calls="hello:calls=3")
    after = snapshot(total_connections_received=7, calls="hello:calls=5 info:calls=1 get:calls=80")
    seen = handshake_between(before, after)
    assert (seen.connections_received, seen.calls) == (2, {"hello": 2, "get": 80})


def test_failed_and_rejected_calls_are_kept() -> None:
    """A command that was rejected only, and never called, is seen too."""
    before = snapshot(calls="get:calls=1,rejected_calls=1,failed_calls=1 config|set:calls=0,rejected_calls=0")
    after = snapshot(
        calls="get:calls=9,rejected_calls=3,failed_calls=5 set:calls=0,rejected_calls=7,failed_calls=0 "
        "config|set:calls=0,rejected_calls=2"
    )
    evidence = between(before, after)
    assert evidence.workload_calls == {
        "get": Calls(calls=8, failed=4, rejected=2),
        "set": Calls(calls=0, failed=0, rejected=7),
    }
    assert evidence.other_calls == {"config|set": 2}


def test_an_old_server_does_not_tell_its_reads() -> None:
    """Before Redis 6 the counter is not there, which is not 0."""
    after = snapshot()
    after = Snapshot(after.at_ns, after.info.replace("total_reads_processed:0\r\n", ""), None)
    assert between(snapshot(), after).reads_processed is None


def test_counters_that_a_server_does_not_have_are_absent() -> None:
    """They are not zero, and do not stop the measurement."""
    needed = "connected_clients:1\r\ntotal_connections_received:1\r\nused_cpu_user:1\r\nused_cpu_sys:1\r\n"
    bare = Snapshot(0, needed, None)
    evidence = between(bare, bare)
    assert (evidence.expired_keys, evidence.evicted_keys) == (None, None)
    assert (evidence.keyspace_hits, evidence.keyspace_misses) == (None, None)
    assert (evidence.network_input_bytes, evidence.network_output_bytes) == (None, None)
    assert evidence.reads_processed is None


@pytest.mark.parametrize("name", ["used_cpu_user", "total_connections_received", "connected_clients"])
def test_a_server_without_what_no_figure_can_do_without_is_refused(name: str) -> None:
    """A cost of zero would be a wrong number."""
    whole = snapshot()
    lacking = Snapshot(0, "\r\n".join(line for line in whole.info.splitlines() if not line.startswith(name)), None)
    with pytest.raises(TargetError, match=f"INFO has no `{name}`"):
        between(lacking, lacking)


def test_server_cpu_is_in_nanoseconds() -> None:
    """INFO writes seconds."""
    evidence = between(
        snapshot(used_cpu_user=1.25, used_cpu_sys=2.0), snapshot(used_cpu_user=1.75, used_cpu_sys=2.000001)
    )
    assert (evidence.server_cpu_user_ns, evidence.server_cpu_system_ns) == (500_000_000, 1000)


@pytest.mark.parametrize(("local", "others"), [(True, 700), (False, 900)])
def test_other_cpu_is_what_neither_runner_nor_server_used(others: int, *, local: bool) -> None:
    """Of 1,000 busy ns the runner had 100, and 200 were the server's where it runs here."""
    before = snapshot(machine=MachineCpu(5000, 50))
    after = snapshot(machine=MachineCpu(6000, 58), used_cpu_user=2e-7)
    evidence = between(before, after, server_is_local=local)
    assert evidence.other_cpu_ns == others
    assert evidence.stolen_cpu_ns == 8


def test_other_cpu_is_never_negative() -> None:
    """The kernel counts in ticks, the runner in nanoseconds: what is left may be less than nothing."""
    machine = MachineCpu(5000, 0)
    assert between(snapshot(machine=machine), snapshot(machine=machine)).other_cpu_ns == 0


def test_without_the_kernels_figures_there_are_none() -> None:
    """What could not be read is not 0."""
    evidence = between(snapshot(), snapshot(machine=MachineCpu(1, 1)))
    assert evidence.other_cpu_ns is None
    assert evidence.stolen_cpu_ns is None


def test_counters_that_went_back_are_a_server_that_was_restarted() -> None:
    """A server that restarts in the window is told as an error of the target, not by a stack trace."""
    before = snapshot(calls="get:calls=100", total_connections_received=9)
    after = snapshot(calls="get:calls=3", total_connections_received=1)
    with pytest.raises(TargetError):
        between(before, after)


def test_two_readings_of_a_server_differ_by_what_it_did() -> None:
    """What `take` reads is what `evidence_between` understands, our own reading left out."""
    control = FakeControl(FakeServer())
    before = take(control)
    control.server.calls.update({"get": 8, "set": 2})
    control.server.counters.update({"keyspace_hits": 6, "keyspace_misses": 2, "total_reads_processed": 5})
    evidence = between(before, take(control))
    assert evidence.workload_calls == {"get": Calls(calls=8), "set": Calls(calls=2)}
    assert evidence.other_calls == {}
    assert evidence.reads_processed == 5
    assert evidence.network_output_bytes == 0
