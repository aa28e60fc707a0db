"""Makes a workload from its spec and a seed."""

from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from respmark.contract.base import SCHEMA_VERSION
from respmark.workload import values
from respmark.workload.file import FileCommand, Header, Section, Workload
from respmark.workload.spec import SizeSpec, ValueArgument, WorkloadSpec

NOWHERE = Section(offset=0, length=0)


def draw_sizes(rng: np.random.Generator, sizes: SizeSpec, count: int) -> npt.NDArray[np.uint32]:
    """Draw value sizes in bytes from the few that represent the distribution."""
    return rng.choice(representative_sizes(sizes), count)


def representative_sizes(sizes: SizeSpec) -> npt.NDArray[np.uint32]:
    """Return the sizes that represent the normal distribution: the middle of each of `distinct` equal shares of it.

    They are spread a little wider than the middles, so that their mean and standard deviation are the distribution's.
    """
    shares = (np.arange(sizes.distinct) + 0.5) / sizes.distinct
    middles = np.array([NormalDist().inv_cdf(share) for share in shares])
    spread = middles / (np.std(middles) or 1)
    drawn = sizes.mean_bytes + sizes.standard_deviation_bytes * spread
    return np.clip(np.rint(drawn), sizes.min_bytes, sizes.max_bytes).astype(np.uint32)


def generate(spec: WorkloadSpec, seed: int) -> Workload:
    """Return the workload; the same spec and seed give the same one on every machine."""
    rng = np.random.Generator(np.random.PCG64(seed))
    kinds = rng.choice(len(spec.mix), spec.commands, p=[command.share for command in spec.mix]).astype(np.uint8)
    firsts = np.array([command.first_key for command in spec.mix], dtype=np.uint32)
    spaces = np.array([command.keys - command.most_offset for command in spec.mix], dtype=np.uint32)
    has_value = np.array([any(isinstance(a, ValueArgument) for a in command.arguments) for command in spec.mix])
    keys = firsts[kinds] + rng.integers(0, spaces[kinds], dtype=np.uint32)
    sizes = np.where(has_value[kinds], draw_sizes(rng, spec.sizes, spec.commands), 0).astype(np.uint32)
    block = values.make_block(rng, spec.modulus_bits, spec.sizes.max_bytes).tobytes()
    return Workload(_header(spec, seed), kinds, keys, sizes, block)


def preload_sizes(spec: WorkloadSpec, seed: int) -> npt.NDArray[np.uint32]:
    """Return the size in bytes of every preloaded value, by key number."""
    rng = np.random.Generator(np.random.PCG64([seed, 1]))
    return draw_sizes(rng, spec.sizes, spec.preload_keys)


def _header(spec: WorkloadSpec, seed: int) -> Header:
    return Header(
        schema_version=SCHEMA_VERSION,
        name=spec.name,
        seed=seed,
        commands=spec.commands,
        preload_keys=spec.preload_keys,
        key_prefix=spec.key_prefix,
        key_digits=spec.key_digits,
        value_multiplier=values.MULTIPLIER,
        value_modulus_bits=spec.modulus_bits,
        value_size_min=spec.sizes.min_bytes,
        value_size_max=spec.sizes.max_bytes,
        hash_fields=spec.hash_fields,
        mix=tuple(FileCommand(name=command.name, arguments=command.arguments) for command in spec.mix),
        kinds=NOWHERE,
        keys=NOWHERE,
        sizes=NOWHERE,
        block=NOWHERE,
    )
