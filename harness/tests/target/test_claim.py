"""The names that a run takes on a server that it did not start."""

import pytest

from respmark.errors import AnotherServerError, InvalidRequestError, TargetError
from respmark.target import own_keys
from respmark.target.own_keys import OwnKeys
from respmark.target.preloaded import PreloadedKeys
from respmark.target.state import DatabaseState
from respmark.workload.file import Workload
from respmark.workload.generate import preload_sizes
from respmark.workload.spec import CommandSpec
from tests.builders.plan import tiny_spec, tiny_workload
from tests.fakes import FakeControl, FakeServer, FakeTarget, resp_commands


class FakeGuardian:
    """Remembers what it was told."""

    def __init__(self) -> None:
        self.log: list[tuple[str, str]] = []

    def protect_keys(self, keys: str) -> None:
        """Take keys."""
        self.log.append(("protect", keys))

    def release_keys(self, keys: str) -> None:
        """Let go of keys."""
        self.log.append(("release", keys))

    @property
    def held(self) -> list[OwnKeys]:
        """Return what it would remove now."""
        held: dict[str, None] = {}
        for what, keys in self.log:
            held.pop(keys, None)
            if what == "protect":
                held[keys] = None
        return [OwnKeys.model_validate_json(keys) for keys in held]


class World:
    """A server that was there, what a run does to it, and who watches."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, allow_flush: bool = False) -> None:
        self.server = FakeServer()
        self.control = FakeControl(self.server)
        self.workload = tiny_workload()
        self.guardian = FakeGuardian()
        self.notes: list[str] = []
        sizes = preload_sizes(tiny_spec(), 1)
        self.other = tiny_workload(name="other", key_prefix="another:")
        """Of the same size, under names of its own."""
        self.state = DatabaseState([PreloadedKeys(one, sizes) for one in (self.workload, self.other)], self.guardian)
        self.state.note = self.notes.append
        self.target = FakeTarget(self.control, spawned=False, allow_flush=allow_flush)
        # Whoever removes keys connects anew; there is no more than this one server.
        monkeypatch.setattr(own_keys, "Control", lambda _endpoint: self.control)
        monkeypatch.setattr(own_keys, "PAUSE_S", 0)

    def restore(self, *workloads: str) -> None:
        """Bring the database to its state for a block, of the workload `tiny` if none is named."""
        self.state.restore(self.target, workloads or ("tiny",))

    @property
    def ours(self) -> set[bytes]:
        """Return the names that the run writes."""
        return {self.workload.key(number) for number in range(self.workload.header.preload_keys)}

    @property
    def commands_sent(self) -> set[bytes | str | int]:
        """Return every command's name."""
        raw = {words[0] for data in self.control.sent for words in resp_commands(data)}
        return {words[0] for words in self.control.commands} | raw

    @property
    def changed(self) -> set[object]:
        """Return every key that a command could have changed."""
        single = {words[1] for words in self.control.commands if words[0] in {"SET", "UNLINK", "DEL"}}
        return single | {words[1] for data in self.control.sent for words in resp_commands(data)}


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    """Return a world in which the user allowed nothing."""
    return World(monkeypatch)


def test_nothing_but_our_own_names_is_ever_touched(world: World) -> None:
    """Whatever comes and goes meanwhile, over whole and partial restores and the end."""
    world.restore()
    world.server.data[b"theirs"] = b"precious"
    for _ in range(3):
        world.restore()
        world.state.dirty()
        world.restore()
    world.state.close()
    assert world.server.data == {b"theirs": b"precious"}
    assert world.changed == world.ours
    assert "FLUSHDB" not in world.commands_sent


def test_the_first_write_of_a_key_leaves_one_that_exists(world: World) -> None:
    """It is `SET ... NX`; later ones are plain, for the key is ours."""
    world.restore()
    first = [words for data in world.control.sent for words in resp_commands(data)]
    assert {words[3] for words in first} == {b"NX"}
    world.control.sent.clear()
    world.restore()
    later = [words for data in world.control.sent for words in resp_commands(data)]
    assert {len(words) for words in later} == {3}


@pytest.mark.parametrize("number", [0, 5])
def test_a_name_that_somebody_else_has_taken_is_left_alone(world: World, number: int) -> None:
    """It came after we looked: the run stops, the key is neither overwritten nor removed, ours are."""
    key = world.workload.key(number)

    class Racing(FakeTarget):
        def make_room(self) -> None:
            super().make_room()
            self.control.server.data[key] = b"precious"

    world.target = Racing(world.control, spawned=False)
    with pytest.raises(TargetError, match=f"1 keys with names that this run drew for its own: {key.decode()}; they"):
        world.restore()
    (held,) = world.guardian.held
    assert held.existing == {number}
    world.state.close()
    assert world.server.data == {key: b"precious"}
    assert world.guardian.held == []


def test_the_guardian_knows_the_keys_before_the_first_is_written(world: World) -> None:
    """A run may be killed at any moment; when the keys are gone, it is told to forget them."""
    told: list[int] = []

    def protect_keys(keys: str) -> None:
        told.append(len(world.server.data))
        world.guardian.log.append(("protect", keys))

    world.guardian.protect_keys = protect_keys  # type: ignore[method-assign]
    world.restore()
    assert told == [0]


def test_the_guardian_forgets_keys_that_are_gone(world: World) -> None:
    """Otherwise it would look for them once more, perhaps on a server that is no more."""
    world.restore()
    (held,) = world.guardian.held
    assert held.count == len(world.ours)
    assert {held.name(number) for number in range(held.count)} == world.ours
    world.state.close()
    assert world.guardian.held == []
    assert world.notes == []


def test_keys_that_cannot_be_removed_are_told_and_left_to_the_guardian(world: World) -> None:
    """Their names, the reason, and how to remove them later."""
    world.restore()
    world.server.up = False
    world.state.close()
    (note,) = world.notes
    assert f"{world.workload.header.key_prefix}*" in note
    assert "cannot be reached" in note
    assert f"respmark clean --server URL --keys {world.workload.header.key_prefix}" in note
    assert len(world.guardian.held) == 1


def test_nothing_is_removed_where_nothing_was_written(world: World) -> None:
    """A refused database is not even looked at again."""
    world.server.data[b"theirs"] = b"precious"
    with pytest.raises(TargetError, match="holds 1 keys"):
        world.restore()
    world.control.commands.clear()
    world.state.close()
    assert world.control.commands == []
    assert world.guardian.log == []


def test_unexpected_keys_are_told_once_and_do_not_stop_the_run(world: World) -> None:
    """The note comes with the first; what the results say has the most that there were."""
    world.restore()
    for number in range(3):
        world.server.data[b"theirs %d" % number] = b"x"
        world.restore()
    (note,) = world.notes
    assert "holds 1 keys that this run did not write; they are left alone" in note
    (remark,) = world.state.remarks
    assert "held up to 3 keys that this run did not write" in remark


def test_a_key_of_ours_that_is_missing_is_written_again(world: World) -> None:
    """Also where the number of keys is right because somebody else's came."""
    world.restore()
    lost = max(world.ours)
    del world.server.data[lost]
    world.restore()
    assert set(world.server.data) == world.ours
    world.server.data[b"theirs"] = b"x"
    del world.server.data[lost]
    world.state.dirty()
    world.restore()
    assert set(world.server.data) == world.ours | {b"theirs"}


def test_with_permission_the_database_is_flushed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the first write. What comes later was not there when the user said it."""
    world = World(monkeypatch, allow_flush=True)
    world.server.data[b"may go"] = b"x"
    world.restore()
    assert set(world.server.data) == world.ours
    world.server.data[b"came later"] = b"x"
    world.state.dirty()
    world.restore()
    world.state.close()
    assert world.server.data == {b"came later": b"x"}
    assert world.control.flushes == 1


def test_another_server_is_never_written_to(world: World) -> None:
    """The keys were written to one; on the other, the names are not ours."""
    world.restore()
    world.state.dirty()
    other = FakeControl(FakeServer(starts=2))
    with pytest.raises(AnotherServerError, match="another server"):
        world.state.restore(FakeTarget(other, spawned=False), ["tiny"])
    assert other.server.data == {}
    assert other.sent == []


def test_a_restarted_server_keeps_what_it_has_at_the_end(world: World) -> None:
    """Nothing is deleted where the run_id is another; the user is told."""
    world.restore()
    world.server.restart()
    world.server.data[min(world.ours)] = b"from somewhere"
    world.state.close()
    assert len(world.server.data) == 1
    assert "has been restarted" in world.notes[0]


def test_a_first_load_that_was_cut_short_begins_anew(world: World) -> None:
    """What it wrote is removed by name, and everything written again as new."""
    world.server.refusal = b"-BUSY later\r\n"
    with pytest.raises(TargetError):
        world.restore()
    world.server.refusal = None
    world.control._replies.clear()
    world.server.data[world.workload.key(3)] = b"came through"
    world.server.data[b"theirs"] = b"x"
    world.restore()
    assert set(world.server.data) == world.ours | {b"theirs"}
    assert world.server.data[world.workload.key(3)] != b"came through"


def test_a_server_that_loses_keys_is_told(world: World) -> None:
    """Eviction is found before figures are spoilt by it."""

    class Forgetful(FakeControl):
        def receive_raw(self, size: int) -> bytes:
            self.server.data.popitem()
            return super().receive_raw(size)

    with pytest.raises(TargetError, match="holds 7 keys after 8 were written; is it short of memory"):
        world.state.restore(FakeTarget(Forgetful(world.server), spawned=False), ["tiny"])


def test_a_workload_that_could_change_keys_of_others_is_refused() -> None:
    """Before anything is written; on a server of our own it may do what it likes."""
    mix = (CommandSpec(name="FLUSHALL", share=1.0, keys=1, arguments=()),)
    state = DatabaseState([PreloadedKeys(tiny_workload(mix=mix), preload_sizes(tiny_spec(), 1))])
    theirs, ours = FakeTarget(spawned=False), FakeTarget()
    with pytest.raises(InvalidRequestError, match="has FLUSHALL, which may change keys that the run did not write"):
        state.restore(theirs)
    assert theirs.control.server.data == {}
    state.close()
    state.restore(ours)


def test_a_user_that_may_write_but_not_delete_is_refused_at_the_start(world: World) -> None:
    """Keys that could not be removed must not be written."""

    class NoDeleting(FakeControl):
        def command(self, *words: str | bytes | int) -> object:
            if words[0] in {"UNLINK", "DEL"}:
                raise TargetError(f"NOPERM {words[0]!r}")
            return super().command(*words)

    with pytest.raises(TargetError, match="NOPERM 'DEL'"):
        world.state.restore(FakeTarget(NoDeleting(world.server), spawned=False), ["tiny"])
    assert len(world.server.data) == 1


def names_of(workload: Workload) -> set[bytes]:
    """Return the names of a workload's keys."""
    return {workload.key(number) for number in range(workload.header.preload_keys)}


def test_another_workload_takes_the_place_of_the_first(world: World) -> None:
    """The first one's keys are removed by their names, the other's first writes are `SET ... NX`; theirs stay."""
    world.restore()
    world.server.data[b"theirs"] = b"precious"
    world.control.sent.clear()
    world.restore("other")
    assert set(world.server.data) == names_of(world.other) | {b"theirs"}
    written = [words for data in world.control.sent for words in resp_commands(data) if words[0] == b"SET"]
    assert {words[3] for words in written} == {b"NX"}
    world.restore()
    assert set(world.server.data) == world.ours | {b"theirs"}
    world.state.close()
    assert world.server.data == {b"theirs": b"precious"}
    assert world.changed == world.ours | names_of(world.other)


def test_a_block_of_two_workloads_has_both(world: World) -> None:
    """What is there already is not written as new, and all goes at the end."""
    world.restore()
    world.restore("tiny", "other")
    assert set(world.server.data) == world.ours | names_of(world.other)
    assert [held.prefix for held in world.guardian.held] == ["key:", "another:"]
    world.state.close()
    assert (world.server.data, world.guardian.held) == ({}, [])


def test_the_guardian_holds_the_keys_that_are_there(world: World) -> None:
    """It is told of a workload's keys before the first is written, and to forget them when the last is gone."""
    told: list[tuple[str, set[bytes]]] = []

    def note(what: str, keys: str) -> None:
        prefix = OwnKeys.model_validate_json(keys).prefix.encode()
        told.append((what, {name for name in world.server.data if name.startswith(prefix)}))

    world.guardian.protect_keys = lambda keys: note("protect", keys)  # type: ignore[method-assign]
    world.guardian.release_keys = lambda keys: note("release", keys)  # type: ignore[method-assign]
    world.restore()
    world.restore("other")
    world.state.close()
    assert told == [("protect", set()), ("release", set())] * 2


def test_the_second_workload_takes_no_name_that_is_somebodys(world: World) -> None:
    """It was free when the run began; now the run stops, and leaves it as it is."""
    world.restore()
    key = world.other.key(5)
    world.server.data[key] = b"precious"
    with pytest.raises(TargetError, match=f"1 keys with names that this run drew for its own: {key.decode()}; they"):
        world.restore("other")
    world.state.close()
    assert world.server.data == {key: b"precious"}


def test_keys_that_cannot_be_removed_before_another_workload_stay_protected(world: World) -> None:
    """The run cannot go on among them; the guardian tries again."""
    world.restore()
    world.server.up = False
    with pytest.raises(TargetError, match="cannot be reached"):
        world.restore("other")
    assert [held.prefix for held in world.guardian.held] == ["key:"]


def test_the_second_workload_goes_to_the_same_server_only(world: World) -> None:
    """Also where nothing of ours is left on the first."""
    world.restore()
    other = FakeControl(FakeServer(starts=2))
    with pytest.raises(AnotherServerError, match="another server"):
        world.state.restore(FakeTarget(other, spawned=False), ["other"])
    assert (other.server.data, other.sent) == ({}, [])


def test_every_workload_is_looked_at_before_the_first_is_written() -> None:
    """One that could change keys of others is refused at once, and not after an hour."""
    mix = (CommandSpec(name="FLUSHALL", share=1.0, keys=1, arguments=()),)
    sizes = preload_sizes(tiny_spec(), 1)
    state = DatabaseState([PreloadedKeys(one, sizes) for one in (tiny_workload(), tiny_workload(name="bad", mix=mix))])
    theirs = FakeTarget(spawned=False)
    with pytest.raises(InvalidRequestError, match="workload `bad` has FLUSHALL"):
        state.restore(theirs, ["tiny"])
    assert theirs.control.server.data == {}
