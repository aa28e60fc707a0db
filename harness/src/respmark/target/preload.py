"""Writes keys in bulk: the SET space before a run, and what a trial changed before the next.

Commands are made in batches and sent while the server works on the batch before; replies are counted, not parsed.
Memory is bounded by a few batches.
"""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from redis.exceptions import ResponseError

from respmark.errors import TargetError
from respmark.target.control import Control, explain
from respmark.target.url import address
from respmark.workload.file import Workload
from respmark.workload.values import start

BATCH: Final = 1000
"""Commands made and sent at once: about 1 MB at the post's sizes."""
IN_FLIGHT: Final = 2
"""Batches sent ahead of the replies: the server never waits for us, and its replies fit the socket's buffer."""
LANES: Final = 16
LANE_BATCH: Final = 100
"""Commands sent at once where several connections take turns: the next batch waits for the replies of the last."""
REFUSAL_SIZE: Final = 4096
OK: Final = b"+OK\r\n"


def preload(
    control: Control,
    workload: Workload,
    keys: npt.NDArray[np.uint32],
    sizes: npt.NDArray[np.uint32],
    others: Sequence[Control] = (),
) -> None:
    """SET every key in `keys` to its value of `sizes[key]` bytes, over `control` and `others` in turn.

    Raises:
        TargetError: the server refused a SET; the message has its words.
        TargetLostError: it went away.
    """
    lanes = [control, *others]
    size, ahead = (LANE_BATCH, 0) if others else (BATCH, IN_FLIGHT * BATCH)
    awaited = [0] * len(lanes)
    for number, (count, data) in enumerate(_batches(workload, keys, sizes, size)):
        lane = number % len(lanes)
        if (surplus := awaited[lane] - ahead) > 0:
            _receive(lanes[lane], surplus)
            awaited[lane] -= surplus
        lanes[lane].send_raw(data)
        awaited[lane] += count
    for lane_control, count in zip(lanes, awaited, strict=True):
        _receive(lane_control, count)


@contextlib.contextmanager
def more_lanes(control: Control) -> Iterator[list[Control]]:
    """Open further connections to the control's server, as many as it has free, for a large preload.

    One connection makes the server write replies after every 16 KiB that it reads; over several, it gathers them.
    """
    with contextlib.ExitStack() as stack:
        opened: list[Control] = []
        with contextlib.suppress(TargetError):
            while len(opened) < LANES - 1:
                opened.append(stack.enter_context(Control(control.endpoint)))
        yield opened


def _batches(
    workload: Workload, keys: npt.NDArray[np.uint32], sizes: npt.NDArray[np.uint32], size: int
) -> Iterator[tuple[int, bytes]]:
    for begin in range(0, len(keys), size):
        part = keys[begin : begin + size]
        yield len(part), b"".join(_commands(workload, part.tolist(), sizes[part].tolist()))


def _commands(workload: Workload, keys: Sequence[int], sizes: Sequence[int]) -> list[bytes]:
    header, block, bits = workload.header, workload.block, workload.header.value_modulus_bits
    prefix, digits = header.key_prefix.encode(), header.key_digits
    # One format for the whole frame up to the value: this line is what preloading costs.
    escaped = prefix.replace(b"%", b"%%")
    frame = b"*3\r\n$3\r\nSET\r\n$%d\r\n%b%%0%dd\r\n$%%d\r\n" % (len(prefix) + digits, escaped, digits)
    pieces: list[bytes] = []
    for key, size in zip(keys, sizes, strict=True):
        begin = start(key, bits)
        pieces += (frame % (key, size), block[begin : begin + size], b"\r\n")
    return pieces


def _receive(control: Control, count: int) -> None:
    """Read `count` replies, all of which must be OK."""
    left = count * len(OK)
    while left > 0:
        data = control.receive_raw(left)
        if b"-" in data:
            raise _refusal(control, data)
        left -= len(data)


def _refusal(control: Control, data: bytes) -> TargetError:
    refusal = data[data.index(b"-") + 1 :]
    while b"\r\n" not in refusal:
        refusal += control.receive_raw(REFUSAL_SIZE)
    error = ResponseError(refusal.split(b"\r\n")[0].decode(errors="replace"))
    return TargetError(f"{explain(error, control.endpoint)} (while writing keys to {address(control.endpoint)})")
