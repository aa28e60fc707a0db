"""A sample of keys by SCAN: how large, of which type, with an expiry or without."""

from collections.abc import Iterator, Sequence
from typing import Final

from respmark.triage.asking import Asker
from respmark.triage.snapshot import KeySample, SampledKey

LARGEST: Final = 20
"""How many keys of a sample are kept."""
AT_ONCE: Final = 50
"""How many keys are asked for at once: the server works for well under a millisecond each time."""
MOST: Final = 100_000
"""The largest sample that may be asked for."""


def sample(asker: Asker, asked: int, *, shows_names: bool) -> KeySample | None:
    """Return a sample of at most `asked` keys of the selected database; None if the server refuses what it takes."""
    seen, without, total, hidden, largest = 0, 0, 0, 0, list[SampledKey]()
    for names in _scan(asker, asked):
        before = asker.hidden
        found = _sampled(asker, names, shows_names=shows_names)
        hidden += asker.hidden - before
        seen, total = seen + len(found), total + sum(one.size_bytes for one in found)
        without += sum(not one.expires for one in found)
        largest = sorted([*largest, *found], key=lambda one: -one.size_bytes)[:LARGEST]
    if {"SCAN", "MEMORY USAGE"} & asker.refused.keys():
        return None
    return KeySample(
        asked=asked, seen=seen, hidden=hidden, largest=tuple(largest), without_expiry=without, bytes_of_all=total
    )


def _scan(asker: Asker, most: int) -> Iterator[Sequence[bytes]]:
    """Yield names of keys, at most so many in all."""
    cursor: bytes = b"0"
    while most > 0 and "MEMORY USAGE" not in asker.refused:
        answer = asker.ask("SCAN", cursor, "COUNT", min(AT_ONCE, most))
        if answer is None:
            return
        cursor, names = answer
        yield names[:most]
        most -= len(names)
        if cursor == b"0":
            return


def _sampled(asker: Asker, names: Sequence[bytes], *, shows_names: bool) -> list[SampledKey]:
    """Return these keys, without those that are gone by now."""
    answers = asker.ask_all(
        [words for name in names for words in (("MEMORY", "USAGE", name), ("TYPE", name), ("PTTL", name))]
    )
    return [
        _key(name if shows_names else None, *answers[3 * place : 3 * place + 3])
        for place, name in enumerate(names)
        if answers[3 * place] is not None
    ]


def _key(name: bytes | None, size_bytes: int, kind: bytes | None, left_ms: int | None) -> SampledKey:
    """Return a key; one whose expiry may not be asked for counts as one that has one."""
    return SampledKey(
        name=None if name is None else name.decode(errors="replace"),
        kind="key" if kind is None else kind.decode(errors="replace"),
        size_bytes=size_bytes,
        expires=left_ms is None or left_ms >= 0,
    )
