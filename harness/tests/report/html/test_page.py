"""The page as text: what it holds, and what it may do."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest

from respmark.contract.trial import Scenario, Shape
from respmark.results.records import Status
from tests.builders.plan import make_trial
from tests.builders.records import make_record, make_run, unmeasured
from tests.hostile import hostile_run
from tests.report.html.runs import MARKUP, page_of

MOST_BYTES = 2_000_000


class Elements(HTMLParser):
    """Every element with its attributes, and the text of scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self._in_script = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take down an element."""
        self.found.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")
        self._in_script = tag == "script"

    def handle_data(self, data: str) -> None:
        """Take down a script's text."""
        if self._in_script:
            self.scripts[-1] += data

    def handle_endtag(self, tag: str) -> None:
        """See a script's end."""
        self._in_script = self._in_script and tag != "script"

    @property
    def policy(self) -> str:
        """Return the content security policy."""
        return next(str(a["content"]) for _, a in self.found if a.get("http-equiv") == "Content-Security-Policy")


def data_of(html: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(Elements(html).scripts[0])
    return data


def text_of(html: str, begin: str, end: str) -> str:
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", html[html.index(begin) : html.index(end)]))


def test_it_is_small_and_needs_nothing_from_elsewhere(html: str) -> None:
    """No element asks for an address, but for the icon that is none."""
    assert len(html.encode()) < MOST_BYTES
    for _, attributes in Elements(html).found:
        assert attributes.keys().isdisjoint({"src", "srcset", "action", "data", "poster"})
        assert re.match("#|data:,$", attributes.get("href") or "#")


def test_the_policy_lets_these_scripts_run_and_no_others(html: str) -> None:
    """By their hashes; nothing is loaded, and nothing is evaluated."""
    elements = Elements(html)
    digests = [base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in elements.scripts[1:]]
    assert re.findall("'sha256-(.*?)'", elements.policy) == digests
    assert elements.policy.startswith("default-src 'none'")
    assert not re.search("unsafe-eval|http", elements.policy)


def test_the_first_screen_says_the_answer_and_its_limits(html: str) -> None:
    """The same table as in a terminal, the machine, and the warnings."""
    text = text_of(html, "<header>", '<section id="matrix"')
    assert re.search(r"jedis in \d of 7 uses", text)
    assert "server redis 7.0.15" in text
    assert "swap: 12 MB in use" in text
    assert re.search(r" phpredis 20,\d{3} █+\S? [\d.]+ [\d.]+ 2\.\d\d \(", text)
    assert "failed: redis-py transaction (depth 100, batched): the runner exited with code 1" in text


def test_a_use_that_no_client_was_measured_in_has_a_row() -> None:
    """Nobody leads there."""
    threads = make_trial(Scenario.THREADS, Shape(threads=10))
    html = page_of(make_run(make_record(), unmeasured(Status.UNSUPPORTED, "it has one thread", threads)))
    assert "threads 10 threads unsupported" in text_of(html, '<table id="cells">', '<section id="charts"')


@pytest.mark.parametrize("state", ["unsupported", "failed", "not installed", "3 of 4 rounds", "not asked for"])
def test_ways_of_not_being_measured_look_different(html: str, state: str) -> None:
    assert state in text_of(html, '<table id="cells">', '<section id="charts"')


def test_a_cells_evidence_names_its_rounds_and_settings(html: str) -> None:
    """And what the server and the machine saw."""
    data = data_of(html)
    cell = next(c for c in data["cells"] if data["clients"][c["client"]]["name"] == "jedis" and c["row"] == 0)
    sections = {title: dict(facts) for title, facts in cell["sections"]}
    assert list(sections["Rounds"]) == [f"round {number}: jedis--sync--round={number}" for number in (1, 2, 3)]
    wire = sections["On the wire, as the server saw it"]
    assert {"definition", "commands per read", "connections open", "hit ratio"} <= wire.keys()
    assert {"other programs", "taken by the hypervisor"} <= sections["What disturbed it"].keys()
    settings = sections["Versions and settings"]
    assert settings["jedis"] == "1.2.3"
    assert settings["asked of the kernel (1 connection)"] == "TCP_NODELAY on, no keep-alive, no user time-out"


@pytest.mark.parametrize("word", MARKUP)
def test_hostile_words_are_text(word: str) -> None:
    """The page has the same elements as that of a harmless run, and the same attributes."""
    hostile, benign = (Elements(page_of(hostile_run(one))) for one in (word, "word"))
    # A name may break before its options.
    assert {name for name, _ in hostile.found} - {"wbr"} == {name for name, _ in benign.found}
    assert {key for _, a in hostile.found for key in a} == {key for _, a in benign.found for key in a}
    assert len(hostile.scripts) == len(benign.scripts)
    assert hostile.policy == benign.policy
    assert not re.search("[\u202a-\u202e\x00-\x08\x0e-\x1f\x7f-\x9f]", hostile.scripts[0])
