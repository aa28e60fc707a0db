"""What a rule finds in slices, and how it is told of one of them."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from respmark.results.slice_arrays import Flags


@dataclass(frozen=True)
class Mismatch:
    """A rule, and the slices that break it."""

    broken: Flags
    """By slice."""
    words: Callable[[int], str]
    """Say what is wrong with the slice in this place, with the numbers of both sides."""


def told(mismatches: Iterable[Mismatch]) -> dict[int, str]:
    """Return what is wrong with each slice that breaks a rule, by its place; one lie does not hide another."""
    found: defaultdict[int, list[str]] = defaultdict(list)
    for mismatch in mismatches:
        for place in mismatch.broken.nonzero()[0].tolist():
            found[place].append(mismatch.words(place))
    return {place: "; ".join(reasons) for place, reasons in found.items()}
