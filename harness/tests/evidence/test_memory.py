"""The peak memory that is claimed, against the kernel's."""

import os
import re

import pytest

from respmark.evidence.kernel import peak_memory_bytes
from respmark.evidence.memory import Peak, memory_mismatch
from tests.builders.records import make_result

MIB = 2**20


@pytest.mark.parametrize(
    ("claimed", "peak"),
    [
        (95 * MIB, Peak(100 * MIB, 100 * MIB)),
        (17 * MIB, Peak(10 * MIB, 10 * MIB)),
        (100 * MIB, Peak(100 * MIB, 240 * MIB)),
        (230 * MIB, Peak(100 * MIB, 240 * MIB)),
        (1, Peak(None, None)),
    ],
)
def test_a_peak_of_the_process_itself(claimed: int, peak: Peak) -> None:
    """It may grow while it makes its result; where nobody else knows, it is not judged."""
    assert memory_mismatch([make_result(peak_memory_bytes=claimed)], [peak]) is None


@pytest.mark.parametrize(
    ("claimed", "peak"),
    [
        (0, Peak(100 * MIB, 100 * MIB)),
        (80 * MIB, Peak(100 * MIB, 240 * MIB)),
        (280 * MIB, Peak(100 * MIB, 240 * MIB)),
        (95 * MIB, Peak(30 * MIB, 30 * MIB)),
        (95 * MIB, Peak(None, 30 * MIB)),
    ],
)
def test_a_peak_that_is_not_the_processs_own_is_untrue(claimed: int, peak: Peak) -> None:
    """Whether it is its parent's, or none."""
    after = (peak.after or 0) / MIB
    words = rf"the runner claims a peak of {claimed / MIB:.1f} MiB of memory, its .* and {after:.1f} MiB after it"
    assert re.fullmatch(words, memory_mismatch([make_result(peak_memory_bytes=claimed)], [peak]) or "")


def test_the_kernel_tells_a_peak_in_bytes() -> None:
    """This process has some megabytes; one that is not there has none."""
    peak = peak_memory_bytes(os.getpid())
    assert peak is not None
    assert MIB < peak < 2**40
    assert peak_memory_bytes(2**30) is None
