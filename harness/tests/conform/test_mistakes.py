"""The mistakes that adapters and libraries make are found on the wire, and the honest double is not accused."""

import re

import pytest

from respmark.conform import observed, verdicts
from respmark.conform.cases import Case
from respmark.conform.context import ConformContext
from respmark.conform.faulty import fault_for
from respmark.conform.tries import ALLOWANCES
from respmark.conform.verdicts import Conformity, Verdict, judge
from respmark.contract.trial import Form, Scenario, Shape, Window
from respmark.plan.trial import Cell
from respmark.specs.catalogue import Catalogue
from respmark.specs.naming import find_clients
from respmark.wire.faults import FaultKind

ALONE = Shape()
TEN = Shape(depth=10)
BURST = Shape(depth=10, window=Window.BURST)
SLIDING = Shape(depth=10, window=Window.SLIDING)
POOL = Shape(threads=4, max_total=2)


def verdict_on(  # noqa: PLR0917 - as a case names it
    context: ConformContext,
    catalogue: Catalogue,
    options: str,
    scenario: Scenario,
    shape: Shape,
    fault: FaultKind | None = None,
) -> Verdict:
    """Return what conformance says of the double with these options."""
    (client,) = find_clients(f"double[{options}]", catalogue.clients)
    script = None if fault is None else fault_for(fault, scenario)
    return judge(Case(Cell(client, scenario, shape, None), script), context, catalogue.clients["double"])


def accusations(verdict: Verdict) -> str:
    """Return every deviation in words."""
    return "\n".join(f"{deviation.asked} / {deviation.found}" for deviation in verdict.deviations)


@pytest.mark.parametrize(
    ("mode", "scenario", "shape", "words"),
    [
        ("halves", Scenario.BATCHING, TEN, "waited for replies after 5"),
        ("atomic", Scenario.BATCHING, TEN, "x MULTI"),
        ("one-by-one", Scenario.PIPELINING, BURST, "waited for replies after 1"),
        ("one-by-one", Scenario.PIPELINING, SLIDING, "never more than 1"),
        ("big-pool", Scenario.POOL, POOL, "[34] were open"),
        ("hoarder", Scenario.POOL, Shape(threads=4, max_total=4, max_idle=1), "open when all had been given back"),
        ("reused", Scenario.NEW_CONNECTION, ALONE, "opened for"),
        ("talkative", Scenario.SYNC, ALONE, "x ECHO"),
        ("resends", Scenario.SYNC, ALONE, "on the wire"),
        ("undecoded", Scenario.SYNC, ALONE, "must be a value of"),
        ("resp3", Scenario.SYNC, ALONE, "no HELLO, or HELLO 2, before .* speaks RESP3"),
        ("resp3,protocol=3", Scenario.SYNC, ALONE, "HELLO 3 before .* speaks RESP2"),
    ],
)
def test_a_mistake_is_found(  # noqa: PLR0917 - a case
    context: ConformContext, catalogue: Catalogue, mode: str, scenario: Scenario, shape: Shape, words: str
) -> None:
    """The deviation says what was asked for and what was found."""
    verdict = verdict_on(context, catalogue, f"mode={mode}", scenario, shape)
    assert verdict.conformity is Conformity.DEVIATES
    assert re.search(words, accusations(verdict)), accusations(verdict)


@pytest.mark.parametrize(
    ("mode", "scenario", "shape", "words"),
    [
        ("swallows", Scenario.SYNC, ALONE, "exactly 1 error counted / 0 counted"),
        ("gives-up", Scenario.BATCHING, TEN, "one error reply survived and counted"),
    ],
)
def test_a_mistake_under_a_fault_is_found(  # noqa: PLR0917 - a case
    context: ConformContext, catalogue: Catalogue, mode: str, scenario: Scenario, shape: Shape, words: str
) -> None:
    """Whoever makes the wrong thing of an error is told so."""
    verdict = verdict_on(context, catalogue, f"mode={mode}", scenario, shape, FaultKind.ERROR)
    assert verdict.conformity is Conformity.DEVIATES
    assert words in accusations(verdict)


def test_a_client_that_waits_for_ever_is_ended(
    context: ConformContext, catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lost connection must not make it hang beyond the limit."""
    monkeypatch.setattr(observed, "LIMIT_S", 5.0)
    verdict = verdict_on(context, catalogue, "mode=waits-for-ever", Scenario.SYNC, ALONE, FaultKind.RESET)
    assert "the runner hung" in accusations(verdict)


@pytest.mark.parametrize(
    ("options", "scenario", "shape", "fault"),
    [
        ("protocol=3", Scenario.SYNC, ALONE, None),
        ("protocol=3", Scenario.NEW_CONNECTION, ALONE, None),
        ("mode=honest", Scenario.TRANSACTION, Shape(depth=10, form=Form.QUEUED), FaultKind.ERROR),
        ("mode=honest", Scenario.BATCHING, TEN, FaultKind.CUT),
        ("mode=honest", Scenario.PIPELINING, SLIDING, FaultKind.RESET),
    ],
)
def test_whoever_keeps_to_the_definition_is_not_accused(  # noqa: PLR0917 - a case
    context: ConformContext,
    catalogue: Catalogue,
    options: str,
    scenario: Scenario,
    shape: Shape,
    fault: FaultKind | None,
) -> None:
    """HELLO 3 under its label; errors and lost connections counted."""
    verdict = verdict_on(context, catalogue, options, scenario, shape, fault)
    assert accusations(verdict) == ""
    assert verdict.conformity is Conformity.CONFORMS


def test_a_fault_that_never_happened_is_inconclusive(
    context: ConformContext, catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of what the client makes of it, nothing is known."""
    monkeypatch.setattr(verdicts, "ALLOWANCES", ALLOWANCES[:1])
    verdict = verdict_on(context, catalogue, "mode=slow", Scenario.SYNC, ALONE, FaultKind.ERROR)
    assert verdict.conformity is Conformity.INCONCLUSIVE
    assert accusations(verdict).startswith("a reply to put the fault `error` in / none came")
