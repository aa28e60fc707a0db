"""Writing keys in bulk."""

import re

import numpy as np
import pytest

from respmark.errors import ServerError
from respmark.servers.preload import BATCH, preload
from respmark.workload.spec import CommandSpec, KeyArgument
from respmark.workload.workload import Workload, preload_sizes
from tests.builders.plan import every_key, tiny_spec, tiny_workload
from tests.fake_node import FakeControl, FakeNode


def load(control: FakeControl, workload: Workload, keys: list[int] | None = None) -> None:
    """Preload all keys, or these, with ten bytes each."""
    chosen = every_key(workload) if keys is None else np.array(keys, dtype=np.uint32)
    preload(control, workload, chosen, np.full(workload.header.preload_keys, 10, dtype=np.uint32))


def test_every_value_is_the_workloads_own() -> None:
    """After a whole preload the database holds what GETs are checked against."""
    control, workload = FakeControl(), tiny_workload()
    sizes = preload_sizes(tiny_spec(), 1)
    preload(control, workload, every_key(workload), sizes)
    assert control.node.data == {
        workload.key(key): workload.value(key, int(sizes[key])) for key in range(workload.header.preload_keys)
    }


@pytest.mark.parametrize("prefix", ["100%d:%%b", "ключ:"])
def test_any_prefix_is_sent_as_it_is(prefix: str) -> None:
    """Characters that mean something to a formatter mean nothing in a key."""
    control, workload = FakeControl(), tiny_workload(key_prefix=prefix)
    load(control, workload, [3])
    assert list(control.node.data) == [f"{prefix}0003".encode()]


@pytest.mark.parametrize("count", [8, 3 * BATCH + 5])
def test_an_existing_key_is_left_as_it_is_where_only_new_ones_are_written(count: int) -> None:
    """Its number is told, wherever it stands among the others, which are written."""
    reads = (CommandSpec(name="GET", share=1.0, keys=1, arguments=(KeyArgument(),)),)
    workload = tiny_workload(preload_keys=count, modulus_bits=14, mix=reads)
    existing = [0, 5, count - 1]
    control = FakeControl(FakeNode(data={workload.key(number): b"theirs" for number in existing}))
    sizes = np.full(count, 10, dtype=np.uint32)
    assert preload(control, workload, every_key(workload), sizes, only_new=True) == existing
    assert len(control.node.data) == count
    assert {number for number in range(count) if control.node.data[workload.key(number)] == b"theirs"} == {*existing}
    assert control._replies == b""


@pytest.mark.parametrize("keys", [[0], [0, 1, 2, 3, 4, 5, 6, 7]], ids=["one key", "eight keys"])
@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        ("MISCONF Redis is configured to save RDB snapshots", "rejects writes: MISCONF Redis is configured to save"),
        ("OOM command not allowed when used memory > 'maxmemory'.", "OOM command not allowed when used memory > 'max"),
    ],
)
def test_a_refusal_surfaces_with_the_servers_words(refusal: str, words: str, keys: list[int]) -> None:
    """The whole sentence of the server is told, however few keys there were to write."""
    control = FakeControl(FakeNode(refusal=f"-{refusal}\r\n".encode()))
    with pytest.raises(ServerError, match=re.escape(words)) as caught:
        load(control, tiny_workload(), keys)
    assert "while writing keys to 127.0.0.1:6379" in str(caught.value)
