"""Writes keys in bulk: all keys of a workload, or those that its trials have changed.

Batches are made and sent while the server works on the previous one; replies are counted, not parsed. Memory is bounded
by a few batches.
"""

from collections import deque
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from redis.exceptions import ResponseError

from respmark.errors import TargetError
from respmark.target.control import Control, explain
from respmark.target.permitted import CHANGING
from respmark.target.url import address
from respmark.workload.spec import KeyArgument
from respmark.workload.workload import Workload, start, structure_commands, structure_keys

BATCH: Final = 1000
"""Commands made and sent at once: about 1 MB at the post's sizes."""
IN_FLIGHT: Final = 2
"""Batches sent ahead of the replies, so the server never waits for us, and its replies fit into the socket's buffer."""
REFUSAL_SIZE: Final = 4096
NIL: Final = b"$-1\r\n"
"""The reply to a SET that writes only a new key, if the key exists; as long as the other reply, `+OK`."""
SIZE: Final = len(NIL)
NEW: Final = b"\r\n$2\r\nNX\r\n"
"""The end of a SET that writes only a new key."""


def preload(
    control: Control,
    workload: Workload,
    keys: npt.NDArray[np.uint32],
    sizes: npt.NDArray[np.uint32],
    *,
    only_new: bool = False,
) -> list[int]:
    """SET every key in `keys` to its value of `sizes[key]` bytes.

    With `only_new`, existing keys are left as they are, and their numbers are returned.

    Raises TargetError (which quotes it) if the server refused a SET, TargetLostError if the server went away.
    """
    existing: list[int] = []
    awaited: deque[list[int]] = deque()
    for begin in range(0, len(keys), BATCH):
        part = keys[begin : begin + BATCH]
        data = b"".join(_commands(workload, part.tolist(), sizes[part].tolist(), NEW if only_new else b"\r\n"))
        if len(awaited) > IN_FLIGHT:
            existing += _receive(control, awaited.popleft())
        control.send_raw(data)
        awaited.append(part.tolist())
    for batch in awaited:
        existing += _receive(control, batch)
    return existing


def _receive(control: Control, keys: list[int]) -> list[int]:
    """Read the replies for these keys; return those that were not written because they exist."""
    replies = bytearray()
    while len(replies) < len(keys) * SIZE:
        replies += control.receive_raw(len(keys) * SIZE - len(replies))
        # All replies before the first error have the same size, so the first byte of each is at a known place.
        if (refused := replies[::SIZE].find(b"-")) >= 0:
            raise _refusal(control, bytes(replies[refused * SIZE :]))
    firsts = replies[::SIZE]
    return [] if b"$" not in firsts else [key for key, first in zip(keys, firsts, strict=True) if first == NIL[0]]


def _commands(workload: Workload, keys: Sequence[int], sizes: Sequence[int], ending: bytes) -> list[bytes]:
    header, block, bits = workload.header, workload.block, workload.header.modulus_bits
    prefix, digits = header.key_prefix.encode(), header.key_digits
    # One format for the whole frame up to the value: most of the cost of preloading is this line.
    escaped = prefix.replace(b"%", b"%%")
    words = b"*4" if ending == NEW else b"*3"
    frame = words + b"\r\n$3\r\nSET\r\n$%d\r\n%b%%0%dd\r\n$%%d\r\n" % (len(prefix) + digits, escaped, digits)
    pieces: list[bytes] = []
    for key, size in zip(keys, sizes, strict=True):
        begin = start(key, bits)
        pieces += (frame % (key, size), block[begin : begin + size], ending)
    return pieces


def _refusal(control: Control, data: bytes) -> TargetError:
    refusal = data[data.index(b"-") + 1 :]
    while b"\r\n" not in refusal:
        refusal += control.receive_raw(REFUSAL_SIZE)
    error = ResponseError(refusal.split(b"\r\n")[0].decode(errors="replace"))
    return TargetError(f"{explain(error, control.endpoint)} (while writing keys to {address(control.endpoint)})")


class PreloadedKeys:
    """The keys of one workload, and how they are written.

    Later, only the workload's own commands write, and they write only keys that the workload file names: writing those
    again restores the state. Lists, sets, hashes and counters are made anew, each in place of a string that was written
    to its key before.
    """

    def __init__(self, workload: Workload, sizes: npt.NDArray[np.uint32]) -> None:
        """`sizes` is the size of each value in bytes, by key number."""
        self.workload = workload
        self.name = workload.header.name
        self._sizes = sizes
        self._changed = np.setdiff1d(_written_keys(workload), structure_keys(workload.header))

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
        for removing, making in structure_commands(self.workload):
            control.command(*removing)
            control.command(*making)


def _written_keys(workload: Workload) -> npt.NDArray[np.uint32]:
    written = [
        workload.keys[workload.kinds == index] + np.uint32(argument.offset)
        for index, kind in enumerate(workload.header.mix)
        for argument in kind.arguments
        if kind.name in CHANGING and isinstance(argument, KeyArgument)
    ]
    return np.unique(np.concatenate([np.empty(0, dtype=np.uint32), *written]))
