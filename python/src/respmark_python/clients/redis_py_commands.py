"""Finds redis-py's method for a command of a workload, and the method's arguments."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from respmark_python.errors import UnsupportedError
from respmark_python.workload.commands import Call
from respmark_python.workload.workload import Argument, Kind, Word

OWN_NAMES: Final = {"DEL": "delete"}
"""Commands whose method has another name."""


def _list(words: Sequence[Any]) -> tuple[Any, ...]:
    return (list(words),)


def _mapping(words: Sequence[Any]) -> tuple[Any, ...]:
    return (dict(zip(words[::2], words[1::2], strict=True)),)


def _scores(words: Sequence[Any]) -> tuple[Any, ...]:
    return words[0], dict(zip(words[2::2], words[1::2], strict=True))


FORMS: Final[Mapping[str, Callable[[Sequence[Any]], tuple[Any, ...]]]] = {
    "MGET": _list,
    "MSET": _mapping,
    "ZADD": _scores,
}
"""Commands whose method does not take the command's words one by one."""


def arguments(kind: Kind, words: Sequence[Word]) -> tuple[Any, ...]:
    """Return the method's arguments for a command's words; literals that are numbers are passed as numbers."""
    given = [
        _number(argument, word) if argument.kind == "literal" else word
        for argument, word in zip(kind.arguments, words, strict=True)
    ]
    return FORMS.get(kind.name, tuple)(given)


def method(redis: Any, target: Any, kind: Kind) -> Call:
    """Return a client's or pipeline's method for the command; a class's takes the client first.

    Raises:
        UnsupportedError: there is none, or it sends anything but the command's own words.
    """
    name = OWN_NAMES.get(kind.name, kind.name.lower())
    sent = _sent(redis, name, kind)
    if sent is None:
        raise UnsupportedError(f"redis-py {redis.__version__} has no method for {kind.name} as the workload has it")
    if sent != [kind.name, *_sample(kind)]:
        raise UnsupportedError(
            f"redis-py's {name}() does not send {kind.name} as the workload has it, but {' '.join(map(_shown, sent))}: "
            "name that command in the workload"
        )
    found: Call = getattr(target, name)
    return found


def _shown(word: Word) -> str:
    return word if isinstance(word, str) else word.decode()


def _sample(kind: Kind) -> list[Word]:
    """Return words for a command of the kind; keys and values with an offset differ from those without."""
    return [_sample_word(argument) for argument in kind.arguments]


def _sample_word(argument: Argument) -> Word:
    if argument.kind == "literal":
        return argument.text
    number = argument.offset or ""
    return f"key{number}" if argument.kind == "key" else f"value{number}".encode()


def _number(argument: Argument, word: Word) -> Word | int | float:
    for number in (int, float):
        try:
            found = number(argument.text)
        except ValueError:
            continue
        if str(found) == argument.text:
            return found
    return word


def _sent(redis: Any, name: str, kind: Kind) -> list[Any] | None:
    """Return the words that a method sends; None: it does not exist, or does not send one command."""
    # A pipeline that is not executed keeps the commands and needs no server.
    pipeline = redis.Redis().pipeline()
    try:
        getattr(pipeline, name)(*arguments(kind, _sample(kind)))
    except (AttributeError, LookupError, TypeError, ValueError, redis.RedisError):
        return None
    (words, _), *others = pipeline.command_stack or [(None, None)]
    if words is None or others:
        return None
    return [word if isinstance(word, str | bytes) else str(word) for word in words]
