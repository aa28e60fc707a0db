"""Every writer, given a run whose words are all somebody else's."""

import csv
import io
import json

import pytest
from hypothesis import example, given
from markdown_it import MarkdownIt

from respmark.contract.trial import Scenario, Shape
from respmark.figures.comparison import changes, per_metric
from respmark.figures.pairing import between
from respmark.figures.ranking import cells_of
from respmark.micro.model import MicroRun
from respmark.report.changes import comparison
from respmark.report.data import to_csv, to_json
from respmark.report.document import document, summary
from respmark.report.markdown import markdown
from respmark.report.micro import micro_chapters
from respmark.report.report import Report
from respmark.report.table import Chapter
from respmark.results.records import Status
from tests.builders.plan import SHIPPED, make_client, make_trial
from tests.builders.records import make_record, make_run
from tests.hostile import HOSTILE, NASTY, TOLD, hostile_run, orders
from tests.micro.builders import make_measured, make_micro_record, make_micro_run
from tests.report.reading import printed
from tools.summary import summary_markdown


def hostile_micro(word: str) -> MicroRun:
    words = {"benchmark": word, "operation": word, "runtime": word, "subject": word, "library": word}
    measured = make_measured(error_is=word)
    good = make_micro_record(**words, library_version=word, parameters={word: word}, measured=measured)
    failed = make_micro_record(**words, status=Status.FAILED, reason=word, measured=None)
    return make_micro_run(good, failed, job=word)


def hostile_chapters(word: str) -> list[Chapter]:
    run = hostile_run(word)
    report = Report(run, SHIPPED.scenarios)
    other = make_run(make_record(make_trial(Scenario.BATCHING, Shape(depth=1), client=make_client(word))), run_id=word)
    both = [changes(between(run, one), per_metric) for one in (run, other)]
    return [
        *(*document(report), *summary(report)),
        *micro_chapters(hostile_micro(word), SHIPPED.scenarios),
        *comparison([run], [run], both[0], [word]),
        *comparison([run], [other], both[1], [word]),
        Chapter(word, (word, word), command=word),
    ]


WORDS = pytest.mark.parametrize("word", [NASTY, "\t=cmd", "| | |", "<script>alert(1)</script>", "[red]x[/red]"])


@WORDS
def test_the_terminal_takes_no_orders(word: str) -> None:
    """Nothing but line feeds moves its cursor; markup is shown as it is."""
    text = printed(hostile_chapters(word), 160)
    assert set(orders(text)) == {"\n"}
    assert ("[red]" in text) == ("[red]" in word)


@WORDS
def test_markdown_has_no_html_and_no_links(word: str) -> None:
    """Tables and lists are those that the report makes, and headings its own."""
    texts = [markdown(hostile_chapters(one)) for one in (word, "word")]
    texts.append(summary_markdown(cells_of(hostile_run(word))).replace("<br>", " "))
    for text in texts:
        tokens = MarkdownIt("commonmark").enable("table").parse(text)
        kinds = {child.type for token in tokens for child in (token, *(token.children or []))}
        assert not (TOLD - {"heading_open"}) & kinds, text
        assert set(orders(text)) == {"\n"}
    hostile, benign = ([line for line in text.splitlines() if line.startswith("#")] for text in texts[:2])
    assert len(hostile) == len(benign)


@given(HOSTILE.map(lambda text: text.encode("utf-8", "replace").decode()))
@example(NASTY)
def test_programs_read_text_as_text(word: str) -> None:
    """No cell of the CSV begins as a formula does; JSON gives back what was written."""
    run = hostile_run(word)
    report = Report(run, SHIPPED.scenarios)
    head, *rows = csv.reader(io.StringIO(to_csv(report.cells)))
    assert {len(row) for row in rows} == {len(head)}
    assert [cell for row in rows for cell in row if cell.strip()[:1] in set("=+@")] == []
    content = json.loads(to_json([report], [hostile_micro(word)]))
    assert content["runs"][0]["manifest"]["run_id"] == word
    assert content["micro_runs"][0]["records"][0]["runtime"] == word
