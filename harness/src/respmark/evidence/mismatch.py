"""Which slices break a rule, and how a message says so."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from respmark.results.slice_arrays import Flags


@dataclass(frozen=True)
class Mismatch:
    """A rule, and the slices that break it."""

    broken: Flags
    """For each slice, whether it breaks the rule."""
    words: Callable[[int], str]
    """Says what is wrong with the slice in this place, with the numbers of both sides."""


def told(mismatches: Iterable[Mismatch]) -> dict[int, str]:
    """Return everything that is wrong with each slice that breaks a rule, by the slice's place."""
    found: defaultdict[int, list[str]] = defaultdict(list)
    for mismatch in mismatches:
        for place in mismatch.broken.nonzero()[0].tolist():
            found[place].append(mismatch.words(place))
    return {place: "; ".join(reasons) for place, reasons in found.items()}
