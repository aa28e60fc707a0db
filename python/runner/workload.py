"""The workload file in memory: the commands as they are walked, endlessly and at the speed of C.

An application has just made its key and its value and has them in its caches; ours lie in memory that has not been
touched for a while. So equal values are one object, keys lie in the order in which they are walked, and besides its key
a command is only the number of its step, of which there are a few hundred. No numpy: importing it makes redis-py's own
code take about 4 % more CPU time.
"""

import json
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from pathlib import Path
from typing import Any, Final

Call = Callable[..., Any]
"""One of an adapter's commands: takes the client and the command's arguments."""
Step = tuple[Call, Any]
"""Is called with a client, the command's key and, unless it is None, this second argument."""
Command = tuple[Any, Step]
"""A key and a step; where a method takes a list or a dict of all its keys, that stands in the key's place."""
GROUPED: Final = frozenset({"MGET", "MSET"})


@dataclass(frozen=True)
class Workload:
    """The commands of a workload, as columns."""

    keys: Sequence[Any]
    numbers: "array[int]"
    """One row a command: index into `steps`."""
    steps: Sequence[Step]

    def walk(self, first: int) -> Iterator[Command]:
        """Return the endless walk that begins at command number `first`."""
        first %= len(self.numbers)
        steps = map(self.steps.__getitem__, _cycle(self.numbers, first))
        return zip(_cycle(self.keys, first), steps, strict=False)


def _cycle(items: Sequence[Any], first: int) -> Iterator[Any]:
    rest: Any = iter(items)
    # Jumps there: skipping items one by one would take milliseconds in each slice.
    rest.__setstate__(first)
    return chain(rest, chain.from_iterable(repeat(items)))


def read_workload(path: str, commands: Mapping[str, Call], *, as_text: bool) -> Workload:
    """Read the file, with each kind of command as the adapter's method for it and its arguments as that takes them.

    Raises:
        NotImplementedError: the adapter lacks one of the commands.
    """
    with Path(path).open("rb") as file:
        header = json.loads(file.readline())
        numbers = array("H", file.read(2 * header["commands"]))
        kinds, size = header["kinds"], header["key_bytes"]
        keys_of_kind = [kind["arguments"].count("key") for kind in kinds]
        keys_of_step = [keys_of_kind[kind] for kind, *_ in header["steps"]]
        column = file.read(size * sum(map(keys_of_step.__getitem__, numbers))).decode("ascii")
        values: list[Any] = [file.read(size) for size in header["values"]]
    if as_text:
        values = [value.decode("ascii") for value in values]
    if lacking := [kind["name"] for kind in kinds if kind["name"] not in commands]:
        raise NotImplementedError(f"the adapter has no method for {', '.join(lacking)}")
    keys: list[Any] = [column[begin : begin + size] for begin in range(0, len(column), size)]
    words = [[values[place] for place in places] for _, *places in header["steps"]]
    steps = [_bind(commands[kinds[kind]["name"]], kinds[kind], words[i]) for i, (kind, *_) in enumerate(header["steps"])]
    grouped = [kinds[kind]["name"] in GROUPED for kind, *_ in header["steps"]]
    if any(grouped) or set(keys_of_step) != {1}:
        keys = _in_groups(iter(keys), numbers, keys_of_step, [words[i] if is_so else None for i, is_so in enumerate(grouped)])
    return Workload(keys, numbers, steps)


def _in_groups(
    keys: Iterator[str], numbers: "array[int]", counts: Sequence[int], values: Sequence[list[Any] | None]
) -> list[Any]:
    """Return what stands in the key's place of each command; `values` are those of grouped steps, None of others."""
    rows: list[Any] = []
    for number in numbers:
        own = [next(keys) for _ in range(counts[number])]
        others = values[number]
        if others is None:
            rows.append(own[0] if own else None)
        else:
            rows.append(dict(zip(own, others, strict=True)) if others else own)
    return rows


def _bind(call: Call, kind: Mapping[str, Any], values: Sequence[Any]) -> Step:
    """Return the step that calls the method with all that follows the command's key."""
    name, remaining = kind["name"], iter(values)
    rest = [next(remaining) if word == "value" else _number(word["text"]) for word in kind["arguments"] if word != "key"]
    if name in GROUPED:
        return call, None
    if name == "ZADD":
        rest = [dict(zip(rest[1::2], rest[::2], strict=True))]
    if "key" not in kind["arguments"]:
        return (lambda client, _key: call(client, *rest)), None
    if len(rest) > 1:
        first, *others = rest
        return (lambda client, key, _first: call(client, key, first, *others)), first
    return call, rest[0] if rest else None


def _number(text: str) -> str | int | float:
    for number in (int, float):
        try:
            found = number(text)
        except ValueError:
            continue
        if str(found) == text:
            return found
    return text
