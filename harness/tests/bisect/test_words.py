"""What a search says: a line for each question, the answer, and the text for an issue."""

from respmark.bisect.search import Question, Rest, Why
from respmark.bisect.words import answer_lines, issue_text, question_line
from respmark.figures.estimate import Ratio
from respmark.kinds.loops.kind import LOOPS
from tests.bisect.builders import ALIKE, DIFFERENT, RATIOS, searched


def test_a_question_is_a_line() -> None:
    line = question_line(Question(number=2, versions=("1.1", "1.3", "2.0"), differences=(DIFFERENT, ALIKE)))
    assert line == (
        "2. 1.1 to 1.3: 0.80 (0.70..0.90), 6 rounds, different; 1.3 to 2.0: 1.01 (0.97..1.04), 9 rounds, alike"
    )


def test_the_answer_names_the_release_and_by_how_much() -> None:
    """Of the rounds after the search; what could not be measured is named, where it could be the cause."""
    lines = list(answer_lines(searched(RATIOS), LOOPS))
    assert lines == [
        "lib 1.3: slower",
        (
            "  0.81 (0.79..0.83) times the throughput and 1.22 (1.20..1.25) times the client CPU per command of 1.1, "
            "in 10 rounds after the search"
        ),
        "  or with 1.2, which could not be measured: does not build",
        "1.3 to 2.0: 1.01 (0.97..1.04) times the throughput: their difference is smaller than was asked for",
        "skipped: 1.2: does not build",
    ]


def test_without_time_for_more_rounds_the_searchs_own_interval_is_told() -> None:
    line = list(answer_lines(searched(), LOOPS))[1]
    assert line == "  0.80 (0.70..0.90) times the throughput of 1.1, by the search's own figures"


def test_a_step_that_further_rounds_do_not_show_is_doubted() -> None:
    lines = list(answer_lines(searched({"rps": Ratio(value=0.98, low=0.95, high=1.01)}), LOOPS))
    assert "do not report it" in lines[3]


def test_client_cpu_is_the_worse_the_higher_it_is() -> None:
    assert next(answer_lines(searched(RATIOS, "client_cpu"), LOOPS)) == "lib 1.3: more client CPU"


def test_no_step_is_said() -> None:
    assert next(answer_lines(searched(steps=(), unmeasurable={}), LOOPS)) == "no difference of 5 % or more is shown"
    lost = (Rest(difference=DIFFERENT, why=Why.LOST),)
    first, second = answer_lines(searched(steps=(), rests=lost, unmeasurable={}), LOOPS)
    assert first == "versions differ, but none of them is shown to have brought that"
    assert second.startswith("1.1 to 1.3: 0.80 (0.70..0.90) times the throughput: they differ")


def test_the_text_for_an_issue_has_all_that_a_maintainer_asks_for() -> None:
    """What, by how much, how sure, where, and how to reproduce it."""
    found = searched(RATIOS)
    text = issue_text(found, found.steps[0], LOOPS)
    for words in (
        "## lib 1.3: slower than 1.1 in `sync`",
        "| throughput | 0.81 (0.79..0.83) |",
        "| client CPU per command | 1.22 (1.20..1.25) |",
        "1.2 could not be measured, and may have brought the change: does not build\n",
        "hold all at once in 95 of 100 searches",
        "- machine of mine\n- server valkey 9.1.0\n",
        "    respmark run quick --client lib@1.1 --client lib@1.3\n",
        "    respmark bisect lib@1.0 lib@2.0\n",
    ):
        assert words in text, text
