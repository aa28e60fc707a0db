"""Making a workload from its spec and a seed."""

from dataclasses import fields

import numpy as np
import pytest

from respmark.workload.file import Workload
from respmark.workload.generate import generate, preload_sizes
from tests.builders.plan import SHIPPED, every_key, tiny_spec, tiny_workload


@pytest.fixture(scope="module")
def quick() -> Workload:
    """Return the workload of the suite `quick`."""
    return generate(SHIPPED.workload("quick"), 1)


def same(first: Workload, second: Workload) -> bool:
    """Tell whether two workloads are equal, column by column."""
    return all(np.array_equal(getattr(first, f.name), getattr(second, f.name)) for f in fields(Workload)[1:])


def test_the_same_seed_gives_the_same_commands() -> None:
    """Two runs with one seed send the same."""
    assert same(tiny_workload(), tiny_workload())


def test_another_seed_gives_other_commands() -> None:
    """The seed decides, and stands in the header."""
    assert not same(generate(tiny_spec(), 1), generate(tiny_spec(), 2))
    assert generate(tiny_spec(), 2).header.seed == 2


def test_columns_have_one_row_a_command(quick: Workload) -> None:
    """Every command has a kind, a key and a size."""
    assert len(quick.kinds) == len(quick.keys) == len(quick.sizes) == quick.header.commands == 100_000


def test_the_share_of_gets_is_the_specs(quick: Workload) -> None:
    """Of 100,000 commands, 80 % are GETs to within five standard deviations."""
    gets = float(np.mean(quick.kinds == 0))
    assert quick.header.mix[0].name == "GET"
    assert gets == pytest.approx(0.8, abs=5 * (0.8 * 0.2 / 100_000) ** 0.5)


def test_four_gets_in_five_hit(quick: Workload) -> None:
    """The key spaces of 37,500 and 30,000 give the post's hit ratio."""
    keys = quick.keys[quick.kinds == 0]
    assert float(np.mean(keys < quick.header.preload_keys)) == pytest.approx(0.8, abs=0.01)


def test_keys_are_of_their_commands_space(quick: Workload) -> None:
    """GETs reach the whole space, SETs only what is preloaded."""
    assert quick.keys[quick.kinds == 0].max() >= 37_000
    assert quick.keys[quick.kinds == 0].max() < 37_500
    assert quick.keys[quick.kinds == 1].max() < 30_000


def test_only_commands_with_a_value_have_a_size(quick: Workload) -> None:
    """A GET sends no value."""
    assert not quick.sizes[quick.kinds == 0].any()
    assert quick.sizes[quick.kinds == 1].all()


@pytest.mark.parametrize("sizes", ["written", "preloaded"])
def test_sizes_are_normal_around_the_mean(quick: Workload, sizes: str) -> None:
    """Mean and deviation are the spec's, and so are the bounds, for what is preloaded as for what is written."""
    spec = SHIPPED.workload("quick")
    drawn = quick.sizes[quick.kinds == 1] if sizes == "written" else preload_sizes(spec, 1)
    assert float(np.mean(drawn)) == pytest.approx(1024, abs=10)
    assert float(np.std(drawn)) == pytest.approx(262.7, abs=10)
    assert drawn.min() >= 4
    assert drawn.max() <= 2048


def test_sizes_beyond_the_bounds_are_clipped_not_drawn_again() -> None:
    """What lies outside stands at the bound."""
    spec = tiny_spec(sizes=tiny_spec().sizes.model_copy(update={"standard_deviation_bytes": 100.0}), commands=1000)
    drawn = preload_sizes(spec.model_copy(update={"preload_keys": 1000}), 1)
    assert {int(drawn.min()), int(drawn.max())} == {4, 32}
    assert int(np.sum(drawn == 4)) > 300


def test_preload_sizes_do_not_depend_on_the_commands() -> None:
    """A longer file of commands leaves the database as it was."""
    assert np.array_equal(preload_sizes(tiny_spec(), 1), preload_sizes(tiny_spec(commands=999), 1))
    assert not np.array_equal(preload_sizes(tiny_spec(), 1), preload_sizes(tiny_spec(), 2))


def test_the_posts_workload_has_the_posts_key_spaces() -> None:
    """GETs come from 3.75 M keys, SETs from 3 M, all of them preloaded."""
    spec = SHIPPED.workload("post")
    assert {command.name: command.keys for command in spec.mix} == {"GET": 3_750_000, "SET": 3_000_000}
    assert {command.name: command.share for command in spec.mix} == {"GET": 0.8, "SET": 0.2}
    assert spec.preload_keys == 3_000_000
    assert (spec.sizes.mean_bytes, spec.sizes.min_bytes, spec.sizes.max_bytes) == (1024, 4, 2048)


def test_a_value_follows_from_its_key_at_any_size() -> None:
    """A shorter value of a key is the beginning of a longer one, and every size is there whole."""
    workload = tiny_workload()
    largest = workload.header.value_size_max
    for key in every_key(workload).tolist():
        whole = workload.value(key, largest)
        assert len(whole) == largest
        assert all(workload.value(key, size) == whole[:size] for size in range(largest))


def test_different_keys_have_different_values() -> None:
    """Already the smallest values tell the keys apart."""
    workload = tiny_workload()
    values = {workload.value(key, 8) for key in range(10)}
    assert len(values) == 10


def test_keys_are_written_with_all_their_digits() -> None:
    """Every key has the same length."""
    assert tiny_workload().key(7) == b"key:0007"
