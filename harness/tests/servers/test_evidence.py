"""INFO as servers write it, the difference between two readings, and which RESP version connections speak."""

import pytest

from respmark.errors import ServerError, ServerLostError
from respmark.machine.kernel import MachineCpu
from respmark.results.records import Handshake
from respmark.run.label import protocol_mismatch
from respmark.servers.evidence import NewConnections, Snapshot, connections, evidence_between
from respmark.servers.info import Calls
from tests.fake_node import FakeControl, FakeNode


def snapshot(at_ns: int = 0, machine: MachineCpu | None = None, calls: str = "", **counters: float) -> Snapshot:
    usual = {
        "connected_clients": 1,
        "total_connections_received": 0,
        "total_reads_processed": 0,
        "keyspace_hits": 0,
        "keyspace_misses": 0,
        "evicted_keys": 0,
        "expired_keys": 0,
        "total_net_input_bytes": 0,
        "used_cpu_user": 0.0,
        "used_cpu_sys": 0.0,
    }
    lines = [f"{name}:{value}" for name, value in (usual | counters).items()]
    lines += [f"cmdstat_{line}" for line in calls.split()]
    return Snapshot(at_ns, ("\r\n".join(lines) + "\r\n",), machine)


def test_counters_are_differences() -> None:
    """What was counted before the slice is nobody's doing in it; INFO writes seconds of CPU."""
    before = snapshot(1000, total_connections_received=5, keyspace_hits=10, evicted_keys=2, used_cpu_user=1.25)
    after = snapshot(
        5000,
        total_connections_received=7,
        keyspace_hits=16,
        keyspace_misses=4,
        evicted_keys=3,
        expired_keys=9,
        total_net_input_bytes=77,
        used_cpu_user=1.75,
        used_cpu_sys=0.000001,
    )
    found = evidence_between(before, after)
    assert (found.elapsed_ns, found.connections_received, found.input_bytes) == (4000, 2, 77)
    assert (found.hits, found.misses, found.evicted_keys, found.expired_keys) == (6, 4, 1, 9)
    assert found.server_cpu_ns == 500_001_000


def several(*nodes: Snapshot, replicas: tuple[Snapshot, ...] = ()) -> Snapshot:
    """Return what was read of each node at the same time."""
    infos, copies = (tuple(info for one in of for info in one.infos) for of in (nodes, replicas))
    return Snapshot(0, infos, None, copies)


def test_of_several_nodes_it_is_the_sum() -> None:
    """Each has seen our own connection and command, and what it sent on was carried out by another."""
    moved = "errorstat_MOVED:count=2"
    before = several(snapshot(keyspace_hits=5), snapshot())
    one = snapshot(calls="get:calls=3 info:calls=1", keyspace_hits=8, total_reads_processed=4, connected_clients=2)
    other = snapshot(calls="get:calls=4,rejected_calls=2 set:calls=1", keyspace_hits=4, total_reads_processed=6)
    after = several(one, Snapshot(0, (other.infos[0] + f"{moved}\r\n",), None))
    found = evidence_between(before, after)
    assert found.calls == {"get": Calls(7, 0, 2), "set": Calls(1)}
    assert (found.hits, found.reads, found.connections, found.redirects) == (7, 8, 1, 2)


def test_of_replicas_only_what_clients_did_is_evidence() -> None:
    """Their primaries send them the writes."""
    before = several(snapshot(), replicas=(snapshot(),))
    copied = snapshot(calls="get:calls=5 set:calls=9 replconf:calls=1", keyspace_hits=5, total_connections_received=1)
    found = evidence_between(before, several(snapshot(calls="set:calls=9"), replicas=(copied,)))
    assert found.calls == {"set": Calls(9), "get": Calls(5)}
    assert (found.hits, found.connections_received, found.reads, found.input_bytes) == (5, 1, None, None)


def test_our_own_command_and_connection_are_left_out() -> None:
    """Neither INFO's call, nor its read, nor the connection that it came over counts."""
    before = snapshot(total_reads_processed=50)
    after = snapshot(calls="info:calls=1", total_reads_processed=61, connected_clients=4)
    found = evidence_between(before, after)
    assert (found.calls, found.reads, found.connections, connections(after)) == ({}, 10, 3, 3)


def test_failed_and_rejected_calls_are_kept() -> None:
    """A command that was rejected only, and never called, is seen too; one that was not sent is left out."""
    before = snapshot(
        calls="get:calls=1,rejected_calls=1,failed_calls=1 config|set:calls=0,rejected_calls=0 auth:calls=1"
    )
    after = snapshot(
        calls="get:calls=9,rejected_calls=3,failed_calls=5 config|set:calls=0,rejected_calls=2 auth:calls=1 set:calls=2"
    )
    found = evidence_between(before, after).calls
    assert found == {"get": Calls(8, 4, 2), "config|set": Calls(0, 0, 2), "set": Calls(2)}


def test_counters_that_a_server_does_not_have_are_absent() -> None:
    """They are not zero, and do not stop the measurement."""
    needed = "connected_clients:1\r\ntotal_connections_received:1\r\nused_cpu_user:1\r\nused_cpu_sys:1\r\n"
    found = evidence_between(Snapshot(0, (needed,), None), Snapshot(0, (needed,), MachineCpu(1, 1)))
    names = ("hits", "misses", "evicted_keys", "expired_keys", "input_bytes", "reads", "tracking_clients")
    assert [getattr(found, name) for name in (*names, "machine_cpu_ns", "stolen_cpu_ns")] == [None] * 9


@pytest.mark.parametrize("name", ["used_cpu_user", "total_connections_received", "connected_clients"])
def test_a_server_without_what_no_figure_can_do_without_is_refused(name: str) -> None:
    """A cost of zero would be a wrong number."""
    whole = snapshot()
    (info,) = whole.infos
    lacking = Snapshot(0, ("\r\n".join(line for line in info.splitlines() if not line.startswith(name)),), None)
    with pytest.raises(ServerError, match=f"INFO has no `{name}`"):
        evidence_between(lacking, lacking)


def test_counters_that_went_back_are_a_server_that_was_restarted() -> None:
    """They prove nothing."""
    with pytest.raises(ServerLostError, match="restarted"):
        evidence_between(snapshot(total_connections_received=9), snapshot(total_connections_received=1))


OURS = "id=1 addr=127.0.0.1:1 cmd=client|list resp=2"
COMMANDS = frozenset({"get", "set"})


class Forbidding(FakeControl):
    """A server whose user may not ask for CLIENT LIST."""

    def command(self, *words: str | bytes | int) -> object:
        message = f"NOPERM {words[0]!r}"
        raise ServerError(message)


def found(*later: str, before: tuple[str, ...] = (OURS,)) -> dict[int, int] | None:
    server = FakeNode(clients=before)
    opened = NewConnections(FakeControl(server))
    server.clients = (*before, *later)
    return opened.protocols(COMMANDS)


def test_new_connections_with_commands_of_the_workload_are_counted_by_version() -> None:
    """Not those that were there before, nor one that is still in its handshake, nor a stranger's."""
    later = ("id=7 cmd=get resp=3", "id=8 cmd=set resp=3", "id=9 cmd=hello resp=2", "id=10 cmd=info resp=2")
    assert found(*later) == {3: 2}
    assert found("id=2 cmd=get resp=3", before=(OURS, "id=2 cmd=get resp=2")) == {}


def test_a_server_that_does_not_say_is_not_held_against_anyone() -> None:
    """Before Redis 7, and where the user may not ask."""
    assert found("id=7 cmd=get", before=("id=1 cmd=client",)) is None
    assert NewConnections(Forbidding()).protocols(COMMANDS) is None


@pytest.mark.parametrize(
    ("label", "hellos", "spoken", "said"),
    [
        (2, 0, {2: 1}, None),
        (3, 1, {3: 1}, None),
        (3, 1, None, None),
        (2, 1, {3: 2}, "RESP2 was requested, but 2 connections of the trial spoke RESP3"),
        (3, 1, {3: 1, 2: 1}, "RESP3 was requested, but 1 connection of the trial spoke RESP2"),
        (3, 0, {}, "RESP3 was requested, but the trial's connections sent no HELLO"),
    ],
)
def test_a_label_is_held_against_what_was_spoken(
    label: int, hellos: int, spoken: dict[int, int] | None, said: str | None
) -> None:
    """What was asked for and what was found; what nobody knows is not wrong."""
    fields = {"connections_received": 1, "calls": {"hello": hellos}, "protocol": label, "protocols": spoken}
    assert protocol_mismatch(Handshake.model_validate(fields)) == said
