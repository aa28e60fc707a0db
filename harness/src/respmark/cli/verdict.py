"""`respmark verdict`: published claims, and which of them hold in runs."""

from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from respmark.cli.options import FORMAT, Repeated, TableFormat
from respmark.console import report_console, write_out
from respmark.errors import ExitCode, InvalidRequestError
from respmark.guidance.verdict import JudgedClaim, Verdict, judge
from respmark.report.guidance import claims_chapter, verdict_chapters, verdicts_json
from respmark.report.header import alarms
from respmark.report.table import Chapter
from respmark.report.writers import markdown, print_chapters
from respmark.specs.catalogue import Catalogue
from respmark.specs.claims import chosen_claims
from respmark.statistics.cells import read_counted

EXAMPLES: Final = """
respmark verdict
respmark run guidance --out results/my-guidance
respmark verdict results/my-guidance
respmark verdict results/published/quick --claim jedis-faster-than-lettuce
respmark verdict results/* --format markdown > verdicts.md
"""


def verdict(
    *runs: Path,
    written: Annotated[TableFormat, FORMAT] = TableFormat.TERMINAL,
    claim: Annotated[tuple[str, ...], Repeated] = (),
    sources: Annotated[tuple[str, ...], Parameter(name="--from", negative=(), consume_multiple=False)] = (),
) -> ExitCode:
    """Say which published claims hold in these runs; without a run, list them and what would show each.

    A claim holds, does not hold, is not shown or not measured. Exit code 0: there are verdicts, whatever they are; 3:
    the runs measured none of the claims.

    Args:
        runs: Folders of runs; a comparison is taken from the block that has the most rounds of it.
        written: How verdicts are written.
        claim: Only this claim; repeats.
        sources: Only the claims of this source: a name in specs/guidance, or a .toml file; repeats.
    """
    catalogue = Catalogue()
    if not runs:
        return _list(catalogue, sources, claim, written)
    claims = chosen_claims(catalogue.claims(sources), claim)
    read = [read_counted(folder) for folder in runs]
    judged = judge(claims, read, catalogue.clients)
    warnings = [f"run {one.manifest.run_id}: {line}" for one in read for line in alarms(one.manifest)]
    _write(judged, warnings, written)
    measured = any(one.verdict is not Verdict.NOT_MEASURED for one in judged)
    return ExitCode.OK if measured else ExitCode.NOTHING_RAN


def _list(catalogue: Catalogue, sources: tuple[str, ...], claim: tuple[str, ...], written: TableFormat) -> ExitCode:
    if claim or written is not TableFormat.TERMINAL:
        raise InvalidRequestError("--claim and --format are for verdicts: name the folder of a run")
    names = sources or catalogue.names("guidance")
    print_chapters(report_console(), [claims_chapter(catalogue.guidance(name)) for name in names])
    return ExitCode.OK


def _write(judged: list[JudgedClaim], warnings: list[str], written: TableFormat) -> None:
    if written is TableFormat.JSON:
        write_out(verdicts_json(judged, warnings))
        return
    chapters = [Chapter("", notes=tuple(warnings)), *verdict_chapters(judged)]
    if written is TableFormat.MARKDOWN:
        write_out(markdown(chapters))
    else:
        print_chapters(report_console(), chapters)
