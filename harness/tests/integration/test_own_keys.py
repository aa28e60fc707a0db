"""The keys of others, on a real server that somebody else writes to all the time."""

import contextlib
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from respmark.contract.trial import Endpoint
from respmark.errors import AnotherServerError, TargetError, TargetLostError
from respmark.target.control import Control
from respmark.target.guardian import Guardian
from respmark.target.preload import PreloadedKeys
from respmark.target.spawn import Server
from respmark.target.state import DatabaseState
from respmark.target.target import Reached, Target
from respmark.workload.file import Workload
from respmark.workload.generate import generate, preload_sizes
from respmark.workload.prefix import draw_prefix, with_prefix
from tests.builders.plan import SHIPPED
from tests.integration.second_client import SecondClient, commands_seen, own_keys_left
from tests.integration.servers import Leading, listening
from tests.user_server import start_user_server

RESTORES = 100
KEYS = 500
DESTRUCTIVE = {"flushdb", "flushall", "set", "unlink", "del"}


class World:
    """What a run has of a server that it did not start."""

    def __init__(self, endpoint: Endpoint, guardian: Guardian, *, allow_flush: bool = False) -> None:
        spec = SHIPPED.workload("conform").model_copy(update={"preload_keys": KEYS, "mix": smaller_mix()})
        self.workload: Workload = with_prefix(generate(spec, 1), draw_prefix())
        keys = PreloadedKeys(self.workload, preload_sizes(spec, 1))
        self.state = DatabaseState([keys], guardian)
        self.notes: list[str] = []
        self.state.note = self.notes.append
        self.target = Target(partial(Reached, endpoint), allow_flush=allow_flush)

    def restore(self) -> None:
        """Bring the database to its state."""
        self.state.restore(self.target)

    def restore_often(self, spoil: Callable[[Control, int], None] = lambda _control, _number: None) -> None:
        """Restore, spoil, restore, ..., every third time as after a trial that somebody disturbed."""
        for number in range(RESTORES):
            if number % 3 == 2:
                self.state.dirty()
            self.restore()
            assert self.ours_missing() == []
            spoil(self.target.control, number)

    def ours_missing(self) -> list[int]:
        """Return a few of our keys that are not there."""
        numbers = range(0, KEYS, 97)
        return [n for n in numbers if not self.target.control.command("EXISTS", self.workload.key(n))]

    def close(self) -> None:
        """End as a run does."""
        self.state.close()
        self.target.close()


def smaller_mix() -> tuple[object, ...]:
    """Return the mix of the shipped workload on fewer keys."""
    return tuple(command.model_copy(update={"keys": KEYS}) for command in SHIPPED.workload("conform").mix)


@contextlib.contextmanager
def world_of(endpoint: Endpoint, guardian: Guardian, *, allow_flush: bool = False) -> Iterator[World]:
    """Open a world and end it as a run ends."""
    made = World(endpoint, guardian, allow_flush=allow_flush)
    try:
        yield made
    finally:
        made.close()


@pytest.mark.parametrize("allow_flush", [False, True])
def test_no_key_of_a_second_client_is_lost_over_many_restores(
    server: Server, guardian: Guardian, *, allow_flush: bool
) -> None:
    """It writes all the time: plain keys, keys that expire, between restores and during them."""
    with world_of(server.endpoint, guardian, allow_flush=allow_flush) as world:
        world.restore()
        with SecondClient(server.endpoint) as client:
            world.restore_often()
    assert client.lost() == []
    assert own_keys_left(server.endpoint) == 0
    assert "that this run did not write; they are left alone" in world.notes[0]
    assert len(world.notes) == 1


def test_a_second_client_may_begin_with_the_very_first_write(server: Server, guardian: Guardian) -> None:
    """Its first key comes after the look at the empty database and before our first key."""
    with world_of(server.endpoint, guardian) as world, Control(server.endpoint) as other:
        make_room = world.target.make_room

        def race() -> None:
            make_room()
            other.command("SET", "user:first", "precious")

        world.target.make_room = race  # type: ignore[method-assign]
        world.restore()
        world.restore()
        world.close()
        assert other.command("GET", "user:first") == b"precious"
    assert own_keys_left(server.endpoint) == 0


def test_the_number_of_keys_may_be_right_by_chance(server: Server, guardian: Guardian) -> None:
    """One of ours gone, one of theirs come, over and over: theirs stay, ours come back once a trial shows it."""
    with world_of(server.endpoint, guardian) as world:

        def exchange(control: Control, number: int) -> None:
            control.command("DEL", world.workload.key(number % KEYS))
            control.command("SET", f"user:{number}", "precious")
            world.state.dirty()

        world.restore_often(exchange)
        control = world.target.control
        assert [n for n in range(RESTORES) if control.command("GET", f"user:{n}") != b"precious"] == []
    assert own_keys_left(server.endpoint) == 0


def test_keys_of_others_that_expire_are_not_ours_to_judge(server: Server, guardian: Guardian) -> None:
    """Their number changes between any two looks; nothing is flushed and the run goes on."""
    with world_of(server.endpoint, guardian) as world:

        def expire(control: Control, number: int) -> None:
            control.command("SET", f"user:passing:{number}", "x", "PX", 1)
            control.command("SET", f"user:lasting:{number}", "x", "EX", 3600)

        world.restore_often(expire)
        lasting = world.target.control.command("KEYS", "user:lasting:*")
        assert len(lasting) == RESTORES
    assert own_keys_left(server.endpoint) == 0
    assert not {"flushdb", "flushall"} & commands_seen(server.endpoint)


def test_somebody_elses_flush_is_made_good(server: Server, guardian: Guardian) -> None:
    """All our keys gone at once are all our keys written again."""
    with world_of(server.endpoint, guardian) as world:
        world.restore_often(lambda control, _number: control.command("FLUSHDB"))
        assert world.notes == []


def test_other_databases_of_the_server_are_not_touched(server: Server, guardian: Guardian) -> None:
    """Only the selected one is looked at and written to; a second client in another is not even noticed."""
    selected = server.endpoint.model_copy(update={"database": 5})
    with SecondClient(server.endpoint) as client, world_of(selected, guardian, allow_flush=True) as world:
        world.restore_often()
        assert world.notes == []
        with Control(selected) as control:
            assert control.command("DBSIZE") == KEYS
    assert client.lost() == []
    assert own_keys_left(selected) == 0
    assert own_keys_left(server.endpoint) == 0


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


def test_permission_to_flush_is_used_once(server: Server, guardian: Guardian) -> None:
    """What was there when it was given goes; what comes later stays."""
    with Control(server.endpoint) as control:
        control.command("SET", "user:old", "may go")
        with world_of(server.endpoint, guardian, allow_flush=True) as world:
            world.restore()
            assert control.command("EXISTS", "user:old") == 0
            with SecondClient(server.endpoint) as client:
                world.restore_often()
        assert b"cmdstat_flushdb:calls=1," in control.command("INFO", "commandstats")
    assert client.lost() == []


def test_a_primary_with_a_replica_works(server: Server, guardian: Guardian) -> None:
    """What is written and removed is written and removed on both, and theirs stays on both."""
    replica = start_user_server(guardian)
    with Control(replica.endpoint) as control:
        control.command("REPLICAOF", "127.0.0.1", str(server.endpoint.port))
        with world_of(server.endpoint, guardian) as world:
            world.restore()
            with SecondClient(server.endpoint) as client:
                world.restore_often()
        with Control(server.endpoint) as primary:
            primary.command("SET", "user:last", "x")
            assert primary.command("WAIT", 1, 30_000) == 1
        assert control.command("GET", "user:last") == b"x"
    assert client.lost() == []
    assert own_keys_left(server.endpoint) == 0
    assert own_keys_left(replica.endpoint) == 0
    replica.stop()


def test_a_read_only_replica_is_refused(server: Server, guardian: Guardian) -> None:
    """A replica of an empty primary: the first write is refused, and the primary asked for."""
    replica = start_user_server(guardian)
    with Control(replica.endpoint) as control:
        control.command("REPLICAOF", "127.0.0.1", str(server.endpoint.port))
    with world_of(replica.endpoint, guardian) as world, pytest.raises(TargetError, match="is a read-only replica"):
        world.restore()
    assert "may still be at" in world.notes[0]
    replica.stop()


@contextlib.contextmanager
def name_of(first: Server) -> Iterator[tuple[Endpoint, Callable[[Server], None]]]:
    """Give an address that leads to a server, and what makes it lead to another from the next connection on."""
    forward = Leading(first.endpoint.port or 0)

    def lead_to(server: Server) -> None:
        forward.port = server.endpoint.port or 0

    with listening(forward) as port:
        yield Endpoint(host="127.0.0.1", port=port), lead_to


@pytest.mark.parametrize("allow_flush", [False, True])
@pytest.mark.parametrize("holding", [False, True], ids=["empty", "holding keys"])
def test_a_name_that_leads_to_another_server_stops_the_run(
    server: Server, guardian: Guardian, *, allow_flush: bool, holding: bool
) -> None:
    """After a failover, say: permission is not carried over, and the other server is sent nothing that writes."""
    other = start_user_server(guardian)
    with contextlib.ExitStack() as stack:
        if holding:
            with SecondClient(other.endpoint) as client:
                pass
        with Control(other.endpoint) as control:
            control.command("CONFIG", "RESETSTAT")
        endpoint, lead_to = stack.enter_context(name_of(server))
        world = stack.enter_context(world_of(endpoint, guardian, allow_flush=allow_flush))
        world.restore()
        lead_to(other)
        for _ in range(3):
            with pytest.raises(AnotherServerError, match="leads to another server than before"):
                world.restore()
            world.state.dirty()
    assert not commands_seen(other.endpoint) & DESTRUCTIVE
    if holding:
        assert client.lost() == []
    # The connection that was made while the name led there still serves to remove what was written.
    assert own_keys_left(server.endpoint) == 0
    assert world.notes == []
    other.stop()


def test_a_connection_that_was_lost_is_made_anew_to_the_same_server(server: Server, guardian: Guardian) -> None:
    """Our keys are still ours; those of others still theirs."""
    with world_of(server.endpoint, guardian) as world, Control(server.endpoint) as other:
        world.restore()
        with SecondClient(server.endpoint) as client:
            for _ in range(10):
                own = world.target.control.command("CLIENT", "ID")
                other.command("CLIENT", "KILL", "ID", own)
                with contextlib.suppress(TargetLostError):  # made anew, unless it is used before its end is seen
                    world.restore()
                world.target.reconnect()
                world.state.dirty()
                world.restore()
    assert client.lost() == []
    assert own_keys_left(server.endpoint) == 0


def test_a_restarted_server_is_another(server: Server, guardian: Guardian) -> None:
    """Whatever it holds now, it is not known to be what we left."""
    with world_of(server.endpoint, guardian) as world:
        world.restore()
        port = server.endpoint.port
        server.stop()
        again = start_user_server(guardian, port)
        with pytest.raises(AnotherServerError):
            world.target.reconnect()
        with SecondClient(again.endpoint) as client:
            pass
    assert client.lost() == []
    assert "has been restarted" in world.notes[0]
    again.stop()
