"""Five questions of users."""

import pytest

from bench.questions import QUESTIONS, Answer, lines
from respmark.contract.trial import Scenario
from respmark.specs.naming import find_clients
from tests.builders.plan import SHIPPED


def given(words: tuple[str, ...], option: str) -> list[str]:
    return [value for name, value in zip(words[::2], words[1::2], strict=True) if name == option]


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_compares_two_things_that_there_are(question: str) -> None:
    words = QUESTIONS[question]
    clients, servers = given(words, "--client"), given(words, "--server")
    assert 2 in {len(clients), len(servers)}
    assert all(find_clients(name, SHIPPED.clients) for name in clients)
    assert all(SHIPPED.target(name) for name in servers)
    assert [Scenario(name) for name in given(words, "--scenario")]


def test_the_table_says_what_was_reached() -> None:
    answers = {"one": Answer(30.2, 12, 0.41, 0.028), "two": Answer(600.4, 80, 0.5, 0.04), "three": None}
    _, _, one, two, three = lines(answers, "3%")
    assert one == "| one | 30 | 12 | 41% | ±2.8% |"
    assert two == "| two | not reached in 600 | 80 | 50% | ±4.0% |"
    assert three == "| three | no answer | | | |"
