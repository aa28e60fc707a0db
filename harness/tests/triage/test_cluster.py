"""A cluster: every node that the server names, each with its own findings, in one table."""

from collections.abc import Callable

from respmark.contract.trial import Endpoint, Tls
from respmark.servers.control import Control
from respmark.servers.ports import free_port
from respmark.triage.asking import Asker
from respmark.triage.cluster import _nodes, failed_nodes, failed_slots
from respmark.triage.options import WatchOptions
from respmark.triage.report import chapters_of, report_of
from respmark.triage.watch import watch
from tests.triage.builders import make_judge, make_node, make_snapshot
from tests.triage.conftest import Start

NODES = (
    "a1 10.0.0.5:6379@16379,one.example.com myself,master - 0 0 1 connected 0-8191\n"
    "a2 10.0.0.6:6379@16379,two.example.com master - 0 0 2 connected 8192-16383\n"
    "a3 [2001:db8::7]:6379@16379 slave a2 0 0 2 connected\n"
    "a4 10.0.0.8:6379@16379 master,fail - 0 0 3 disconnected\n"
    "a5 :0@0 master,noaddr - 0 0 4 disconnected\n"
    "a6 10.0.0.9:6379@16379 handshake - 0 0 0 connected\n"
)
HERE = Endpoint(host="10.0.0.5", port=6379, username="me")


def test_only_usable_nodes_that_the_server_names_are_followed() -> None:
    """Not the one that answers, none that failed or has no address; with the same user."""
    found = list(_nodes(NODES, HERE))
    assert [(one.host, one.port, one.username) for one in found] == [
        ("10.0.0.6", 6379, "me"),
        ("2001:db8::7", 6379, "me"),
    ]


def test_with_tls_a_node_is_reached_by_its_name() -> None:
    """Its certificate is for that."""
    found = list(_nodes(NODES, HERE.model_copy(update={"tls": Tls()})))
    assert found[0].host == "two.example.com"


def test_a_node_that_failed_is_counted_with_its_slots() -> None:
    """Single slots, ranges, and none that only moves."""
    line = "a4 10.0.0.8:6379@16379 master,fail - 0 0 3 disconnected 0-99 200 [93-<-a1]"
    asker = Asker(FakeNodes({"NODES": f"{NODES}{line}\n".encode(), "INFO": b"cluster_slots_assigned:16000\r\n"}))
    assert [(one.address, one.slots) for one in failed_nodes(asker)] == [("10.0.0.8:6379", 0), ("10.0.0.8:6379", 101)]
    assert failed_slots(asker) == 384


class FakeNodes(Control):
    """A connection to a node that says this of its cluster."""

    def __init__(self, said: dict[str, bytes]) -> None:
        super().__init__(HERE)
        self.said = said

    def command(self, *words: str | bytes | int) -> bytes:
        return self.said[str(words[1])]


def test_both_nodes_of_a_cluster_are_watched(start: Start) -> None:
    """Whichever was named."""
    buses = [free_port() for _ in range(2)]
    one, other = (start("--cluster-enabled", "yes", "--cluster-port", str(bus)) for bus in buses)
    with Control(one.endpoint) as control:
        control.command("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
        control.command("CLUSTER", "MEET", "127.0.0.1", other.endpoint.port or 0, buses[1])
        wait(lambda: b"handshake" not in nodes(control) and str(other.endpoint.port).encode() in nodes(control))
    snapshot = watch(one.endpoint, WatchOptions(0.5))
    assert {node.address for node in snapshot.nodes} == {f"127.0.0.1:{each.endpoint.port}" for each in (one, other)}
    assert not any(node.lost for node in snapshot.nodes)


def nodes(control: Control) -> bytes:
    answer: bytes = control.command("CLUSTER", "NODES")
    return answer


def wait(reached: Callable[[], bool]) -> None:
    while not reached():
        pass


def test_a_lost_node_is_a_finding_and_the_others_are_judged() -> None:
    """The table has a row for each."""
    gone = make_node(lost="the server at 10.0.0.6:6379 ended").model_copy(update={"address": "10.0.0.6:6379"})
    report = report_of(
        make_snapshot(make_node({"aof_delayed_fsync": "4"}, {"aof_delayed_fsync": "9"}), gone), make_judge()
    )
    assert [(one.id, one.node) for one in report.findings] == [
        ("slow-fsync", "127.0.0.1:6379"),
        ("node-lost", "10.0.0.6:6379"),
    ]
    (table,) = chapters_of(report)[1].tables
    assert [(row[0].text, row[-1].text) for row in table.rows] == [
        ("127.0.0.1:6379", "slow-fsync"),
        ("10.0.0.6:6379", "node-lost"),
    ]


def test_a_server_outside_a_cluster_is_alone(start: Start) -> None:
    """Nothing is asked of anybody else."""
    server = start()
    assert len(watch(server.endpoint, WatchOptions(0.5)).nodes) == 1
