"""`respmark report` and `verdict`: what the files of runs say."""

import gc
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

from cyclopts import Parameter

from respmark import kinds
from respmark.cli.options import FORMAT, Repeated, this_capacity
from respmark.console import report_console, write_out
from respmark.errors import ExitCode, InvalidRequestError
from respmark.figures.between import Across, check_alike, same_work
from respmark.figures.cells import CountedRun, read_counted
from respmark.files import write_out_file
from respmark.guidance.verdict import Verdict, judge, measured_by_source, verdicts_of
from respmark.micro.model import MICRO, MicroRun
from respmark.report.document import detailed, document, summary
from respmark.report.exports import to_csv, to_json, to_timeline_csv, to_trend
from respmark.report.guidance import claims_chapter, verdict_chapters, verdicts_json
from respmark.report.header import alarms, header_lines, short_header
from respmark.report.html.chart_kinds import ChartKey
from respmark.report.html.page import page
from respmark.report.html.picture import picture, png, svg
from respmark.report.html.view import View
from respmark.report.micro import micro_chapters
from respmark.report.post import post_chapters
from respmark.report.report import Report
from respmark.report.scenarios import Sort
from respmark.report.table import Chapter
from respmark.report.timeline import timeline_chapters
from respmark.report.writers import markdown, print_chapters
from respmark.results.run import Run, parquet
from respmark.results.store import MANIFEST, read_model
from respmark.specs.catalogue import Catalogue, dump
from respmark.specs.guidance import chosen_claims
from respmark.specs.post import PostSpec

EXAMPLES: Final = {
    "report": """
respmark report results/20261121T090000Z-quick-seed1
respmark report results/published/quick --details --baseline jedis --sort client-cpu
respmark report results/* --format csv > all.csv
respmark report results/published/quick --format markdown
respmark report results/my-post-run --tables post
respmark report results/published/quick --format html --out report.html
respmark report results/published/quick --format png --chart frontier --use sync --out sync.png
""",
    "verdict": """
respmark verdict
respmark run guidance --out results/my-guidance
respmark verdict results/my-guidance
respmark verdict results/published/quick --claim jedis-faster-than-lettuce
respmark verdict results/* --format markdown > verdicts.md
""",
}
POST: Final = "aws-clients-2022"
"""The post whose tables `--tables post` lays out."""
Format = Literal[
    "terminal", "markdown", "csv", "json", "action-bigger", "action-smaller", "html", "svg", "png", "parquet"
]
Tables = Literal["scenarios", "post", "versions"]
TableFormat = Literal["terminal", "markdown", "json"]
"""How tables are written that `report` does not make."""
PICTURES: Final = {"svg", "png"}
BINARY: Final = {"png", "parquet"}
OF_ONE_RUN: Final = {"html", "parquet", *PICTURES}
OF_TABLES: Final[dict[Tables, tuple[Format, ...]]] = {
    "post": ("terminal", "markdown"),
    "versions": ("terminal", "markdown", "csv"),
}
"""Formats of the tables that have only some."""


def report(
    first: Path,
    /,
    *others: Path,
    written: Annotated[Format, FORMAT] = "terminal",
    tables: Tables = "scenarios",
    baseline: str | None = None,
    details: Annotated[bool, Parameter(negative=())] = False,
    sort: Sort = Sort.RPS,
    across: Annotated[tuple[Across, ...], Repeated] = (),
    chart: ChartKey | None = None,
    use: str | None = None,
    out: Path | None = None,
) -> ExitCode:
    """Print a run's fastest clients or all of its tables, from its files alone.

    Args:
        first: Folder of a run, or of micro-benchmarks.
        others: Folders of further runs.
        written: terminal, markdown, csv (one row a cell or micro-benchmark), json; html: one run as a page that needs
            nothing from elsewhere; svg, png: one chart of a run as a picture; parquet: all slices of a run as a
            table; for trends: action-bigger (RPS), action-smaller (CPU per command), JSON for github-action-benchmark.
        baseline: The client that the others are compared with; default: the first of each block.
        details: In a terminal: the tables of every client and shape in place of the summary; other formats have both.
        sort: What a table's rows are sorted by: rps, client-cpu, server-cpu, p99, or suite (its own order).
        tables: scenarios; post: the published post's tables, all runs together, beside what was published; versions:
            the timelines of `respmark versions` alone.
        across: For --tables post: `workload` shows runs of other workloads than the post's, which are refused else.
        chart: For svg and png: forest (ratios to the baseline, the default), frontier (throughput against CPU), depth,
            round-trips (depth by round trip), hosts (by number of client hosts), latency, rates (latency by rate), laps
            (drift and noise), heat (threads and connections), releases (a timeline), post (beside the published curve).
        use: For svg and png: the scenario, or scenario and shape as tables write it, such as "batching, depth 100";
            default: the first that the chart has.
        out: File to write instead of standard output; not for the terminal's form.
    """
    _check(written, out, tables, of_a_chart=bool(chart or use))
    runs, micro_runs, of_other_kinds = _read((first, *others))
    if of_other_kinds and written not in {"terminal", "markdown"}:
        raise InvalidRequestError(f"--format {written} has no cold starts: use terminal or markdown")
    if written in OF_ONE_RUN and (len(runs) != 1 or micro_runs):
        raise InvalidRequestError(f"--format {written} needs a single run: name one folder with a manifest.json")
    known = dict.fromkeys(client for run in runs for client in run.manifest.clients)
    if baseline is not None and baseline not in known:
        raise InvalidRequestError(f"--baseline {baseline}: no such client in these runs; there are: {', '.join(known)}")
    catalogue = Catalogue()
    reports = [
        Report(
            run,
            catalogue.scenarios,
            baseline,
            sort,
            verdicts_of(run, catalogue),
            catalogue.pins,
            catalogue.colors,
        )
        for run in runs
    ]
    if tables == "post":
        show([_post(reports, across, catalogue)], written)
    elif tables == "versions":
        _timelines(reports, written, out)
    elif written == "terminal":
        micro = (micro_chapters(run, catalogue.scenarios) for run in micro_runs)
        loops = (detailed(one) if details else summary(one) for one in reports)
        show([*loops, *of_other_kinds, *micro], written)
    elif written in PICTURES:
        spec = picture(View(reports[0]), catalogue.post(POST), chart or ChartKey.FOREST, use)
        _write(png(spec) if written == "png" else svg(spec) + "\n", out)
    else:
        _write(content(written, reports, micro_runs, catalogue, of_other_kinds), out)
    return ExitCode.OK


def content(
    written: Format,
    reports: Sequence[Report],
    micro_runs: Sequence[MicroRun],
    catalogue: Catalogue,
    of_other_kinds: Sequence[list[Chapter]] = (),
) -> str | bytes:
    """Return what is written in a format that is neither the terminal's nor a picture."""
    cells = [cell for one in reports for cell in one.cells]
    if written == "csv":
        return to_csv(cells, micro_runs)
    if written == "json":
        return to_json(reports, micro_runs)
    if written == "html":
        return page(reports[0], catalogue.post(POST))
    if written == "parquet":
        return parquet(reports[0].run)
    if written == "markdown":
        micro = (micro_chapters(run, catalogue.scenarios) for run in micro_runs)
        return "\n".join(map(markdown, [*map(document, reports), *of_other_kinds, *micro]))
    return to_trend(cells, is_of_costs=written == "action-smaller")


def verdict(
    *runs: Path,
    written: Annotated[TableFormat, FORMAT] = "terminal",
    claim: Annotated[tuple[str, ...], Repeated] = (),
    sources: Annotated[tuple[str, ...], Parameter(name="--from", negative=(), consume_multiple=False)] = (),
) -> ExitCode:
    """Say which published claims hold in these runs; without a run, list the claims and how to measure each.

    A claim holds, does not hold, is not shown or not measured. Exit code 0: there are verdicts, whatever they are; 3:
    the runs measured none of the claims.

    Args:
        runs: Folders of runs; each comparison is taken from the block nearest to what its claim was measured under.
        written: How verdicts are written.
        claim: Only this claim; repeats.
        sources: Only the claims of this source: a name in specs/guidance, or a .toml file; repeats.
    """
    catalogue = Catalogue()
    if not runs:
        if claim or written != "terminal":
            raise InvalidRequestError("--claim and --format apply to verdicts; name a run folder")
        names = sources or catalogue.names("guidance")
        show([[claims_chapter(catalogue.guidance(name)) for name in names]], written)
        return ExitCode.OK
    read = [read_counted(folder) for folder in runs]
    measured = measured_by_source(read)
    claims = chosen_claims(catalogue.claims(sources, measured), claim)
    # All known claims are judged together, whichever are asked for: a verdict must not depend on what is shown with it.
    asked = {(source.name, one.id) for source, one in claims}
    others = [named for named in catalogue.claims(others=measured) if (named[0].name, named[1].id) not in asked]
    judged = judge([*claims, *others], read, catalogue.clients, this_capacity())[: len(claims)]
    warnings = [f"run {one.manifest.run_id}: {line}" for one in read for line in alarms(one.manifest)]
    if written == "json":
        write_out(verdicts_json(judged, warnings))
    else:
        brief = not (claim or sources)
        show([[Chapter("", notes=tuple(warnings)), *verdict_chapters(judged, is_brief=brief)]], written)
    is_measured = any(one.verdict is not Verdict.NOT_MEASURED for one in judged)
    return ExitCode.OK if is_measured else ExitCode.NOTHING_RAN


def _check(written: Format, out: Path | None, tables: Tables, *, of_a_chart: bool) -> None:
    if out is not None and (written == "terminal" or (tables != "scenarios" and written != "csv")):
        raise InvalidRequestError(
            "--out does not apply to --format terminal, or to --tables post or versions except csv: redirect the output"
        )
    if out is None and written in BINARY:
        raise InvalidRequestError(f"{written.upper()} is binary; use --out FILE")
    if written not in PICTURES and of_a_chart:
        raise InvalidRequestError(f"--chart and --use apply to --format svg and png, not to {written}")
    formats = OF_TABLES.get(tables)
    if formats is not None and written not in formats:
        raise InvalidRequestError(f"--tables {tables} applies to --format {', '.join(formats)}, not to {written}")


def _read(folders: Iterable[Path]) -> tuple[list[CountedRun], list[MicroRun], list[list[Chapter]]]:
    """Read what results folders hold: trials, micro-benchmarks, or both; of trials that are no loops, their tables."""
    runs: list[CountedRun] = []
    of_other_kinds: list[list[Chapter]] = []
    micro_runs: list[MicroRun] = []
    for folder in folders:
        try:
            has_trials, has_micro = ((folder / name).is_file() for name in (MANIFEST, MICRO))
        except OSError as error:
            raise InvalidRequestError(f"{folder} cannot be read: {error.strerror}") from error
        if not has_trials and not has_micro:
            raise InvalidRequestError(f"{folder} is not a run folder: it has no {MANIFEST} and no {MICRO}")
        if has_trials:
            run, others = read_counted(folder), kinds.chapters(folder)
            runs += [run] if run.manifest.cells or not others else []
            of_other_kinds += [others] if others else []
        micro_runs += [read_model(folder / MICRO, MicroRun)] if has_micro else []
    # What was read stays to the end: Python need not look for cycles in it while it makes the report.
    gc.freeze()
    return runs, micro_runs, of_other_kinds


def show(documents: Iterable[list[Chapter]], written: Format) -> None:
    """Print documents in a terminal, or write them as Markdown."""
    if written == "markdown":
        write_out("\n".join(map(markdown, documents)))
        return
    console = report_console()
    for number, chapters in enumerate(documents):
        if number:
            console.print()
        print_chapters(console, chapters)


def _write(content: str | bytes, out: Path | None) -> None:
    if out is None:
        write_out(content if isinstance(content, str) else content.decode())
    else:
        write_out_file(out, content.encode() if isinstance(content, str) else content)


def _timelines(reports: Sequence[Report], written: Format, out: Path | None) -> None:
    """Show the timelines of all runs that have any, each with what its figures apply to."""
    found = [one for one in reports if one.timelines]
    if not found:
        raise InvalidRequestError("--tables versions: none of these runs is one of `respmark versions`")
    if written == "csv":
        _write(to_timeline_csv([timeline for one in found for timeline in one.timelines]), out)
        return
    show([[Chapter("", short_header(one.manifest)), *timeline_chapters(one.timelines)] for one in found], written)


def _post(reports: Sequence[Report], across: Sequence[Across], catalogue: Catalogue) -> list[Chapter]:
    """Return the post's tables from the cells of all runs: where several have a cell, the first that measured it."""
    spec, runs = catalogue.post(POST), [one.run for one in reports]
    differing = [*check_alike(runs, across), *_not_the_posts(runs, spec, across, catalogue)]
    header = [line for run in runs for line in header_lines(run.manifest)] + [f"warning: {one}" for one in differing]
    cells = [
        cell for one in reports for cell in one.cells if cell.workload in {one.manifest.first_workload, *spec.workloads}
    ]
    return post_chapters(spec, {"": cells}, header)


def _not_the_posts(
    runs: Sequence[Run], spec: PostSpec, across: Sequence[Across], catalogue: Catalogue
) -> Iterator[str]:
    """Yield which runs have another workload than the post's tables are of; refuse them unless that was allowed."""
    workload = catalogue.workload(catalogue.suite(spec.suite).workload)
    for run in runs:
        own = run.manifest.first_workload
        if not same_work(run.manifest.workloads[own].spec, dump(workload)):
            found = f"run {run.manifest.run_id} measured workload {own}, not the post's, {workload.name}"
            if Across.WORKLOAD not in across:
                advice = f"measure it with: respmark run {spec.suite}; or compare anyway: --across workload"
                raise InvalidRequestError(f"{found}; {advice}")
            yield found
