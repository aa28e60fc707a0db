"""The page as text: what it holds, and what it may do."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest
from markupsafe import escape

from respmark.report.html.page import page
from respmark.results.manifest import RunStatus
from respmark.results.store import Run, read_run
from respmark.specs.post import PostSpec
from tests.builders.plan import SHIPPED
from tests.report.test_hostile import NASTY, hostile_run
from tests.report.versions import two_versions
from tests.statistics.test_blocks import VERSION_1

MOST_BYTES = 2_000_000
MARKUP = [
    NASTY,
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]><img src=x onerror=alert(1)>",
    "\"><svg onload=alert(1)>' autofocus onfocus=alert(1) x='",
    "{{ 7 * 7 }}{% raw %}",
    "javascript:alert(1)",
]


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
    def names(self) -> set[str]:
        """Return the names of all elements."""
        return {name for name, _ in self.found}

    @property
    def policy(self) -> str:
        """Return the content security policy."""
        return next(str(a["content"]) for _, a in self.found if a.get("http-equiv") == "Content-Security-Policy")


def page_of(run: Run, published: PostSpec) -> str:
    """Return the page of a run."""
    return page(run, SHIPPED.scenarios, published)


def data_of(elements: Elements) -> dict[str, Any]:
    """Return the page's data."""
    data: dict[str, Any] = json.loads(elements.scripts[0])
    return data


def test_it_is_small_and_needs_nothing_from_elsewhere(html: str) -> None:
    """No element asks for an address, but for the icon that is none."""
    assert len(html.encode()) < MOST_BYTES
    for _, attributes in Elements(html).found:
        assert attributes.keys().isdisjoint({"src", "srcset", "action", "data", "poster"})
        assert re.match("#|data:,$", attributes.get("href") or "#")


def test_the_policy_lets_these_scripts_run_and_no_others(html: str) -> None:
    """By their hashes; nothing is loaded, and nothing is evaluated."""
    elements = Elements(html)
    data, *scripts = elements.scripts
    assert json.loads(data)["rows"]
    for script in scripts:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in elements.policy
    assert elements.policy.count("sha256-") == len(scripts)
    assert elements.policy.startswith("default-src 'none'")
    assert "unsafe-eval" not in elements.policy
    assert "http" not in elements.policy


def test_the_first_screen_says_the_answer_and_its_limits(html: str) -> None:
    """Ties as ties, the machine, and the warnings."""
    text = re.sub(r"\s+", " ", re.sub("<[^>]+>", "", html[: html.index('<section id="matrix"')]))
    assert "No difference shown from" in text
    assert re.search(r"phpredis follows with 0\.\d\d times \(0\.\d\d to 0\.\d\d\)", text)
    assert "target redis 7.0.15" in text
    assert "machine " in text
    assert "swap: 12 MB in use" in text


@pytest.mark.parametrize("state", ["unsupported", "failed", "not installed", "3 of 4 rounds", "not asked for"])
def test_ways_of_not_being_measured_look_different(html: str, state: str) -> None:
    """Each has its word in the matrix."""
    matrix = html[html.index('<table id="cells">') : html.index("</table>")]
    assert state in matrix


def test_a_cells_evidence_names_its_files_rounds_and_settings(html: str) -> None:
    """And what the server and the machine saw."""
    data = data_of(Elements(html))
    cell = next(c for c in data["cells"] if data["clients"][c["client"]]["name"] == "jedis" and c["row"] == 0)
    sections = {title: dict(facts) for title, facts in cell["sections"]}
    rounds = sections["Rounds and files"]
    assert next(iter(rounds)) == "round 1: trials/jedis--sync--round=1.json.gz"
    assert len(rounds) == 3
    wire = sections["On the wire, as the server saw it"]
    assert {"definition", "commands per read", "connections open", "hit ratio"} <= wire.keys()
    assert {"other programs", "taken by the hypervisor"} <= sections["What disturbed it"].keys()
    assert sections["Versions and settings"]["jedis"] == "1.2.3"


def test_a_run_that_is_not_whole_says_so_first(run: Run, published: PostSpec) -> None:
    """As a warning, above the answer."""
    manifest = run.manifest.model_copy(update={"status": RunStatus.INTERRUPTED})
    made = page_of(replace(run, manifest=manifest), published)
    assert "</b> THIS RUN IS INCOMPLETE: interrupted" in made[: made.index('<section id="answer"')]


def test_each_claim_has_its_verdict_and_a_picture_of_each_comparison(html: str) -> None:
    """Or the command that would measure it."""
    advice = html[html.index('<section id="advice"') : html.index('<section id="about"')]
    bound = claim_of(advice, "latency-bounds-sync")
    assert '<span class="verdict does-not-hold">does not hold</span>' in bound
    assert bound.count("<svg") == 6
    assert re.search(r'aria-label="does not hold: measured 0.25\d \(.*; claimed 0.909..1.10, published 1.00"', bound)
    batches = claim_of(advice, "jedis-faster-than-lettuce")
    assert '<span class="verdict not-shown">not shown</span>' in batches
    assert batches.count('<circle class="measured"') == 2
    assert batches.count('<path class="published"') == 3
    assert "rounds would show it" in batches
    threads = claim_of(advice, "redis-py-threads-help")
    assert "<code>respmark run guidance --claim redis-py-threads-help</code>" in threads
    assert "<svg" not in threads


def claim_of(advice: str, name: str) -> str:
    """Return the entry of a claim, from its gist to the next."""
    gist = next(claim.gist for _, claim in SHIPPED.claims() if claim.id == name)
    begin = advice.index(str(escape(gist)))
    begin = advice.rindex("<li>", 0, begin)
    end = advice.find("<h3>", advice.index("</h3>", begin))
    return advice[begin : end if end > 0 else len(advice)]


def test_a_page_without_verdicts_says_nothing_of_advice(run: Run, published: PostSpec) -> None:
    """It was not asked."""
    assert 'id="advice"' not in page_of(run, published)


def test_two_versions_of_a_library_stand_in_a_table(published: PostSpec) -> None:
    """Who loaded what, and what became of it; a run with one version of each has no such table."""
    made = page_of(two_versions(), published)
    table = made[made.index('<section id="changes"') : made.index('<section id="about"')]
    text = re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", table))
    assert "New versions against old" in text
    assert "redis-py 6.4.0 / 3.5.3" in text
    assert "sync faster 2.0" in text
    assert "new-connection tie" in text


def test_another_baseline_can_be_given(run: Run, published: PostSpec) -> None:
    """The page begins with it."""
    made = page(run, SHIPPED.scenarios, published, "jedis")
    assert data_of(Elements(made))["clients"][data_of(Elements(made))["baseline"]]["name"] == "jedis"


def test_a_run_of_version_1_has_a_page_without_ratios(published: PostSpec) -> None:
    """Its windows were minutes apart."""
    made = Elements(page_of(read_run(VERSION_1), published))
    assert all(not pairs for row in data_of(made)["rows"] for pairs in row["ratios"].values())


@pytest.mark.parametrize("word", MARKUP)
def test_hostile_words_are_text(word: str, published: PostSpec) -> None:
    """The page has the same elements as that of a harmless run, and the same attributes."""
    hostile, benign = (Elements(page_of(hostile_run(one), published)) for one in (word, "word"))
    assert hostile.names - {"wbr"} == benign.names  # a name may break before its options
    assert {key for _, a in hostile.found for key in a} == {key for _, a in benign.found for key in a}
    assert len(hostile.scripts) == len(benign.scripts)
    assert hostile.policy == benign.policy
    assert not re.search("[\u202a-\u202e\x00-\x08\x0e-\x1f\x7f-\x9f]", "".join(hostile.scripts[:1]))
