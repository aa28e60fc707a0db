"""The keys that a run writes to a server that it did not start, and their removal: by name, and no others.

Those of a run that could not remove them are found by the form of their names.
"""

import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from typing import Final

from pydantic import Field

from respmark.console import error_console
from respmark.contract.base import Count, Message, PositiveCount
from respmark.contract.trial import Endpoint
from respmark.errors import AnotherServerError, InvalidRequestError, ServerError
from respmark.servers.cluster import connected_by_any
from respmark.servers.control import Control
from respmark.servers.info import check_run_id
from respmark.servers.url import address

BATCH: Final = 1000
"""Keys removed at once."""
PASSES: Final = 50
PAUSE_S: Final = 0.1
"""Between two passes: what a killed runner had sent may arrive after its end."""
RUN: Final = r"respmark:(?:[0-9a-f]{8}|\{[0-9a-f]{8}\}):"
"""The prefix that was drawn for a workload of the run; in a cluster, its digits are a hash tag."""
RUN_KEY: Final = re.compile(f"({RUN}.*?)[0-9]+".encode(), re.DOTALL)
"""That prefix, the workload's own, and the key's number."""
SCANNED: Final = 1000
"""Keys that the server looks at in one SCAN."""


class OwnKeys(Message):
    """The names of keys, and the server that has them."""

    endpoint: Endpoint
    others: tuple[Endpoint, ...] = ()
    """Nodes of the same cluster, by which the keys are reached if that one is gone."""
    run_ids: frozenset[str]
    """The server's, or those of a cluster's nodes; on a server with another one, nothing is removed."""
    prefix: str
    digits: PositiveCount
    count: PositiveCount
    """Keys 0 to count - 1 are the run's."""
    existing: frozenset[Count] = Field(default=frozenset())
    """Numbers of keys that existed before the run wrote any, so they are not the run's after all."""

    def name(self, number: int) -> bytes:
        """Return the key with this number, as it is sent."""
        return f"{self.prefix}{number:0{self.digits}d}".encode()

    def batches(self) -> Iterator[list[bytes]]:
        """Return the names of all keys that are the run's, one batch at a time."""
        for begin in range(0, self.count, BATCH):
            numbers = range(begin, min(begin + BATCH, self.count))
            if batch := [self.name(number) for number in numbers if number not in self.existing]:
                yield batch

    def __str__(self) -> str:
        return f"{self.prefix}* (up to {self.count:,} keys) in database {self.endpoint.database}"


def remove(keys: OwnKeys, known: Control | None = None) -> None:
    """Delete the keys over a separate connection, until none is left.

    `known` is a connection that led to the server that has the keys: it is used where the address leads to another one
    by now, and not before, as it may owe replies. Raises ServerError if keys may be left.
    """
    try:
        with closing(connected_by_any((keys.endpoint, *keys.others))[1]) as control:
            _remove_over(control, keys)
    except AnotherServerError as elsewhere:
        if known is None:
            raise
        try:
            _remove_over(known, keys)
        except ServerError:
            raise elsewhere from None


def _remove_over(control: Control, keys: OwnKeys) -> None:
    for node in control.nodes:
        check_run_id(node, keys.run_ids)
    for number in range(PASSES):
        removed = sum(_counted(control, "UNLINK", batch) for batch in keys.batches())
        if not removed and number:
            return
        time.sleep(PAUSE_S)
    raise ServerError(
        f"keys named {keys.prefix}* keep appearing at {address(keys.endpoint)}: is a runner still writing them?"
    )


def present(keys: OwnKeys, control: Control) -> int:
    """Return how many of the keys are there."""
    return sum(_counted(control, "EXISTS", batch) for batch in keys.batches())


def taken(keys: OwnKeys, control: Control) -> list[bytes]:
    """Return names of these that somebody has given to a key, those of the first batch that has any."""
    for batch in keys.batches():
        if _counted(control, "EXISTS", batch):
            return [name for name in batch if _counted(control, "EXISTS", [name])]
    return []


def _counted(control: Control, command: str, names: list[bytes]) -> int:
    """Send a command that counts keys, as many with each as can be; return how many there were."""
    commands: dict[Control, list[tuple[str | bytes, ...]]] = {}
    for node, alike in control.together(names):
        commands.setdefault(node, []).append((command, *alike))
    found = 0
    for node, several in commands.items():
        for reply in node.send_all(several):
            match reply:
                case int(count):
                    found += count
                case ServerError():
                    raise reply
                case _:
                    raise ServerError(f"the server at {address(node.endpoint)} did not answer {command} with a number")
    return found


def main() -> None:
    """Remove the keys that JSON on standard input describes, for a killed run; say on standard error if that fails."""
    described = OwnKeys.model_validate_json(sys.stdin.read())
    try:
        remove(described)
    except ServerError as error:
        error_console().print(left_behind(described, error))


def left_behind(keys: OwnKeys, error: ServerError) -> str:
    """Return a sentence that says which keys may be left, why, and how to remove them."""
    return (
        f"the run's keys may still be at {address(keys.endpoint)}: {keys}, because: {error}. "
        f"`respmark clean --server URL --keys {keys.prefix}` removes them"
    )


def find(control: Control) -> Counter[str]:
    """Return the number of keys under each prefix of a run."""
    return Counter(prefix.decode(errors="replace") for prefix in _run_keys(control, "respmark:").values())


def remove_under(control: Control, prefix: str) -> int:
    """Delete every key of the run that has this prefix; return how many there were."""
    if (run := re.match(RUN, prefix)) is None:
        raise InvalidRequestError(
            f"`{prefix}` is not the prefix of a run's keys, which is `respmark:`, eight hexadecimal digits, `:`"
        )
    found = [name for name, its_prefix in _run_keys(control, run[0]).items() if its_prefix == prefix.encode()]
    for name in found:
        control.holding(name).command("UNLINK", name)
    return len(found)


def _run_keys(control: Control, beginning: str) -> dict[bytes, bytes]:
    found: dict[bytes, bytes] = {}
    for node in control.nodes:
        cursor: bytes | int | None = None
        while cursor is None or int(cursor) != 0:
            cursor, names = node.command("SCAN", cursor or 0, "MATCH", f"{beginning}*", "COUNT", SCANNED)
            found |= {name: bytes(match[1]) for name in names if (match := RUN_KEY.fullmatch(name))}
    return found
