"""Checks the peak memory that runners claim against the kernel's count for the same processes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from respmark.contract.events import Result

SHARE: Final = 0.1
SLACK_BYTES: Final = 8 * 2**20
"""The kernel counts by processor, and adds up only now and then."""


@dataclass(frozen=True)
class Peak:
    """The most memory that a process has had, in bytes, by the kernel's count; None if it does not say."""

    before: int | None
    """Before the process was asked for its result; making the result can only increase it."""
    after: int | None
    """After the process had sent its result."""


def memory_mismatch(results: Sequence[Result], peaks: Sequence[Peak]) -> str | None:
    """Return why a claimed peak is not the process's own, or None."""
    for result, peak in zip(results, peaks, strict=True):
        least, most = peak.before or 0, peak.after
        claimed = result.peak_memory_bytes
        if most is not None and not least - _slack(least) <= claimed <= most + _slack(most):
            return (
                f"the runner claims a peak of {claimed / 2**20:,.1f} MiB of memory, its process's own (VmHWM) was "
                f"{least / 2**20:,.1f} MiB before the result and {most / 2**20:,.1f} MiB after it"
            )
    return None


def _slack(peak_bytes: int) -> float:
    return SLACK_BYTES + SHARE * peak_bytes
