"""The state of the database before a block, on a server that the run started; on others: test_strangers.py."""

import numpy as np
import pytest

from respmark.servers.preload import PreloadedKeys
from respmark.servers.state import DatabaseState
from respmark.workload.spec import CommandSpec, KeyArgument
from respmark.workload.workload import preload_sizes
from tests.builders.plan import tiny_spec, tiny_workload
from tests.fake_node import FakeControl
from tests.fakes import FakeServer

GETS = (CommandSpec(name="GET", share=1.0, keys=5, arguments=(KeyArgument(),)),)
FIVE = {"name": "five", "key_prefix": "five:", "preload_keys": 5, "mix": GETS}


class World:
    """A server of ours and two workloads: one of 8 keys, some of which its SETs write, and one of 5 that only reads."""

    def __init__(self) -> None:
        self.workload, self.sizes = tiny_workload(), preload_sizes(tiny_spec(), 1)
        self.keys = [
            PreloadedKeys(self.workload, self.sizes),
            PreloadedKeys(tiny_workload(**FIVE), preload_sizes(tiny_spec(**FIVE), 1)),
        ]
        self.state = DatabaseState(self.keys)
        self.server = FakeServer()
        self.control: FakeControl = self.server.control
        self.data = self.control.node.data

    def restore(self, *workloads: str) -> set[bytes]:
        """Restore for a block of these workloads, `tiny` if none is named; return the keys that are there then."""
        self.state.restore(self.server, workloads or ["tiny"])
        return set(self.data)

    def names(self, *workloads: str) -> set[bytes]:
        """Return the names of workloads' keys."""
        return {one.workload.key(number) for one in self.keys if one.name in workloads for number in range(len(one))}

    @property
    def whole(self) -> dict[bytes, bytes]:
        """Return what the database must hold for `tiny`."""
        sizes = self.sizes.tolist()
        return {self.workload.key(key): self.workload.value(key, size) for key, size in enumerate(sizes)}

    @property
    def written(self) -> set[bytes]:
        """Return the keys that the SETs of `tiny` write."""
        (kind,) = (number for number, one in enumerate(self.workload.header.mix) if one.name == "SET")
        return {self.workload.key(int(key)) for key in np.unique(self.workload.keys[self.workload.kinds == kind])}

    @property
    def untouched(self) -> bytes:
        """Return a key that they do not write."""
        return min(set(self.whole) - self.written)


@pytest.fixture
def world() -> World:
    made = World()
    made.data[b"stranger"] = b"x"
    made.restore()
    assert (made.data, made.control.flushes) == (made.whole, 1)
    return made


def test_only_what_trials_write_is_written_again(world: World) -> None:
    """The state is the same as after a whole preload, at a part of its cost."""
    world.control.sent.clear()
    world.data |= dict.fromkeys(world.written, b"written by a trial")
    world.restore()
    assert (world.data, world.control.flushes) == (world.whole, 1)
    assert 0 < b"".join(world.control.sent).count(b"SET") == len(world.written) < len(world.whole)


def test_what_the_workload_does_not_write_is_written_again_once_the_state_is_dirty(world: World) -> None:
    """That is why evidence of a stranger must be told to the state."""
    world.data[world.untouched] = b"a stranger's"
    world.restore()
    assert world.data[world.untouched] == b"a stranger's"
    world.state.dirty()
    world.restore()
    assert (world.data, world.control.flushes) == (world.whole, 2)


@pytest.mark.parametrize("change", ["a key more", "a key less", "empty"])
def test_another_number_of_keys_means_everything_again(world: World, change: str) -> None:
    """Keys that came, went or were evicted are noticed by their number."""
    if change == "a key more":
        world.data[b"stranger"] = b"x"
    elif change == "a key less":
        del world.data[world.untouched]
    else:
        world.data.clear()
    world.restore()
    assert (world.data, world.control.flushes) == (world.whole, 2)


def test_a_block_finds_the_keys_of_its_own_workloads_and_no_others(world: World) -> None:
    """What else a suite measures moves no figure; a key that is missing is noticed among those of several."""
    both = world.names("tiny", "five")
    assert world.restore("five") == world.names("five")
    world.control.sent.clear()
    assert world.restore("five") == world.names("five")
    assert world.control.sent == []  # it only reads
    assert world.restore("tiny", "five") == both
    world.data.pop(min(world.names("five")))
    assert world.restore("tiny", "five") == both
    assert world.restore() == world.names("tiny")
