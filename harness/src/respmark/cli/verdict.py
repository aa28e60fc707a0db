"""`respmark verdict`: which published claims hold in the user's own runs."""

from pathlib import Path
from typing import Annotated, Final

from respmark.cli.options import FORMAT, Repeated, this_capacity
from respmark.cli.shown import TableFormat, show
from respmark.console import write_out
from respmark.errors import ExitCode, InvalidRequestError
from respmark.figures.cells import RunFigures, read_figures
from respmark.guidance.verdict import judge, measured_by_source
from respmark.kinds.reading import KINDS, read
from respmark.report.data import verdicts_json
from respmark.report.guidance import claims_chapter, sources_chapter, verdict_chapters
from respmark.report.header import alarms
from respmark.report.table import Chapter
from respmark.specs.catalogue import Catalogue
from respmark.specs.guidance import chosen_claims

CLAIMED: Final = next(kind for kind in KINDS if kind.has_claims)
"""The kind of trial whose figures published claims compare."""
EXAMPLES: Final = {
    "verdict": """
respmark verdict
respmark verdict --source redis-py
respmark run guidance --out results/my-guidance
respmark verdict results/my-guidance
respmark verdict results/my-post-run --source post
respmark verdict results/my-faults --source faults
respmark verdict results/published/quick --claim jedis-faster-than-lettuce
respmark verdict results/* --format markdown > verdicts.md
"""
}


def verdict(
    *runs: Path,
    written: Annotated[TableFormat, FORMAT] = "terminal",
    claim: Annotated[tuple[str, ...], Repeated] = (),
    source: Annotated[tuple[str, ...], Repeated] = (),
) -> ExitCode:
    """Say which published claims hold in these runs; without a run, list the sources, or the claims of `--source`.

    A claim holds, does not hold, is not shown or not measured. Exit code 0: there are verdicts, whatever they are; 3:
    the runs measured none of the claims.

    Args:
        runs: Folders of runs; each comparison is taken from the block nearest to what its claim was measured under.
        written: How verdicts are written.
        claim: Only this claim; repeats.
        source: Only the results of this source, each with ours, its interval and the verdict: a name in specs/guidance,
            such as `post`, or a .toml file; repeats.
    """
    catalogue = Catalogue()
    if not runs:
        if claim or written != "terminal":
            raise InvalidRequestError("--claim and --format apply to verdicts; name a run folder")
        known = [catalogue.guidance(name) for name in source or catalogue.names("guidance")]
        show([[claims_chapter(one, CLAIMED) for one in known] if source else [sources_chapter(known)]], written)
        return ExitCode.OK
    found = [one for folder in runs for one in _figures(folder)]
    measured = measured_by_source(found)
    claims = chosen_claims(catalogue.claims(source, measured), claim)
    # All known claims are judged together, whichever are asked for: a verdict must not depend on what is shown with it.
    asked = {(of.name, one.id) for of, one in claims}
    others = [named for named in catalogue.claims(others=measured) if (named[0].name, named[1].id) not in asked]
    judged = judge([*claims, *others], found, catalogue.clients, this_capacity())[: len(claims)]
    told = dict.fromkeys(f"run {one.manifest.run_id}: {line}" for one in found for line in alarms(one.manifest))
    warnings = list(told)
    if written == "json":
        write_out(verdicts_json(judged, warnings))
    else:
        brief = not (claim or source)
        show([[Chapter("", notes=tuple(warnings)), *verdict_chapters(judged, CLAIMED, is_brief=brief)]], written)
    return ExitCode.OK if any(one.is_measured for one in judged) else ExitCode.NOTHING_RAN


def _figures(folder: Path) -> list[RunFigures]:
    """Return the figures of a run that claims can be about."""
    found = [one for one in read(folder) if one.kind is CLAIMED or one.kind.bounded]
    return found or [read_figures(folder, CLAIMED)]
