"""Checks a trial's latencies against the time that it took, and its verification against what was asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from respmark.contract.events import Latency, Ready, Result
from respmark.contract.trial import Scenario, Shape, Window
from respmark.histogram import Histogram, bucket
from respmark.results.slice_arrays import SliceArrays

MOST: Final = 1.02
"""Latencies of all that is in flight cannot add up to more than the time there was, except for reading clocks."""
LEAST_ALONE: Final = 0.8
"""Of the time there was: a single walker is always waiting for a unit. Seen: 0.996 and more."""
LEAST_ALONE_WHEN_BUSY: Final = 0.5
"""Of the time there was, if others used the processors for all of the rest: between two units, a walker may have to
wait for a processor. Seen with ten busy processes on two processors: 0.71."""
LEAST_TOGETHER: Final = 0.5
"""Of the time asked for: after that, walkers wait for the last one (seen: 1,000 threads, 45 ms asked, 90 taken)."""


@dataclass(frozen=True)
class Samples:
    """The latencies of a trial."""

    results: Sequence[Result]
    """Results of its processes; none if they cannot be compared."""
    in_flight: int
    """How many samples are under way at a time in each process."""


def latency_mismatches(slices: SliceArrays, samples: Sequence[Samples]) -> dict[int, str]:
    """Return, by number of the trial, why latencies do not fit the time of its slices."""
    lasted_ns = (slices.answers("ended", "at_ns") - slices.answers("measured_from", "at_ns")).sum(axis=0)
    asked_and_busy_ns = (slices.whole("order", "duration_ns"), slices.taken_cpu_ns)
    times = [lasted_ns, *(values * slices.processes for values in asked_and_busy_ns)]
    by_trial = zip(*(slices.sums(values).tolist() for values in times), strict=True)
    return {
        number: reason
        for number, (one, (had_ns, asked_ns, busy_ns)) in enumerate(zip(samples, by_trial, strict=True))
        if (reason := _not_of_that_time(one, had_ns, asked_ns, busy_ns))
    }


def _not_of_that_time(samples: Samples, each_had_ns: int, each_asked_ns: int, busy_ns: int) -> str | None:
    """Compare samples with the time there was, the time asked for, and the time that others used the processors."""
    in_flight = samples.in_flight
    had_ns = in_flight * each_had_ns
    sampled_ns = sum(Histogram.of(result.latency.histogram).sum_ns for result in samples.results)
    alone_ns = max(LEAST_ALONE * had_ns - busy_ns, LEAST_ALONE_WHEN_BUSY * had_ns)
    least_ns = alone_ns if in_flight == 1 else LEAST_TOGETHER * in_flight * each_asked_ns
    if not had_ns or least_ns <= sampled_ns <= MOST * had_ns:
        return None
    return (
        f"its latencies add up to {sampled_ns / 1e9:.4g} s, where {in_flight:,} at a time had {had_ns / 1e9:.4g} s: "
        "they are not those of the units that were claimed"
    )


def longest_mismatch(latency: Latency) -> str | None:
    """Return why the longest latency is not one of the histogram's, or None."""
    histogram = Histogram.of(latency.histogram)
    last_ns = histogram[-1][0] if histogram else 0
    if bucket(latency.max_ns) == bucket(last_ns):
        return None
    return f"its longest latency is {latency.max_ns:,} ns, but its histogram ends at {last_ns:,} ns"


def in_flight(scenario: Scenario, shape: Shape) -> int:
    """Return how many latency samples each process has under way at a time."""
    walkers = shape.threads or 1
    sliding = scenario is Scenario.PIPELINING and shape.window is Window.SLIDING
    return walkers * (shape.depth or 1) if sliding else walkers


def verification_mismatch(ready: Sequence[Ready], asked: int) -> str | None:
    """Return why a process did not verify replies, or None; large replies end it before all that were asked for."""
    is_verified = not asked or all(one.verified_replies for one in ready)
    return None if is_verified else f"no reply was verified, where {asked:,} were asked for"
