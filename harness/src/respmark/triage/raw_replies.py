"""SLOWLOG GET and LATENCY LATEST as redis-cli prints them into a file: an item a line, and nothing between entries."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

NUMBER: Final = re.compile(r"\d+")
COMMAND: Final = re.compile(r"[A-Za-z][\w.|-]*")
EVENT: Final = re.compile(r"[a-z]+(?:-[a-z]+)*")
ADDRESS: Final = re.compile(r"(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9A-Fa-f:.%]+\]):\d+|/\S*:0")
"""Of a client; servers never write a name here."""
SINCE_2001_S: Final = 1_000_000_000
"""A smaller number is no time."""
HEAD: Final = 3
"""What an entry of SLOWLOG has before its words: number, time, microseconds."""


def slow_entries(lines: Sequence[str]) -> Iterator[list[Any]]:
    """Yield the entries as a server nests them; their numbers fall by one, which tells where the next begins."""
    place = next(_heads(lines, 0), None)
    while place is not None:
        number, at_s, us = (int(line) for line in lines[place : place + HEAD])
        following = (head for head in _heads(lines, place + HEAD + 1) if int(lines[head]) == number - 1)
        after = next(following, None)
        body = lines[place + HEAD : _end(lines, place) if after is None else after]
        has_client = len(body) > 2 and ADDRESS.fullmatch(body[-2])  # noqa: PLR2004 - from 4.0 on: address and name
        yield [number, at_s, us, *([body[:-2], *body[-2:]] if has_client else [body])]
        place = after


def _heads(lines: Sequence[str], first: int) -> Iterator[int]:
    """Yield where an entry may begin."""
    for place in range(first, len(lines) - HEAD):
        head = lines[place : place + HEAD]
        if all(map(NUMBER.fullmatch, head)) and _is_time(head[1]) and COMMAND.fullmatch(lines[place + HEAD]):
            yield place


def _end(lines: Sequence[str], place: int) -> int:
    """Return where the last entry ends: after its client's name, or with an empty line."""
    for here in range(place + HEAD, len(lines)):
        if ADDRESS.fullmatch(lines[here]):
            return here + 2
        if not lines[here]:
            return here
    return len(lines)


def _is_time(line: str) -> bool:
    return int(line) >= SINCE_2001_S


def events(lines: Sequence[str]) -> Iterator[list[Any]]:
    """Yield the events: name, time of the latest, its milliseconds, those of the longest."""
    for place in range(len(lines) - 3):
        name, *numbers = lines[place : place + 4]
        if EVENT.fullmatch(name) and all(map(NUMBER.fullmatch, numbers)) and _is_time(numbers[0]):
            yield [name, *map(int, numbers)]
