"""The numbers in a claim's sentence, and those that its comparisons have: as bounds, or as conditions."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from respmark.specs.catalogue import Catalogue
from respmark.specs.guidance import ClaimSpec
from respmark.specs.statements import ClaimedBound, ClaimedRatio

WORDS: Final = {
    **dict(zip(("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), range(2, 11), strict=True)),
    "twelve": 12,
    "dozen": 12,
    "sixteen": 16,
    "twenty": 20,
    "thirty": 30,
    "fifty": 50,
    "seventy-five": 75,
    "hundred": 100,
    "thousand": 1_000,
    "million": 1_000_000,
}
FRACTIONS: Final = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "tenth": 10, "twentieth": 20, "fiftieth": 50}
MULTIPLES: Final = {"twice": 2, "double": 2, "doubles": 2}
LARGE: Final = frozenset({"hundred", "thousand", "million"})
COUNT: Final = rf"(?:\d[\d,]*(?:\.\d+)*|{'|'.join(sorted(WORDS, key=len, reverse=True))})"
NUMBERS: Final = re.compile(
    rf"""(?<![\w.@#-])(?:
      (?P<part>\d+|two|three)?\s?(?P<fraction>{"|".join(FRACTIONS)})s?\b(?!\ of\ a\ second)
    | (?P<multiple>{"|".join(MULTIPLES)})\b
    | (?P<low>\d+)\ to\ (?P<high>\d+)\ %
    | (?P<from>\d[\d.]*)\ to\ (?P<to>\d[\d.]*)\ times\b
    | (?P<count>{COUNT})(?P<scale>\ (?:{"|".join(sorted(LARGE))}))?(?P<unit>\ %|\ times\b)?(?!\d|th\b)
    )""",
    re.VERBOSE | re.IGNORECASE,
)
PERCENT: Final = " %"
CLOSE: Final = 0.005
"""A bound may be rounded in words."""


@dataclass(frozen=True)
class Number:
    """A number as a sentence has it."""

    text: str
    value: float
    is_ratio: bool
    """Whether it can only be a bound: `twice`, `a third`, `3 times`, `10 %`; otherwise it counts something."""

    def is_bound(self, end: float) -> bool:
        """Return whether it says a bound, of a ratio or of what is gained or lost."""
        said = {end, 1 / end, abs(end - 1), abs(1 / end - 1)}
        return self.is_ratio and any(math.isclose(self.value, one, rel_tol=CLOSE) for one in said)


def numbers_in(gist: str) -> Iterator[Number]:
    """Yield the numbers of a sentence in their order."""
    for found in NUMBERS.finditer(gist):
        text = found[0].strip()
        if name := found["fraction"]:
            yield Number(text, _value(found["part"] or "1") / FRACTIONS[name.lower()], is_ratio=True)
        elif name := found["multiple"]:
            yield Number(text, MULTIPLES[name.lower()], is_ratio=True)
        elif found["low"]:
            yield from (Number(text, float(found[end]) / 100, is_ratio=True) for end in ("low", "high"))
        elif found["from"]:
            yield from (Number(text, float(found[end]), is_ratio=True) for end in ("from", "to"))
        else:
            value = _value(found["count"]) * (_value(found["scale"].strip()) if found["scale"] else 1)
            share = value / 100 if found["unit"] == PERCENT else value
            yield Number(text, share, is_ratio=bool(found["unit"]))


def _value(text: str) -> float:
    """Return a number's value; of a version such as `4.5.5`, nothing that anything equals but its text."""
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    plain = text.replace(",", "").rstrip(".")
    return float(plain) if plain.count(".") < 2 else math.nan


def ends_of(claimed: ClaimedRatio) -> list[float]:
    """Return the bounds of a comparison that are none of the usual ones."""
    return [end for end in claimed.ends if end and not math.isinf(end)]


def conditions_of(claim: ClaimSpec, catalogue: Catalogue) -> str:
    """Return in words what the comparisons are made under: clients, shapes, workloads, servers, round trips, work."""
    texts: list[str] = []
    for claimed in claim.ratios:
        texts += [f"{claimed.times:g}", f"{1 / claimed.times:g}"]
        for side in (claimed.cell.under(claim.conditions), claimed.against.under(claim.conditions)):
            processes = side.shape.processes * (side.shape.max_total or 1)
            texts += [side.label, f"{processes} connections", f"{claim.conditions.rtt_ms or ''}"]
            if side.shape.rate and side.shape.rate.isdecimal():
                texts.append(f"every {1_000 / int(side.shape.rate):g} ms")
            if side.workload:
                texts.append(catalogue.workload(side.workload).summary)
    for bound in claim.bounds:
        texts += [bound.cell.under(claim.conditions).label, written_bound(bound)]
    return " ".join(texts).lower()


def written_bound(bound: ClaimedBound) -> str:
    """Return a bound as a sentence has it."""
    return f"{bound.at_most if bound.at_least is None else bound.at_least:g}"


def is_condition(number: Number, conditions: str) -> bool:
    """Return whether the comparisons are made under it: as it is written, or as its value."""
    written = re.escape(number.text.lower().replace(",", ""))
    there = conditions.replace(",", "").replace("_", "")
    if re.search(rf"(?<![\d.]){written}(?![\d])", there):
        return True
    values = {_scaled(*found.groups()) for found in re.finditer(r"(?<![\d.])(\d+(?:\.\d+)?)\s?([km])?\b", there)}
    return not number.is_ratio and "." not in number.text and number.value in values


def _scaled(value: str, unit: str | None) -> float:
    return float(value) * {"k": 1_000, "m": 1_000_000, None: 1}[unit]
