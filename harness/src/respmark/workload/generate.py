"""Makes a workload from its spec and a seed."""

from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from respmark.workload.file import Workload, make_block
from respmark.workload.spec import SizeSpec, WorkloadSpec


def generate(spec: WorkloadSpec, seed: int) -> Workload:
    """Return the workload; the same spec and seed give the same one on every machine."""
    rng = np.random.Generator(np.random.PCG64(seed))
    kinds = rng.choice(len(spec.mix), spec.commands, p=[command.share for command in spec.mix]).astype(np.uint8)
    firsts = np.array([command.first_key for command in spec.mix], dtype=np.uint32)
    spaces = np.array([command.keys - command.most_offset for command in spec.mix], dtype=np.uint32)
    has_value = np.array([command.has_value for command in spec.mix])
    keys = firsts[kinds] + rng.integers(0, spaces[kinds], dtype=np.uint32)
    sizes = np.where(has_value[kinds], _draw_sizes(rng, spec.sizes, spec.commands), 0).astype(np.uint32)
    return Workload(spec, kinds, keys, sizes, make_block(rng, spec.modulus_bits, spec.sizes.max_bytes))


def preload_sizes(spec: WorkloadSpec, seed: int) -> npt.NDArray[np.uint32]:
    """Return the size in bytes of every preloaded value, by key number."""
    rng = np.random.Generator(np.random.PCG64([seed, 1]))
    return _draw_sizes(rng, spec.sizes, spec.preload_keys)


def representative_sizes(sizes: SizeSpec) -> npt.NDArray[np.uint32]:
    """Return the sizes that represent the normal distribution: the middle of each of `distinct` equal shares of it.

    They are spread a little wider than the middles, so that their mean and standard deviation are the distribution's.
    """
    shares = (np.arange(sizes.distinct) + 0.5) / sizes.distinct
    middles = np.array([NormalDist().inv_cdf(share) for share in shares])
    spread = middles / (np.std(middles) or 1)
    drawn = sizes.mean_bytes + sizes.standard_deviation_bytes * spread
    return np.clip(np.rint(drawn), sizes.min_bytes, sizes.max_bytes).astype(np.uint32)


def _draw_sizes(rng: np.random.Generator, sizes: SizeSpec, count: int) -> npt.NDArray[np.uint32]:
    return rng.choice(representative_sizes(sizes), count)
