"""The server's state before a trial: every key of the SET space written, and where the server is ours, nothing else."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

import numpy as np
import numpy.typing as npt

from respmark.errors import TargetError
from respmark.target.claim import Claim, KeyGuardian
from respmark.target.control import Control
from respmark.target.permitted import CHANGING
from respmark.target.preload import preload
from respmark.target.target import Target
from respmark.target.url import address
from respmark.workload.file import Workload
from respmark.workload.spec import KeyArgument
from respmark.workload.structures import Structures

Lanes = Callable[[Control], AbstractContextManager[Sequence[Control]]]


def one_lane(_control: Control) -> AbstractContextManager[Sequence[Control]]:
    """Open no further connections."""
    return nullcontext(())


class DatabaseState:
    """Brings the database to its state and knows what trials can have changed since.

    The first time, every key of the SET space is written. After that, the only commands that write are the workload's
    own, and they write only keys that the workload file names: writing those again gives the same state. Lists, sets,
    hashes and counters are made anew, each in place of a string that was written to its key before. That nobody
    else wrote is what `dirty` is for: evidence that shows another command calls it, and the next restore is a whole
    one. The number of keys is compared each time.

    A server that the run started is emptied where the number is not right. On any other, nothing is ever deleted for
    it: keys of others stay, and are told.
    """

    def __init__(
        self,
        workload: Workload,
        sizes: npt.NDArray[np.uint32],
        lanes: Lanes = one_lane,
        guardian: KeyGuardian | None = None,
        structures: Structures | None = None,
    ) -> None:
        """`lanes` opens further connections for a whole load; `guardian` removes our keys if the run is killed."""
        self._lanes = lanes
        self._workload = workload
        self._sizes = sizes
        self._structures = structures
        written = _written_keys(workload)
        self._changed = written if structures is None else np.setdiff1d(written, structures.keys)
        self._loaded = False
        self._claim = Claim(workload, guardian)
        self._database = ""
        self.unexpected_keys = 0
        """The most keys that were in the database beside ours, before a trial."""
        self.note: Callable[[str], None] = _to_nobody
        """Hears what the user should know."""

    def dirty(self) -> None:
        """Forget what is known: the next restore is a whole one."""
        self._loaded = False

    def restore(self, target: Target) -> None:
        """Bring the database to its state.

        Raises:
            TargetError: the server refused, or holds another number of keys afterwards.
            AnotherServerError: it is not the server that it was.
        """
        if target.spawned:
            self._restore_ours(target)
        else:
            self._restore_beside_others(target)

    def close(self) -> None:
        """Remove our keys from a server that the run did not start; say so where that does not succeed."""
        if sentence := self._claim.release():
            self.note(sentence)

    @property
    def remarks(self) -> list[str]:
        """Return what a reader of the run's results should know."""
        if not self.unexpected_keys:
            return []
        remark = (
            f"{self._database} held up to {self.unexpected_keys:,} keys that this run did not write; they were left "
            "alone. A trial during which somebody else used the server is failed: the server's counters show it"
        )
        return [remark]

    def _restore_ours(self, target: Target) -> None:
        control = target.control
        if self._loaded:
            self._write_changed(control)
        if self._loaded and control.command("DBSIZE") == len(self._sizes):
            return
        self._loaded = False
        target.flush()
        self._write_all(control)
        self._check_number(control, control.command("DBSIZE"), at_most=len(self._sizes))
        self._loaded = True

    def _restore_beside_others(self, target: Target) -> None:
        target.check_address()
        whole = not (self._claim.whole and self._loaded)
        if not self._claim.whole:
            self._claim.take(target, lambda control: self._write_all(control, only_new=True))
        else:
            self._claim.check(target)
            self._write_again(target.control, whole=whole)
        self._look_for_others(target, whole=whole)
        self._loaded = True

    def _write_again(self, control: Control, *, whole: bool) -> None:
        if whole:
            self._write_all(control)
        else:
            self._write_changed(control)

    def _write_changed(self, control: Control) -> None:
        preload(control, self._workload, self._changed, self._sizes)
        self._make_structures(control)

    def _make_structures(self, control: Control) -> None:
        for removing, making in () if self._structures is None else self._structures.commands():
            control.command(*removing)
            control.command(*making)

    def _look_for_others(self, target: Target, *, whole: bool) -> None:
        """Compare the number of keys; where it is another, write ours again, for one may be missing among others."""
        control = target.control
        found = control.command("DBSIZE")
        if found != len(self._sizes) and not whole:
            self._write_all(control)
            found = control.command("DBSIZE")
        self._check_number(control, found)
        self._tell_others(target, found - len(self._sizes))

    def _tell_others(self, target: Target, number: int) -> None:
        first = number > 0 and not self.unexpected_keys
        self.unexpected_keys = max(self.unexpected_keys, number)
        if first:
            self._database = f"database {target.endpoint.database} of the target at {address(target.endpoint)}"
            self.note(
                f"{self._database} holds {number:,} keys that this run did not write; they are left alone. Trials "
                "during which somebody else uses the server fail: the server's counters show it"
            )

    def _write_all(self, control: Control, *, only_new: bool = False) -> list[int]:
        every = np.arange(len(self._sizes), dtype=np.uint32)
        with self._lanes(control) as others:
            existing = preload(control, self._workload, every, self._sizes, others, only_new=only_new)
        if not existing:
            # Only where every name is ours is a string of it replaced.
            self._make_structures(control)
        return existing

    def _check_number(self, control: Control, found: int, at_most: int | None = None) -> None:
        if found < len(self._sizes) or (at_most is not None and found > at_most):
            message = (
                f"the target at {address(control.endpoint)} holds {found:,} keys after {len(self._sizes):,} were "
                "written; is it short of memory (maxmemory with eviction), or does someone else write to it?"
            )
            raise TargetError(message)


def _to_nobody(_text: str) -> None:
    """Nobody listens."""


def _written_keys(workload: Workload) -> npt.NDArray[np.uint32]:
    """Return the numbers of the keys that the workload's commands may change."""
    written = [
        workload.keys[workload.kinds == index] + np.uint32(argument.offset)
        for index, kind in enumerate(workload.header.mix)
        for argument in kind.arguments
        if kind.name in CHANGING and isinstance(argument, KeyArgument)
    ]
    return np.unique(np.concatenate([np.empty(0, dtype=np.uint32), *written]))
