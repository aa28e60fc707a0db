"""The keys of a workload: which of them its commands may change, and how they are written, all or those that changed.

Batches are made and sent while the server works on the previous one; replies are counted, not parsed. Memory is bounded
by a few batches.
"""

from collections import deque
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from redis.exceptions import ResponseError

from respmark.errors import InvalidRequestError, ServerError
from respmark.servers.control import Control
from respmark.servers.refusals import explain
from respmark.servers.url import address
from respmark.workload.commands import known
from respmark.workload.spec import CommandSpec, KeyArgument
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

    Raises ServerError (which quotes it) if the server refused a SET, ServerLostError if the server went away.
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


def _refusal(control: Control, data: bytes) -> ServerError:
    refusal = data[data.index(b"-") + 1 :]
    while b"\r\n" not in refusal:
        refusal += control.receive_raw(REFUSAL_SIZE)
    error = ResponseError(refusal.split(b"\r\n")[0].decode(errors="replace"))
    return ServerError(f"{explain(error, control.endpoint)} (while writing keys to {address(control.endpoint)})")


class PreloadedKeys:
    """The keys of one workload, and how they are written.

    Later, only the workload's own commands write, and they write only keys that the workload file names: writing those
    again restores the state. Lists, sets, hashes and counters are made anew, each in place of a string that was written
    to its key before. The workload's `setup` is sent again as well.
    """

    def __init__(self, workload: Workload, sizes: npt.NDArray[np.uint32]) -> None:
        """`sizes` is the size of each value in bytes, by key number."""
        self.workload = workload
        self.name = workload.header.name
        self._sizes = sizes
        written = np.unique(np.concatenate([changed_keys(workload, kind) for kind in range(len(workload.header.mix))]))
        self._changed = np.setdiff1d(written[written < len(sizes)], structure_keys(workload.header))

    def __len__(self) -> int:
        return len(self._sizes)

    def write_all(self, control: Control, *, only_new: bool = False) -> list[int]:
        """Write every key, or with `only_new` those that do not exist; return the numbers of those that did."""
        existing = self._write(control, np.arange(len(self), dtype=np.uint32), only_new=only_new)
        if not existing:
            # Strings are replaced only if every name is ours.
            self._make_structures(control)
        return existing

    def write_changed(self, control: Control) -> None:
        """Write again what the workload's commands may have changed."""
        self._write(control, self._changed)
        self._make_structures(control)

    def _write(self, control: Control, keys: npt.NDArray[np.uint32], *, only_new: bool = False) -> list[int]:
        header, existing = self.workload.header, list[int]()
        for node, held in control.split(header.key_prefix.encode(), header.key_digits, keys):
            existing += preload(node, self.workload, held, self._sizes, only_new=only_new)
        return existing

    def _make_structures(self, control: Control) -> None:
        for command in self.workload.header.setup:
            control.on_each(*command)
        for removing, making in structure_commands(self.workload):
            node = control.holding(removing[1])
            node.command(*removing)
            node.command(*making)


def changed_keys(workload: Workload, kind: int) -> npt.NDArray[np.uint32]:
    """Return the number of every key that commands of this kind may change."""
    command, used = workload.header.mix[kind], workload.keys[workload.kinds == kind]
    offsets = [a.offset for a in command.arguments if isinstance(a, KeyArgument) and known(command.name).changes]
    return np.unique(np.add.outer(np.array(offsets, dtype=np.uint32), used))


def check_commands(workload: Workload) -> None:
    """Refuse a workload that could change a key that is not the run's own, or something else of the server."""
    if workload.header.setup:
        raise InvalidRequestError(
            f"workload `{workload.header.name}` sets up the server with {workload.header.setup[0][0]}: "
            "measure it on a server that respmark starts"
        )
    if workload.header.beside:
        raise InvalidRequestError(
            f"workload `{workload.header.name}` has the run send {workload.header.beside.command[0]} beside clients: "
            "measure it on a server that respmark starts"
        )
    for kind, command in enumerate(workload.header.mix):
        if (changed_keys(workload, kind) >= workload.header.preload_keys).any() or not _names_its_own_keys(command):
            raise InvalidRequestError(
                f"workload `{workload.header.name}` has {command.name}, which may change keys that the run did not "
                "write; on a server that the run did not start, only commands that change nothing but the run's own "
                "keys are sent (docs/measuring.md): measure this workload on a server that respmark starts"
            )


def _names_its_own_keys(command: CommandSpec) -> bool:
    is_key = [isinstance(argument, KeyArgument) for argument in command.arguments]
    match known(command.name).keys:
        case "none":
            return True
        case "first":
            return is_key[:1] == [True]
        case "all":
            return all(is_key)
        case "pairs":
            return all(is_key[::2])
        case None:
            return False
