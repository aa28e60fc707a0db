"""The commands as they are walked: endlessly, from any of them on, at the speed of C, and through little memory.

An application has just made its key and its value and has them in cache; the runner's lie in memory that has not been
touched for a while. So equal values are one object, keys are small and lie in the order in which they are walked, and
apart from its key a command is only the number of its step, of which there are a few hundred.
"""

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, compress, repeat
from typing import Any, Final, TypeVar

from respmark_python.workload.workload import Kind, Word, Workload

KEY: Final = "a command's key"
"""Stands for a command's key."""
Item = TypeVar("Item")
Call = Callable[..., Any]
MakeWord = Callable[[bytes], Word]
"""Makes, from a value's bytes, the value that the library is given."""
Step = tuple[Call, Any]
"""A callable and its second argument: it is called with the key and, unless it is None, this argument."""
Command = tuple[Any, Step]
"""A key and a step."""
Distinct = tuple[int, Word | None]
"""A step that is not bound to a client yet: a kind of command, as index into the mix, and a value."""

Arguments = Callable[[Kind, Sequence[Word]], tuple[Any, ...]]
"""Returns a library method's arguments for a command's words."""


@dataclass(frozen=True)
class Commands:
    """The commands of a workload, as columns."""

    keys: Sequence[Any]
    """One row per command: its key or, if it is grouped, what the library's method takes for all its words."""
    steps: "array[int]"
    """One row per command: index into `distinct`."""
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
    """Put the method's arguments in place of the key of each grouped command."""
    grouped = [is_grouped(kind, arguments) for kind in workload.mix]
    same: dict[Word, Word] = {}
    for index, number in enumerate(workload.columns.kinds if any(grouped) else ()):
        if grouped[number]:
            # Equal words are one object.
            formed = (make_word(word) if isinstance(word, bytes) else word for word in workload.words(index))
            given = arguments(workload.mix[number], [same.setdefault(word, word) for word in formed])
            keys[index] = given[0] if len(given) == 1 else given


def is_grouped(kind: Kind, arguments: Arguments) -> bool:
    """Return whether the method's arguments depend on the key other than by having it as one of them."""
    return kind.keys > 1 or (kind.keys == 1 and KEY not in _given(kind, arguments, None))


def _given(kind: Kind, arguments: Arguments, value: Word | None) -> tuple[Any, ...]:
    """Return the method's arguments, with KEY in place of the key."""
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
    """Return the step that calls the method with a command's arguments: called with the key, it adds the others.

    Arguments before the key (a client) stay in front.
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
    # Jumps there: skipping items one by one would take milliseconds in each slice.
    rest.__setstate__(first)
    return chain(rest, chain.from_iterable(repeat(items)))
