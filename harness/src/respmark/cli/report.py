"""`respmark report`: what the files of runs say."""

import gc
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

from cyclopts import Parameter

from respmark.cli.options import FORMAT
from respmark.cli.shown import show, write
from respmark.errors import ExitCode, InvalidRequestError
from respmark.figures.cells import RunFigures
from respmark.kinds import reading
from respmark.micro.model import MICRO, MicroRun
from respmark.report.data import to_csv, to_json
from respmark.report.document import detailed, document, summary
from respmark.report.html.page import page
from respmark.report.markdown import markdown
from respmark.report.micro import micro_chapters
from respmark.report.report import Report
from respmark.report.scenarios import Sort
from respmark.results.read import parquet
from respmark.results.store import MANIFEST, read_model
from respmark.specs.catalogue import Catalogue

EXAMPLES: Final = {
    "report": """
respmark report results/20261121T090000Z-quick-seed1
respmark report results/published/quick --details --baseline jedis --sort client-cpu
respmark report results/* --format csv > all.csv
respmark report results/published/quick --format markdown
respmark report results/published/quick --format html --out report.html
"""
}
Format = Literal["terminal", "markdown", "csv", "json", "html", "parquet"]
OF_ONE_RUN: Final = {"html", "parquet"}


def report(
    first: Path,
    /,
    *others: Path,
    written: Annotated[Format, FORMAT] = "terminal",
    baseline: str | None = None,
    details: Annotated[bool, Parameter(negative=())] = False,
    sort: Sort = Sort.RPS,
    out: Path | None = None,
) -> ExitCode:
    """Print a run's fastest clients or all of its tables, from its files alone.

    Args:
        first: Folder of a run, or of micro-benchmarks.
        others: Folders of further runs.
        written: terminal, markdown, csv (one row a cell), json; html: one run as a page that needs nothing from
            elsewhere; parquet: all slices of a run as a table.
        baseline: The client that the others are compared with; default: the first of each block.
        details: In a terminal: the tables of every client and shape in place of the summary; other formats have both.
        sort: What a table's rows are sorted by: rps, client-cpu, server-cpu, p99, or suite (its own order).
        out: File to write instead of standard output; not for the terminal's form.
    """
    if out is not None and written == "terminal":
        raise InvalidRequestError("--out does not apply to --format terminal: redirect the output")
    if out is None and written == "parquet":
        raise InvalidRequestError("PARQUET is binary; use --out FILE")
    runs, micro_runs = _read((first, *others))
    if written in OF_ONE_RUN and (len(runs) != 1 or micro_runs):
        raise InvalidRequestError(
            f"--format {written} needs a single run with one kind of trial: name one folder with a manifest.json"
        )
    if written == "csv" and not runs:
        raise InvalidRequestError(f"--format csv has trials alone: {MICRO} has the figures of micro-benchmarks")
    check_baseline(baseline, runs)
    catalogue = Catalogue()
    reports = [Report.of(run, catalogue, baseline, sort) for run in runs]
    if written == "terminal":
        micro = (micro_chapters(run, catalogue.scenarios) for run in micro_runs)
        trials = (detailed(one) if details else summary(one) for one in reports)
        show([*trials, *micro], written)
    else:
        write(content(written, reports, micro_runs, catalogue), out)
    return ExitCode.OK


def check_baseline(baseline: str | None, runs: Iterable[RunFigures]) -> None:
    """Raise InvalidRequestError if no run has the client that others are to be compared with."""
    known = dict.fromkeys(client for run in runs for client in run.manifest.clients)
    if baseline is not None and baseline not in known:
        raise InvalidRequestError(f"--baseline {baseline}: no such client in these runs; there are: {', '.join(known)}")


def content(
    written: Format,
    reports: Sequence[Report],
    micro_runs: Sequence[MicroRun],
    catalogue: Catalogue,
) -> str | bytes:
    """Return what is written in a format that is not the terminal's."""
    if written == "csv":
        return to_csv([cell for one in reports for cell in one.cells])
    if written == "json":
        return to_json(reports, micro_runs)
    if written == "html":
        return page(reports[0])
    if written == "parquet":
        return parquet(reports[0].run)
    micro = (micro_chapters(run, catalogue.scenarios) for run in micro_runs)
    return "\n".join(map(markdown, [*map(document, reports), *micro]))


def _read(folders: Iterable[Path]) -> tuple[list[RunFigures], list[MicroRun]]:
    """Read what results folders hold: trials of one kind or several, micro-benchmarks, or both."""
    runs: list[RunFigures] = []
    micro_runs: list[MicroRun] = []
    for folder in folders:
        try:
            has_trials, has_micro = ((folder / name).is_file() for name in (MANIFEST, MICRO))
        except OSError as error:
            raise InvalidRequestError(f"{folder} cannot be read: {error.strerror}") from error
        if not has_trials and not has_micro:
            raise InvalidRequestError(f"{folder} is not a run folder: it has no {MANIFEST} and no {MICRO}")
        if has_trials:
            runs += reading.read(folder)
        micro_runs += [read_model(folder / MICRO, MicroRun)] if has_micro else []
    # What was read stays to the end: Python need not look for cycles in it while it makes the report.
    gc.freeze()
    return runs, micro_runs
