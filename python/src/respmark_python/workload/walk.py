"""The commands as they are walked: for ever, from any of them on, at the speed of C, and through little memory.

An application has just made its key and its value and has them in cache; ours lie in memory that nobody has touched
for a while. So there is one object of equal values, keys are small and lie in the order in which they are walked, and
beyond its key a command is a number: that of its step, of which there are a few hundred.
"""

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, compress, repeat
from typing import Any, Final, TypeVar

from respmark_python.workload.commands import Argument, Kind, Word, Workload

Item = TypeVar("Item")
Call = Callable[..., Any]
Form = Callable[[bytes], Word]
"""What makes the value that is given to the library out of its bytes."""
Step = tuple[Call, Word | None]
"""What is called, with the key as its argument, or with the key and this value."""
Command = tuple[Any, Step]
"""A key and a step."""
Distinct = tuple[int, Word | None]
"""A step that is not bound to a client yet: a kind of command, as index into the mix, and a value."""

KEY_ALONE: Final = (Argument("key"),)
KEY_AND_VALUE: Final = (Argument("key"), Argument("value"))


@dataclass(frozen=True)
class Commands:
    """The commands of a workload, as columns."""

    keys: Sequence[str]
    steps: "array[int]"
    """A row a command: index into `distinct`."""
    distinct: Sequence[Distinct]
    """Each kind of command with each value that it is sent with."""


def materialise(workload: Workload, form: Form = bytes) -> Commands:
    """Make every key and value that the walk needs."""
    columns, digits, prefix = workload.columns, workload.numbers["key_digits"], workload.key_prefix
    steps = array("I", iter(columns.kinds))
    distinct: list[Distinct] = [(number, None) for number in range(len(workload.mix))]
    for number, kind in enumerate(workload.mix):
        if Argument("value") in kind.arguments:
            _add_values(workload, number, steps, distinct, form)
    return Commands([prefix + str(key).zfill(digits) for key in columns.keys], steps, distinct)


def _add_values(workload: Workload, number: int, steps: "array[int]", distinct: list[Distinct], form: Form) -> None:
    """Give each command of the mix's kind `number` the step that has its value."""
    keys, sizes = workload.columns.keys, workload.columns.sizes
    multiplier, mask = workload.value_place
    known: dict[tuple[int, int], int] = {}
    is_of_kind = workload.columns.kinds.translate(bytes(index == number for index in range(256)))
    for index in compress(range(workload.commands), is_of_kind):
        # Equal start and size are the same value.
        place = keys[index] * multiplier & mask, sizes[index]
        step = known.get(place)
        if step is None:
            step = known[place] = len(distinct)
            distinct.append((number, form(workload.value(keys[index], sizes[index]))))
        steps[index] = step


def bind(method: Call, kind: Kind, value: Word | None) -> Step:
    """Return the step that calls the method with the words of a command: what is called with the key adds the others.

    Whatever the step is called with before the key (a client) stays in front.
    """
    if kind.arguments in {KEY_ALONE, KEY_AND_VALUE}:
        return method, value
    words = [{"key": None, "value": value, "literal": word.text}[word.kind] for word in kind.arguments]
    rest = words[1:]
    if kind.arguments[:1] == KEY_ALONE and None not in rest:
        return lambda *given: method(*given, *rest), None
    return lambda *given: method(*given[:-1], *[given[-1] if word is None else word for word in words]), None


def walk(commands: Commands, steps: Sequence[Step], first: int) -> Iterator[Command]:
    """Return the endless walk that begins at command number `first`."""
    return zip(_cycle(commands.keys, first), map(steps.__getitem__, _cycle(commands.steps, first)), strict=False)


def _cycle(items: Sequence[Item], first: int) -> Iterator[Item]:
    rest: Any = iter(items)
    # Goes there at once; to skip one by one would take milliseconds a slice.
    rest.__setstate__(first)
    return chain(rest, chain.from_iterable(repeat(items)))
