"""Holds a trial's latencies against the time that it took, and its verification against what was asked for."""

from collections.abc import Sequence
from typing import Final

from respmark.contract.events import Ready, Result
from respmark.contract.trial import Scenario, Shape, Window
from respmark.histogram import Histogram
from respmark.records import SliceRecord

MOST: Final = 1.02
"""Samples of all that is in flight cannot add up to more than the time there was; clocks are read in between."""
LEAST_ALONE: Final = 0.8
"""One walker is always waiting for a unit: seen, 0.996 and more."""
LEAST_TOGETHER: Final = 0.5
"""Of the time asked for: after it walkers wait for the last of them (seen: 1,000 threads, 45 ms asked, 90 taken)."""


def latency_mismatch(slices: Sequence[SliceRecord], results: Sequence[Result], in_flight: int) -> str | None:
    """Return why the samples do not fit the time of the slices; `in_flight`: samples under way in each process."""
    had_ns = in_flight * sum(a.ended.at_ns - a.measured_from.at_ns for one in slices for a in one.answers)
    asked_ns = in_flight * sum(one.order.duration_ns for one in slices for _ in one.answers)
    sampled_ns = sum(Histogram.of(result.latency.histogram).sum_ns for result in results)
    least_ns = LEAST_ALONE * had_ns if in_flight == 1 else LEAST_TOGETHER * asked_ns
    if not had_ns or least_ns <= sampled_ns <= MOST * had_ns:
        return None
    return (
        f"its latencies add up to {sampled_ns / 1e9:.4g} s, where {in_flight:,} at a time had {had_ns / 1e9:.4g} s: "
        "they are not those of the units that were claimed"
    )


def in_flight(scenario: Scenario, shape: Shape) -> int:
    """Return how many latency samples each process has under way at a time."""
    walkers = shape.threads or 1
    sliding = scenario is Scenario.PIPELINING and shape.window is Window.SLIDING
    return walkers * (shape.depth or 1) if sliding else walkers


def verification_mismatch(ready: Sequence[Ready], asked: int) -> str | None:
    """Return why replies were not verified as asked: so many commands by each process."""
    least = min((one.verified_replies for one in ready), default=asked)
    return None if least >= asked else f"{least:,} replies were verified, where {asked:,} were asked for"
