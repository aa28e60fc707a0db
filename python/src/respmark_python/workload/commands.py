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

from respmark_python.workload.workload import Kind, Word, Workload

KEY: Final = "a command's key"
"""Stands for it."""
Item = TypeVar("Item")
Call = Callable[..., Any]
MakeWord = Callable[[bytes], Word]
"""What makes the value that is given to the library out of its bytes."""
Step = tuple[Call, Any]
"""What is called, with the key as its argument, or with the key and this second one."""
Command = tuple[Any, Step]
"""A key and a step."""
Distinct = tuple[int, Word | None]
"""A step that is not bound to a client yet: a kind of command, as index into the mix, and a value."""

Arguments = Callable[[Kind, Sequence[Word]], tuple[Any, ...]]
"""Gives what a library's method is called with for the words of a command."""


@dataclass(frozen=True)
class Commands:
    """The commands of a workload, as columns."""

    keys: Sequence[Any]
    """A row a command: its key; where it names several keys, what the library's method takes for all its words."""
    steps: "array[int]"
    """A row a command: index into `distinct`."""
    distinct: Sequence[Distinct]
    """Each kind of command with each value that it is sent with."""


def materialise(workload: Workload, arguments: Arguments, make_word: MakeWord = bytes) -> Commands:
    """Make every key and value that the walk needs."""
    columns, digits, prefix = workload.columns, workload.numbers["key_digits"], workload.key_prefix
    steps = array("I", iter(columns.kinds))
    distinct: list[Distinct] = [(number, None) for number in range(len(workload.mix))]
    for number, kind in enumerate(workload.mix):
        if not is_grouped(kind, arguments) and any(argument.kind == "value" for argument in kind.arguments):
            _add_values(workload, number, steps, distinct, make_word)
    keys: list[Any] = [prefix + str(key).zfill(digits) for key in columns.keys]
    _add_groups(workload, arguments, keys, make_word)
    return Commands(keys, steps, distinct)


def _add_groups(workload: Workload, arguments: Arguments, keys: list[Any], make_word: MakeWord) -> None:
    """Put what the method is called with in place of the key of each command that names several keys."""
    grouped = [is_grouped(kind, arguments) for kind in workload.mix]
    same: dict[Word, Word] = {}
    for index, number in enumerate(workload.columns.kinds if any(grouped) else ()):
        if grouped[number]:
            # Equal words are one object.
            formed = (make_word(word) if isinstance(word, bytes) else word for word in workload.words(index))
            given = arguments(workload.mix[number], [same.setdefault(word, word) for word in formed])
            keys[index] = given[0] if len(given) == 1 else given


def is_grouped(kind: Kind, arguments: Arguments) -> bool:
    """Tell whether more of a command's arguments follow from its key than one that is the key."""
    return kind.keys > 1 or (kind.keys == 1 and KEY not in _given(kind, arguments, None))


def _given(kind: Kind, arguments: Arguments, value: Word | None) -> tuple[Any, ...]:
    """Return what the method is called with, KEY in place of the key."""
    words: list[Any] = [{"key": KEY, "value": value, "literal": word.text}[word.kind] for word in kind.arguments]
    return arguments(kind, words)


def _add_values(
    workload: Workload, number: int, steps: "array[int]", distinct: list[Distinct], make_word: MakeWord
) -> None:
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
            distinct.append((number, make_word(workload.value(keys[index], sizes[index]))))
        steps[index] = step


def bind(method: Call, kind: Kind, arguments: Arguments, value: Word | None) -> Step:
    """Return the step that calls the method with a command's arguments: what is called with the key adds the others.

    Whatever the step is called with before the key (a client) stays in front.
    """
    given = _given(kind, arguments, value)
    if is_grouped(kind, arguments):
        return (method, None) if len(given) == 1 else (lambda *before: method(*before[:-1], *before[-1]), None)
    if given[:1] != (KEY,):
        return lambda *before: method(*before[:-1], *[before[-1] if word == KEY else word for word in given]), None
    match given[1:]:
        case ():
            return method, None
        case (second,):
            return method, second
        case rest:
            return lambda *before: method(*before, *rest), None


def walk(commands: Commands, steps: Sequence[Step], first: int) -> Iterator[Command]:
    """Return the endless walk that begins at command number `first`."""
    return zip(_cycle(commands.keys, first), map(steps.__getitem__, _cycle(commands.steps, first)), strict=False)


def _cycle(items: Sequence[Item], first: int) -> Iterator[Item]:
    rest: Any = iter(items)
    # Goes there at once; to skip one by one would take milliseconds a slice.
    rest.__setstate__(first)
    return chain(rest, chain.from_iterable(repeat(items)))
