"""A workload in memory: its keys and values, its file, and its names in a run."""

import hashlib
import re

from hypothesis import given
from hypothesis import strategies as st

from respmark.workload import columns
from respmark.workload.columns import digest
from respmark.workload.workload import MULTIPLIER, draw_prefix, start, with_prefix
from tests.builders.plan import every_key, tiny_workload
from tests.properties import UNTIMED


@UNTIMED
@given(st.integers(8, 24).flatmap(lambda bits: st.tuples(st.just(bits), st.integers(0, (1 << bits) - 1))))
def test_a_value_begins_at_key_times_multiplier(drawn: tuple[int, int]) -> None:
    """Modulo a power of two, and exact in doubles."""
    bits, key = drawn
    assert start(key, bits) == key * MULTIPLIER % 2**bits
    assert key * MULTIPLIER < 2**53


def test_a_value_follows_from_its_key_at_any_size() -> None:
    """A shorter value of a key is the beginning of a longer one, and every size is there whole."""
    workload = tiny_workload()
    largest = workload.header.sizes.max_bytes
    for key in every_key(workload).tolist():
        whole = workload.value(key, largest)
        assert len(whole) == largest
        assert all(workload.value(key, size) == whole[:size] for size in range(largest))


def test_every_run_draws_a_prefix_of_its_own() -> None:
    """It says whose keys these are, and holds nothing that a pattern or a cluster would read otherwise."""
    drawn = {draw_prefix() for _ in range(100)}
    assert len(drawn) == 100
    assert all(re.fullmatch(r"respmark:[0-9a-f]{8}:", prefix) for prefix in drawn)
    assert re.fullmatch(r"respmark:\{[0-9a-f]{8}\}:", draw_prefix(one_slot=True))


def test_the_digest_is_that_of_the_file_without_the_runs_prefix() -> None:
    """Two runs of the same workload are known to be that; another prefix of its own is another workload."""
    plain = tiny_workload()
    expected = hashlib.sha256(columns.content(plain)).hexdigest()
    assert {digest(with_prefix(plain, draw_prefix()), "key:") for _ in range(3)} == {expected}
    assert digest(tiny_workload(key_prefix="other:"), "other:") != expected
