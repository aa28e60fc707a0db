"""The mistakes of published benchmarks: each is made by a runner, and what respmark says to it is what the docs say."""

import re
from dataclasses import dataclass

import pytest

from respmark.conform.context import ConformContext
from respmark.conform.verdicts import Conformity
from respmark.contract.trial import Scenario, Shape
from respmark.paths import ROOT
from respmark.specs.catalogue import Catalogue
from respmark.wire.faults import FaultKind
from tests.conform.double.mistakes import MISTAKES
from tests.conform.test_lies import accusations, verdict_on

PAGE = ROOT / "docs" / "benchmark-mistakes.md"
ALONE = Shape()
TEN = Shape(depth=10)
THREADS = Shape(threads=4, connections=1)


@dataclass(frozen=True)
class Mistake:
    """A runner that makes it, in which trial, and what is said to it."""

    runner: str
    words: str
    scenario: Scenario = Scenario.SYNC
    shape: Shape = ALONE
    fault: FaultKind | None = None
    turns: bool = False


FOUND = [
    Mistake("sparse", r"the workload has \d+ hits and \d+ misses, the server saw"),
    Mistake("mislabelled", r"accelerator was loaded: double\[lie=mislabelled\] is measured without it"),
    Mistake("atomic", "the server saw commands that are not in the workload|x MULTI", Scenario.BATCHING, TEN),
    Mistake("dicing", "is not due"),
    Mistake("dicing", "not due|no command|the server saw", Scenario.THREADS, THREADS),
    # On a busy machine its time is over before its lead-in, too.
    Mistake("brief", r"the slice lasted [\d.]+ ms, not the|the lead-in was shorter than the", turns=True),
    Mistake("oblivious", "claimed with 0 errors counted", fault=FaultKind.CUT),
    Mistake("unled", r"the measured part begins .* / 0 commands claimed", turns=True),
    Mistake("forgetful", r"claims [\d,]+ units but has [\d,]+ latency samples"),
    Mistake("swift", "they are not those of the units that were claimed"),
]


@pytest.mark.parametrize("mistake", FOUND, ids=lambda one: f"{one.runner}-{one.scenario}")
def test_a_mistake_is_no_result(context: ConformContext, catalogue: Catalogue, mistake: Mistake) -> None:
    """The runner is told what was asked for and what was found."""
    verdict = verdict_on(
        context, catalogue, mistake.runner, mistake.scenario, mistake.shape, fault=mistake.fault, turns=mistake.turns
    )
    assert verdict.conformity is Conformity.DEVIATES
    assert re.search(mistake.words, accusations(verdict)), accusations(verdict)


def test_the_page_names_every_runner_that_makes_a_mistake() -> None:
    """And none that is not tried here."""
    named = set(re.findall(r"\| `([a-z-]+)` \|", PAGE.read_text(encoding="utf-8")))
    assert named == {mistake.runner for mistake in FOUND}
    assert set(MISTAKES) <= named
