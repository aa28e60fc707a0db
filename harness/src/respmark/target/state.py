"""The server's state before a trial: the SET space preloaded, nothing else."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

import numpy as np
import numpy.typing as npt

from respmark.errors import TargetError
from respmark.target.control import Control
from respmark.target.preload import preload
from respmark.target.url import address
from respmark.workload.file import Workload
from respmark.workload.spec import ValueArgument

Lanes = Callable[[Control], AbstractContextManager[Sequence[Control]]]


def one_lane(_control: Control) -> AbstractContextManager[Sequence[Control]]:
    """Open no further connections."""
    return nullcontext(())


class DatabaseState:
    """Brings the database to its state and knows what trials can have changed since.

    The first time, the database is flushed and every key of the SET space written. After that, the only commands that
    write are the workload's own, and they write only keys that the workload file names: writing those again gives the
    same state. That nobody else wrote is what `dirty` is for: evidence that shows another command calls it, and the
    next restore is a whole one. The number of keys is compared each time.
    """

    def __init__(self, workload: Workload, sizes: npt.NDArray[np.uint32], lanes: Lanes = one_lane) -> None:
        """`lanes` opens further connections for the first, whole load."""
        self._lanes = lanes
        self._workload = workload
        self._sizes = sizes
        self._changed = _written_keys(workload)
        self._loaded = False

    def dirty(self) -> None:
        """Forget what is known: the next restore flushes."""
        self._loaded = False

    def restore(self, control: Control, flush: Callable[[Control], None]) -> None:
        """Bring the database to its state.

        Raises:
            TargetError: the server refused, or holds another number of keys afterwards.
        """
        if self._loaded:
            preload(control, self._workload, self._changed, self._sizes)
        if not self._loaded or control.command("DBSIZE") != len(self._sizes):
            self._load_whole(control, flush)

    def _load_whole(self, control: Control, flush: Callable[[Control], None]) -> None:
        flush(control)
        with self._lanes(control) as others:
            preload(control, self._workload, np.arange(len(self._sizes), dtype=np.uint32), self._sizes, others)
        if (found := control.command("DBSIZE")) != len(self._sizes):
            message = (
                f"the target at {address(control.endpoint)} holds {found:,} keys after {len(self._sizes):,} were "
                "written; is it short of memory (maxmemory with eviction), or does someone else write to it?"
            )
            raise TargetError(message)
        self._loaded = True


def _written_keys(workload: Workload) -> npt.NDArray[np.uint32]:
    writes = np.array(
        [any(isinstance(argument, ValueArgument) for argument in kind.arguments) for kind in workload.header.mix]
    )
    return np.unique(workload.keys[writes[workload.kinds]])
