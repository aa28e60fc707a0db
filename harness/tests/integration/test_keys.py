"""The keys of others, on a real server that somebody else writes to all the time."""

import contextlib
from collections.abc import Callable, Iterator

import pytest

from respmark.contract.trial import Endpoint
from respmark.errors import ServerLostError
from respmark.machine.guardian import Guardian
from respmark.servers.control import Control
from respmark.servers.node import Node
from respmark.servers.preload import PreloadedKeys
from respmark.servers.server import Server
from respmark.servers.state import DatabaseState
from respmark.workload.workload import draw_prefix, generate, preload_sizes, with_prefix
from tests.builders.plan import SHIPPED
from tests.integration.conftest import Respmark, Start, url_of
from tests.integration.second_client import SecondClient, own_keys_left

RESTORES = 30
KEYS = 500


class World:
    """What a run has of a server that it did not start."""

    def __init__(self, endpoint: Endpoint, guardian: Guardian, *, allow_flush: bool = False) -> None:
        shipped = SHIPPED.workload("conform")
        mix = tuple(command.model_copy(update={"keys": KEYS}) for command in shipped.mix)
        spec = shipped.model_copy(update={"preload_keys": KEYS, "mix": mix})
        self.workload = with_prefix(generate(spec, 1), draw_prefix())
        keys = PreloadedKeys(self.workload, preload_sizes(spec, 1))
        self.state = DatabaseState([keys], guardian)
        self.notes: list[str] = []
        self.state.note = self.notes.append
        self.server = Server(Node(endpoint), allow_flush=allow_flush)

    def restore(self) -> None:
        """Bring the database to its state; a few of our keys show it."""
        self.state.restore(self.server)
        control = self.server.control
        assert all(control.command("EXISTS", self.workload.key(number)) for number in range(0, KEYS, 97))

    def restore_often(self, spoil: Callable[["World", int], object] = lambda _world, _number: None) -> None:
        """Restore, spoil, restore, ..., every third time as after a trial that somebody disturbed."""
        for number in range(RESTORES):
            if number % 3 == 2:
                self.state.dirty()
            self.restore()
            spoil(self, number)


@contextlib.contextmanager
def world_of(endpoint: Endpoint, guardian: Guardian, *, allow_flush: bool = False) -> Iterator[World]:
    made = World(endpoint, guardian, allow_flush=allow_flush)
    with contextlib.closing(made.server), contextlib.closing(made.state):
        yield made


@pytest.mark.parametrize("allow_flush", [False, True])
def test_no_key_of_a_second_client_is_lost_over_many_restores(
    server: Node, guardian: Guardian, *, allow_flush: bool
) -> None:
    """It writes all the time, between restores and during them; what permission to flush is for has gone before."""
    with Control(server.endpoint) as control:
        if allow_flush:
            control.command("SET", "user:old", "may go")
        with world_of(server.endpoint, guardian, allow_flush=allow_flush) as world:
            world.restore()
            assert control.command("EXISTS", "user:old") == 0
            with SecondClient(server.endpoint) as client:
                world.restore_often()
    assert client.lost() == []
    assert own_keys_left(server.endpoint) == 0
    (note,) = world.notes
    assert "that this run did not write; they were left alone" in note


def exchange(world: World, number: int) -> None:
    """Take one of ours away and bring one of theirs: the number of keys is right by chance."""
    world.server.control.command("DEL", world.workload.key(number % KEYS))
    world.server.control.command("SET", f"user:{number}", "precious")
    world.state.dirty()


def expire(world: World, number: int) -> None:
    """Change the number of keys between any two looks."""
    world.server.control.command("SET", f"user:passing:{number}", "x", "PX", 1)
    world.server.control.command("SET", f"user:{number}", "x", "EX", 3600)


def flush(world: World, _number: int) -> None:
    """Take all of ours away at once."""
    world.server.control.command("FLUSHDB")


def lose_connection(world: World, number: int) -> None:
    """Cut the connection on which our keys were written."""
    endpoint = world.server.endpoint
    with Control(endpoint) as other:
        other.command("CLIENT", "KILL", "ID", world.server.control.command("CLIENT", "ID"))
        other.command("SET", f"user:{number}", "precious")
    with contextlib.suppress(ServerLostError):  # made anew, unless it is used before its end is seen
        world.state.restore(world.server)
    world.server.reconnect()
    world.state.dirty()


@pytest.mark.parametrize(
    ("spoil", "theirs"), [(exchange, RESTORES), (expire, RESTORES), (flush, 0), (lose_connection, RESTORES)]
)
def test_whatever_happens_theirs_stay_and_ours_come_back(
    server: Node, guardian: Guardian, spoil: Callable[[World, int], object], theirs: int
) -> None:
    """Between any two restores."""
    with world_of(server.endpoint, guardian) as world:
        world.restore_often(spoil)
        with Control(server.endpoint) as control:
            assert len(control.command("KEYS", "user:[0-9]*")) == theirs
    assert own_keys_left(server.endpoint) == 0


def test_keys_that_come_during_a_run_are_left_alone_and_shown(start: Start, server: Node) -> None:
    """An empty database, a key in the middle of the run, and a run that goes on to its end."""
    run = start("run", "tiny", "--rounds", "4", "--server", url_of(server)).wait()
    with Control(server.endpoint) as control:
        control.command("SET", "user:1", "precious")
        finished = run.ended()
        assert finished.code in {0, 1}, finished.errors
        assert control.command("KEYS", "*") == [b"user:1"]
        assert b"cmdstat_flushdb" not in control.command("INFO", "commandstats")
    assert "held up to 1 keys that this run did not write; they were left alone" in finished.said
    assert "held up to 1 keys that this run did not write" in (run.out / "manifest.json").read_text()


def test_a_user_that_may_touch_nothing_else_is_enough(
    respmark: Respmark, server: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the keys and the commands of docs/measuring.md; one who may not delete is found before keys are written."""
    commands = [
        "ping",
        "info",
        "dbsize",
        "exists",
        "set",
        "unlink",
        "get",
        "multi",
        "exec",
        "hello",
        "select",
        "client",
    ]
    monkeypatch.setenv("RESPMARK_SERVER_PASSWORD", "secret")
    with Control(server.endpoint) as control:
        permitted = [f"+{name}" for name in commands]
        control.command("ACL", "SETUSER", "bench", "on", ">secret", "~respmark:*", "-@all", *permitted)
        finished = respmark("run", "tiny", "--server", url_of(server, "bench@"))
        assert finished.code == 0, finished.said
        assert own_keys_left(server.endpoint) == 0
        control.command("ACL", "SETUSER", "bench", "-unlink")
    monkeypatch.setenv("RESPMARK_SERVER_PASSWORD", "secret")  # the command takes it out of its environment
    refused = respmark("run", "tiny", "--server", url_of(server, "bench@"), out=finished.out.with_name("second"))
    assert refused.code == 4
    assert "does not let this user do what is needed" in refused.errors
    assert own_keys_left(server.endpoint) == 1
