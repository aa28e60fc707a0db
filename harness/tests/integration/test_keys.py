"""The keys of others, on a real server that somebody else writes to all the time."""

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from respmark.contract.trial import Endpoint
from respmark.errors import AnotherServerError, TargetError, TargetLostError
from respmark.target.control import Control
from respmark.target.guardian import Guardian
from respmark.target.preload import PreloadedKeys, preload
from respmark.target.spawn import Server
from respmark.target.state import DatabaseState
from respmark.target.target import Reached, Target
from respmark.workload.columns import draw_prefix, with_prefix
from respmark.workload.generate import Structures, generate, preload_sizes
from tests.builders.plan import SHIPPED
from tests.integration.conftest import LONG, WORKLOAD, Respmark, Start, url_of
from tests.integration.second_client import SecondClient, commands_seen, own_keys_left
from tests.integration.servers import Leading, listening
from tests.user_server import start_user_server

RESTORES = 30
KEYS = 500
DESTRUCTIVE = {"flushdb", "flushall", "set", "unlink", "del"}


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
        self.target = Target(partial(Reached, endpoint), allow_flush=allow_flush)

    def restore(self) -> None:
        """Bring the database to its state; a few of our keys show it."""
        self.state.restore(self.target)
        control = self.target.control
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
    """Open a world and end it as a run ends."""
    made = World(endpoint, guardian, allow_flush=allow_flush)
    with contextlib.closing(made.target), contextlib.closing(made.state):
        yield made


@pytest.mark.parametrize("allow_flush", [False, True])
def test_no_key_of_a_second_client_is_lost_over_many_restores(
    server: Server, guardian: Guardian, *, allow_flush: bool
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
    assert "that this run did not write; they are left alone" in note


def exchange(world: World, number: int) -> None:
    """Take one of ours away and bring one of theirs: the number of keys is right by chance."""
    world.target.control.command("DEL", world.workload.key(number % KEYS))
    world.target.control.command("SET", f"user:{number}", "precious")
    world.state.dirty()


def expire(world: World, number: int) -> None:
    """Change the number of keys between any two looks."""
    world.target.control.command("SET", f"user:passing:{number}", "x", "PX", 1)
    world.target.control.command("SET", f"user:{number}", "x", "EX", 3600)


def flush(world: World, _number: int) -> None:
    """Take all of ours away at once."""
    world.target.control.command("FLUSHDB")


def lose_connection(world: World, number: int) -> None:
    """Cut the connection on which our keys were written."""
    endpoint = world.target.endpoint
    with Control(endpoint) as other:
        other.command("CLIENT", "KILL", "ID", world.target.control.command("CLIENT", "ID"))
        other.command("SET", f"user:{number}", "precious")
    with pytest.raises(TargetLostError):
        world.state.restore(world.target)
    world.target.reconnect()
    world.state.dirty()


@pytest.mark.parametrize(
    ("spoil", "theirs"), [(exchange, RESTORES), (expire, RESTORES), (flush, 0), (lose_connection, RESTORES)]
)
def test_whatever_happens_theirs_stay_and_ours_come_back(
    server: Server, guardian: Guardian, spoil: Callable[[World, int], object], theirs: int
) -> None:
    """Between any two restores."""
    with world_of(server.endpoint, guardian) as world:
        world.restore_often(spoil)
        with Control(server.endpoint) as control:
            assert len(control.command("KEYS", "user:[0-9]*")) == theirs
    assert own_keys_left(server.endpoint) == 0


def test_a_second_client_may_begin_with_the_very_first_write(server: Server, guardian: Guardian) -> None:
    """Its first key comes after the look at the empty database and before our first key."""
    with world_of(server.endpoint, guardian) as world, Control(server.endpoint) as other:
        make_room = world.target.make_room

        def race() -> None:
            make_room()
            other.command("SET", "user:first", "precious")

        world.target.make_room = race  # type: ignore[method-assign] # that is the race
        world.restore()
        world.restore()
    with Control(server.endpoint) as control:
        assert control.command("KEYS", "*") == [b"user:first"]


def test_a_database_of_others_is_refused_and_left_as_it_is(server: Server, guardian: Guardian) -> None:
    """Not one writing command is sent before the refusal."""
    with SecondClient(server.endpoint) as client:
        pass
    with Control(server.endpoint) as control:
        control.command("CONFIG", "RESETSTAT")
    with (
        world_of(server.endpoint, guardian) as world,
        pytest.raises(TargetError, match="respmark measures in an empty"),
    ):
        world.restore()
    assert not commands_seen(server.endpoint) & DESTRUCTIVE
    assert client.lost() == []


def test_a_primary_with_a_replica_works_and_a_replica_is_refused(server: Server, guardian: Guardian) -> None:
    """What is written and removed is so on both; where the replica is named, the primary is asked for."""
    replica = start_user_server(guardian)
    with Control(replica.endpoint) as control, Control(server.endpoint) as primary:
        control.command("REPLICAOF", "127.0.0.1", str(server.endpoint.port))
        with world_of(replica.endpoint, guardian) as world, pytest.raises(TargetError, match="is a read-only replica"):
            world.restore()
        with world_of(server.endpoint, guardian) as world:
            world.restore_often()
        primary.command("SET", "user:last", "x")
        assert primary.command("WAIT", 1, 60_000) == 1
        assert control.command("KEYS", "*") == [b"user:last"]
    replica.stop()


@pytest.mark.parametrize("allow_flush", [False, True])
def test_a_name_that_leads_to_another_server_stops_the_run(
    server: Server, guardian: Guardian, *, allow_flush: bool
) -> None:
    """After a failover, say: permission is not carried over, and the other server is sent nothing that writes."""
    other = start_user_server(guardian)
    with SecondClient(other.endpoint) as client:
        pass
    with Control(other.endpoint) as control:
        control.command("CONFIG", "RESETSTAT")
    leading = Leading(server.endpoint.port or 0)
    with listening(leading) as port:
        endpoint = Endpoint(host="127.0.0.1", port=port)
        with world_of(endpoint, guardian, allow_flush=allow_flush) as world:
            world.restore()
            leading.port = other.endpoint.port or 0
            for _ in range(3):
                with pytest.raises(AnotherServerError, match="leads to another server than before"):
                    world.restore()
                world.state.dirty()
    assert not commands_seen(other.endpoint) & DESTRUCTIVE
    assert client.lost() == []
    # The connection that was made while the name led there still serves to remove what was written.
    assert own_keys_left(server.endpoint) == 0
    other.stop()


def test_a_restarted_server_is_another(server: Server, guardian: Guardian) -> None:
    """Whatever it holds now, it is not known to be what we left."""
    with world_of(server.endpoint, guardian) as world:
        world.restore()
        server.stop()
        again = start_user_server(guardian, server.endpoint.port)
        with pytest.raises(AnotherServerError):
            world.target.reconnect()
        with SecondClient(again.endpoint) as client:
            pass
    assert client.lost() == []
    assert "has been restarted" in world.notes[0]
    again.stop()


@pytest.mark.parametrize("dirty", [False, True])
def test_lists_hashes_sets_and_counters_are_made_anew(server: Server, guardian: Guardian, *, dirty: bool) -> None:
    """Whatever a trial did to them."""
    spec = SHIPPED.workload("conform-commands")
    workload = with_prefix(generate(spec, 1), draw_prefix())
    state = DatabaseState([PreloadedKeys(workload, preload_sizes(spec, 1), Structures(spec, workload))], guardian)
    sizes = {"list": "LLEN", "hash": "HLEN", "set": "SCARD", "zset": "ZCARD", "string": "GET"}
    with contextlib.closing(Target(partial(Reached, server.endpoint), allow_flush=False)) as target:
        control = target.control

        def described() -> list[tuple[object, ...]]:
            kinds = [(key, control.command("TYPE", key).decode()) for key in map(workload.key, range(120))]
            return [(kind, control.command(sizes[kind], key), control.command("TTL", key)) for key, kind in kinds]

        with contextlib.closing(state):
            state.restore(target)
            before = described()
            for name, key, *arguments in (
                ("LPUSH", 0, "more"), ("DEL", 20), ("SADD", 40, "another"), ("INCRBY", 80, "2"), ("EXPIRE", 100, "100")
            ):  # fmt: skip
                control.command(name, workload.key(key), *arguments)
            if dirty:
                state.dirty()
            state.restore(target)
            assert described() == before
    assert {kind for kind, *_ in before} == set(sizes)


def test_every_key_is_written(server: Server) -> None:
    """With the bytes that follow from it."""
    spec = SHIPPED.workload("quick").model_copy(update={"preload_keys": 2345, "commands": 10})
    workload, sizes = generate(spec, 1), preload_sizes(spec, 1)
    with Control(server.endpoint) as control:
        preload(control, workload, np.arange(2345, dtype=np.uint32), sizes)
        assert control.command("DBSIZE") == 2345
        for key in (0, 99, 100, 1600, 2344):
            assert control.command("GET", workload.key(key)) == workload.value(key, int(sizes[key]))


# --- whole runs -------------------------------------------------------------------------------------------------------


def test_keys_that_come_during_a_run_are_left_alone_and_shown(start: Start, server: Server) -> None:
    """An empty database, a key in the middle of the run, and a run that goes on to its end."""
    run = start("run", "tiny", "--rounds", "4", "--target", url_of(server)).wait()
    with Control(server.endpoint) as control:
        control.command("SET", "user:1", "precious")
        finished = run.ended()
        assert finished.code in {0, 1}, finished.errors
        assert control.command("KEYS", "*") == [b"user:1"]
        assert b"cmdstat_flushdb" not in control.command("INFO", "commandstats")
    assert "holds 1 keys that this run did not write; they are left alone" in finished.said
    assert "held up to 1 keys that this run did not write" in (run.out / "manifest.json").read_text()


def test_a_user_that_may_touch_nothing_else_is_enough(
    respmark: Respmark, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the keys and the commands of docs/targets.md; one who may not delete is found before keys are written."""
    commands = ["ping", "info", "dbsize", "set", "unlink", "get", "multi", "exec", "hello", "select", "client"]
    monkeypatch.setenv("RESPMARK_TARGET_PASSWORD", "secret")
    with Control(server.endpoint) as control:
        permitted = [f"+{name}" for name in commands]
        control.command("ACL", "SETUSER", "bench", "on", ">secret", "~respmark:*", "-@all", *permitted)
        finished = respmark("run", "tiny", "--target", url_of(server, "bench@"))
        assert finished.code == 0, finished.said
        assert own_keys_left(server.endpoint) == 0
        control.command("ACL", "SETUSER", "bench", "-unlink")
    monkeypatch.setenv("RESPMARK_TARGET_PASSWORD", "secret")  # the command takes it out of its environment
    refused = respmark("run", "tiny", "--target", url_of(server, "bench@"), out=finished.out.with_name("second"))
    assert refused.code == 4
    assert "does not let this user do what is needed" in refused.errors
    assert own_keys_left(server.endpoint) == 1


def test_a_server_that_runs_out_of_memory_stops_the_run(start: Start, server: Server) -> None:
    """It removes what it wrote before; a key of somebody else stays."""
    run = start("run", "tiny", *LONG, "--target", url_of(server)).wait()
    with Control(server.endpoint) as control:
        control.command("SET", "user:1", "precious")
        control.command("CONFIG", "SET", "maxmemory", "1")
        finished = run.ended()
        assert control.command("KEYS", "*") == [b"user:1"]
    assert finished.code == 4
    assert "is out of memory" in finished.errors


def test_a_workload_that_flushes_is_not_sent(respmark: Respmark, server: Server, tmp_path: Path) -> None:
    """Nothing else that writes is, either."""
    flushing = WORKLOAD.partition("[[mix]]")[0] + '[[mix]]\nname = "FLUSHALL"\nshare = 1.0\nkeys = 80\narguments = []\n'
    (tmp_path / "flushing.toml").write_text(flushing.replace('"tiny"', '"flushing"'))
    with Control(server.endpoint) as control:
        control.command("SET", "user:1", "precious")
        control.command("CONFIG", "RESETSTAT")
        words = ("--workload", tmp_path / "flushing.toml", "--target", f"{url_of(server)}/1", "--allow-flush")
        finished = respmark("run", "tiny", *words)
        assert finished.code == 2
        assert "has FLUSHALL, which may change keys that the run did not write" in finished.errors
        assert not commands_seen(server.endpoint) & DESTRUCTIVE
        assert control.command("GET", "user:1") == b"precious"
