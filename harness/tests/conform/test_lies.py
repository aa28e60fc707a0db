"""Every lie about what a scenario is gets caught, and the honest double is not accused."""

import re

import pytest

from respmark.conform import observed
from respmark.conform.cases import Case
from respmark.conform.faulty import FAULTY_SHAPES, fault_for
from respmark.conform.verdicts import Answer, Verdict, judge
from respmark.conform.workbench import TURNS, Workbench
from respmark.contract.trial import Form, Scenario, Shape, Window
from respmark.plan.trial import Cell
from respmark.specs.catalogue import Catalogue
from respmark.specs.naming import find_clients
from respmark.wire.faults import FaultKind

BURST = Shape(depth=10, window=Window.BURST)
SLIDING = Shape(depth=10, window=Window.SLIDING)
BLOCK = Shape(depth=10, form=Form.BATCHED)
POOL = Shape(threads=4, max_total=2)
THREADS = Shape(threads=4, connections=1)


def verdict_on(
    bench: Workbench,
    catalogue: Catalogue,
    lie: str,
    scenario: Scenario,
    shape: Shape,
    *,
    fault: FaultKind | None = None,
    turns: bool = False,
) -> Verdict:
    """Return what conformance says of the double with this lie."""
    (client,) = find_clients(f"double[lie={lie}]", catalogue.clients)
    script = None if fault is None else fault_for(fault, scenario)
    return judge(Case(Cell(client, scenario, shape, None), script, turns), bench, catalogue.clients["double"])


def accusations(verdict: Verdict) -> str:
    """Return every deviation in words."""
    return "\n".join(f"{deviation.asked} / {deviation.found}" for deviation in verdict.deviations)


@pytest.mark.parametrize(
    ("lie", "scenario", "shape", "words"),
    [
        ("halves", Scenario.PIPELINING, BURST, "waited for replies after 5"),
        ("halves", Scenario.BATCHING, Shape(depth=10), "others, too: "),
        ("deeper", Scenario.SYNC, Shape(), "2 were outstanding at once"),
        ("deeper", Scenario.PIPELINING, BURST, "11 were outstanding at once"),
        ("unhurried", Scenario.PIPELINING, SLIDING, "no command was sent until more replies came"),
        ("big-pool", Scenario.POOL, POOL, "4 were open"),
        ("small-pool", Scenario.POOL, POOL, "never more than 1"),
        ("hoarder", Scenario.POOL, Shape(threads=4, max_total=4, max_idle=1), "open when all had been given back"),
        ("alone", Scenario.THREADS, THREADS, "never more than 1"),
        ("alone", Scenario.POOL, POOL, "never more than 1"),
        ("reused", Scenario.NEW_CONNECTION, Shape(), "opened for"),
        ("boastful", Scenario.SYNC, Shape(), "every command of the window counted, and no other"),
        ("boastful", Scenario.BATCHING, Shape(depth=10), "every command of the window counted, and no other"),
        ("hitter", Scenario.SYNC, Shape(), "the server saw"),
        ("shuffled", Scenario.SYNC, Shape(), "is not due"),
        ("late", Scenario.SYNC, Shape(), "came after the answer"),
        ("hasty", Scenario.SYNC, Shape(), "was closed before"),
        # On a busy machine `ready` is noticed when all of it has been sent: then it is too much before the window.
        (
            "early",
            Scenario.SYNC,
            Shape(),
            r"silence between `ready` and `go`|before the slice .* claimed, \d+ on the wire",
        ),
        ("silent", Scenario.SYNC, Shape(), "on the wire between `go` and the answer"),
        ("talkative", Scenario.SYNC, Shape(), "x PING"),
        ("unprotected", Scenario.TRANSACTION, BLOCK, "outside"),
        ("piecemeal", Scenario.TRANSACTION, BLOCK, "a reply was awaited after 1 of them"),
        ("warmed", Scenario.SYNC, Shape(), "on the wire"),
        ("eager", Scenario.SYNC, Shape(), "before the order `connect` / 1 opened while it was loading"),
        ("elsewhere", Scenario.SYNC, Shape(), "command 1 of the window, .* is not due"),
        ("elsewhere", Scenario.BATCHING, Shape(depth=10), "command 1 of the window, .* is not due"),
        ("displaced", Scenario.SYNC, Shape(), "walkers that begin at .* / the answer says"),
        ("overtime", Scenario.SYNC, Shape(), "between order and answer unaccounted for"),
        ("foresighted", Scenario.SYNC, Shape(), "the answer is 3,[56].* ms before `ended`"),
        ("thrifty", Scenario.SYNC, Shape(), "claims 0.0 ms of CPU, from the order to the answer the kernel counted"),
        ("swift", Scenario.SYNC, Shape(), "they are not those of the units that were claimed"),
        ("swift", Scenario.PIPELINING, SLIDING, "they are not those of the units that were claimed"),
        ("swift", Scenario.THREADS, THREADS, "they are not those of the units that were claimed"),
        ("lazy", Scenario.SYNC, Shape(), "50 replies were verified, where 100 were asked for"),
        ("empty", Scenario.SYNC, Shape(), "the claimed commands have .* bytes, the server read"),
        ("nameless", Scenario.SYNC, Shape(), "does not say which version of double it loaded"),
    ],
)
def test_a_lie_is_caught(
    bench: Workbench, catalogue: Catalogue, *, lie: str, scenario: Scenario, shape: Shape, words: str
) -> None:
    """The deviation says what was asked for and what was found."""
    verdict = verdict_on(bench, catalogue, lie, scenario, shape)
    assert verdict.answer is Answer.DEVIATES
    assert re.search(words, accusations(verdict))


@pytest.mark.parametrize(
    ("lie", "scenario", "shape", "fault", "words"),
    [
        ("credulous", Scenario.SYNC, Shape(), FaultKind.WRONG_VALUE, "went on as if it were right"),
        ("credulous", Scenario.TRANSACTION, BLOCK, FaultKind.WRONG_VALUE, "went on as if it were right"),
        ("oblivious", Scenario.SYNC, Shape(), FaultKind.ERROR, "exactly 1 error counted / 0 counted"),
        ("oblivious", Scenario.BATCHING, Shape(depth=10), FaultKind.ERROR, "exactly 1 error counted / 0 counted"),
        ("oblivious", Scenario.SYNC, Shape(), FaultKind.CUT, "claimed with 0 errors counted"),
        ("oblivious", Scenario.SYNC, Shape(), FaultKind.RESET, "claimed with 0 errors counted"),
        ("impatient", Scenario.BATCHING, Shape(depth=10), FaultKind.ERROR, "one error reply survived and counted"),
    ],
)
def test_a_lie_under_a_fault_is_caught(
    bench: Workbench, catalogue: Catalogue, *, lie: str, scenario: Scenario, shape: Shape, fault: FaultKind, words: str
) -> None:
    """Whoever makes the wrong thing of a fault is told so."""
    verdict = verdict_on(bench, catalogue, lie, scenario, shape, fault=fault)
    assert verdict.answer is Answer.DEVIATES
    assert words in accusations(verdict)


def test_a_runner_that_waits_for_ever_is_ended(
    bench: Workbench, catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lost connection must not make a runner hang beyond its limit."""
    monkeypatch.setattr(observed, "LIMIT_S", 5.0)
    verdict = verdict_on(bench, catalogue, "stuck", Scenario.SYNC, Shape(), fault=FaultKind.RESET)
    assert "the runner hung" in accusations(verdict)


@pytest.mark.parametrize(
    ("lie", "scenario", "shape", "words"),
    [
        ("onward", Scenario.SYNC, Shape(), r"in the workload's order \(slice 2\) / command 1 of the window"),
        ("unled", Scenario.SYNC, Shape(), r"the measured part begins \(slice 1\) / 0 commands claimed, [1-9]"),
        ("unled", Scenario.PIPELINING, SLIDING, r"the measured part begins \(slice 2\) / 0 commands claimed, [1-9]"),
        # On a busy machine the command may come when the next slice is ordered: then it is too many in it.
        ("restless", Scenario.SYNC, Shape(), "silence between `ready` and `go`|every command of the window counted"),
        ("boastful", Scenario.THREADS, THREADS, r"and no other \(slice 2\)"),
        ("eager", Scenario.SYNC, Shape(), "before the order `connect`"),
        ("warmed", Scenario.SYNC, Shape(), "as many commands before the slice as verification claims"),
        ("hasty", Scenario.SYNC, Shape(), "connections kept open|a trial that the server's counters back"),
        ("late", Scenario.SYNC, Shape(), "came after the answer"),
        ("talkative", Scenario.SYNC, Shape(), r"x PING"),
    ],
)
def test_a_lie_about_slices_in_a_row_is_caught(
    bench: Workbench, catalogue: Catalogue, *, lie: str, scenario: Scenario, shape: Shape, words: str
) -> None:
    """Each slice is held against its own order, and so is what lies between two."""
    verdict = verdict_on(bench, catalogue, lie, scenario, shape, turns=True)
    assert verdict.answer is Answer.DEVIATES
    assert re.search(words, accusations(verdict))


@pytest.mark.parametrize(("scenario", "shape"), FAULTY_SHAPES, ids=lambda value: str(value).replace(" ", ","))
def test_the_honest_double_takes_turns(
    bench: Workbench, catalogue: Catalogue, scenario: Scenario, shape: Shape
) -> None:
    """Whoever begins where it is told, works a lead-in and is quiet in between is not accused."""
    verdict = verdict_on(bench, catalogue, "none", scenario, shape, turns=True)
    assert accusations(verdict) == ""
    assert verdict.seen is not None
    assert len(verdict.seen.outcome.slices) == TURNS
    assert all(answer.lead_in.operations for answer in verdict.seen.answers)


@pytest.mark.parametrize("kind", FaultKind)
@pytest.mark.parametrize(("scenario", "shape"), FAULTY_SHAPES, ids=lambda value: str(value).replace(" ", ","))
def test_the_honest_double_stands_every_fault(
    bench: Workbench, catalogue: Catalogue, scenario: Scenario, shape: Shape, kind: FaultKind
) -> None:
    """Whoever counts right is not accused, whatever the network does."""
    verdict = verdict_on(bench, catalogue, "none", scenario, shape, fault=kind)
    assert accusations(verdict) == ""
