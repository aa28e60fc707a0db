"""Rules are data: a user's own file works, and a mistake in it is named."""

from pathlib import Path

import pytest

from respmark.errors import SpecError
from respmark.triage.findings import RuleJudge
from respmark.triage.gains import NO_GAINS
from respmark.triage.rules import rules_of
from respmark.triage.signals import KNOWN
from tests.triage.builders import CATALOGUE, RULES, make_node

OWN = """
title = "too many replicas"
severity = "low"
evidence = "{info.connected_slaves} replicas"
costs = "network"
advice = "chain them"

[[when]]
signal = "info.connected_slaves"
above = 3
why = "one for each zone"
"""


def test_a_rule_of_ones_own_needs_no_code(tmp_path: Path) -> None:
    """A file that names a field of INFO is applied like those that are shipped."""
    path = tmp_path / "many-replicas.toml"
    path.write_text(OWN)
    judge = RuleJudge(rules_of(CATALOGUE, [path]), NO_GAINS, CATALOGUE.clients)
    (finding,) = judge.findings(make_node(last={"connected_slaves": "5"}))
    assert (finding.id, finding.seen[0].evidence) == ("many-replicas", "5 replicas")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "info.connected_slaves",
            "conections_per_s",
            "there is no signal `conections_per_s`; there are: connections_per_s",
        ),
        ("above = 3", "above = 3\nbelow = 4", "needs either `above` or `below`"),
        ('severity = "low"', 'severity = "bad"', "`severity`"),
        ('severity = "low"', 'severity = "low"\nunless = ["nope"]', "there is no rule `nope`"),
    ],
)
def test_a_mistake_in_a_rule_is_named(tmp_path: Path, old: str, new: str, said: str) -> None:
    """With the file, and what there is."""
    path = tmp_path / "own.toml"
    path.write_text(OWN.replace(old, new))
    with pytest.raises(SpecError, match=r"own\.toml") as raised:
        rules_of(CATALOGUE, [path])
    assert said in str(raised.value)


def test_shipped_rules_name_libraries_that_are_there() -> None:
    """Lines for a library that was renamed would never be shown."""
    named = {name for rule in RULES for name in rule.libraries}
    assert named <= CATALOGUE.clients.keys()


def test_every_rule_gives_every_threshold_a_reason() -> None:
    """A number without a reason is nobody's."""
    assert [rule.id for rule in RULES for one in rule.when if len(one.why) < 10] == []


def test_signals_are_described() -> None:
    """Those of docs/triage.md."""
    assert all(words for signals in KNOWN.values() for words in signals.values())
