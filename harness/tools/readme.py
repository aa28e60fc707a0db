"""Writes the README's figures and picture, the published run's report, and the post's page from the runs' files.

It also writes the table in docs/reading-results.md from the registry of metrics, and the one in docs/honesty.md from
the fidelity run.

`make readme` writes all of them; a test fails when a page and the files disagree.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from bench.fidelity_rows import FidelityRun, to_markdown
from respmark.console import write_out
from respmark.contract.trial import Scenario
from respmark.escaping import markdown as escaped
from respmark.escaping import markdown_table
from respmark.figures.cells import Cell, RunFigures, read_figures
from respmark.guidance.verdict import measured_by_source
from respmark.kinds.faults.kind import FAULTS
from respmark.kinds.loops.kind import LOOPS
from respmark.kinds.loops.metrics import LoopFigures
from respmark.kinds.loops.notes import precision_line
from respmark.paths import CHECKOUT
from respmark.report.document import document
from respmark.report.header import header_lines
from respmark.report.html.chart_forms import ChartKey
from respmark.report.html.page import page
from respmark.report.html.picture import picture, svg
from respmark.report.html.view import View
from respmark.report.labels import cell_label
from respmark.report.markdown import markdown
from respmark.report.report import Report
from respmark.results.store import read_model
from respmark.specs.catalogue import Catalogue
from respmark.triage.rules import rules_of
from tools import failover_page, faults_page, gains, page_answers, practices_page, publish, run_tables, triage_page
from tools.clients_page import clients_page
from tools.documented import documented
from tools.findings_page import findings_files
from tools.network_page import PICTURE as NETWORK_PICTURE
from tools.network_page import network_page
from tools.post import the_post
from tools.post_chart import post_chart
from tools.post_page import post_page
from tools.published import is_run, run_in
from tools.servers_page import servers_page
from tools.summary import summary_legend, summary_markdown
from tools.verdicts import Judged, agreement_line, counts_line, judged_in_places, published, verdicts_chapter
from tools.withdrawn import Withdrawal, marked, of_page, withdrawals

PUBLISHED: Final = CHECKOUT / "results" / "published" / "quick"
README: Final = CHECKOUT / "README.md"
DOCS: Final = CHECKOUT / "docs"
CHART: Final = CHECKOUT / "docs" / "ratios.svg"
PICTURED: Final = Scenario.BATCHING
POST_PAGE: Final = CHECKOUT / "docs" / "post.md"
POST_RUN: Final = CHECKOUT / "results" / "published" / "post"
SERVERS_PAGE: Final = CHECKOUT / "docs" / "servers.md"
SERVERS_RUNS: Final = tuple(CHECKOUT / "results" / "published" / name for name in ("servers", "connections"))
NETWORK_PAGE: Final = CHECKOUT / "docs" / "network.md"
NETWORK_RUN: Final = CHECKOUT / "results" / "published" / "network"
CLIENTS_PAGE: Final = CHECKOUT / "docs" / "clients.md"
FAULTS_RUNS: Final = tuple(CHECKOUT / "results" / "published" / name for name in ("faults", "failover"))
POST_NETWORK_RUN: Final = CHECKOUT / "results" / "published" / "post-0.2ms"
GUIDANCE_PAGE: Final = CHECKOUT / "docs" / "guidance.md"
EVIDENCE: Final = tuple(
    CHECKOUT / "results" / "published" / name
    for name in (
        "post",
        "guidance",
        "practices",
        "trackers",
        "network",
        "servers",
        "connections",
        "post-0.2ms",
        "guidance-0.2ms",
        "cluster-claims",
    )
)
"""Runs whose blocks count for verdicts, if they are published."""
FAULTS_SUITE: Final = "faults-claims"
OWN_SECTIONS: Final = {
    **{one.PAGE.name: one.sections for one in (faults_page, failover_page)},
    "costs.md": page_answers.costs,
    "cold-start.md": page_answers.cold_starts,
    "micro.md": page_answers.micro,
}
"""What pages have besides the tables of runs."""
METRICS_PAGE: Final = CHECKOUT / "docs" / "reading-results.md"
PUBLISHING_PAGE: Final = CHECKOUT / "docs" / "publishing.md"
FIDELITY_PAGE: Final = CHECKOUT / "docs" / "honesty.md"
FIDELITY_RUNS: Final = CHECKOUT / "results" / "published" / "fidelity"


def with_section(path: Path, name: str, text: str) -> str:
    """Return a page with new text between the marks of this name.

    Raises:
        ValueError: the page has no such marks.
    """
    return with_text(path, path.read_text(encoding="utf-8"), name, text)


def with_sections(path: Path, sections: Mapping[str, str]) -> str:
    """Return a page with the text of several sections; raises what `with_section` does."""
    page_text = path.read_text(encoding="utf-8")
    for name, text in sections.items():
        page_text = with_text(path, page_text, name, text)
    return page_text


def with_text(path: Path, page_text: str, name: str, text: str) -> str:
    """Return the same of a page whose text is given; raises what `with_section` does."""
    marks = re.compile(rf"(?<=<!-- {name}: begin -->\n).*(?=<!-- {name}: end -->)", re.DOTALL)
    made, found = marks.subn(lambda _: text, page_text)
    if not found:
        message = f"{path} has no `<!-- {name}: begin -->` with its end"
        raise ValueError(message)
    return made


def published_run() -> RunFigures:
    """Return the published run."""
    return run_in(PUBLISHED)


def published_report(run: RunFigures | None = None) -> Report:
    """Return the report of the published run."""
    return Report.of(run or published_run(), Catalogue())


def readme_section(report: Report) -> str:
    """Return the text between the README's marks."""
    libraries = dict.fromkeys(f"{c.library} {c.library_version}" for c in report.cells if c.library_version)
    clients = f"clients: {', '.join(libraries)}; what else they loaded stands in the report"
    told = [*header_lines(report.manifest), clients, precision_line(report.cells)]
    lines = "\n".join(f"- {escaped(line)}" for line in told)
    cells = one_shape_a_scenario(report.cells)
    return f"\n{summary_markdown(cells)}\n{summary_legend(cells)}\n\n{lines}\n\n"


def one_shape_a_scenario(cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells of each scenario's shape in which most clients were measured: a table that fits a screen."""
    measured = Counter((cell.scenario, cell_label(cell)) for cell in cells if cell.measured is not None)
    chosen = dict(shape for shape, _ in reversed(measured.most_common()))  # in a tie, the first one
    return [cell for cell in cells if cell_label(cell) == chosen.get(cell.scenario)]


def metrics_table() -> str:
    """Return the registry of metrics as a table; what its entries say about themselves is Markdown."""
    rows: list[list[str]] = []
    sentences = documented(LoopFigures)
    for key, metric in LOOPS.metrics.items():
        told = " ".join(sentences.get(key, "").split())
        alone = "" if metric.in_csv else " JSON alone."
        rows.append([f"`{key}`", metric.unit, metric.over.words, told + alone])
    return markdown_table(["figure", "unit", "of rounds", "what it is"], rows)


def fidelity_tables() -> str:
    """Return a table for each published run of `make fidelity`."""
    return "\n".join(to_markdown(read_model(path, FidelityRun)) for path in sorted(FIDELITY_RUNS.glob("*.json")))


def files() -> dict[Path, str]:
    """Return the text of every file that is made from the published runs or the registry of metrics."""
    run, catalogue = published_run(), Catalogue()
    report = published_report(run)
    view = View(report)
    made = {
        README: with_section(README, "published", readme_section(report)),
        METRICS_PAGE: with_section(METRICS_PAGE, "metrics", metrics_table()),
        FIDELITY_PAGE: with_section(FIDELITY_PAGE, "fidelity", fidelity_tables()),
        PUBLISHING_PAGE: with_section(PUBLISHING_PAGE, "runs", publish.table(publish.RUNS, CHECKOUT)),
        CHART: svg(picture(view, ChartKey.FOREST, PICTURED)) + "\n",
        PUBLISHED / "report.md": markdown(document(report)),
        PUBLISHED / "report.html": page(report, [post_chart(view, the_post())]),
    }
    made |= servers_files(catalogue) | network_files(catalogue)
    made[CLIENTS_PAGE] = clients_text(report, catalogue)
    withdrawn = withdrawals()
    made |= findings_files(catalogue, {run for one in withdrawn for run in one.runs})
    evidence = published(EVIDENCE)
    # What is claimed of clients under faults is bounds, in runs of its own.
    claims = [
        named for named in catalogue.claims(others=measured_by_source(evidence)) if named[0].suite != FAULTS_SUITE
    ]
    judged = judged_in_places(claims, evidence, catalogue)
    made |= triage_files([run, *evidence], catalogue)
    for name in run_tables.pages():
        own = OWN_SECTIONS[name](catalogue) if name in OWN_SECTIONS else {}
        made[DOCS / name] = with_sections(DOCS / name, own | run_tables.sections_of(name, catalogue))
    if is_run(practices_page.RUN):
        made |= practices_page.practices_files(run_in(practices_page.RUN), claims, catalogue)
    guidance = with_section(GUIDANCE_PAGE, "verdicts", markdown([verdicts_chapter(judged)]) + "\n")
    made[GUIDANCE_PAGE] = with_text(
        GUIDANCE_PAGE, guidance, "counts", counts_line(judged) + agreement_line(claims, evidence, catalogue)
    )
    made |= {POST_PAGE: post_text(judged)} if is_run(POST_RUN) else {}
    return made | with_withdrawals(made, withdrawn)


def with_withdrawals(made: Mapping[Path, str], withdrawn: Iterable[Withdrawal]) -> dict[Path, str]:
    """Return the pages of the documentation, with what is withdrawn on them in their first line."""
    pages = {path: os.path.relpath(path, DOCS) for path in made if path.suffix == ".md" and path.is_relative_to(DOCS)}
    return {path: marked(made[path], of_page(page, withdrawn)) for path, page in pages.items()}


def servers_files(catalogue: Catalogue) -> dict[Path, str]:
    """Return the page of servers, if a run of theirs is published."""
    reports = {
        os.path.relpath(folder, SERVERS_PAGE.parent): Report(run_in(folder), catalogue.scenarios)
        for folder in SERVERS_RUNS
        if is_run(folder)
    }
    return {SERVERS_PAGE: servers_page(reports)} if reports else {}


def network_files(catalogue: Catalogue) -> dict[Path, str]:
    """Return the page of round trips and its picture, if their run is published."""
    if not is_run(NETWORK_RUN):
        return {}
    report = Report.of(run_in(NETWORK_RUN), catalogue)
    drawn = picture(View(report), ChartKey.ROUND_TRIPS, PICTURED)
    return {
        NETWORK_PAGE: network_page({os.path.relpath(NETWORK_RUN, NETWORK_PAGE.parent): report}),
        NETWORK_PAGE.with_name(NETWORK_PICTURE): svg(drawn) + "\n",
    }


def clients_text(report: Report, catalogue: Catalogue) -> str:
    """Return the page of clients from the runs that are published of languages, and from the published run."""
    folders = [PUBLISHED.parent / name for name in catalogue.runners]
    reports = {folder: Report.of(run_in(folder), catalogue) for folder in folders if is_run(folder)}
    reports[PUBLISHED] = report
    by_path = {os.path.relpath(folder, CLIENTS_PAGE.parent): one for folder, one in reports.items()}
    specs = {spec.library: spec for spec in catalogue.clients.values()}
    faults = [read_figures(folder, FAULTS) for folder in FAULTS_RUNS if is_run(folder)]
    return clients_page(by_path, specs, Report.of(run_in(NETWORK_RUN), catalogue), faults)


def triage_files(runs: Sequence[RunFigures], catalogue: Catalogue) -> dict[Path, str]:
    """Return the page of `respmark triage`, and what changes bring by the published runs."""
    page_text = with_sections(triage_page.PAGE, triage_page.sections(rules_of(catalogue)))
    return {triage_page.PAGE: page_text, gains.PATH: gains.to_text(gains.gains_of(runs, catalogue))}


def post_text(judged: Sequence[Judged]) -> str:
    """Return the post's page from the runs of its suite, with the verdicts on its claims."""
    catalogue, post = Catalogue(), the_post()
    reports = {
        os.path.relpath(folder, POST_PAGE.parent): Report.of(run_in(folder), catalogue)
        for folder in (POST_NETWORK_RUN, POST_RUN)
        if is_run(folder)
    }
    return post_page(post, reports, [one for one in judged if one.claim.guidance.name == post.guidance])


def main() -> None:
    """Write all the files."""
    for path, text in files().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    if not is_run(POST_RUN):
        suite = the_post().suite
        write_out(
            f"{POST_PAGE} is left out: no run is published in {POST_RUN} (respmark run {suite} --out {POST_RUN})\n"
        )


if __name__ == "__main__":
    main()
