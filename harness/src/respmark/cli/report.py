"""`respmark report`: makes tables from the files of runs."""

import gc
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

from cyclopts import Parameter

from respmark.cli.options import FORMAT, Repeated
from respmark.console import report_console, write_out
from respmark.errors import ExitCode, InvalidRequestError, OutputError
from respmark.files import write_whole
from respmark.guidance.verdict import verdicts_of
from respmark.micro.model import MicroRun
from respmark.micro.store import Trials, read_folder
from respmark.report.action_benchmark import Direction, to_action_benchmark
from respmark.report.answer import answer
from respmark.report.answer_text import print_answer
from respmark.report.csv import to_csv
from respmark.report.header import header_lines
from respmark.report.html import vega
from respmark.report.html.charts.chart import ChartKey
from respmark.report.html.page import page
from respmark.report.html.picture import picture
from respmark.report.html.view import make_view
from respmark.report.json import ReportedRun, to_json
from respmark.report.markdown import markdown, micro_markdown
from respmark.report.micro import micro_report
from respmark.report.post import post_report
from respmark.report.post_text import post_markdown, print_post
from respmark.report.tables import Report, Sort, make_report
from respmark.report.terminal import print_report, print_tables
from respmark.results.store import Run
from respmark.specs.catalogue import Catalogue, dump
from respmark.specs.post import PostSpec
from respmark.statistics.cells import CountedRun, cells_of, read_counted
from respmark.statistics.likeness import Difference, check_alike, same_work
from respmark.statistics.versions import version_changes

EXAMPLES: Final = """
respmark report results/20261121T090000Z-quick-seed1
respmark report results/published/quick --details --baseline jedis --sort client-cpu
respmark report results/* --format csv > all.csv
respmark report results/published/quick --format markdown
respmark report results/my-post-run --tables post
respmark report results/published/quick --format html --out report.html
respmark report results/published/quick --format png --chart frontier --use sync --out sync.png
"""


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


class Tables(StrEnum):
    """Which tables are made."""

    SCENARIOS = "scenarios"
    POST = "post"


PICTURES: Final = {Format.SVG, Format.PNG}
NEED_RECORDS: Final = {*PICTURES, Format.HTML}
"""What shows single rounds and samples, and needs all records in memory; tables need only figures."""
DIRECTIONS: Final = {Format.ACTION_BIGGER: Direction.BIGGER, Format.ACTION_SMALLER: Direction.SMALLER}
POST: Final = "aws-clients-2022"
"""The post whose tables `--tables post` lays out."""
RecordedRuns = Sequence[Run | MicroRun]
CountedRuns = Sequence[CountedRun | MicroRun]


@dataclass(frozen=True)
class Shown:
    """How tables are to be made."""

    baseline: str | None = None
    sort: Sort = Sort.RPS
    details: bool = False
    across: tuple[Difference, ...] = ()
    chart: ChartKey | None = None
    use: str | None = None
    out: Path | None = None


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
            nothing from elsewhere; svg, png: one chart of a run as a picture; for trends:
            action-bigger (RPS) or action-smaller (CPU per command), the JSON of github-action-benchmark.
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
    how = Shown(baseline, sort, details, across, chart, use, out)
    _check(written, tables, how)
    folders = (first, *others)
    runs = _read(folders, read_counted, how)
    if written in NEED_RECORDS:
        _write_of_records(runs, written, how)
    else:
        _write(runs, written, tables, how)
    return ExitCode.OK


def _check(written: Format, tables: Tables, how: Shown) -> None:
    """Refuse options that do not go together."""
    if how.out is not None and (tables is Tables.POST or written is Format.TERMINAL):
        message = "--out is for the scenarios' tables in another --format than the terminal's; redirect the others"
        raise InvalidRequestError(message)
    if written not in PICTURES and (how.chart or how.use):
        message = f"--chart and --use are for a picture: --format svg or png, not {written}"
        raise InvalidRequestError(message)
    if tables is Tables.POST and written not in {Format.TERMINAL, Format.MARKDOWN}:
        message = f"--tables post is for people to read: --format terminal or markdown, not {written}"
        raise InvalidRequestError(message)


def _read(folders: Sequence[Path], read: Callable[[Path], Trials], how: Shown) -> list[Trials | MicroRun]:
    runs = [run for folder in folders for run in read_folder(folder, read)]
    # What was read stays to the end: Python need not look for cycles in it while it makes the report.
    gc.freeze()
    trials = (run for run in runs if isinstance(run, Run | CountedRun))
    known = dict.fromkeys(client for run in trials for client in run.manifest.clients)
    if how.baseline is not None and how.baseline not in known:
        message = f"--baseline {how.baseline}: no such client in these runs; there are: {', '.join(known)}"
        raise InvalidRequestError(message)
    return runs


def _write_of_records(runs: RecordedRuns, written: Format, how: Shown) -> None:
    """Write what shows single rounds or samples."""
    catalogue = Catalogue()
    if written is Format.HTML:
        run = _one_run(runs, written)
        verdicts = verdicts_of(run, catalogue)
        _write_out(page(run, catalogue.scenarios, catalogue.post(POST), how.baseline, verdicts), how.out)
    elif written is Format.SVG:
        _write_out(vega.svg(_picture(runs, written, catalogue, how)) + "\n", how.out)
    elif how.out is None:
        raise InvalidRequestError("--format png is no text: name the picture's file with --out")
    else:
        _write_file(how.out, vega.png(_picture(runs, written, catalogue, how)))


def _picture(runs: RecordedRuns, written: Format, catalogue: Catalogue, how: Shown) -> dict[str, Any]:
    view = make_view(_one_run(runs, written), catalogue.scenarios, how.baseline)
    return picture(view, catalogue.post(POST), how.chart or ChartKey.FOREST, how.use)


def _one_run(runs: RecordedRuns, written: Format) -> Run:
    if len(runs) != 1 or not isinstance(runs[0], Run):
        message = f"--format {written} is of one run of trials: name one folder, with a manifest.json and trials.jsonl"
        raise InvalidRequestError(message)
    return runs[0]


def _write(runs: CountedRuns, written: Format, tables: Tables, how: Shown) -> None:
    """Write tables, or what programs read."""
    if tables is Tables.POST:
        _post([run for run in runs if isinstance(run, CountedRun)], written, how.across)
    elif written is Format.TERMINAL:
        _print(runs, how)
    else:
        _write_out(render(runs, written, how), how.out)


def _write_out(text: str, out: Path | None) -> None:
    if out is None:
        write_out(text)
    else:
        _write_file(out, text.encode())


def _write_file(out: Path, content: bytes) -> None:
    try:
        write_whole(out, content)
    except OSError as error:
        raise OutputError(f"cannot write {out}: {error.strerror}; name another file with --out") from error


def _post(runs: list[CountedRun], written: Format, across: Collection[Difference]) -> None:
    """Print the post's tables from the cells of all runs: where several have a cell, the first that measured it."""
    catalogue = Catalogue()
    spec = catalogue.post(POST)
    differing = [*check_alike(runs, across), *_not_the_posts(runs, catalogue, spec, across)]
    header = [line for run in runs for line in header_lines(run.manifest)] + [f"warning: {told}" for told in differing]
    cells = [cell for run in runs for cell in cells_of(run) if cell.workload not in run.manifest.other_workloads]
    made = post_report(spec, cells, header)
    if written is Format.TERMINAL:
        print_post(report_console(), made)
    else:
        write_out(post_markdown(made))


def _not_the_posts(
    runs: Iterable[CountedRun], catalogue: Catalogue, spec: PostSpec, across: Collection[Difference]
) -> Iterator[str]:
    """Yield which runs have another workload than the post's tables are of.

    Raises:
        InvalidRequestError: one has, and nobody said that it may.
    """
    suite = catalogue.suite(spec.suite)
    workload = catalogue.workload(suite.workload)
    for run in runs:
        if not same_work(run.manifest.workload, dump(workload)):
            told = (
                f"run {run.manifest.run_id} has workload {run.manifest.workload['name']}, the post's is {workload.name}"
            )
            if Difference.WORKLOAD not in across:
                advice = f"measure it with: respmark run {spec.suite}; or see it all the same: --across workload"
                raise InvalidRequestError(f"{told}; {advice}")
            yield told


def _print(runs: CountedRuns, how: Shown) -> None:
    catalogue, console = Catalogue(), report_console()
    for number, run in enumerate(runs):
        if number:
            console.print()
        if isinstance(run, CountedRun):
            made = _made(run, catalogue, how)
            if how.details:
                print_report(console, made)
            else:
                print_answer(console, answer(made))
        else:
            tables = micro_report(run, catalogue.scenarios)
            print_tables(console, tables.header, tables.tables)


def _made(run: CountedRun, catalogue: Catalogue, how: Shown) -> Report:
    return make_report(run, catalogue.scenarios, how.baseline, how.sort, verdicts_of(run, catalogue))


def render(runs: CountedRuns, written: Format, how: Shown) -> str:
    """Return the report as text."""
    trials = [run for run in runs if isinstance(run, CountedRun)]
    micro = [run for run in runs if isinstance(run, MicroRun)]
    forms: dict[Format, Callable[[], str]] = {
        Format.CSV: lambda: to_csv([cell for run in trials for cell in cells_of(run, how.baseline)], micro),
        Format.JSON: lambda: to_json([_reported(run, how.baseline) for run in trials], micro),
        Format.MARKDOWN: lambda: "\n".join(_markdown(run, how) for run in runs),
    }
    if written in DIRECTIONS:
        return to_action_benchmark([cell for run in trials for cell in cells_of(run)], DIRECTIONS[written])
    return forms[written]()


def _reported(run: CountedRun, baseline: str | None) -> ReportedRun:
    changes = version_changes(run.blocks, run.manifest.looks)
    return ReportedRun(run.manifest, cells_of(run, baseline), changes, verdicts_of(run, Catalogue()))


def _markdown(run: CountedRun | MicroRun, how: Shown) -> str:
    catalogue = Catalogue()
    if isinstance(run, CountedRun):
        return markdown(_made(run, catalogue, how))
    return micro_markdown(micro_report(run, catalogue.scenarios))
