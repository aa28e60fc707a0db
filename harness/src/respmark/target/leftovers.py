"""Keys of runs that could not remove them: found by the form of their names, removed by a given prefix."""

import re
from collections import Counter
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
    """Return the number of keys under each prefix of a run."""
    return Counter(prefix.decode(errors="replace") for prefix in _run_keys(control, "respmark:").values())


def remove_under(control: Control, prefix: str) -> int:
    """Delete every key of the run that has this prefix; return how many there were."""
    if (run := re.match(RUN, prefix)) is None:
        message = f"`{prefix}` is not what a run's keys begin with, that is `respmark:`, eight hexadecimal digits, `:`"
        raise InvalidRequestError(message)
    found = [name for name, its_prefix in _run_keys(control, run[0]).items() if its_prefix == prefix.encode()]
    word = removing_command(control, found[0]) if found else ""
    for name in found[1:]:
        control.command(word, name)
    return len(found)


def _run_keys(control: Control, beginning: str) -> dict[bytes, bytes]:
    """Scan the database without blocking it; return the prefix of each key of a run."""
    found: dict[bytes, bytes] = {}
    cursor: bytes | int | None = None
    while cursor is None or int(cursor) != 0:
        cursor, names = control.command("SCAN", cursor or 0, "MATCH", f"{beginning}*", "COUNT", SCANNED)
        found |= {name: bytes(match[1]) for name in names if (match := RUN_KEY.fullmatch(name))}
    return found
