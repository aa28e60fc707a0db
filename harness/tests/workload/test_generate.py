"""Making a workload from its spec and a seed."""

from dataclasses import fields

import numpy as np
import pytest

from respmark.workload.generate import generate, preload_sizes
from respmark.workload.workload import Workload
from tests.builders.plan import SHIPPED, tiny_spec, tiny_workload


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
