"""Words that are all somebody else's."""

import unicodedata

from hypothesis import strategies as st

from respmark.contract.trial import Scenario
from respmark.figures.cells import RunFigures
from respmark.results.manifest import WorkloadDescription
from respmark.results.records import Status
from respmark.specs.scenario import ScenarioSpec
from tests.builders.plan import make_client, make_trial
from tests.builders.records import make_record, make_run

HOSTILE = st.text(
    st.one_of(
        st.characters(codec=None, categories=None),
        st.sampled_from("\x1b\x9b\x07\r\n\t\x85\u2028\u202e\u2066\ufeff\x00\x7f=+-@|<>&`*_[]()!#~\\'\"0123456789. :"),
    ),
    max_size=40,
)
BIDI = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
TOLD = {"link_open", "image", "fence", "code_block", "heading_open", "blockquote_open", "html_inline", "html_block"}
NASTY = "=1+1|<img src=x>`[red]\x1b[2J\x9b31m\u202e\n# head\r\n[a](http://h)"


def orders(text: str) -> list[str]:
    """Return the characters that move a cursor, turn text around, or are half of one."""
    return [c for c in text if unicodedata.category(c) in {"Cc", "Cs"} or unicodedata.bidirectional(c) in BIDI]


def hostile_run(word: str) -> RunFigures:
    """Return a run all of whose words are this one."""
    client = make_client(word)
    versions = {"lib": word, word: word}
    return make_run(
        make_record(make_trial(client=client), versions=versions),
        make_record(make_trial(client=client, number=2), status=Status.FAILED, reason=word, latency=None, slices=[]),
        run_id=word,
        warnings=[word],
        workloads={word: WorkloadDescription(spec={"name": word, "summary": word}, sha256="00")},
        scenarios={Scenario.SYNC: ScenarioSpec(summary=word, wire=word)},
    )
