"""Checks what a runner says about time and CPU against the harness's own clock and against the kernel's accounts.

Runners and harness read CLOCK_MONOTONIC, which all processes and containers of a machine share. A runner cannot have
begun before the order, nor ended after its answer came. The time between order and answer that is outside the claimed
slice is limited: work done there would be counted, but its time would not.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from statistics import median
from typing import Final

import numpy as np

from respmark.evidence.mismatch import Mismatch
from respmark.results.slice_arrays import Integers, SliceArrays, Sparse

OUTSIDE_NS: Final = 20_000_000
"""How long waking up and answering may take on a busy machine; on a quiet one it takes 1 to 5 ms."""
OUTSIDE_SHARE: Final = 0.25
"""Added to that, as a share of the slice: some busy machines are slow as well."""
WAITED_SHARE: Final = 0.5
"""How much of a slice's length a runner may have had to wait for a processor in addition, if others used them so long.
On two processors, beside two busy loops and two other runs, Jedis with four threads in a pool left out 0.6 of a slice,
while the kernel counted 4 ms that it did not claim."""
CPU_SHARE: Final = 0.02
"""How far two accounts of the same CPU time may differ, in addition to what can be used outside the slice."""
SLICE_CPU_NS: Final = 10_000_000
"""Added to that in one slice: what a thread does on another processor is counted at the next tick (4 to 10 ms)."""
TRIAL_CPU_NS: Final = 5_000_000
"""The same for all slices of a trial together: what the end of one misses, the start of another misses as well."""
LEAST_OVERLAP: Final = 0.5
"""Share of the longest measured part in which all processes must work; with less, they were not measured together."""


def time_mismatches(slices: SliceArrays) -> Iterator[Mismatch]:
    """Yield where claimed moments cannot be true, and where processes were not measured together."""
    for process in range(slices.processes):
        moments = (
            ("the order", slices.whole("ordered_ns")),
            ("`started`", slices.whole("answers", process, "started", "at_ns")),
            ("`measured_from`", slices.whole("answers", process, "measured_from", "at_ns")),
            ("`ended`", slices.whole("answers", process, "ended", "at_ns")),
            ("the answer", slices.whole("answered_ns")),
        )
        for (earlier, first_ns), (later, last_ns) in pairwise(moments):
            yield Mismatch(last_ns < first_ns, partial(_not_in_turn, earlier, later, first_ns - last_ns))
    yield overlap_mismatch(slices)


def _not_in_turn(earlier: str, later: str, before_ns: Integers, place: int) -> str:
    return f"{later} is {before_ns[place] / 1e6:,.3f} ms before {earlier}: no clock of this machine says so"


def overlap_mismatch(slices: SliceArrays) -> Mismatch:
    """Return where the processes of a trial were not measured together."""
    begun_ns, ended_ns = slices.answers("measured_from", "at_ns"), slices.answers("ended", "at_ns")
    together_ns = ended_ns.min(axis=0) - begun_ns.max(axis=0)
    longest_ns = (ended_ns - begun_ns).max(axis=0)

    def words(place: int) -> str:
        share = max(0.0, together_ns[place] / max(1, longest_ns[place]))
        return f"its processes worked together for {share:.0%} of the slice only ({LEAST_OVERLAP:.0%} are needed)"

    return Mismatch(together_ns < LEAST_OVERLAP * longest_ns, words)


def cpu_mismatch(slices: SliceArrays, cpus: int) -> Mismatch:
    """Return where the kernel does not back the CPU time of a slice; `cpus` is how many processors the machine has."""
    by_kernel = slices.known("cpu_by_kernel_ns")
    claimed_ns, outside_ns = _claimed_cpu_ns(slices), _outside_cpu_ns(slices, cpus)
    return _unbacked("the slice", claimed_ns, by_kernel, outside_ns + SLICE_CPU_NS, SLICE_CPU_NS)


def trial_cpu_mismatch(slices: SliceArrays, cpus: int) -> Mismatch:
    """Return, by trial, where the kernel does not back the CPU time of all these slices together."""
    by_slice = slices.known("cpu_by_kernel_ns")
    by_kernel = Sparse(slices.sums(by_slice.values), slices.sums(by_slice.known) == slices.counts)
    claimed_ns, outside_ns = slices.sums(_claimed_cpu_ns(slices)), slices.sums(_outside_cpu_ns(slices, cpus))
    return _unbacked("all its slices", claimed_ns, by_kernel, outside_ns + TRIAL_CPU_NS, TRIAL_CPU_NS)


def _unbacked(where: str, claimed_ns: Integers, by_kernel: Sparse, most_ns: Integers, least_ns: int) -> Mismatch:
    beyond_ns, share_ns = by_kernel.values - claimed_ns, CPU_SHARE * claimed_ns
    differs = (beyond_ns < -share_ns - least_ns) | (beyond_ns > share_ns + most_ns)

    def words(place: int) -> str:
        return (
            f"the runner claims {claimed_ns[place] / 1e6:.1f} ms of CPU for {where}, from order to answer the kernel "
            f"counted {by_kernel.values[place] / 1e6:.1f} ms"
        )

    return Mismatch(by_kernel.known & differs, words)


def _claimed_cpu_ns(slices: SliceArrays) -> Integers:
    claimed_ns: Integers = (slices.cpu_ns("ended") - slices.cpu_ns("started")).sum(axis=0)
    return claimed_ns


def _outside_cpu_ns(slices: SliceArrays, cpus: int) -> Integers:
    """Return the CPU time that all processors could spend between order and answer, but outside the claimed slice."""
    lasted_ns = slices.answers("ended", "at_ns") - slices.answers("started", "at_ns")
    outside_ns = np.maximum(0, slices.whole("answered_ns") - slices.whole("ordered_ns") - lasted_ns)
    used_ns: Integers = outside_ns.sum(axis=0) * cpus
    return used_ns


def outside_mismatches(slices: SliceArrays, cpus: int) -> dict[int, str]:
    """Return, by number of the trial, why too much time between order and answer is outside the claimed slices.

    The best quarter of its slices decides, because any other may have had to wait for a processor. `cpus` is how many
    processors the machine has.
    """
    lasted_ns = slices.answers("ended", "at_ns").max(axis=0) - slices.answers("started", "at_ns").min(axis=0)
    waited_ns = np.minimum(_others_cpu_ns(slices) / cpus, WAITED_SHARE * lasted_ns)
    outside_ns = slices.whole("answered_ns") - slices.whole("ordered_ns") - lasted_ns - waited_ns
    trials = zip(slices.parts(outside_ns.tolist()), slices.parts(lasted_ns.tolist()), strict=True)
    return {
        number: reason
        for number, (outside, lasted) in enumerate(trials)
        if (reason := _too_much_outside(outside, median(lasted)))
    }


def _others_cpu_ns(slices: SliceArrays) -> Integers:
    """Return how long others used the processors; what a runner used but does not claim is not others'."""
    by_kernel = slices.known("cpu_by_kernel_ns")
    unclaimed_ns = np.maximum(0, by_kernel.values - _claimed_cpu_ns(slices))
    others_ns: Integers = np.where(by_kernel.known, np.maximum(0, slices.taken_cpu_ns - unclaimed_ns), 0)
    return others_ns


def _too_much_outside(outside_ns: Sequence[float], lasted_ns: float) -> str | None:
    limit_ns = OUTSIDE_NS + OUTSIDE_SHARE * lasted_ns
    beyond_ns = [one_ns for one_ns in outside_ns if one_ns > limit_ns]
    if len(outside_ns) - len(beyond_ns) > len(outside_ns) // 4:
        return None
    return (
        f"{len(beyond_ns)} of {len(outside_ns)} slices leave {min(beyond_ns) / 1e6:.1f} ms or more between order and "
        f"answer unaccounted for, beside {lasted_ns / 1e6:.1f} ms that are claimed: was work done there?"
    )
