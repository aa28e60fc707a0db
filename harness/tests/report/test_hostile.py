"""Every writer, given a run whose words are all somebody else's."""

import csv
import io
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from respmark.console import SafeConsole
from respmark.contract.trial import Scenario
from respmark.micro.model import MicroRun
from respmark.report.action_benchmark import Direction, to_action_benchmark
from respmark.report.answer import answer
from respmark.report.answer_text import print_answer
from respmark.report.comparison import comparison_header, comparison_notes, comparison_tables
from respmark.report.csv import to_csv
from respmark.report.json import ReportedRun, to_json
from respmark.report.markdown import markdown, micro_markdown, tables_markdown
from respmark.report.micro import micro_report
from respmark.report.post import PostReport, post_report
from respmark.report.post_text import post_markdown, print_post
from respmark.report.summary import summary_markdown
from respmark.report.tables import Report, ScenarioTable, make_report
from respmark.report.terminal import print_notes, print_report, print_tables
from respmark.results.records import Status
from respmark.results.store import Run
from respmark.specs.scenario import ScenarioSpec
from respmark.statistics.between import changes_between
from respmark.statistics.cells import cells_of, counted
from tests.builders.plan import SHIPPED, make_client, make_trial
from tests.builders.records import make_record, make_result, make_run
from tests.micro.builders import make_measured, make_micro_record, make_micro_run
from tests.properties import UNTIMED
from tests.test_escaping import HOSTILE, TOLD, orders

NASTY = "=1+1|<img src=x>`[red]\x1b[2J\x9b31m\u202e\n# head\r\n[a](http://h)"


def hostile_run(word: str) -> Run:
    """Return a run that says `word` wherever it can."""
    client = make_client(word)
    versions = {"lib": word, word: word}
    return make_run(
        make_record(make_trial(client=client), results=[make_result(1000, versions=versions)]),
        make_record(make_trial(client=client, number=2), status=Status.FAILED, reason=word, results=[], slices=[]),
        run_id=word,
        warnings=[word],
        workload={"name": word, "summary": word},
        scenarios={Scenario.SYNC: ScenarioSpec(summary=word, wire=word)},
    )


def hostile_report(word: str) -> Report:
    """Return the report of such a run."""
    return make_report(hostile_run(word), SHIPPED.scenarios)


def hostile_micro(word: str) -> MicroRun:
    """Return a run of micro-benchmarks that says `word` wherever it can."""
    words = {"benchmark": word, "operation": word, "runtime": word, "subject": word, "library": word}
    told = make_micro_record(
        **words, library_version=word, parameters={word: word}, measured=make_measured(error_is=word)
    )
    failed = make_micro_record(**words, status=Status.FAILED, reason=word, measured=None)
    return make_micro_run(told, failed, job=word)


def hostile_post(word: str) -> PostReport:
    """Return the post's tables of such a run."""
    return post_report(SHIPPED.post("aws-clients-2022"), cells_of(hostile_run(word)), [word])


def hostile_comparison(word: str) -> tuple[list[str], list[ScenarioTable], list[str]]:
    """Return such a run beside itself: what stands above the tables, the tables, and below them."""
    run = counted(hostile_run(word))
    changes = changes_between(run, run).model_copy(update={"only_after": [word]})
    header = comparison_header(run.manifest, run.manifest, [word])
    return header, comparison_tables(changes), list(comparison_notes(changes))


def kinds(text: str) -> set[str]:
    """Return what a reader of Markdown makes of a text."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    return {child.type for token in tokens for child in (token, *(token.children or []))}


def heads(text: str) -> list[str]:
    """Return the headings of a Markdown text."""
    return [line for line in text.splitlines() if line.startswith("#")]


WORDS = pytest.mark.parametrize("word", [NASTY, "\t=cmd", "| | |", "<script>alert(1)</script>", "[red]x[/red]"])


@WORDS
def test_the_terminal_takes_no_orders(word: str) -> None:
    """Nothing but line feeds moves its cursor; markup is shown as it is."""
    file = io.StringIO()
    console = SafeConsole(file=file, width=160)
    print_report(console, hostile_report(word))
    micro = micro_report(hostile_micro(word), SHIPPED.scenarios)
    print_tables(console, micro.header, micro.tables)
    print_post(console, hostile_post(word))
    print_answer(console, answer(hostile_report(word)))
    header, tables, notes = hostile_comparison(word)
    print_tables(console, header, tables)
    print_notes(console, notes)
    assert set(orders(file.getvalue())) == {"\n"}
    assert ("[red]" in file.getvalue()) == ("[red]" in word)


@WORDS
def test_markdown_has_no_html_and_no_links(word: str) -> None:
    """Tables and lists are those that the report makes, and headings its own."""
    benign = markdown(hostile_report("word"))
    texts = [
        markdown(hostile_report(word)),
        micro_markdown(micro_report(hostile_micro(word), SHIPPED.scenarios)),
        summary_markdown(cells_of(hostile_run(word))).replace("<br>", " "),
        post_markdown(hostile_post(word)).replace("<br>", " "),
        tables_markdown(word, *hostile_comparison(word)),
    ]
    for text in texts:
        assert not (TOLD - {"heading_open"}) & kinds(text), text
        assert set(orders(text)) == {"\n"}
    assert len(heads(texts[0])) == len(heads(benign))


@UNTIMED
@given(HOSTILE.map(lambda text: text.encode("utf-8", "replace").decode()))
@example(NASTY)
def test_no_cell_of_the_csv_is_a_formula(word: str) -> None:
    """Every row has every column, and no text begins as a formula does."""
    text = to_csv(cells_of(hostile_run(word)), [hostile_micro(word)])
    head, *rows = csv.reader(io.StringIO(text))
    assert rows
    for row in rows:
        assert len(row) == len(head)
        assert [cell for cell in row if cell.strip()[:1] in set("=+@")] == []


@UNTIMED
@given(st.text(max_size=30))
def test_json_stays_json(word: str) -> None:
    """What was written comes back, as text."""
    run = hostile_run(word)
    content = json.loads(to_json([ReportedRun(run.manifest, cells_of(run))], [hostile_micro(word)]))
    assert content["runs"][0]["manifest"]["run_id"] == word
    assert content["micro_runs"][0]["records"][0]["runtime"] == word


@WORDS
def test_what_the_github_action_reads_stays_what_it_is(word: str) -> None:
    """Its entries have names of one line."""
    run = hostile_run(word)
    for direction in Direction:
        names = [entry["name"] for entry in json.loads(to_action_benchmark(cells_of(run), direction))]
        assert names
        assert not any(orders(name) for name in names)
