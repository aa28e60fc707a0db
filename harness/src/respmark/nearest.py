"""What there is, for a message about a word that does not exist: the nearest first."""

from collections.abc import Iterable
from difflib import SequenceMatcher


def nearest_first(word: str, known: Iterable[str]) -> str:
    """Return the words that exist, in one line, the most alike first and the others in their order; `none` if none."""
    compared = SequenceMatcher(b=word.lower())

    def unlike(one: str) -> float:
        compared.set_seq1(one.lower())
        return -compared.ratio()

    return ", ".join(sorted(known, key=unlike)) or "none"
