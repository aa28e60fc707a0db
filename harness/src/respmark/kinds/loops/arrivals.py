"""When the units of open loops are due, as files that runners read."""

import hashlib
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from respmark.contract.lines import Arrivals, OwnUnits, Work
from respmark.contract.rate import RateSchedule, Step

Offsets = npt.NDArray[np.float64]
"""When units are due, in ns after the first moment of a slice, ascending."""
DRAIN_NS: Final = 300_000_000
"""How long after a part's end late units may still start."""
AHEAD_NS: Final = 30_000_000
AHEAD_NS_PER_UNIT: Final = 200
"""How long before a slice's first moment its order is given: runners read when units are due."""


@dataclass(frozen=True)
class ArrivalFiles:
    """The files of a run, each written once: unit `k` of all is process `k mod processes`'s."""

    folder: Path
    seed: int

    def work(self, work: Work, schedule: RateSchedule, per_unit: int, processes: int, *, asleep: bool = False) -> Work:
        """Return a slice's work with what its units' times are; the slice lasts as long as the schedule.

        `asleep`: who waits for a unit sleeps until it is due, instead of reading the clock at the end.
        """
        lasts_s, lead_in_s = schedule.lasts_s or work.ns / 1e9, work.lead_in_ns / 1e9
        key = hashlib.sha256(repr((schedule, per_unit, lead_in_s, lasts_s)).encode()).hexdigest()[:16]
        files = [self.folder / f"{key}.{part}-of-{processes}" for part in range(processes)]
        if not files[-1].exists():
            due = due_ns(schedule, per_unit, lead_in_s, lasts_s, self.seed).astype("<i8")
            for part, file in enumerate(files):
                file.write_bytes(due[part::processes].tobytes())
                file.chmod(0o644)  # runners in containers are another user
        own = tuple(own_units(file, work.lead_in_ns) for file in files)
        arrivals = Arrivals(own=own, at=0, drain_ns=DRAIN_NS, awake_ns=0 if asleep else None)
        return work.model_copy(update={"arrivals": arrivals, "ns": round(lasts_s * 1e9)})


def own_units(file: Path, lead_in_ns: int) -> OwnUnits:
    """Return what a process is told of its units, which a file has."""
    return OwnUnits(file=str(file), lead_in=int(np.searchsorted(np.fromfile(file, "<i8"), lead_in_ns)))


def begins_at(work: Work, now_ns: int) -> Work:
    """Return a slice's work with its first moment, soon after now; work of a closed loop as it is."""
    if work.arrivals is None:
        return work
    units = sum(Path(own.file).stat().st_size // 8 for own in work.arrivals.own)
    at_ns = now_ns + AHEAD_NS + units * AHEAD_NS_PER_UNIT
    return work.model_copy(update={"arrivals": work.arrivals.model_copy(update={"at": at_ns})})


def due_ns(schedule: RateSchedule, per_unit: int, lead_in_s: float, slice_s: float, seed: int) -> Offsets:
    """Return when units of `per_unit` commands are due: first those of the lead-in, at the rate of the start.

    Times are whole, and rounded up: no unit is due too early. Unit `k` is due when the integral of the rate has reached
    `k`; with Poisson arrivals, a sum of `k` exponentials.
    """
    first = schedule.steps[0].start
    random = np.random.default_rng(seed) if schedule.is_poisson else None
    parts: list[Offsets] = []
    began_s = ahead = 0.0
    for step in (Step(first, first, lead_in_s), *schedule.steps):
        seconds = slice_s if step.seconds is None else step.seconds
        start, end = step.start / per_unit, step.end / per_unit
        units = (start + end) / 2 * seconds
        reached = np.arange(ahead, units) if random is None else _at_random(units, random)
        parts.append(began_s + _when(reached, start, (end - start) / seconds if seconds else 0.0))
        ahead += math.ceil(units - ahead) - units
        began_s += seconds
    return np.ceil(np.round(np.concatenate(parts) * 1e9, 3))  # 60 ms is 60,000,000 ns, and not 60,000,000.000000001


def _at_random(units: float, random: np.random.Generator) -> Offsets:
    reached = np.cumsum(random.exponential(size=math.ceil(units + 10 * math.sqrt(units) + 10)))
    return reached[reached < units]


def _when(reached: Offsets, start: float, growth: float) -> Offsets:
    """Return the time at which the integral of `start + growth * t` is so much."""
    if growth == 0:
        return reached / start if start else reached[:0]
    return (np.sqrt(np.maximum(start**2 + 2 * growth * reached, 0.0)) - start) / growth
