"""The workload file that runners read (harness/contract.md)."""

import hashlib
import json
import re
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from respmark.errors import InvalidRequestError
from respmark.files import explained_if_not_written, write_whole
from respmark.workload.spec import Argument, CommandSpec, KeyArgument, LiteralArgument, ValueArgument
from respmark.workload.workload import MULTIPLIER, Workload, renamed

MOST_STEPS: Final = 1 << 16
NUMBER: Final = re.compile(r"-?\d{1,15}(\.\d{1,6})?")
"""What every language reads as the same number and writes as it was; any other literal is text."""
Cut = tuple[int, int]
"""Where a value begins in the workload's block, and its size."""


def write(workload: Workload, path: Path) -> None:
    """Write the file, whole or not at all."""
    with explained_if_not_written(path):
        write_whole(path, content(workload))


def commands_in(path: Path) -> int:
    """Return how many commands a file has."""
    with path.open("rb") as file:
        return int(json.loads(file.readline())["commands"])


def content(workload: Workload) -> bytes:
    """Return the bytes of the file."""
    steps, cuts, numbers = _steps(workload)
    header = {
        "commands": len(workload.kinds),
        "key_bytes": len(workload.key(0)),
        "values": [size for _, size in cuts],
        "kinds": [{"name": one.name, "arguments": list(map(_argument, one.arguments))} for one in workload.header.mix],
        "steps": steps,
    }
    values = b"".join(workload.block[begin : begin + size] for begin, size in cuts)
    return b"".join((json.dumps(header).encode(), b"\n", numbers.tobytes(), _keys(workload), values))


def _argument(argument: Argument) -> str | dict[str, int | float | str]:
    return {"literal": literal(argument.text)} if isinstance(argument, LiteralArgument) else argument.kind


def literal(text: str) -> int | float | str:
    """Return a number as a number."""
    if not NUMBER.fullmatch(text):
        return text
    number = float(text) if "." in text else int(text)
    return number if str(number) == text else text


def _steps(workload: Workload) -> tuple[list[list[int]], list[Cut], npt.NDArray[np.uint16]]:
    mask = (1 << workload.header.modulus_bits) - 1
    has_value = np.array([one.has_value for one in workload.header.mix])[workload.kinds]
    starts = (workload.keys.astype(np.uint64) * MULTIPLIER) & np.uint64(mask)
    of_value = np.where(has_value, (starts << np.uint64(32)) | workload.sizes, np.uint64(0))
    codes = (workload.kinds.astype(np.uint64) << np.uint64(56)) | of_value  # one number is sorted faster than three
    distinct, numbers = np.unique(codes, return_inverse=True)
    if len(distinct) > MOST_STEPS:
        raise InvalidRequestError(
            f"workload `{workload.header.name}` has {len(distinct)} different commands besides their keys, more than "
            f"{MOST_STEPS}: lower its modulus_bits, or `distinct` of its sizes"
        )
    cuts: dict[Cut, int] = {}
    steps = []
    for code in distinct.tolist():
        kind, begin, size = code >> 56, code >> 32 & mask, code & 0xFFFFFFFF
        own = _cuts(workload.header.mix[kind], begin, size, mask)
        steps.append([kind, *(cuts.setdefault(cut, len(cuts)) for cut in own)])
    return steps, list(cuts), numbers.reshape(-1).astype("<u2")


def _cuts(kind: CommandSpec, begin: int, size: int, mask: int) -> list[Cut]:
    offsets = [one.offset for one in kind.arguments if isinstance(one, ValueArgument)]
    return [((begin + offset * MULTIPLIER) & mask, size) for offset in offsets]


def _keys(workload: Workload) -> bytes:
    offsets = [[one.offset for one in kind.arguments if isinstance(one, KeyArgument)] for kind in workload.header.mix]
    most = max(map(len, offsets))
    table = np.array([[*row, *[-1] * (most - len(row))] for row in offsets], dtype=np.int64).reshape(len(offsets), most)
    of_command = table[workload.kinds]
    numbers = (workload.keys[:, None].astype(np.int64) + of_command)[of_command >= 0]
    prefix = np.frombuffer(workload.header.key_prefix.encode(), dtype=np.uint8)
    digits = workload.header.key_digits
    column = np.empty((len(numbers), len(prefix) + digits), dtype=np.uint8)
    column[:, : len(prefix)] = prefix
    for place in range(digits):
        column[:, len(prefix) + digits - 1 - place] = numbers // 10**place % 10 + ord("0")
    return column.tobytes()


def digest(workload: Workload, key_prefix: str) -> str:
    """Return the SHA-256 of its file as if keys had this prefix: the same for every run of the same commands."""
    return hashlib.sha256(content(renamed(workload, key_prefix))).hexdigest()
