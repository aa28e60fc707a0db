"""The page of a history: a line per client and shape, and the same figures as a table."""

import re

from respmark.figures.series import history_of
from respmark.report.history import history_chapters
from respmark.report.html.timeline import history_page
from respmark.report.markdown import markdown
from tests.figures.test_series import OTHER_MACHINE, run_on

RUNS = [
    run_on(1, 1000, 1000),
    run_on(2, 1000, 2000, "2"),
    run_on(3, 1000, 2100, "2<script>", machine=OTHER_MACHINE),
]


def test_a_step_is_marked_in_the_line_and_in_the_table() -> None:
    """No script, nothing loaded; words of a run stay text; no line joins two machines."""
    page = history_page(history_of(RUNS, "rps"))
    assert (page.count('class="step"'), page.count('class="curve"'), page.count("<circle")) == (1, 1, 3)
    told = re.sub(r"</?(?:span|wbr)[^>]*>", "", page)
    assert re.search(r'<td class="ok text"[^>]*>better: 2\.0', told)
    assert "<script" not in page
    assert "2&lt;script&gt;" in page
    assert not re.search(r'(?:src|href)="(?!data:)', page)


def test_figures_of_machines_stand_beside_each_other_uncompared() -> None:
    """Each run names its machine; the note says what its commands per second are worth."""
    text = markdown(history_chapters(history_of(RUNS, "rps")))
    assert "| 2026-11-22 09:00 | 1 | A |" in text
    assert "| 2026-11-24 09:00 | 2&lt;script> | B |" in text
    assert "machine B: 64 x A CPU" in text
    assert "say nothing about each other" in text
