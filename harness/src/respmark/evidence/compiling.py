"""Slices in which just-in-time compilers were at work: an application pays for that only once in its lifetime."""

from typing import Final

import numpy as np

from respmark.contract.events import SliceOrder
from respmark.evidence.mismatch import Mismatch
from respmark.results.slice_arrays import SliceArrays

COMPILING_SHARE: Final = 0.1
"""Share of a slice, including its lead-in; a method that is compiled in less than that is a small one."""


def was_compiling(compiling_ns: int | None, order: SliceOrder) -> bool:
    """Return whether compilers took so much of a slice that it must be repeated; False if they are not counted."""
    return compiling_ns is not None and compiling_ns > COMPILING_SHARE * (order.lead_in_ns + order.duration_ns)


def repetition_mismatch(slices: SliceArrays) -> Mismatch:
    """Return where a slice repeats one in which no compiler was at work: results must not be chosen."""
    compiling = slices.known("compiling_ns")
    asked_ns = slices.whole("order", "lead_in_ns") + slices.whole("order", "duration_ns")
    chosen = slices.repeated & ~(compiling.known & (compiling.values > COMPILING_SHARE * asked_ns))
    laps = slices.whole("lap")
    return Mismatch(
        np.concatenate([[False], chosen[:-1]]),
        lambda at: f"lap {laps[at]} was worked again although no compiler had been at work in it",
    )
