"""What may be done to a server."""

import pytest

from respmark.contract.trial import Endpoint
from respmark.errors import AnotherServerError, ExitCode, InvalidRequestError, ServerError
from respmark.servers import cluster
from respmark.servers.node import Node
from respmark.servers.server import Server, with_nodes
from tests.fake_node import FakeControl, FakeNode
from tests.fakes import FakeServer

HERE = Endpoint(host="h", port=7000, database=3)


def holding(keys: int) -> FakeControl:
    return FakeControl(FakeNode(data={b"key:%d" % number: b"precious" for number in range(keys)}), HERE)


def test_a_database_that_holds_keys_is_refused() -> None:
    """The refusal names database, server, number of keys, and both ways out; every key is still there."""
    control = holding(1234)
    with pytest.raises(ServerError) as caught:
        FakeServer(control, spawned=False).make_room()
    for words in ("database 3", "h:7000", "1,234 keys", "redis://host:port/NUMBER", "--allow-flush"):
        assert words in str(caught.value)
    assert caught.value.exit_code is ExitCode.SERVER_UNREACHABLE
    assert (len(control.node.data), control.flushes) == (1234, 0)


@pytest.mark.parametrize(("keys", "flushes"), [(0, 0), (5, 1)])
def test_keys_are_flushed_only_when_allowed(keys: int, flushes: int) -> None:
    """`--allow-flush` is the permission; in an empty database, a key that comes meanwhile would be lost."""
    control = holding(keys)
    FakeServer(control, spawned=False, allow_flush=True).make_room()
    assert (control.node.data, control.flushes) == ({}, flushes)


@pytest.mark.parametrize(
    ("allow_flush", "restarted", "kind"), [(False, False, ServerError), (True, True, AnotherServerError)]
)
def test_permission_to_flush_is_the_users_and_for_one_server(
    kind: type[ServerError], *, allow_flush: bool, restarted: bool
) -> None:
    """Not even an empty database is flushed without: a key may come at any moment."""
    control = holding(0)
    server = FakeServer(control, spawned=False, allow_flush=allow_flush)
    control.node.starts += restarted
    with pytest.raises(kind):
        server.flush()
    assert control.flushes == 0


def test_a_server_is_closed_if_one_of_its_nodes_cannot_be_had() -> None:
    """Of a single server, that node is itself."""
    server, seen, closed = FakeServer(spawned=False), list[Endpoint](), list[bool]()
    server.node.close = lambda: closed.append(True)
    assert with_nodes(server, seen.append) is server
    assert (seen, closed) == ([server.endpoint], [])

    def refuse(node: Endpoint) -> None:
        raise InvalidRequestError(f"{node.port}")

    with pytest.raises(InvalidRequestError, match=f"{server.endpoint.port}"):
        with_nodes(server, refuse)
    assert closed == [True]


def test_a_server_whose_identity_cannot_be_verified_is_not_written_to() -> None:
    """Without a run_id there is no knowing what a reconnect leads to."""
    server = FakeServer(holding(0), spawned=False)
    server.run_ids = None
    with pytest.raises(ServerError, match=r"reports no run_id \(INFO server\)"):
        server.make_room()


class World:
    """A server to which connections are lost, and what was closed and stopped."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.node, self.closed, self.stopped = FakeNode(), 0, 0
        monkeypatch.setattr(cluster, "Control", self._control)

    def server(self, *, spawned: bool = False) -> Server:
        """Reach it, with permission to flush it."""
        return Server(Node(HERE, "a-server", self._stop) if spawned else Node(HERE), allow_flush=True)

    def _control(self, endpoint: Endpoint) -> FakeControl:
        control = FakeControl(self.node, endpoint)
        control.close = self._close  # type: ignore[method-assign]
        return control

    def _close(self) -> None:
        self.closed += 1

    def _stop(self) -> None:
        self.stopped += 1


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    return World(monkeypatch)


@pytest.mark.parametrize("spawned", [True, False])
def test_a_server_of_ours_is_stopped_and_anothers_is_not(world: World, *, spawned: bool) -> None:
    """Closing a server closes our connection, once, and ends what we started."""
    server = world.server(spawned=spawned)
    assert server.spawned is spawned
    for _ in range(2):
        server.close()
        assert (world.closed, world.stopped) == (1, int(spawned))


def test_permission_does_not_go_over_to_another_server(world: World) -> None:
    """Restarted, or another behind the same name: it is refused however often it is tried, and keeps its keys."""
    server = world.server()
    world.node.restart()
    world.node.data[b"precious"] = b"x"
    for _ in range(2):
        with pytest.raises(AnotherServerError, match="is now another server"):
            server.reconnect()
    assert world.node.data == {b"precious": b"x"}
