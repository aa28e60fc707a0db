"""`respmark report`: makes tables from the files of runs."""

import gc
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from respmark.cli.options import FORMAT, Repeated
from respmark.console import report_console, write_out
from respmark.errors import ExitCode, InvalidRequestError, OutputError
from respmark.files import write_whole
from respmark.guidance.verdict import verdicts_of
from respmark.micro.model import MicroRun, read_folder
from respmark.report.exports import to_csv, to_json, to_trend
from respmark.report.header import header_lines
from respmark.report.html.charts import ChartKey, Spec, picture, png, svg
from respmark.report.html.page import page
from respmark.report.html.view import View
from respmark.report.micro import micro_chapters
from respmark.report.post import post_chapters
from respmark.report.report import Report, detailed, document, summary
from respmark.report.scenarios import Sort
from respmark.report.table import Chapter
from respmark.report.writers import markdown, print_chapters
from respmark.results.store import parquet
from respmark.specs.catalogue import Catalogue, dump
from respmark.specs.post import PostSpec
from respmark.statistics.cells import CountedRun, ReportCell, read_counted
from respmark.statistics.likeness import Difference, check_alike, same_work

EXAMPLES: Final = """
respmark report results/20261121T090000Z-quick-seed1
respmark report results/published/quick --details --baseline jedis --sort client-cpu
respmark report results/* --format csv > all.csv
respmark report results/published/quick --format markdown
respmark report results/my-post-run --tables post
respmark report results/published/quick --format html --out report.html
respmark report results/published/quick --format png --chart frontier --use sync --out sync.png
"""
POST: Final = "aws-clients-2022"
"""The post whose tables `--tables post` lays out."""


class Format(StrEnum):
    """How tables are written."""

    TERMINAL = "terminal"
    MARKDOWN = "markdown"
    CSV = "csv"
    JSON = "json"
    ACTION_BIGGER = "action-bigger"
    ACTION_SMALLER = "action-smaller"
    HTML = "html"
    SVG = "svg"
    PNG = "png"
    PARQUET = "parquet"


class Tables(StrEnum):
    """Which tables are made."""

    SCENARIOS = "scenarios"
    POST = "post"


PICTURES: Final = {Format.SVG, Format.PNG}
BINARY: Final = {Format.PNG, Format.PARQUET}


@dataclass(frozen=True)
class Shown:
    """What is shown, and how."""

    runs: tuple[CountedRun, ...]
    micro_runs: tuple[MicroRun, ...] = ()
    format: Format = Format.TERMINAL
    baseline: str | None = None
    sort: Sort = Sort.RPS
    across: tuple[Difference, ...] = ()
    chart: ChartKey = ChartKey.FOREST
    use: str | None = None

    @cached_property
    def catalogue(self) -> Catalogue:
        """Return the specs."""
        return Catalogue()

    @cached_property
    def reports(self) -> list[Report]:
        """Return what is reported of each run."""
        specs = self.catalogue.scenarios
        return [Report(run, specs, self.baseline, self.sort, verdicts_of(run, self.catalogue)) for run in self.runs]

    @property
    def micro(self) -> list[list[Chapter]]:
        """Return the chapters of each run of micro-benchmarks."""
        return [micro_chapters(run, self.catalogue.scenarios) for run in self.micro_runs]

    def one(self) -> Report:
        """Return the only run; raises InvalidRequestError if there are others, or it is one of micro-benchmarks."""
        if len(self.runs) != 1 or self.micro_runs:
            raise InvalidRequestError(
                f"--format {self.format} is of one run of trials: name one folder, with a manifest.json"
            )
        return self.reports[0]


def report(
    first: Path,
    /,
    *others: Path,
    written: Annotated[Format, FORMAT] = Format.TERMINAL,
    tables: Tables = Tables.SCENARIOS,
    baseline: str | None = None,
    details: Annotated[bool, Parameter(negative=())] = False,
    sort: Sort = Sort.RPS,
    across: Annotated[tuple[Difference, ...], Repeated] = (),
    chart: ChartKey | None = None,
    use: str | None = None,
    out: Path | None = None,
) -> ExitCode:
    """Print which clients of a run are the fastest, or all of its tables, from its files alone.

    Args:
        first: Folder of a run, or of micro-benchmarks.
        others: Folders of further runs.
        written: terminal, markdown, csv (one row a cell or micro-benchmark), json; html: one run as a page that needs
            nothing from elsewhere; svg, png: one chart of a run as a picture; parquet: all slices of a run as a
            table; for trends: action-bigger (RPS), action-smaller (CPU per command), JSON for github-action-benchmark.
        baseline: The client that the others are compared with; default: the first of each block.
        details: In a terminal: the tables of every client and shape in place of the summary; other formats have both.
        sort: What a table's rows are sorted by: rps, client-cpu, server-cpu, p99, or suite (its own order).
        tables: scenarios, or post: the published post's tables, all runs together, beside what was published.
        across: For --tables post: `workload` shows runs of other workloads than the post's, which are refused else.
        chart: For svg and png: forest (ratios to the baseline, the default), frontier (throughput against CPU), depth,
            latency, laps (drift and noise), heat (threads and connections), post (beside the published curve).
        use: For svg and png: the scenario, or scenario and shape as tables write it, such as "batching, depth 100";
            default: the first that the chart has.
        out: File to write instead of standard output; not for the terminal's form.
    """
    _check(written, tables, out, is_of_a_chart=bool(chart or use))
    runs, micro_runs = _read((first, *others))
    _check_baseline(runs, baseline)
    shown = Shown(runs, micro_runs, written, baseline, sort, across, chart or ChartKey.FOREST, use)
    if tables is Tables.POST:
        _show([_post(shown)], written)
    elif written is Format.TERMINAL:
        _show([*(detailed(one) if details else summary(one) for one in shown.reports), *shown.micro], written)
    else:
        _write(WRITERS[written](shown), out)
    return ExitCode.OK


def _check(written: Format, tables: Tables, out: Path | None, *, is_of_a_chart: bool) -> None:
    if out is not None and (tables is Tables.POST or written is Format.TERMINAL):
        raise InvalidRequestError(
            "--out is for the scenarios' tables in another --format than the terminal's; redirect the others"
        )
    if out is None and written in BINARY:
        raise InvalidRequestError(f"--format {written} is no text: name the file to write with --out")
    if written not in PICTURES and is_of_a_chart:
        raise InvalidRequestError(f"--chart and --use are for a picture: --format svg or png, not {written}")
    if tables is Tables.POST and written not in {Format.TERMINAL, Format.MARKDOWN}:
        raise InvalidRequestError(f"--tables post is for people to read: --format terminal or markdown, not {written}")


def _read(folders: Iterable[Path]) -> tuple[tuple[CountedRun, ...], tuple[MicroRun, ...]]:
    found = [run for folder in folders for run in read_folder(folder, read_counted)]
    # What was read stays to the end: Python need not look for cycles in it while it makes the report.
    gc.freeze()
    micro_runs = tuple(run for run in found if isinstance(run, MicroRun))
    return tuple(run for run in found if isinstance(run, CountedRun)), micro_runs


def _check_baseline(runs: Iterable[CountedRun], baseline: str | None) -> None:
    known = dict.fromkeys(client for run in runs for client in run.manifest.clients)
    if baseline is not None and baseline not in known:
        raise InvalidRequestError(f"--baseline {baseline}: no such client in these runs; there are: {', '.join(known)}")


def _show(documents: Iterable[list[Chapter]], written: Format) -> None:
    if written is Format.MARKDOWN:
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
        return
    try:
        write_whole(out, content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise OutputError(f"cannot write {out}: {error.strerror}; name another file with --out") from error


def _post(shown: Shown) -> list[Chapter]:
    """Return the post's tables from the cells of all runs: where several have a cell, the first that measured it."""
    spec, runs = shown.catalogue.post(POST), shown.runs
    differing = [*check_alike(runs, shown.across), *_not_the_posts(shown, spec)]
    header = [line for run in runs for line in header_lines(run.manifest)] + [f"warning: {one}" for one in differing]
    cells = [cell for one in shown.reports for cell in one.cells if cell.workload not in one.manifest.other_workloads]
    return post_chapters(spec, cells, header)


def _not_the_posts(shown: Shown, spec: PostSpec) -> Iterator[str]:
    """Yield which runs have another workload than the post's tables are of; refuse them unless that was allowed."""
    workload = shown.catalogue.workload(shown.catalogue.suite(spec.suite).workload)
    for run in shown.runs:
        if not same_work(run.manifest.workload, dump(workload)):
            found = (
                f"run {run.manifest.run_id} has workload {run.manifest.workload['name']}, the post's is {workload.name}"
            )
            if Difference.WORKLOAD not in shown.across:
                advice = f"measure it with: respmark run {spec.suite}; or see it all the same: --across workload"
                raise InvalidRequestError(f"{found}; {advice}")
            yield found


def _picture(shown: Shown) -> Spec:
    view = View(shown.one())
    return picture(view, shown.catalogue.post(POST), shown.chart, shown.use)


def _cells(shown: Shown) -> list[ReportCell]:
    return [cell for one in shown.reports for cell in one.cells]


WRITERS: Final[dict[Format, Callable[[Shown], str | bytes]]] = {
    Format.MARKDOWN: lambda shown: "\n".join(map(markdown, [*map(document, shown.reports), *shown.micro])),
    Format.CSV: lambda shown: to_csv(_cells(shown), shown.micro_runs),
    Format.JSON: lambda shown: to_json(shown.reports, shown.micro_runs),
    Format.ACTION_BIGGER: lambda shown: to_trend(_cells(shown), is_of_costs=False),
    Format.ACTION_SMALLER: lambda shown: to_trend(_cells(shown), is_of_costs=True),
    Format.HTML: lambda shown: page(shown.one(), shown.catalogue.post(POST)),
    Format.SVG: lambda shown: svg(_picture(shown)) + "\n",
    Format.PNG: lambda shown: png(_picture(shown)),
    Format.PARQUET: lambda shown: parquet(shown.one().run),
}
"""What each format writes."""
