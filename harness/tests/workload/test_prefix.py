"""The prefix of a run's keys."""

import hashlib
import re
from pathlib import Path

import numpy as np

from respmark.workload import file as workload_file
from respmark.workload.prefix import digest, draw_prefix, with_prefix
from tests.builders.plan import tiny_workload, write_workload


def test_every_run_draws_a_prefix_of_its_own() -> None:
    """It says whose keys these are, and holds nothing that a pattern or a cluster would read otherwise."""
    drawn = {draw_prefix() for _ in range(100)}
    assert len(drawn) == 100
    assert all(re.fullmatch(r"respmark:[0-9a-f]{8}:", prefix) for prefix in drawn)


def test_the_prefix_stands_before_the_workloads_own() -> None:
    """A spec's own prefix goes on meaning what it means."""
    assert with_prefix(tiny_workload(key_prefix="{tag}"), "respmark:0123abcd:").key(7) == b"respmark:0123abcd:{tag}0007"


def test_the_commands_are_the_same_under_every_prefix(tmp_path: Path) -> None:
    """Only the names of keys differ: the same seed gives the same figures to compare."""
    plain = tiny_workload()
    named = workload_file.read(write_workload(tmp_path, with_prefix(plain, draw_prefix())))
    assert np.array_equal(named.keys, plain.keys)
    assert np.array_equal(named.kinds, plain.kinds)
    assert np.array_equal(named.sizes, plain.sizes)
    assert named.block == plain.block


def test_the_digest_is_that_of_the_workload_without_the_runs_prefix(tmp_path: Path) -> None:
    """Two runs of the same workload are known to be that; another seed's is another."""
    plain = tiny_workload()
    expected = hashlib.sha256(write_workload(tmp_path, plain).read_bytes()).hexdigest()
    assert {digest(with_prefix(plain, draw_prefix()), "key:") for _ in range(3)} == {expected}
    assert digest(tiny_workload(key_prefix="other:"), "other:") != expected
