"""Rates: when the units of an open loop are due, whatever the ones before them take.

| text | commands per second |
| --- | --- |
| `20000` | the same all the time |
| `5000:0.2, 20000:0.1, 5000:0.2` | steps, each for so many seconds: a spike, a trough |
| `5000-20000:0.5` | a ramp from one rate to another |
| `poisson 20000` | arrivals at random with this mean, in place of even ones |
| `find p99=1ms` | the highest rate that keeps to this goal |
"""

import re
from dataclasses import dataclass
from typing import Annotated, Final

from pydantic import AfterValidator, BeforeValidator

POISSON: Final = "poisson"
NUMBER: Final = r"\d+(?:\.\d+)?"
FIND: Final = "find"
GOAL: Final = re.compile(rf"p(?P<percentile>[1-9]\d?(?:\.\d+)?)=(?P<limit>{NUMBER})(?P<unit>us|ms|s)")
IN_NS: Final = {"us": 1e3, "ms": 1e6, "s": 1e9}
STEP: Final = re.compile(rf"(?P<start>{NUMBER})(?:-(?P<end>{NUMBER}))?(?::(?P<seconds>{NUMBER}))?")


@dataclass(frozen=True)
class Step:
    """A part of a schedule: the rate changes evenly from its start to its end."""

    start: float
    """Commands per second."""
    end: float
    seconds: float | None
    """None: as long as the slice."""


@dataclass(frozen=True)
class RateSchedule:
    """The rate of a slice over its time."""

    steps: tuple[Step, ...]
    is_poisson: bool = False

    @property
    def lasts_s(self) -> float | None:
        """Return how long it lasts; None: as long as the slice."""
        each = [step.seconds for step in self.steps if step.seconds is not None]
        return sum(each) if each else None


@dataclass(frozen=True)
class Goal:
    """What a client must keep to at the rate that is looked for: a percentile of the time from due to done."""

    percentile: float
    limit_ns: float


def goal_of(text: str) -> Goal | None:
    """Return the goal of a rate that is to be found; None: the rate is known. Raises ValueError if it says neither."""
    word, _, rest = text.strip().partition(" ")
    if word != FIND:
        return None
    if (found := GOAL.fullmatch(rest.strip())) is None:
        raise ValueError(f"`{rest}` is not a goal; write p99=1ms, p99.9=500us or p50=0.2ms")
    return Goal(float(found["percentile"]), float(found["limit"]) * IN_NS[found["unit"]])


def parsed(text: str) -> RateSchedule:
    """Return the schedule that a rate says; raises ValueError if it says none."""
    word, _, rest = text.strip().partition(" ")
    is_poisson = word == POISSON
    steps = tuple(map(_step, (rest if is_poisson else text).split(",")))
    if len(steps) > 1 and any(step.seconds is None for step in steps):
        raise ValueError(f"each step of the rate `{text}` needs a duration in seconds, such as 5000:0.2")
    if all(step.start == step.end == 0 for step in steps) or steps[0].start == 0:
        raise ValueError(f"the rate `{text}` must begin above 0")
    if any(step.start != step.end and step.seconds is None for step in steps):
        raise ValueError(f"a ramp needs a duration in seconds: {text}:0.5")
    return RateSchedule(steps, is_poisson)


def _step(text: str) -> Step:
    if (found := STEP.fullmatch(text.strip())) is None:
        raise ValueError(
            f"`{text.strip()}` is not a rate; write 20000, 5000:0.2,20000:0.1 (steps) or 5000-20000:0.5 (a ramp)"
        )
    start, seconds = float(found["start"]), found["seconds"] and float(found["seconds"])
    if seconds == 0:
        raise ValueError(f"a step of the rate lasts 0 s: {text.strip()}")
    return Step(start, float(found["end"] or start), seconds or None)


def _checked(text: str) -> str:
    if text != CLOSED and goal_of(text) is None:
        parsed(text)
    return " ".join(text.split()).replace(", ", ",")


CLOSED: Final = "0"
"""No rate: the next unit begins when the one before has ended."""
Rate = Annotated[str, BeforeValidator(str), AfterValidator(_checked)]
