"""Claims and their verdicts as rows: what a terminal, Markdown and JSON are written from."""

import json
import math
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, Final

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from respmark.contract.base import SCHEMA_VERSION
from respmark.escaping import markdown, markdown_code, markdown_row
from respmark.guidance.evidence import Absent, Found
from respmark.guidance.verdict import JudgedClaim, JudgedPoint, Verdict
from respmark.report.numbers import significant
from respmark.report.words import RATIO_NAMES
from respmark.specs.guidance import ClaimSpec, Direction, GuidanceSpec, Point

SUITE: Final = "guidance"
"""Measures what all claims compare."""
STYLES: Final = {
    Verdict.HOLDS: "bold green",
    Verdict.DOES_NOT_HOLD: "bold red",
    Verdict.NOT_SHOWN: "yellow",
    Verdict.NOT_MEASURED: "dim",
}
HEADS: Final = ("verdict", "claim", "compared", "claimed", "published", "measured (95 % interval)")
FAMILY: Final = (
    "all comparisons of this report are one family (Holm): with 95 % confidence none of its verdicts `holds` and "
    "`does not hold` is wrong (docs/guidance.md)"
)


def compared(point: Point) -> str:
    """Return what is divided by what: `RPS of jedis batching (depth 10) / lettuce batching (depth 10)`."""
    return f"{RATIO_NAMES[point.metric]} of {point.cell.label} / {point.against.label}"


def claimed(point: Point) -> str:
    """Return what is claimed of the ratio."""
    above, below = significant(point.factor), significant(1 / point.factor)
    return {
        Direction.MORE: f"> {above}",
        Direction.LESS: f"< {below}",
        Direction.NO_MORE: f"< {above}",
        Direction.NO_LESS: f"> {below}",
        Direction.SAME: f"{below}..{above}",
    }[point.direction]


def published(point: Point) -> str:
    """Return the published ratio, or nothing."""
    return "" if point.published is None else significant(point.published)


def measured(one: JudgedPoint) -> str:
    """Return the ratio with its interval and what remains to be said of it."""
    if isinstance(one.found, Absent):
        return "not measured"
    ratio = math.exp(one.found.rounds.mean)
    if one.interval is None:
        return f"{significant(ratio)} (one round: no interval)"
    low, high = one.interval
    said = f"{significant(ratio)} ({significant(low)}..{significant(high)})"
    return f"{said}, not shown: {_further(one)}" if one.verdict is Verdict.NOT_SHOWN else said


def _further(one: JudgedPoint) -> str:
    if one.rounds_needed is None:
        return "too close to call, more than 1,000 rounds"
    return f"about {one.rounds_needed} rounds would show it"


def unmeasured(one: JudgedClaim) -> list[str]:
    """Return why comparisons of a claim are not measured, each reason once."""
    if one.claim.out_of_reach:
        return [f"out of reach: {one.claim.out_of_reach}"]
    reasons = [point.found.reason for point in one.points if isinstance(point.found, Absent)]
    return [f"not measured: {reason}" for reason in dict.fromkeys(reasons)]


def command(claims: Iterable[JudgedClaim]) -> str | None:
    """Return the command that measures what is not measured, or nothing where nothing is left that can be."""
    ids = [one.claim.id for one in claims if one.verdict is Verdict.NOT_MEASURED and one.points]
    return " ".join([f"respmark run {SUITE}", *(f"--claim {claim}" for claim in ids)]) if ids else None


def counts(claims: Iterable[JudgedClaim]) -> str:
    """Return how many claims have which verdict."""
    verdicts = [one.verdict for one in claims]
    return ", ".join(f"{verdicts.count(one)} {one}" for one in Verdict)


def header(guidance: GuidanceSpec) -> Iterator[str]:
    """Return what a source is, and what it measured."""
    yield f"{guidance.title} ({guidance.published}), {guidance.url}"
    versions = ", ".join(f"{library} {version}" for library, version in guidance.versions.items())
    yield f"measured there: {f'{versions}; ' if versions else ''}{guidance.setup}"


def here(claims: Iterable[JudgedClaim]) -> str:
    """Return what the verdicts of a source are made of: the versions that were loaded, and the runs."""
    found = [(point.point, point.found) for one in claims for point in one.points if isinstance(point.found, Found)]
    versions = {
        f"{side.client} {version}"
        for point, one in found
        for side, version in zip((point.cell, point.against), one.versions, strict=True)
    }
    runs = dict.fromkeys(one.run_id for _, one in found)
    return f"measured here: {', '.join(sorted(versions)) or 'nothing'}" + (f"; in {', '.join(runs)}" if runs else "")


def _by_source(claims: Iterable[JudgedClaim]) -> Iterator[tuple[GuidanceSpec, list[JudgedClaim]]]:
    for _, group in groupby(claims, key=lambda one: one.guidance.name):
        found = list(group)
        yield found[0].guidance, found


def print_claims(console: Console, guidance: GuidanceSpec) -> None:
    """List a source's claims."""
    _print_header(console, guidance)
    for claim in guidance.claims:
        console.print(Text.assemble("\n", (claim.id, "bold cyan"), f"  {claim.gist}", (f"  [{claim.section}]", "dim")))
        for line in _claim_lines(claim):
            console.print(Padding(Text(line), (0, 0, 0, 4)))


def _claim_lines(claim: ClaimSpec) -> Iterator[str]:
    if claim.out_of_reach:
        yield f"out of reach: {claim.out_of_reach}"
    for point in claim.points:
        yield f"{compared(point)}: {_claimed_words(point)}"


def _claimed_words(point: Point) -> str:
    return f"claimed {claimed(point)}" + (f", published {published(point)}" if point.published else "")


def _print_header(console: Console, guidance: GuidanceSpec) -> None:
    for number, line in enumerate(header(guidance)):
        console.print(Text(line, style="dim" if number else "bold"))


def print_verdicts(console: Console, claims: list[JudgedClaim]) -> None:
    """Print every claim with its verdict and its comparisons."""
    for guidance, group in _by_source(claims):
        _print_header(console, guidance)
        console.print(Text(here(group), style="dim"))
        for one in group:
            _print_verdict(console, one)
        console.print()
    console.print(Text(counts(claims), style="bold"))
    console.print(Text(FAMILY, style="dim"))
    if further := command(claims):
        console.print(Text(f"to measure the rest: {further}"), soft_wrap=True)


def _print_verdict(console: Console, one: JudgedClaim) -> None:
    verdict = Text(f"{one.verdict:<14}", style=STYLES[one.verdict])
    console.print(Text.assemble("\n", verdict, (one.claim.id, "bold"), f"  {one.claim.gist}"))
    for reason in unmeasured(one):
        console.print(Padding(Text(reason, style="dim"), (0, 0, 0, 4)))
    for point in one.points:
        if isinstance(point.found, Absent):
            continue
        line = f"{compared(point.point)}: {measured(point)}; {_claimed_words(point.point)}"
        console.print(Padding(Text(line, style=STYLES[point.verdict].removeprefix("bold ")), (0, 0, 0, 4)))


def verdicts_markdown(claims: list[JudgedClaim]) -> str:
    """Return the verdicts as Markdown: a section a source, a row a comparison."""
    parts: list[str] = []
    for guidance, group in _by_source(claims):
        title, *rest = header(guidance)
        parts += [
            f"## {markdown(title)}",
            "",
            *(f"- {markdown(line)}" for line in (*rest, here(group))),
            "",
            markdown_row(HEADS),
            markdown_row(["---"] * len(HEADS)),
        ]
        parts += [line for one in group for line in _markdown_rows(one)]
        notes = [f"- {markdown_code(one.claim.id)}: {markdown(reason)}" for one in group for reason in unmeasured(one)]
        parts += ["", *notes, ""] if notes else [""]
    parts += [f"{markdown(counts(claims))}; {markdown(FAMILY)}.", ""]
    if further := command(claims):
        parts += [f"To measure the rest: {markdown_code(further)}", ""]
    return "\n".join(parts)


def _markdown_rows(one: JudgedClaim) -> Iterator[str]:
    lead = [f"**{markdown(one.verdict)}**", f"{markdown(one.claim.gist)} ({markdown_code(one.claim.id)})"]
    if one.claim.out_of_reach:
        yield markdown_row([*lead, "", "", "", ""])
    for point in one.points:
        cells = [compared(point.point), claimed(point.point), published(point.point), measured(point)]
        yield markdown_row([*lead, *map(markdown, cells)])
        lead = ["", ""]


def verdicts_json(claims: list[JudgedClaim]) -> str:
    """Return the verdicts as one JSON document."""
    content = {"schema_version": SCHEMA_VERSION, "confidence": 0.95, "claims": [_claim_json(one) for one in claims]}
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _claim_json(one: JudgedClaim) -> dict[str, Any]:
    return {
        "source": one.guidance.name,
        "title": one.guidance.title,
        "url": one.guidance.url,
        "section": one.claim.section,
        "id": one.claim.id,
        "gist": one.claim.gist,
        "verdict": one.verdict,
        "out_of_reach": one.claim.out_of_reach,
        "command": command([one]),
        "comparisons": [_point_json(point, one.guidance.versions) for point in one.points],
    }


def _point_json(one: JudgedPoint, versions: dict[str, str]) -> dict[str, Any]:
    point, found = one.point, one.found
    low, high = one.interval or (None, None)
    return {
        **point.model_dump(mode="json", exclude_none=True),
        "published": point.published,
        "published_versions": {
            library: version
            for library, version in versions.items()
            if library in {side.client.partition("[")[0].partition("@")[0] for side in (point.cell, point.against)}
        },
        "verdict": one.verdict,
        "ratio": one.ratio,
        "low": low,
        "high": high,
        "rounds_needed": one.rounds_needed,
        "reason": found.reason if isinstance(found, Absent) else None,
        "measured_in": _measured_in(found) if isinstance(found, Found) else None,
    }


def _measured_in(found: Found) -> dict[str, Any]:
    return {
        "run_id": found.run_id,
        "block": found.block,
        "rounds": len(found.rounds.rounds),
        "versions": list(found.versions),
    }
