"""What changes bring by published runs: `specs/triage/gains.json`, which `respmark triage` shows beside its findings.

`make readme` writes it; a test fails when the file and the runs disagree.
"""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from respmark.figures.cells import RunFigures
from respmark.figures.estimate import confidence_of
from respmark.guidance.block import Found, JudgedRun
from respmark.paths import CHECKOUT
from respmark.report.guidance import place
from respmark.specs.catalogue import Catalogue
from respmark.specs.statements import Conditions
from respmark.specs.triage import GainSpec, RuleSpec
from respmark.triage.gains import FILE, Gain, Gains
from respmark.triage.rules import rules_of
from respmark.triage.snapshot import FORMAT

PATH: Final[Path] = CHECKOUT / "harness" / "specs" / "triage" / FILE


def gains_of(runs: Sequence[RunFigures], catalogue: Catalogue) -> Gains:
    """Return, for each rule and client, what the change brings by the run with most rounds of both."""
    judged = [JudgedRun(run, catalogue.clients) for run in runs]
    found = [gain for rule in rules_of(catalogue) for gain in sorted(_gains(rule, judged, catalogue), key=_by_rounds)]
    return Gains(format=FORMAT, gains=tuple(found))


def _by_rounds(gain: Gain) -> int:
    return -gain.rounds


def _gains(rule: RuleSpec, runs: Sequence[JudgedRun], catalogue: Catalogue) -> Iterator[Gain]:
    """Yield what the change brings for every client that a run has; of several comparisons, by the first."""
    for library, spec in catalogue.clients.items():
        if not spec.capabilities.is_library:
            continue
        for gain in rule.gain:
            if found := _found(gain, library, runs):
                yield _gain(rule, gain, library, found)
                break


def _found(gain: GainSpec, library: str, runs: Sequence[JudgedRun]) -> Found | None:
    if gain.libraries and library not in gain.libraries:
        return None
    claimed = gain.claimed(library)
    pairs = [one for run in runs for one in run.pairs(claimed, Conditions())]
    return max(pairs, key=lambda one: len(one.rounds), default=None)


def _gain(rule: RuleSpec, gain: GainSpec, library: str, found: Found) -> Gain:
    ends = None if found.estimate is None else found.estimate.interval(confidence_of(found.pair.looks))
    low, high = (None, None) if ends is None else (rounded(end * gain.times) for end in ends)
    return Gain(
        rule=rule.id,
        client=library,
        client_version=found.versions[0],
        ratio=rounded(math.exp(found.rounds.mean) * gain.times),
        low=low,
        high=high,
        rounds=len(found.rounds),
        run=found.run_id,
        server=found.servers[0],
        place=place(found),
        says=gain.says,
    )


def rounded(value: float) -> float:
    """Return four significant digits: more would make the file differ between machines."""
    return float(f"{value:.4g}")


def to_text(gains: Gains) -> str:
    """Return the file's content."""
    return gains.model_dump_json(indent=1) + "\n"
