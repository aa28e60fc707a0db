"""Keys of runs that could not remove them: found by the form of their names, removed by a given prefix."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from respmark.errors import InvalidRequestError
from respmark.target.control import Control
from respmark.target.own_keys import removing_command

RUN: Final = r"respmark:(?:[0-9a-f]{8}|\{[0-9a-f]{8}\}):"
"""The prefix that was drawn for a workload of the run; in a cluster, its digits are a hash tag."""
RUN_KEY: Final = re.compile(f"({RUN}.*?)[0-9]+".encode(), re.DOTALL)
"""That prefix, the workload's own, and the key's number."""
SCANNED: Final = 1000
"""Keys that the server looks at in one SCAN."""


def find(control: Control) -> Counter[str]:
    """Return the number of keys under each prefix of a run.

    Raises:
        TargetError: the server refused or went away.
    """
    return Counter(_prefix(match).decode(errors="replace") for match in _run_keys(control, "respmark:"))


def remove_under(control: Control, prefix: str) -> int:
    """Delete every key of the run that has this prefix; return how many there were.

    Raises:
        InvalidRequestError: it is not the prefix of a run.
        TargetError: the server refused or went away.
    """
    if (run := re.match(RUN, prefix)) is None:
        message = f"`{prefix}` is not what a run's keys begin with, that is `respmark:`, eight hexadecimal digits, `:`"
        raise InvalidRequestError(message)
    found = [match[0] for match in _run_keys(control, run[0]) if _prefix(match) == prefix.encode()]
    if found:
        word = removing_command(control, found[0])
        for name in found[1:]:
            control.command(word, name)
    return len(found)


def _prefix(match: "re.Match[bytes]") -> bytes:
    return bytes(match[1])


def _run_keys(control: Control, beginning: str) -> Iterator["re.Match[bytes]"]:
    """Scan the database without blocking it; a key that SCAN returns twice counts once."""
    seen: set[bytes] = set()
    cursor: bytes | int = 0
    while True:
        cursor, names = control.command("SCAN", cursor, "MATCH", f"{beginning}*", "COUNT", SCANNED)
        seen.update(names)
        if int(cursor) == 0:
            break
    return (match for name in sorted(seen) if (match := RUN_KEY.fullmatch(name)))
