"""Slices in which just-in-time compilers were at work: what they compile, an application pays for once in its life."""

from typing import Final

import numpy as np

from respmark.contract.events import SliceOrder
from respmark.evidence.mismatch import Mismatch
from respmark.results.slice_arrays import SliceArrays

COMPILING_SHARE: Final = 0.1
"""Of a slice, its lead-in included. A method that is compiled in less than that is a small one."""


def was_compiling(compiling_ns: int | None, order: SliceOrder) -> bool:
    """Tell whether compilers took so much of a slice that it is to be worked again; None: nobody counts them."""
    return compiling_ns is not None and compiling_ns > COMPILING_SHARE * (order.lead_in_ns + order.duration_ns)


def repetition_mismatch(slices: SliceArrays) -> Mismatch:
    """Return where a slice stands for another of its lap, in which no compiler was at work: results are not chosen."""
    compiling = slices.known("compiling_ns")
    asked_ns = slices.whole("order", "lead_in_ns") + slices.whole("order", "duration_ns")
    chosen = slices.repeated & ~(compiling.known & (compiling.values > COMPILING_SHARE * asked_ns))
    laps = slices.whole("lap")
    return Mismatch(
        np.concatenate([[False], chosen[:-1]]),
        lambda at: f"lap {laps[at]} was worked again although no compiler had been at work in it",
    )
