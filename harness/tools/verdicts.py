"""Verdicts on published claims from all published runs, on one machine and behind a network.

They are judged once, all together, and pages take them from here: two pages cannot differ on the same ratios. The page
of practices, whose tables have a row for each client, is of its own run alone, and says so.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Final

from respmark.figures.cells import RunFigures
from respmark.guidance.block import Absent, Found, JudgedRun, place_of
from respmark.guidance.bound import JudgedBound, Rounds
from respmark.guidance.verdict import JudgedClaim, JudgedRatio, Verdict, judge_each
from respmark.kinds.loops.kind import LOOPS
from respmark.numbers import significant
from respmark.report.guidance import NOT_WARM_NOTE, bound_of_rounds, bound_text, place, ratio_text
from respmark.report.labels import plural
from respmark.report.table import Chapter, Heading, Row, Table, TableCell, row, style
from respmark.specs.catalogue import Catalogue
from respmark.specs.guidance import Named
from respmark.specs.statements import CellSpec, ClaimedRatio, Place
from tools.published import is_run, run_in

PLACES: Final = {Place.LOCAL: "on one machine", Place.NETWORK: "behind a network"}
COLUMNS: Final = (
    *(Heading(head, is_text=True) for head in ("claim", "place", "verdict", "claimed", "ratios (95 % intervals)")),
    Heading("rounds"),
    Heading("workload", is_text=True),
    Heading("run", is_text=True),
)
OPEN_NOTE: Final = (
    "[17 rounds]: this ratio is undecided; about so many rounds in all would show on which side of its bound it lies "
    "(`--resume` adds them to a run). [too close]: cannot be decided in reasonable time"
)


@dataclass(frozen=True)
class Judged:
    """A claim's verdict in one place."""

    place: Place
    claim: JudgedClaim


def published(folders: Iterable[Path]) -> list[RunFigures]:
    """Return the runs of those folders that are there."""
    return [run_in(folder) for folder in folders if is_run(folder)]


def judged_in_places(claims: Sequence[Named], runs: Iterable[RunFigures], catalogue: Catalogue) -> list[Judged]:
    """Return each claim's verdicts, in the place where its source measured it first."""
    by_place = {
        one: [JudgedRun(part, catalogue.clients) for run in runs if (part := _in_place(run, one)).manifest.cells]
        for one in Place
    }
    asked = [(named, one) for named in claims for one in _nearest_first(named)]
    judged = judge_each([(named, by_place[one]) for named, one in asked])
    return [Judged(one, claim) for (_, one), claim in zip(asked, judged, strict=True)]


def _in_place(run: RunFigures, where: Place) -> RunFigures:
    cells = [cell for cell in run.manifest.cells if place_of(run.manifest, cell) is where]
    return replace(run, manifest=run.manifest.model_copy(update={"cells": cells}))


def _nearest_first(named: Named) -> list[Place]:
    usual = named[1].conditions.usual_place
    return sorted(Place, key=lambda one: usual not in {None, one})


def verdicts_chapter(judged: Sequence[Judged]) -> Chapter:
    """Return a row for each claim and place: its verdict, ratios, rounds, workload and run."""
    rows = []
    for _, group in groupby(judged, key=lambda one: (one.claim.guidance.name, one.claim.claim.id)):
        in_places = list(group)
        claim = in_places[0].claim.claim
        measured = list(filter(_is_measured, in_places)) or in_places[:1]
        rest = [one for one in in_places if one not in measured and one.claim.verdict is Verdict.NOT_ABOUT_THIS_PLACE]
        texts = [f"{claim.gist} (`{claim.id}`)", *[""] * len(in_places)]
        rows += [_row(text, one) for text, one in zip(texts, [*measured, *rest], strict=False)]
    cold = any(not found.was_warm for one in judged for found in _found(one))
    is_open = any(_rounds(ratio) for one in judged for ratio in one.claim.ratios)
    notes = [*([OPEN_NOTE] if is_open else []), *([NOT_WARM_NOTE] if cold else [])]
    return Chapter("", tables=(Table("", COLUMNS, tuple(rows), tuple(notes)),))


def counts_line(judged: Sequence[Judged], claims: str = "the claims", chapter: str = "which-claims-hold") -> str:
    """Return how many claims have each verdict, in each place where any was measured; `chapter` has each of them."""
    parts = []
    for where, words in PLACES.items():
        verdicts = [one.claim.verdict for one in judged if one.place is where and _is_measured(one)]
        counts = [f"{one}: {verdicts.count(one)}" for one in Verdict if one in verdicts]
        parts += [f"{words}, {', '.join(counts)}"] if counts else []
    return f"Of {claims} that the published runs measured: {'; '.join(parts)}. [Each of them](#{chapter}).\n"


def agreement_line(claims: Sequence[Named], runs: Sequence[RunFigures], catalogue: Catalogue) -> str:
    """Return what runs that measured the same comparison say of it: how many disagree, and which differ most."""
    by_comparison = _by_comparison(claims, runs, catalogue)
    several = [group for group in by_comparison.values() if len(group) > 1]
    if not several:
        return ""
    decided = [{one.verdict for one in group} for group in several]
    opposite = sum({Verdict.HOLDS, Verdict.DOES_NOT_HOLD} <= verdicts for verdicts in decided)
    apart = sum(_distance(group) > 1 for group in several)
    line = (
        f"More than one run measured {plural(len(several), 'comparison')}; the tables show the run with most rounds. "
        f"The runs decide {opposite or 'none'} of them in opposite ways; in {apart or 'none'}, intervals do not "
        "overlap: take ratios from a machine like yours."
    )
    if not apart:
        return f"\n{line}\n"
    (claim, *_), group = max(by_comparison.items(), key=lambda one: _distance(one[1]))
    ends = sorted(group, key=lambda one: one.ratio or 0.0)
    figures = " and ".join(
        f"{significant(one.ratio or 0.0)} in `{found.run_id}` ({found.pair.new.run.manifest.machine.cpu_model})"
        for one in (ends[0], ends[-1])
        if isinstance(found := one.found, Found)
    )
    return f"\n{line} Furthest apart are two of `{claim}`: {figures}.\n"


def _by_comparison(
    claims: Sequence[Named], runs: Sequence[RunFigures], catalogue: Catalogue
) -> dict[tuple[object, ...], list[JudgedRatio]]:
    """Return what each run alone says of each comparison, in the same place, on the same workloads."""
    ratios: defaultdict[tuple[object, ...], list[JudgedRatio]] = defaultdict(list)
    for run in runs:
        for judged in judged_in_places(claims, [run], catalogue):
            for one in judged.claim.ratios:
                if isinstance(found := one.found, Found) and one.interval:
                    key = (
                        judged.claim.claim.id,
                        one.claimed,
                        judged.place,
                        found.rtt_ms,
                        found.workloads,
                        found.versions,
                    )
                    ratios[key].append(one)
    return ratios


def _distance(group: Sequence[JudgedRatio]) -> float:
    """Return how many times the lowest upper end the highest lower end is: above 1 where two do not overlap."""
    intervals = [one.interval for one in group if one.interval]
    return max(low for low, _ in intervals) / min(high for _, high in intervals)


def _found(judged: Judged) -> list[Found]:
    return [claimed.found for claimed in judged.claim.ratios if isinstance(claimed.found, Found)]


def _bounded(judged: Judged) -> list[tuple[JudgedBound, Rounds]]:
    return [(one, one.found) for one in judged.claim.bounds if isinstance(one.found, Rounds)]


def _is_measured(judged: Judged) -> bool:
    return bool(_found(judged) or _bounded(judged))


def _row(text: str, judged: Judged) -> Row:
    claim, found, bounded = judged.claim, _found(judged), _bounded(judged)
    return row(
        text,
        ", ".join(dict.fromkeys(map(place, found))) or PLACES[judged.place],
        TableCell(claim.verdict, style(claim.verdict)),
        _each(
            [
                *(bound_text(one.claimed) for one in claim.ratios),
                *(bound_of_rounds(one.claimed) for one in claim.bounds),
            ]
        ),
        "; ".join(filter(None, [_ratios(claim), *(_figures(*one) for one in bounded)])) or _why(claim),
        _span([*(len(one.rounds) for one in found), *(len(rounds.values) for _, rounds in bounded)]),
        _each(
            [
                *(name for one in found for name in one.workloads),
                *(one.claimed.cell.workload or "" for one, _ in bounded),
            ]
        ),
        _each([*(one.run_id for one in found), *(rounds.run_id for _, rounds in bounded)]),
    )


def _each(texts: Sequence[str]) -> str:
    """Return texts in one, each once."""
    return ", ".join(filter(None, dict.fromkeys(texts)))


def _figures(one: JudgedBound, rounds: Rounds) -> str:
    """Return the figure that a bound is on, from its lowest round to its highest."""
    ends = dict.fromkeys(significant(value) for value in (min(rounds.values), max(rounds.values)))
    return f"{one.claimed.metric.replace('_', ' ')} {'..'.join(ends)}{_published(one)}"


def _ratios(claim: JudgedClaim) -> str:
    """Return the ratios that were measured, each once: it can be held against two bounds."""
    found = [one for one in claim.ratios if isinstance(one.found, Found)]
    texts: dict[str, str] = {}
    for name, one in zip(names_of([each.claimed for each in found]), found, strict=True):
        text = f"{name}: {ratio_text(one)}" if name else ratio_text(one)
        texts[text] = texts.get(text) or _published(one) + _rounds(one)
    return "; ".join(ratio + rest for ratio, rest in texts.items())


def _published(one: JudgedRatio | JudgedBound) -> str:
    return "" if one.claimed.published is None else f", published {significant(one.claimed.published)}"


def names_of(ratios: Sequence[ClaimedRatio]) -> list[str]:
    """Return whose each ratio is: what its comparison has and others of the claim have not."""
    facts = [[LOOPS.compared[one.metric].name, *_facts(one.cell)] for one in ratios]
    names = _differing(facts)
    if len(set(names)) == len({(one.metric, one.cell, one.against) for one in ratios}):
        return names
    return _differing([[*own, *_others(one)] for own, one in zip(facts, ratios, strict=True)])


def _others(one: ClaimedRatio) -> list[str]:
    """Return what a ratio's other side has, without what both sides have."""
    own = _facts(one.cell)
    return [f"to {fact}" for fact in _facts(one.against) if fact not in own]


def _facts(side: CellSpec) -> list[str]:
    shape = side.shape.model_dump(mode="json", exclude_defaults=True)
    own = [f"{name} {value}" for name, value in shape.items()]
    return [side.client, side.scenario, *own, *filter(None, (side.workload, side.server))]


def _differing(facts: Sequence[Sequence[str]]) -> list[str]:
    """Return of each what not all have."""
    shared = set(facts[0]).intersection(*facts) if facts else set[str]()
    return [" ".join(fact for fact in of_one if fact not in shared) for of_one in facts]


def _rounds(one: JudgedRatio) -> str:
    """Return how many rounds would show on which side of its bound a ratio lies; empty if it is shown."""
    if one.verdict is not Verdict.NOT_SHOWN:
        return ""
    return " [too close]" if one.rounds_needed is None else f" [{plural(one.rounds_needed, 'round')}]"


def _why(claim: JudgedClaim) -> str:
    found = (*(one.found for one in claim.ratios), *(one.found for one in claim.bounds))
    reasons = [one.reason for one in found if isinstance(one, Absent)]
    return claim.claim.out_of_reach or claim.lacking or reasons[0]


def _span(rounds: Sequence[int]) -> str:
    return "..".join(dict.fromkeys(map(str, (min(rounds), max(rounds))))) if rounds else ""


def in_place(judged: Iterable[Judged], where: Place) -> list[JudgedClaim]:
    """Return the claims that were measured in a place, in part at least, with their verdicts there."""
    return [one.claim for one in judged if one.place is where and _is_measured(one)]
