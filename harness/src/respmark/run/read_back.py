"""Reads back from the server what a client wrote while it verified: replies alone do not show what was sent."""

from typing import Final

from respmark.target.control import Control
from respmark.workload.file import Workload
from respmark.workload.spec import KeyArgument

WRITERS: Final = frozenset({"SET", "MSET"})
MOST: Final = 20
"""Keys that are read back; every value is sent the same way."""


def written_otherwise(control: Control, workload: Workload, first: int, commands: int) -> str | None:
    """Return which key holds something else than its value after these commands; None if all are right."""
    for number in _written(workload, first, commands)[:MOST]:
        key = workload.key(number)
        found = control.command("GET", key)
        # Another process may have written it since, in another size.
        size = len(found) if isinstance(found, bytes) else 0
        is_of_a_size = workload.header.sizes.min_bytes <= size <= workload.header.sizes.max_bytes
        if not is_of_a_size or found != workload.value(number, size):
            return f"the client wrote {key.decode()} in verification, and the server does not hold the workload's value"
    return None


def _written(workload: Workload, first: int, commands: int) -> list[int]:
    """Return the numbers of the keys that these commands write."""
    numbers = []
    for index in range(first, first + commands):
        row = index % len(workload.kinds)
        kind = workload.header.mix[workload.kinds[row]]
        if kind.name in WRITERS:
            offsets = [one.offset for one in kind.arguments if isinstance(one, KeyArgument)]
            numbers += [int(workload.keys[row]) + offset for offset in offsets]
    return list(dict.fromkeys(numbers))
