"""The names that a run takes on a server that it did not start."""

import pytest

from respmark.errors import AnotherServerError, InvalidRequestError, ServerError
from respmark.machine.guardian import Guardian, Kind
from respmark.servers import cluster, own_keys
from respmark.servers.own_keys import OwnKeys
from respmark.servers.preload import PreloadedKeys
from respmark.servers.state import DatabaseState
from respmark.workload.spec import CommandSpec
from respmark.workload.workload import Workload, preload_sizes
from tests.builders.plan import tiny_spec, tiny_workload
from tests.fake_node import FakeControl, FakeNode, resp_commands
from tests.fakes import FakeServer


class FakeGuardian(Guardian):
    """Remembers what it would remove now, and how many keys were there whenever it was told of keys."""

    def __init__(self, server: FakeNode) -> None:
        self._server = server
        self._held: dict[str, None] = {}
        self.log: list[tuple[str, set[bytes]]] = []

    def protect(self, kind: Kind, what: str | int | list[str]) -> None:
        """Note it."""
        self._note(f"protect {kind}", str(what))
        self._held[str(what)] = None

    def release(self, kind: Kind, what: str | int | list[str]) -> None:
        """Note it."""
        self._note(f"release {kind}", str(what))
        del self._held[str(what)]

    def _note(self, what: str, keys: str) -> None:
        prefix = OwnKeys.model_validate_json(keys).prefix.encode()
        self.log.append((what, {name for name in self._server.data if name.startswith(prefix)}))

    @property
    def held(self) -> list[OwnKeys]:
        """Return what it would remove now."""
        return [OwnKeys.model_validate_json(keys) for keys in self._held]


class World:
    """A server that was there, what a run does to it, and who watches."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, allow_flush: bool = False) -> None:
        self.node = FakeNode()
        self.control = FakeControl(self.node)
        self.workload = tiny_workload()
        self.guardian = FakeGuardian(self.node)
        self.notes: list[str] = []
        sizes = preload_sizes(tiny_spec(), 1)
        self.other = tiny_workload(name="other", key_prefix="another:")
        self.state = DatabaseState([PreloadedKeys(one, sizes) for one in (self.workload, self.other)], self.guardian)
        self.state.note = self.notes.append
        self.server = FakeServer(self.control, spawned=False, allow_flush=allow_flush)
        # Whoever removes keys connects anew; there is no more than this one server.
        monkeypatch.setattr(cluster, "Control", lambda _endpoint: self.control)
        monkeypatch.setattr(own_keys, "PAUSE_S", 0)

    def restore(self, *workloads: str) -> None:
        """Restore the database for a block, of the workload `tiny` if none is named."""
        self.state.restore(self.server, workloads or ("tiny",))

    @property
    def ours(self) -> set[bytes]:
        """Return the names that the run writes."""
        return names_of(self.workload)

    @property
    def sent_raw(self) -> list[list[bytes]]:
        """Return the commands that were sent in bulk."""
        return [words for data in self.control.sent for words in resp_commands(data)]

    @property
    def changed(self) -> set[object]:
        """Return every key that a command could have changed."""
        commands = [words for words in self.control.commands if words[0] in {"SET", "UNLINK"}]
        single = {word for name, *rest in commands for word in (rest[:1] if name == "SET" else rest)}
        return single | {words[1] for words in self.sent_raw}


def names_of(workload: Workload) -> set[bytes]:
    return {workload.key(number) for number in range(workload.header.preload_keys)}


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    return World(monkeypatch)


def test_nothing_but_our_own_names_is_ever_touched(world: World) -> None:
    """Over whole and partial restores of two workloads and the end: keys of others stay, ours go."""
    world.restore()
    world.node.data[b"theirs"] = b"precious"
    for names, ours in (
        (("tiny",), world.ours),
        (("tiny", "other"), world.ours | names_of(world.other)),
        (("other",), names_of(world.other)),
    ):
        world.restore(*names)
        world.state.dirty()
        world.restore(*names)
        assert world.node.data.keys() == {b"theirs"} | ours
    world.state.close()
    assert world.node.data == {b"theirs": b"precious"}
    assert world.changed == world.ours | names_of(world.other)
    assert "FLUSHDB" not in {words[0] for words in world.control.commands}


def test_a_key_of_ours_that_is_gone_is_written_again(world: World) -> None:
    """Among keys of others, too, with which there are more than the run has written."""
    world.restore()
    world.control.sent.clear()
    world.restore()
    seldom_written = min(world.ours - {words[1] for words in world.sent_raw})
    world.node.data |= {b"theirs": b"x", b"theirs, too": b"x"}
    del world.node.data[seldom_written]
    world.restore()
    assert world.ours <= world.node.data.keys()


def test_the_first_write_of_a_key_leaves_one_that_exists(world: World) -> None:
    """It is `SET ... NX`, of every workload; later ones are plain."""
    for names in (("tiny",), ("other",)):
        world.restore(*names)
        assert {words[3] for words in world.sent_raw if words[0] == b"SET"} == {b"NX"}
    world.control.sent.clear()
    world.restore("other")
    assert {len(words) for words in world.sent_raw} == {3}


@pytest.mark.parametrize("number", [0, 5])
@pytest.mark.parametrize("is_first", [True, False])
def test_a_name_that_somebody_else_has_taken_is_left_alone(
    world: World, monkeypatch: pytest.MonkeyPatch, number: int, *, is_first: bool
) -> None:
    """It came after the database was empty: the run stops; the key is neither overwritten nor removed, ours are."""
    wanted = world.workload if is_first else world.other
    key, make_room = wanted.key(number), FakeServer.make_room

    def raced(server: FakeServer) -> None:
        make_room(server)
        world.node.data[key] = b"precious"

    monkeypatch.setattr(FakeServer, "make_room", raced)
    if not is_first:
        world.restore()
    with pytest.raises(
        ServerError, match=f"1 keys whose names this run generated for its own keys: {key.decode()}; they"
    ):
        world.restore(wanted.header.name)
    assert not [own for own in world.guardian.held if own.prefix == wanted.header.key_prefix]
    world.state.close()
    assert (world.node.data, world.guardian.held) == ({key: b"precious"}, [])


def test_the_guardian_holds_the_keys_that_are_there(world: World) -> None:
    """It is told before the first is written, and to forget them when the last is gone."""
    world.restore()
    (held,) = world.guardian.held
    assert {held.name(number) for number in range(held.count)} == world.ours
    world.restore("other")
    world.state.close()
    assert world.guardian.log == [("protect keys", set()), ("release keys", set())] * 2
    assert world.notes == []


@pytest.mark.parametrize("at_the_end", [True, False])
def test_keys_that_cannot_be_removed_are_left_to_the_guardian(world: World, *, at_the_end: bool) -> None:
    """The user is told their names, the reason, and how to remove them; no other workload is written meanwhile."""
    world.restore()
    world.node.up = False
    if at_the_end:
        world.state.close()
        (note,) = world.notes
        assert "cannot be reached" in note
        assert f"respmark clean --server URL --keys {world.workload.header.key_prefix}" in note
    else:
        with pytest.raises(ServerError, match="cannot be reached"):
            world.restore("other")
    assert [held.prefix for held in world.guardian.held] == ["key:"]


def test_with_permission_the_database_is_flushed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the first write. What comes later was not there when the user said it."""
    world = World(monkeypatch, allow_flush=True)
    world.node.data[b"may go"] = b"x"
    world.restore()
    assert set(world.node.data) == world.ours
    world.node.data[b"came later"] = b"x"
    world.state.dirty()
    world.restore()
    world.state.close()
    assert (world.node.data, world.control.flushes) == ({b"came later": b"x"}, 1)


@pytest.mark.parametrize("workload", ["tiny", "other"])
def test_another_server_is_never_written_to(world: World, workload: str) -> None:
    """The names were free on one; on the other, they are not ours."""
    world.restore()
    world.state.dirty()
    other = FakeControl(FakeNode(starts=2))
    with pytest.raises(AnotherServerError, match="were not written to the server at"):
        world.state.restore(FakeServer(other, spawned=False), [workload])
    assert (other.node.data, other.sent) == ({}, [])


def test_a_restarted_server_keeps_what_it_has_at_the_end(world: World) -> None:
    """Nothing is deleted where the run_id is another; the user is told."""
    world.restore()
    world.node.restart()
    world.node.data[min(world.ours)] = b"from somewhere"
    world.state.close()
    assert len(world.node.data) == 1
    assert "was restarted" in world.notes[0]


def test_a_first_load_that_was_cut_short_begins_anew(world: World) -> None:
    """What it wrote is removed by name, and everything written again as new."""
    world.node.refusal = b"-BUSY later\r\n"
    with pytest.raises(ServerError):
        world.restore()
    world.node.refusal = None
    world.control._replies.clear()
    world.node.data |= {world.workload.key(3): b"came through", b"theirs": b"x"}
    world.restore()
    assert set(world.node.data) == world.ours | {b"theirs"}
    assert world.node.data[world.workload.key(3)] != b"came through"


def test_a_workload_that_could_change_keys_of_others_is_refused() -> None:
    """Before anything of any workload is written; on a server of our own it may do what it likes."""
    mix = (CommandSpec(name="FLUSHALL", share=1.0, keys=1, arguments=()),)
    sizes = preload_sizes(tiny_spec(), 1)
    state = DatabaseState([PreloadedKeys(one, sizes) for one in (tiny_workload(), tiny_workload(name="bad", mix=mix))])
    theirs = FakeServer(spawned=False)
    with pytest.raises(
        InvalidRequestError, match="workload `bad` has FLUSHALL, which may change keys that the run did"
    ):
        state.restore(theirs, ["tiny"])
    assert theirs.control.node.data == {}
    state.restore(FakeServer(), ["bad"])
