"""The peak memory that is claimed, against the kernel's."""

import os

import pytest

from respmark.evidence.kernel import peak_memory_bytes
from respmark.evidence.memory import memory_mismatch
from tests.builders import make_result

MIB = 2**20


@pytest.mark.parametrize(
    ("claimed", "peak", "words"),
    [
        (95 * MIB, 100 * MIB, None),
        (17 * MIB, 10 * MIB, None),
        (1, None, None),
        (0, 100 * MIB, "the runner claims a peak of 0.0 MiB of memory, its process's own (VmHWM) is 100.0 MiB"),
        (95 * MIB, 30 * MIB, "the runner claims a peak of 95.0 MiB of memory, its process's own (VmHWM) is 30.0 MiB"),
    ],
)
def test_a_peak_that_is_not_the_processs_own_is_untrue(claimed: int, peak: int | None, words: str | None) -> None:
    """Whether it is its parent's, or none; where nobody else knows it, it is not judged."""
    assert memory_mismatch([make_result(peak_memory_bytes=claimed)], [peak]) == words


def test_the_kernel_tells_a_peak_in_bytes() -> None:
    """This process has some megabytes; one that is not there has none."""
    peak = peak_memory_bytes(os.getpid())
    assert peak is not None
    assert MIB < peak < 2**40
    assert peak_memory_bytes(2**30) is None
