"""The keys of one workload as every block finds them: strings, some replaced by lists, sets, hashes or counters."""

import numpy as np
import numpy.typing as npt

from respmark.target.control import Control
from respmark.target.permitted import CHANGING
from respmark.target.preload import preload
from respmark.workload.file import Workload
from respmark.workload.spec import KeyArgument
from respmark.workload.structures import Structures


class PreloadedKeys:
    """The keys of one workload, and how they are written.

    Later, only the workload's own commands write, and they write only keys that the workload file names: writing those
    again restores the state. Lists, sets, hashes and counters are made anew, each in place of a string that was written
    to its key before.
    """

    def __init__(self, workload: Workload, sizes: npt.NDArray[np.uint32], structures: Structures | None = None) -> None:
        """`sizes` is the size of each value in bytes, by key number."""
        self.workload = workload
        self.name = workload.header.name
        self._sizes = sizes
        self._structures = structures
        written = _written_keys(workload)
        self._changed = written if structures is None else np.setdiff1d(written, structures.keys)

    def __len__(self) -> int:
        return len(self._sizes)

    def write_all(self, control: Control, *, only_new: bool = False) -> list[int]:
        """Write every key, or with `only_new` those that do not exist; return the numbers of those that did."""
        every = np.arange(len(self), dtype=np.uint32)
        existing = preload(control, self.workload, every, self._sizes, only_new=only_new)
        if not existing:
            # Strings are replaced only if every name is ours.
            self._make_structures(control)
        return existing

    def write_changed(self, control: Control) -> None:
        """Write again what the workload's commands may have changed."""
        preload(control, self.workload, self._changed, self._sizes)
        self._make_structures(control)

    def _make_structures(self, control: Control) -> None:
        for removing, making in () if self._structures is None else self._structures.commands():
            control.command(*removing)
            control.command(*making)


def _written_keys(workload: Workload) -> npt.NDArray[np.uint32]:
    """Return the numbers of the keys that the workload's commands may change."""
    written = [
        workload.keys[workload.kinds == index] + np.uint32(argument.offset)
        for index, kind in enumerate(workload.header.mix)
        for argument in kind.arguments
        if kind.name in CHANGING and isinstance(argument, KeyArgument)
    ]
    return np.unique(np.concatenate([np.empty(0, dtype=np.uint32), *written]))
