"""Holds the peak memory that runners claim against the kernel's mark of the same processes."""

from collections.abc import Sequence
from typing import Final

from respmark.contract.events import Result

SHARE: Final = 0.1
SLACK_BYTES: Final = 8 * 2**20
"""The kernel counts by processor and adds up now and then; and a process grows a little after it has told its peak."""


def memory_mismatch(results: Sequence[Result], peaks: Sequence[int | None]) -> str | None:
    """Return why a claimed peak is not the process's own; `peaks` are the kernel's, None where it does not tell."""
    for result, peak in zip(results, peaks, strict=True):
        if peak is not None and abs(result.peak_memory_bytes - peak) > SLACK_BYTES + SHARE * peak:
            return (
                f"the runner claims a peak of {result.peak_memory_bytes / 2**20:,.1f} MiB of memory, its process's own "
                f"(VmHWM) is {peak / 2**20:,.1f} MiB"
            )
    return None
