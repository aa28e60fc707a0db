"""A workload in memory: how it is made, its keys and values, its file, and its names in a run."""

import hashlib
import re
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from respmark.workload import columns
from respmark.workload.columns import digest
from respmark.workload.workload import MULTIPLIER, Workload, draw_prefix, generate, preload_sizes, start, with_prefix
from tests.builders.plan import SHIPPED, every_key, tiny_spec, tiny_workload


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


@pytest.fixture(scope="module")
def quick() -> Workload:
    return generate(SHIPPED.workload("quick"), 1)


def same(first: Workload, second: Workload) -> bool:
    return all(np.array_equal(getattr(first, f.name), getattr(second, f.name)) for f in fields(Workload)[1:])


def test_the_seed_decides_the_commands() -> None:
    """Two runs with one seed send the same."""
    assert same(tiny_workload(), tiny_workload())
    assert not same(generate(tiny_spec(), 1), generate(tiny_spec(), 2))


def test_the_mix_is_the_specs(quick: Workload) -> None:
    """Of 100,000 commands, 80 % are GETs to within five standard deviations; four of five of them hit."""
    assert len(quick.kinds) == len(quick.keys) == len(quick.sizes) == quick.header.commands == 100_000
    is_get = quick.kinds == 0
    assert quick.header.mix[0].name == "GET"
    assert float(np.mean(is_get)) == pytest.approx(0.8, abs=5 * (0.8 * 0.2 / 100_000) ** 0.5)
    assert float(np.mean(quick.keys[is_get] < quick.header.preload_keys)) == pytest.approx(0.8, abs=0.01)


@pytest.mark.parametrize("sizes", ["written", "preloaded"])
def test_sizes_are_normal_around_the_mean(quick: Workload, sizes: str) -> None:
    """Mean and deviation are the spec's, and so are the bounds, for what is preloaded as for what is written."""
    spec = SHIPPED.workload("quick")
    drawn = quick.sizes[quick.kinds == 1] if sizes == "written" else preload_sizes(spec, 1)
    assert float(np.mean(drawn)) == pytest.approx(1024, abs=10)
    assert float(np.std(drawn)) == pytest.approx(262.7, abs=10)
    assert 4 <= drawn.min() < drawn.max() <= 2048
