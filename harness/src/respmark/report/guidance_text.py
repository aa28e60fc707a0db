"""Claims and their verdicts as text: for a terminal, and in Markdown."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from respmark.escaping import markdown, markdown_code, markdown_row
from respmark.guidance.evidence import Absent
from respmark.guidance.verdict import JudgedClaim, Verdict
from respmark.report.guidance import (
    FAMILY,
    HEADS,
    by_source,
    claimed,
    claimed_words,
    command,
    compared,
    counts,
    header,
    here,
    in_one_line,
    measured,
    published,
    unmeasured,
    with_figures,
)
from respmark.specs.guidance import ClaimSpec, GuidanceSpec

ADVICE: Final = "published advice"
"""Heading of the chapter."""
STYLES: Final = {
    Verdict.HOLDS: "bold green",
    Verdict.DOES_NOT_HOLD: "bold red",
    Verdict.NOT_SHOWN: "yellow",
    Verdict.NOT_MEASURED: "dim",
}


def print_claims(console: Console, guidance: GuidanceSpec) -> None:
    """Print a source's claims."""
    _print_header(console, guidance)
    for claim in guidance.claims:
        console.print(Text.assemble("\n", (claim.id, "bold cyan"), f"  {claim.gist}", (f"  [{claim.section}]", "dim")))
        for line in _claim_lines(claim):
            console.print(Padding(Text(line), (0, 0, 0, 4)))


def _claim_lines(claim: ClaimSpec) -> Iterator[str]:
    if claim.out_of_reach:
        yield f"out of reach: {claim.out_of_reach}"
    for point in claim.points:
        yield f"{compared(point)}: {claimed_words(point)}"


def _print_header(console: Console, guidance: GuidanceSpec) -> None:
    for number, line in enumerate(header(guidance)):
        console.print(Text(line, style="dim" if number else "bold"))


def print_verdicts(console: Console, claims: Sequence[JudgedClaim], warnings: Sequence[str]) -> None:
    """Print warnings about the runs, and every claim with its verdict and its comparisons."""
    for warning in warnings:
        console.print(Text(warning, style="bold yellow"))
    _print_sources(console, claims)
    _print_counts(console, claims)


def print_advice(console: Console, claims: Sequence[JudgedClaim]) -> None:
    """Print the claims for which a run measured something, as a chapter of its report."""
    console.print(Text(f"\n{ADVICE}", style="bold cyan"))
    found = with_figures(claims)
    if not found:
        console.print(Text(in_one_line(claims)))
        return
    _print_sources(console, found)
    _print_counts(console, claims)


def _print_sources(console: Console, claims: Iterable[JudgedClaim]) -> None:
    for guidance, group in by_source(claims):
        _print_header(console, guidance)
        console.print(Text(here(group), style="dim"))
        for one in group:
            _print_verdict(console, one)
        console.print()


def _print_counts(console: Console, claims: Sequence[JudgedClaim]) -> None:
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
        line = f"{compared(point.point)}: {measured(point)}; {claimed_words(point.point)}"
        console.print(Padding(Text(line, style=STYLES[point.verdict].removeprefix("bold ")), (0, 0, 0, 4)))


def verdicts_markdown(claims: Sequence[JudgedClaim], mark: str = "##", warnings: Sequence[str] = ()) -> str:
    """Return warnings about the runs and all verdicts as Markdown: a section per source, a row per comparison."""
    alarms = [*(f"- **{markdown(warning)}**" for warning in warnings), ""] if warnings else []
    return "\n".join([*alarms, *_sections(claims, mark), *_counts(claims)])


def advice_markdown(claims: Sequence[JudgedClaim]) -> str:
    """Return the claims for which a run measured something, as a chapter of its report."""
    found = with_figures(claims)
    if not found:
        return f"## {ADVICE}\n\n{markdown(in_one_line(claims))}.\n"
    return "\n".join([f"## {ADVICE}\n", *_sections(found, "###"), *_counts(claims)])


def _sections(claims: Iterable[JudgedClaim], mark: str) -> Iterator[str]:
    for guidance, group in by_source(claims):
        title, *rest = header(guidance)
        yield f"{mark} {markdown(title)}\n"
        yield from (f"- {markdown(line)}" for line in (*rest, here(group)))
        yield from ("", markdown_row(HEADS), markdown_row(["---"] * len(HEADS)))
        yield from (line for one in group for line in _markdown_rows(one))
        notes = [f"- {markdown_code(one.claim.id)}: {markdown(reason)}" for one in group for reason in unmeasured(one)]
        yield from ("", *notes, "") if notes else ("",)


def _counts(claims: Sequence[JudgedClaim]) -> Iterator[str]:
    yield f"{markdown(counts(claims))}; {markdown(FAMILY)}.\n"
    if further := command(claims):
        yield f"To measure the rest: {markdown_code(further)}\n"


def _markdown_rows(one: JudgedClaim) -> Iterator[str]:
    lead = [f"**{markdown(one.verdict)}**", f"{markdown(one.claim.gist)} ({markdown_code(one.claim.id)})"]
    if one.claim.out_of_reach:
        yield markdown_row([*lead, "", "", "", ""])
    for point in one.points:
        cells = [compared(point.point), claimed(point.point), published(point.point), measured(point)]
        yield markdown_row([*lead, *map(markdown, cells)])
        lead = ["", ""]
