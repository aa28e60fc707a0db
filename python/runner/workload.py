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
from itertools import chain, islice, repeat
from pathlib import Path
from typing import Any, Final

Call = Callable[..., Any]
"""One of an adapter's commands: takes the client and the command's arguments."""
Step = tuple[Call, Any]
"""Is called with a client, the command's key and, unless it is None, this second argument."""
Command = tuple[Any, Step]
"""A key and a step; where a method takes a list or a dict of all its keys, that stands in the key's place. So do all
words of a command that has no method of its own."""
GROUPED: Final = frozenset({"MGET", "MSET"})
ANY: Final = "*"
"""Among an adapter's commands: how the library sends one that has no method of its own, given a tuple of its words."""
WORDS: Final = "*words"
"""What makes of these words, the name first, that which `ANY` takes, if it is not their tuple."""
KEY: Final = "*key"
"""What makes of a key that which stands among these words, if it is not the key."""


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


def read_workload(path: str, methods: Mapping[str, Call], *, as_text: bool) -> Workload:
    """Read the file; each kind of command gets the adapter's method for it, and arguments as that takes them."""
    with Path(path).open("rb") as file:
        header = json.loads(file.readline())
        numbers = array("H", file.read(2 * header["commands"]))
        kinds = [header["kinds"][kind] for kind, *_ in header["steps"]]
        counts, size = [kind["arguments"].count("key") for kind in kinds], header["key_bytes"]
        column = file.read(size * sum(map(counts.__getitem__, numbers))).decode("ascii")
        read: Callable[[int], Any] = (lambda size: file.read(size).decode("ascii")) if as_text else file.read
        values = [read(size) for size in header["values"]]
    lacking = {kind["name"] for kind in kinds} - methods.keys()
    if lacking and ANY not in methods:
        raise NotImplementedError(f"the adapter has no method for {', '.join(sorted(lacking))}")
    own = [[values[place] for place in places] for _, *places in header["steps"]]
    steps = [_step(methods, kind, words) for kind, words in zip(kinds, own, strict=True)]
    keys: list[Any] = [column[begin : begin + size] for begin in range(0, len(column), size)]
    if lacking or not GROUPED.isdisjoint(kind["name"] for kind in kinds) or set(counts) != {1}:
        given = [_of_keys(methods, kind, words) for kind, words in zip(kinds, own, strict=True)]
        every = iter(keys)
        keys = [given[number](list(islice(every, counts[number]))) for number in numbers]
    return Workload(keys, numbers, steps)


def _of_keys(methods: Mapping[str, Call], kind: Mapping[str, Any], values: list[Any]) -> Callable[[list[str]], Any]:
    """Return what makes of a command's keys that which its method takes in the key's place."""
    name = kind["name"]
    if name not in methods:
        made: Call = methods.get(WORDS, lambda *words: words)
        key: Call = methods.get(KEY, lambda key: key)
        return lambda keys: made(name, *_spelled(kind, map(key, keys), iter(values)))
    if name in GROUPED:
        return lambda keys: dict(zip(keys, values, strict=True)) if values else keys
    return lambda keys: next(iter(keys), None)


def _spelled(kind: Mapping[str, Any], keys: Iterator[Any], values: Iterator[Any]) -> Iterator[Any]:
    """Yield all of a command's words but its name, in the order in which they are sent."""
    for word in kind["arguments"]:
        if word == "key":
            yield next(keys)
        elif word == "value":
            yield next(values)
        else:
            yield str(word["literal"])


def _step(methods: Mapping[str, Call], kind: Mapping[str, Any], values: list[Any]) -> Step:
    own = methods.get(kind["name"])
    return _bind(own, kind, iter(values)) if own else (methods[ANY], None)


def _bind(call: Call, kind: Mapping[str, Any], values: Iterator[Any]) -> Step:
    """Return the step that calls the method with all that follows the command's key."""
    words = [word for word in kind["arguments"] if word != "key"]
    rest = [next(values) if word == "value" else word["literal"] for word in words]
    if "key" not in kind["arguments"]:
        return (lambda client, _key: call(client, *rest)), None
    match kind["name"], rest:
        case ("MGET" | "MSET", _) | (_, []):
            return call, None
        case "ZADD", [score, member]:
            return call, {member: score}
        case _, [only]:
            return call, only
    first, *others = rest
    return (lambda client, key, first: call(client, key, first, *others)), first
