"""What a slice of an open loop shows: how late units began, how long they took, and whether the rate was kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from respmark.contract.lines import Work, Worked
from respmark.contract.trial import Window, walkers
from respmark.plan.plan import PlannedCell

Times = npt.NDArray[np.float64]
"""In ns."""
LATE_SHARE: Final = 0.01
"""The share of the units due that may not have begun when the last one is due."""


@dataclass(frozen=True)
class OpenSlice:
    """The units of the measured part of one slice."""

    work: Work
    due: Times
    """When all of them were due, ascending, in ns after the slice's first moment."""
    kept: Times
    """A row for each that began: its latency (negative if it failed), when it was due, and how much later it began."""
    places: int
    """How many units may be under way at the same time."""
    ended_ns: float
    """When the last process ended, after the slice's first moment."""

    @property
    def response(self) -> Times:
        """Return the time from due to done; of a unit that never began, the time until it was given up."""
        return np.concatenate([self.service + self._succeeded[:, 2], self._closed_ns - self.unstarted])

    @property
    def service(self) -> Times:
        """Return the time from begin to done."""
        return self._succeeded[:, 0]

    @property
    def lag(self) -> Times:
        """Return the time from due to begin."""
        return self._succeeded[:, 2]

    @property
    def failed(self) -> int:
        """Return how many units failed."""
        return len(self.kept) - len(self._succeeded)

    @property
    def unstarted(self) -> Times:
        """Return when the units were due that never began."""
        return np.setdiff1d(self.due, self.kept[:, 1])

    @property
    def left_out(self) -> str | None:
        """Return why units are missing that there was time for; None if there was none, or none is missing."""
        missing, early_ms = len(self.unstarted), (self._closed_ns - self.ended_ns) / 1e6
        if not missing or early_ms <= 0:
            return None
        return f"{missing:,} of {len(self.due):,} due units were not sent, although {early_ms:,.0f} ms remained"

    @property
    def is_saturated(self) -> bool:
        """Return whether more units were waiting at the end than those just due, and more than at half time."""
        end_ns = self.work.lead_in_ns + self.work.ns
        waiting = self._waiting(np.array([end_ns - self.work.ns / 2, end_ns]))
        return bool(waiting[1] > max(self.places, LATE_SHARE * len(self.due)) and waiting[1] > waiting[0])

    @property
    def figures(self) -> dict[str, Any]:
        """Return what the slice's record has of it."""
        return {
            "due": len(self.due),
            "unstarted": len(self.unstarted),
            "backlog": int(self._waiting(self.due).max(initial=0)),
            "is_saturated": self.is_saturated,
            **percentiles(self.response),
            **percentiles(self.service, "service_"),
            **percentiles(self.lag, "lag_"),
        }

    @property
    def _succeeded(self) -> Times:
        return self.kept[self.kept[:, 0] >= 0]

    @property
    def _closed_ns(self) -> float:
        drain_ns = self.work.arrivals.drain_ns if self.work.arrivals else 0
        return float(self.work.lead_in_ns + self.work.ns + drain_ns)

    def _waiting(self, moments: Times) -> npt.NDArray[np.int64]:
        """Return how many units were due and had not begun at each of these moments."""
        began = np.sort(self.kept[:, 1] + self.kept[:, 2])
        due: npt.NDArray[np.int64] = np.searchsorted(self.due, moments, side="right").astype(np.int64)
        return due - np.searchsorted(began, moments, side="right").astype(np.int64)


def open_slice(cell: PlannedCell, work: Work, answers: Sequence[Worked], kept: Times) -> OpenSlice | None:
    """Return what a slice of an open loop shows; None for a closed one."""
    arrivals, shape = work.arrivals, cell.shape
    if arrivals is None:
        return None
    own = [np.fromfile(one.file, "<i8")[one.lead_in :] for one in arrivals.own]
    due, ended_ns = np.sort(np.concatenate(own)).astype(np.float64), max(one.ended.at_ns for one in answers)
    depth = shape.depth if shape.window is Window.SLIDING else None
    places = shape.processes * walkers(cell.scenario, shape) * (depth or 1)
    return OpenSlice(work, due, kept, places, ended_ns - arrivals.at)


def percentiles(values: Times, of: str = "") -> dict[str, float | None]:
    """Return p50 and p99 as a slice's record has them, under names that begin with `of`."""
    if not len(values):
        return {f"{of}p50_ns": None, f"{of}p99_ns": None}
    p50_ns, p99_ns = np.percentile(values, [50, 99])
    return {f"{of}p50_ns": float(p50_ns), f"{of}p99_ns": float(p99_ns)}
