"""The state of the database before a trial, on a server that the run started; on others: test_claim.py."""

import pytest

from respmark.errors import TargetError
from respmark.target.preloaded import PreloadedKeys
from respmark.target.state import DatabaseState
from respmark.workload.generate import preload_sizes
from respmark.workload.spec import CommandSpec, KeyArgument
from tests.builders.plan import tiny_spec, tiny_workload
from tests.fakes import FakeControl, FakeTarget


class World:
    """A database state, its target, and what it is meant to hold."""

    def __init__(self) -> None:
        self.workload = tiny_workload()
        self.sizes = preload_sizes(tiny_spec(), 1)
        self.state = DatabaseState([PreloadedKeys(self.workload, self.sizes)])
        self.target = FakeTarget()
        self.control: FakeControl = self.target.control

    def restore(self) -> None:
        """Bring the database to its state."""
        self.state.restore(self.target)

    @property
    def whole(self) -> dict[bytes, bytes]:
        """Return what the database must hold."""
        sizes = self.sizes.tolist()
        return {self.workload.key(key): self.workload.value(key, size) for key, size in enumerate(sizes)}

    @property
    def written(self) -> set[bytes]:
        """Return the keys that the workload's SETs write, found the slow way."""
        rows = range(self.workload.header.commands)
        return {
            self.workload.key(int(self.workload.keys[row]))
            for row in rows
            if self.workload.header.mix[int(self.workload.kinds[row])].name == "SET"
        }


def test_the_first_time_everything_is_flushed_and_written() -> None:
    """What was there is gone, and every key of the SET space has its value."""
    world = World()
    world.control.server.data[b"stranger"] = b"x"
    world.restore()
    assert world.control.server.data == world.whole
    assert world.control.flushes == 1


def test_after_that_only_what_trials_write_is_written_again() -> None:
    """The state is the same as after a whole preload, at a part of its cost."""
    world = World()
    world.restore()
    world.control.sent.clear()
    for key in world.written:
        world.control.server.data[key] = b"written by a trial"
    world.restore()
    assert world.control.server.data == world.whole
    assert world.control.flushes == 1
    assert 0 < b"".join(world.control.sent).count(b"SET") == len(world.written) < len(world.whole)


def test_what_the_workload_does_not_write_is_left_alone() -> None:
    """That is why evidence of a stranger must be told to the state."""
    world = World()
    world.restore()
    untouched = next(iter(set(world.whole) - world.written))
    world.control.server.data[untouched] = b"a stranger's"
    world.restore()
    assert world.control.server.data[untouched] == b"a stranger's"
    world.state.dirty()
    world.restore()
    assert world.control.server.data == world.whole
    assert world.control.flushes == 2


@pytest.mark.parametrize("change", ["a key more", "a key less", "empty"])
def test_another_number_of_keys_means_everything_again(change: str) -> None:
    """Keys that came, went or were evicted are noticed by their number."""
    world = World()
    world.restore()
    data = world.control.server.data
    if change == "a key more":
        data[b"stranger"] = b"x"
    elif change == "a key less":
        del data[next(iter(set(world.whole) - world.written))]
    else:
        data.clear()
    world.restore()
    assert data == world.whole
    assert world.control.flushes == 2


def test_a_server_that_does_not_keep_its_keys_is_told() -> None:
    """Short memory with eviction is found before figures are spoilt by it."""
    world = World()

    class Forgetful(FakeControl):
        def receive_raw(self, size: int) -> bytes:
            self.server.data.popitem()
            return super().receive_raw(size)

    control = Forgetful()
    with pytest.raises(TargetError, match=r"holds 7 keys after 8 were written; is it short of memory"):
        world.state.restore(FakeTarget(control))


def test_a_state_that_was_not_reached_is_not_believed() -> None:
    """After a failed preload the next one is whole."""
    world = World()
    world.control.server.refusal = b"-MISCONF no\r\n"
    with pytest.raises(TargetError, match="MISCONF"):
        world.restore()
    world.control.server.refusal = None
    world.control._replies.clear()
    world.restore()
    assert world.control.server.data == world.whole


def test_a_workload_that_only_reads_writes_nothing_again() -> None:
    """Between trials of GETs there is nothing to restore."""
    reads = (CommandSpec(name="GET", share=1.0, keys=8, arguments=(KeyArgument(),)),)
    state = DatabaseState([PreloadedKeys(tiny_workload(mix=reads), preload_sizes(tiny_spec(), 1))])
    target = FakeTarget()
    state.restore(target)
    target.control.sent.clear()
    state.restore(target)
    assert target.control.sent == []


class TwoWorkloads:
    """A server of ours and two workloads, one of 8 keys and one of 5, under names of their own."""

    def __init__(self) -> None:
        five = {"name": "five", "key_prefix": "five:", "preload_keys": 5, "mix": GETS}
        self.keys = [
            PreloadedKeys(tiny_workload(), preload_sizes(tiny_spec(), 1)),
            PreloadedKeys(tiny_workload(**five), preload_sizes(tiny_spec(**five), 1)),
        ]
        self.state = DatabaseState(self.keys)
        self.target = FakeTarget()

    def held_after(self, *workloads: str) -> set[bytes]:
        """Return what the server holds when it was restored for a block of these workloads."""
        self.state.restore(self.target, workloads)
        return set(self.target.control.server.data)

    def names(self, workload: str) -> set[bytes]:
        """Return the names of a workload's keys."""
        (found,) = (one for one in self.keys if one.name == workload)
        return {found.workload.key(number) for number in range(len(found))}


GETS = (CommandSpec(name="GET", share=1.0, keys=5, arguments=(KeyArgument(),)),)


def test_a_block_finds_the_keys_of_its_own_workload_and_no_others() -> None:
    """What else a suite measures moves no figure, and needs no memory at the same time."""
    world = TwoWorkloads()
    assert world.held_after("tiny") == world.names("tiny")
    assert world.held_after("five") == world.names("five")
    assert world.held_after("tiny") == world.names("tiny")
    assert world.target.control.flushes == 3


def test_a_workload_that_is_still_there_is_not_written_as_a_whole() -> None:
    """Two blocks of one workload after each other cost what they cost in a run that has no other."""
    world = TwoWorkloads()
    world.held_after("five")
    world.target.control.sent.clear()
    assert world.held_after("five") == world.names("five")
    assert (world.target.control.sent, world.target.control.flushes) == ([], 1)


def test_a_block_of_several_workloads_finds_the_keys_of_all() -> None:
    """Their names do not meet; a key that is missing is noticed among all of them."""
    world = TwoWorkloads()
    both = world.names("tiny") | world.names("five")
    assert len(both) == 13
    assert world.held_after("tiny", "five") == both
    world.target.control.server.data.pop(min(world.names("five")))
    assert world.held_after("tiny", "five") == both
    assert world.held_after("five") == world.names("five")
