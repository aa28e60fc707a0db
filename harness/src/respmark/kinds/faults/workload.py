"""What callers send: each alternates a GET of a key with a known value and an INCRBY of a counter of its own.

The counters of two callers are far apart: a reply that belongs to another caller's command is noticed.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from respmark.contract.rate import parsed
from respmark.contract.trial import Shape
from respmark.errors import UnsupportedError
from respmark.kinds.faults.duration import BURST, BURST_S, goes_on_s
from respmark.kinds.faults.log import Unit
from respmark.plan.faults import RATE, sent_by_callers
from respmark.workload.replies import wrong_reply
from respmark.workload.spec import CommandSpec
from respmark.workload.workload import Workload

APART: Final = 10_000_000
"""By how much a caller's counter begins higher than that of the one before; none counts so far."""


Offsets = npt.NDArray[np.int64]
"""When units are due, in ns after the first one, ascending."""


def due_ns(shape: Shape, callers: int) -> Offsets:
    """Return when units of all callers are due: at first together, then evenly at the shape's rate."""
    (step,) = parsed(shape.rate or RATE).steps
    bursts = np.repeat(np.arange(BURST) * BURST_S, callers)
    evenly = np.arange(BURST * BURST_S, goes_on_s(shape), 1 / step.start)
    return (np.concatenate([bursts, evenly]) * 1e9).astype(np.int64)


class Stretches:
    """The commands of several callers, one stretch of the workload after the other."""

    def __init__(
        self, workload: Workload, callers: int, each: int, is_affected: Callable[[bytes], bool] | None = None
    ) -> None:
        """`each` is how many commands a caller sends at most.

        Where a fault affects only some keys, as `is_affected` says, every other caller, the first one among them, has
        such keys alone, and those between have none of them; without it, all keys are alike. Raises UnsupportedError if
        there are too few of either.
        """
        self._get, self._increment = sent_by_callers(workload.header) or (0, 0)
        self.callers = callers
        self.each = each + each % 2
        spaces = [workload.header.mix[kind] for kind in (self._get, self._increment)]
        known, own = (_parts(workload, one, is_affected) for one in spaces)
        sides = len(own)
        self._affected = range(0, callers, sides)
        if any(len(part) * sides < callers for part in own) or not all(map(len, known)):
            counts = " and ".join(f"{len(part):,}" for part in own)
            raise UnsupportedError(f"{callers:,} callers need a counter each, on either side: there are {counts}")
        self.counters = [int(own[caller % sides][caller // sides]) for caller in range(callers)]
        """The number of each caller's key."""
        rows = np.arange(callers * self.each)
        callers_of_rows = rows // self.each
        kinds = np.where(rows % 2, self._increment, self._get)
        gets = np.empty(len(rows), dtype=np.int64)
        for side, part in enumerate(known):
            of_side = callers_of_rows % sides == side
            gets[of_side] = part[rows[of_side] % len(part)]
        self.workload = Workload(
            workload.header.model_copy(update={"commands": len(rows)}),
            kinds.astype(np.uint8),
            np.where(rows % 2, np.array(self.counters)[callers_of_rows], gets).astype(np.uint32),
            np.zeros(len(rows), dtype=np.uint32),
            workload.block,
        )

    def begins(self) -> list[tuple[bytes, int]]:
        """Return each counter's key, and where it is to begin."""
        return [(self.workload.key(key), caller * APART) for caller, key in enumerate(self.counters)]

    def affected(self) -> dict[int, tuple[bytes, int]]:
        """Return the callers whose keys are affected, each with its counter's key, and where that is to begin."""
        begins = self.begins()
        return {caller: begins[caller] for caller in self._affected}

    def is_increment(self, unit: Unit) -> bool:
        """Return whether a command counts."""
        return bool(self.workload.kinds[self._row(unit)] == self._increment)

    def is_right(self, unit: Unit) -> bool:
        """Return whether the reply to a command can be one: a known value, or a number of the caller's own counter."""
        if self.is_increment(unit):
            return self.executed(unit) is not None
        return wrong_reply(self.workload, self._row(unit), [unit.reply]) is None

    def executed(self, unit: Unit) -> int | None:
        """Return how many of its caller's INCRBYs were executed by then, as the reply to one says; None: it is none."""
        count = unit.reply - unit.caller * APART if isinstance(unit.reply, int) else 0
        return count if 0 < count < APART else None

    def _row(self, unit: Unit) -> int:
        return unit.caller * self.each + unit.number


def _parts(
    workload: Workload, space: CommandSpec, is_affected: Callable[[bytes], bool] | None
) -> list[npt.NDArray[np.int64]]:
    """Return the numbers of a command's keys: all, or those that are affected and those that are not."""
    numbers = np.arange(space.first_key, space.first_key + space.keys)
    if is_affected is None:
        return [numbers]
    which = np.array([is_affected(workload.key(int(number))) for number in numbers])
    return [numbers[which], numbers[~which]]
