"""What may be done to a target."""

from functools import partial

import pytest

from respmark.contract.trial import Endpoint
from respmark.errors import AnotherServerError, ExitCode, TargetError
from respmark.target import target as module
from respmark.target.spawn import Server
from respmark.target.target import Reached, Target
from tests.fakes import FakeControl, FakeServer, FakeTarget


def holding(keys: int) -> FakeControl:
    """Return a control connection to a server with this many keys."""
    data = {b"key:%d" % number: b"precious" for number in range(keys)}
    return FakeControl(FakeServer(data=data), Endpoint(host="h", port=7000, database=3))


def test_a_database_that_holds_keys_is_refused() -> None:
    """The refusal names database, server, number of keys, and both ways out; every key is still there."""
    control = holding(1234)
    with pytest.raises(TargetError) as caught:
        FakeTarget(control, spawned=False).make_room()
    for words in ("database 3", "h:7000", "1,234 keys", "redis://host:port/NUMBER", "--allow-flush"):
        assert words in str(caught.value)
    assert caught.value.exit_code is ExitCode.TARGET_UNREACHABLE
    assert len(control.server.data) == 1234
    assert control.flushes == 0


def test_an_empty_database_is_not_flushed() -> None:
    """There is nothing to flush, and a key that comes meanwhile would be lost."""
    control = holding(0)
    FakeTarget(control, spawned=False, allow_flush=True).make_room()
    assert control.flushes == 0


def test_keys_are_flushed_when_we_were_told_to() -> None:
    """`--allow-flush` is the permission."""
    control = holding(5)
    FakeTarget(control, spawned=False, allow_flush=True).make_room()
    assert control.server.data == {}


def test_permission_is_for_one_server_only() -> None:
    """Another that answers on the same connection is not flushed."""
    control = holding(5)
    target = FakeTarget(control, spawned=False, allow_flush=True)
    control.server.starts += 1
    with pytest.raises(AnotherServerError):
        target.flush()
    assert control.flushes == 0


def test_without_permission_nothing_is_flushed_whoever_asks() -> None:
    """Not even an empty database: a key may come at any moment."""
    control = holding(0)
    with pytest.raises(TargetError, match="not ours to empty"):
        FakeTarget(control, spawned=False).flush()
    assert control.flushes == 0


def test_a_server_that_cannot_be_told_from_another_is_not_written_to() -> None:
    """Without a run_id there is no knowing what a reconnect leads to."""
    target = FakeTarget(holding(0), spawned=False)
    target.run_id = None
    with pytest.raises(TargetError, match=r"does not tell its run_id \(INFO server\)"):
        target.make_room()


@pytest.mark.parametrize(
    ("endpoint", "local"),
    [
        (Endpoint(host="127.0.0.1", port=1), True),
        (Endpoint(host="127.8.9.1", port=1), True),
        (Endpoint(host="localhost", port=1), True),
        (Endpoint(host="::1", port=1), True),
        (Endpoint(unix_socket="/s"), True),
        (Endpoint(host="10.0.0.5", port=1), False),
        (Endpoint(host="redis.example", port=1), False),
        (Endpoint(host="127.example.org", port=1), False),
    ],
)
def test_local_is_told_by_the_address(endpoint: Endpoint, *, local: bool) -> None:
    """The server's CPU is subtracted from the machine's only where it runs here."""
    assert FakeTarget(FakeControl(endpoint=endpoint)).local is local


def test_alive_is_a_server_that_answers_us() -> None:
    """It is asked on our own connection, which is the one that the next trial needs."""
    control = holding(0)
    target = FakeTarget(control)
    assert target.alive()
    control.server.up = False
    assert not target.alive()


def test_a_server_of_ours_is_stopped_and_anothers_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Closing a target closes our connection, and ends what we started."""
    log: list[str] = []
    control = holding(0)
    monkeypatch.setattr(control, "close", lambda: log.append("closed"))
    monkeypatch.setattr(module, "Control", lambda _endpoint: control)
    Target(partial(Reached, control.endpoint), allow_flush=False).close()
    assert log == ["closed"]
    server = Server.__new__(Server)
    monkeypatch.setattr(Server, "stop", lambda _self: log.append("stopped"))
    ours = Target(partial(Reached, control.endpoint, server), allow_flush=False)
    assert ours.spawned
    ours.close()
    assert log == ["closed", "closed", "stopped"]


@pytest.mark.parametrize(("allow_flush", "refused"), [(False, True), (True, False)])
def test_permission_to_flush_is_the_users(monkeypatch: pytest.MonkeyPatch, *, allow_flush: bool, refused: bool) -> None:
    """A server that was already there is flushed exactly when the user said so."""
    control = holding(1)
    monkeypatch.setattr(module, "Control", lambda _endpoint: control)
    target = Target(partial(Reached, control.endpoint), allow_flush=allow_flush)
    assert not target.spawned
    assert target.program is None
    if refused:
        with pytest.raises(TargetError, match="--allow-flush"):
            target.make_room()
    else:
        target.make_room()
    assert bool(control.server.data) is refused


def test_where_the_address_leads_is_asked_on_a_connection_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runners go by the address: one that leads elsewhere by now stops the run, one that does not answer does not."""
    control, elsewhere = holding(0), FakeControl(FakeServer(starts=7))
    monkeypatch.setattr(module, "Control", lambda _endpoint: control)
    target = Target(partial(Reached, control.endpoint), allow_flush=False)
    target.check_address()
    monkeypatch.setattr(module, "Control", lambda _endpoint: elsewhere)
    with pytest.raises(AnotherServerError):
        target.check_address()
    elsewhere.server.up = False
    target.check_address()


class Lost:
    """A server that was already there, to which connections are lost."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, allow_flush: bool = False) -> None:
        self.server, self.closed = FakeServer(), 0
        monkeypatch.setattr(module, "Control", self._control)
        self.target = Target(partial(Reached, Endpoint(host="h", port=1)), allow_flush=allow_flush)

    def _control(self, endpoint: Endpoint) -> FakeControl:
        control = FakeControl(self.server, endpoint)
        control.close = self._close  # type: ignore[method-assign]
        return control

    def _close(self) -> None:
        self.closed += 1


def test_the_same_server_may_be_connected_to_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that was lost is made anew; what the user allowed for the server goes on being allowed."""
    lost = Lost(monkeypatch, allow_flush=True)
    lost.server.data[b"may go"] = b"x"
    lost.target.reconnect()
    lost.target.flush()
    assert lost.server.data == {}


def test_permission_does_not_go_over_to_another_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restarted, or another behind the same name: it is refused however often it is tried, and keeps its keys."""
    lost = Lost(monkeypatch, allow_flush=True)
    lost.server.restart()
    lost.server.data[b"precious"] = b"x"
    for _ in range(2):
        with pytest.raises(AnotherServerError, match="leads to another server than before"):
            lost.target.reconnect()
    assert lost.server.data == {b"precious": b"x"}


def test_every_connection_is_closed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one before when the next is made, the last at the end."""
    lost = Lost(monkeypatch)
    lost.target.reconnect()
    assert lost.closed == 1
    for _ in range(2):
        lost.target.close()
        assert lost.closed == 2


def test_a_server_that_stays_away_may_be_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each try fails as the first did; what was opened for it is closed with the next."""
    lost = Lost(monkeypatch)
    lost.server.up = False
    for _ in range(2):
        with pytest.raises(TargetError):
            lost.target.reconnect()
    lost.server.up = True
    lost.target.reconnect()
    assert lost.target.alive()
    assert lost.closed == 3
