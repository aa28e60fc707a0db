"""A sample of keys by SCAN: how large, of which type, with an expiry or without."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from respmark.triage.asking import Asker
from respmark.triage.snapshot import KeyGroup, KeySample, SampledKey

LARGEST: Final = 20
"""How many keys of a sample are kept."""
GROUPS: Final = 10
"""How many types and beginnings of names are kept."""
NO_PREFIX: Final = "(no colon)"
AT_ONCE: Final = 50
"""How many keys are asked for at once: the server works for well under a millisecond each time."""
MOST: Final = 100_000
"""The largest sample that may be asked for."""


def sample(asker: Asker, asked: int, *, shows_names: bool) -> KeySample | None:
    """Return a sample of at most `asked` keys of the selected database; None if the server refuses what it takes."""
    found = _Sample()
    hidden = asker.hidden
    for names in _scan(asker, asked):
        found.see(names, _sampled(asker, names))
    if {"SCAN", "MEMORY USAGE"} & asker.refused.keys():
        return None
    return found.kept(asked, asker.hidden - hidden, shows_names=shows_names)


@dataclass
class _Sample:
    """What is summed up of keys as they come."""

    largest: list[SampledKey] = field(default_factory=list)
    kinds: defaultdict[str, KeyGroup] = field(default_factory=lambda: defaultdict(_none))
    prefixes: defaultdict[str, KeyGroup] = field(default_factory=lambda: defaultdict(_none))

    def see(self, names: Sequence[bytes], found: Sequence[SampledKey | None]) -> None:
        """Take some keys; None: it is gone, or hidden."""
        there = [(name, one) for name, one in zip(names, found, strict=True) if one is not None]
        for name, one in there:
            prefix, colon, _ = name.decode(errors="replace").partition(":")
            for groups, group in ((self.kinds, one.kind), (self.prefixes, prefix + colon if colon else NO_PREFIX)):
                groups[group] = _with(groups[group], group, one)
        named = [one.model_copy(update={"name": name.decode(errors="replace")}) for name, one in there]
        self.largest = sorted([*self.largest, *named], key=lambda one: -one.size_bytes)[:LARGEST]

    def kept(self, asked: int, hidden: int, *, shows_names: bool) -> KeySample:
        """Return all of it; names only if they were asked for."""
        kinds, prefixes = (
            tuple(sorted(groups.values(), key=lambda one: -one.bytes_of_all)[:GROUPS])
            for groups in (self.kinds, self.prefixes)
        )
        return KeySample(
            asked=asked,
            seen=sum(one.keys for one in self.kinds.values()),
            hidden=hidden,
            largest=tuple(one if shows_names else one.model_copy(update={"name": None}) for one in self.largest),
            without_expiry=sum(one.keys - one.expiring for one in self.kinds.values()),
            bytes_of_all=sum(one.bytes_of_all for one in self.kinds.values()),
            kinds=kinds,
            prefixes=prefixes if shows_names else (),
        )


def _none() -> KeyGroup:
    return KeyGroup(name="", keys=0, bytes_of_all=0, expiring=0)


def _with(group: KeyGroup, name: str, one: SampledKey) -> KeyGroup:
    return KeyGroup(
        name=name,
        keys=group.keys + 1,
        bytes_of_all=group.bytes_of_all + one.size_bytes,
        expiring=group.expiring + one.expires,
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


def _sampled(asker: Asker, names: Sequence[bytes]) -> list[SampledKey | None]:
    """Return these keys, as far as they are still there and may be looked at."""
    answers = asker.ask_all(
        [words for name in names for words in (("MEMORY", "USAGE", name), ("TYPE", name), ("PTTL", name))]
    )
    return [_key(*answers[3 * place : 3 * place + 3]) for place in range(len(names))]


def _key(size_bytes: int | None, kind: bytes | None, left_ms: int | None) -> SampledKey | None:
    """Return a key; one whose expiry may not be asked for counts as one that has one."""
    if size_bytes is None:
        return None
    return SampledKey(
        name=None,
        kind="key" if kind is None else kind.decode(errors="replace"),
        size_bytes=size_bytes,
        expires=left_ms is None or left_ms >= 0,
    )
