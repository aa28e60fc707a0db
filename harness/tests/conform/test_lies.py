"""Every lie about what a scenario is gets caught, and the honest double is not accused."""

import re
from itertools import cycle

import pytest

from respmark.conform import faulty, observed
from respmark.conform.cases import Case
from respmark.conform.context import TURNS, ConformContext
from respmark.conform.explain import outcome
from respmark.conform.faulty import FAULTY_SHAPES, fault_for
from respmark.conform.tries import ALLOWANCES, GAVE_UP_S
from respmark.conform.verdicts import Conformity, Verdict, judge
from respmark.contract.trial import Form, Scenario, Shape, Window
from respmark.plan.trial import Cell
from respmark.specs.catalogue import Catalogue
from respmark.specs.naming import find_clients
from respmark.wire.faults import FaultKind

BURST = Shape(depth=10, window=Window.BURST)
SLIDING = Shape(depth=10, window=Window.SLIDING)
BLOCK = Shape(depth=10, form=Form.BATCHED)
CACHE = Shape(cache_entries=1)
POOL = Shape(threads=4, max_total=2)
THREADS = Shape(threads=4, connections=1)


def verdict_on(
    context: ConformContext,
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
    return judge(Case(Cell(client, scenario, shape, None), script, turns), context, catalogue.clients["double"])


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
        ("in-turn", Scenario.PIPELINING, SLIDING, "no command was sent until more replies came"),
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
        ("overtaking", Scenario.PIPELINING, BURST, "command 3 of the window, .* is not due"),
        # On a busy machine the answer is noticed when the late command has been sent: then it is one too many.
        ("late", Scenario.SYNC, Shape(), "came after the answer|every command of the window counted"),
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
        # Here the commands that it never sends might still be on their way, until the answer comes.
        ("elsewhere", Scenario.PIPELINING, SLIDING, "is not due|segments that name the commands that were sent"),
        ("displaced", Scenario.SYNC, Shape(), "walkers that begin at .* / the answer says"),
        ("overtime", Scenario.SYNC, Shape(), "between order and answer unaccounted for"),
        ("premature", Scenario.SYNC, Shape(), "`ended` after the last reply / it is .* ms before it"),
        ("premature", Scenario.BATCHING, Shape(depth=10), "`ended` after the last reply / it is .* ms before it"),
        ("successive", Scenario.SYNC, Shape(processes=2), "worked together for 0% of the slice only"),
        ("foresighted", Scenario.SYNC, Shape(), "the answer is 3,[56].* ms before `ended`"),
        (
            "thrifty",
            Scenario.SYNC,
            Shape(),
            "claims 0.0 ms of CPU for the slice, from order to answer the kernel counted",
        ),
        ("swift", Scenario.SYNC, Shape(), "they are not those of the units that were claimed"),
        ("swift", Scenario.PIPELINING, SLIDING, "they are not those of the units that were claimed"),
        ("swift", Scenario.THREADS, THREADS, "they are not those of the units that were claimed"),
        ("modest", Scenario.SYNC, Shape(), "its longest latency is 1 ns, but its histogram ends at"),
        ("rewound", Scenario.SYNC, Shape(), "the CPU that the runner claims falls within the slice"),
        ("lazy", Scenario.SYNC, Shape(), "50 replies were verified, where 100 were asked for"),
        ("empty", Scenario.SYNC, Shape(), "the claimed commands have .* bytes, the server read"),
        ("nameless", Scenario.SYNC, Shape(), "does not say which version of double it loaded"),
        ("inherited", Scenario.SYNC, Shape(), "claims a peak of .* MiB of memory, its process's own .VmHWM. was"),
        ("unnegotiated,protocol=3", Scenario.SYNC, Shape(), "HELLO 3 before .* speaks RESP2: AUTH came before"),
        ("unnegotiated,protocol=3", Scenario.NEW_CONNECTION, Shape(), "HELLO 3 before .* speaks RESP2: AUTH"),
        ("modern", Scenario.SYNC, Shape(), "no HELLO, or HELLO 2, before .* speaks RESP3: AUTH, HELLO 3 came before"),
        ("modern", Scenario.NEW_CONNECTION, Shape(), "no HELLO, or HELLO 2, before .* RESP3: AUTH, HELLO 3 came"),
        ("flattering", Scenario.CACHING, CACHE, "claimed [0-9,]+ calls, the server saw"),
        ("imaginary", Scenario.CACHING, CACHE, "not sent, where a cache of this size can have answered [0-9]"),
        ("deaf", Scenario.CACHING, CACHE, "CLIENT TRACKING before the first command / "),
        # A run has no proxy: the same by the server's account.
        ("unnegotiated,protocol=3", Scenario.BATCHING, Shape(depth=10), "was asked for, 1 connection .* spoke RESP2"),
        ("modern", Scenario.POOL, POOL, "RESP2 was asked for, [12] connections? of the trial spoke RESP3"),
    ],
)
def test_a_lie_is_caught(
    context: ConformContext, catalogue: Catalogue, *, lie: str, scenario: Scenario, shape: Shape, words: str
) -> None:
    """The deviation says what was asked for and what was found."""
    verdict = verdict_on(context, catalogue, lie, scenario, shape)
    assert verdict.conformity is Conformity.DEVIATES
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
    context: ConformContext,
    catalogue: Catalogue,
    *,
    lie: str,
    scenario: Scenario,
    shape: Shape,
    fault: FaultKind,
    words: str,
) -> None:
    """Whoever makes the wrong thing of a fault is told so."""
    verdict = verdict_on(context, catalogue, lie, scenario, shape, fault=fault)
    assert verdict.conformity is Conformity.DEVIATES
    assert words in accusations(verdict)


def test_commands_of_a_window_that_slides_may_overtake_each_other(
    context: ConformContext, catalogue: Catalogue
) -> None:
    """They are issued by whichever thread saw a reply."""
    verdict = verdict_on(context, catalogue, "overtaking", Scenario.PIPELINING, SLIDING)
    assert accusations(verdict) == ""
    assert verdict.conformity is Conformity.CONFORMS


@pytest.mark.parametrize(("scenario", "shape"), [(Scenario.SYNC, Shape()), (Scenario.NEW_CONNECTION, Shape())])
def test_whoever_negotiates_as_labelled_conforms(
    context: ConformContext, catalogue: Catalogue, scenario: Scenario, shape: Shape
) -> None:
    """HELLO 3 under the label `protocol=3`; the trace shows what the handshake consists of."""
    verdict = verdict_on(context, catalogue, "none,protocol=3", scenario, shape)
    assert accusations(verdict) == ""
    assert verdict.seen is not None
    assert verdict.seen.wire.handshake[-1] == "HELLO 3"


def test_a_window_that_slides_over_several_connections_conforms(context: ConformContext, catalogue: Catalogue) -> None:
    """Whichever command is answered lets the next one go."""
    verdict = verdict_on(context, catalogue, "spread", Scenario.PIPELINING, SLIDING)
    assert accusations(verdict) == ""
    assert verdict.conformity is Conformity.CONFORMS


def test_a_second_connection_may_introduce_itself_late(context: ConformContext, catalogue: Catalogue) -> None:
    """It is waited for: in a slice, its AUTH would be taken for a stranger's."""
    verdict = verdict_on(context, catalogue, "belated", Scenario.PIPELINING, BURST)
    assert accusations(verdict) == ""
    assert verdict.conformity is Conformity.CONFORMS


def test_a_case_that_came_to_its_point_at_the_second_try_conforms(
    context: ConformContext, catalogue: Catalogue
) -> None:
    """The first trial was over before a reply came that the fault could happen to; the second had more time."""
    verdict = verdict_on(context, catalogue, "slow-once", Scenario.SYNC, Shape(), fault=FaultKind.ERROR)
    assert accusations(verdict) == ""
    assert (verdict.conformity, verdict.tries) == (Conformity.CONFORMS, 2)
    assert outcome(verdict).endswith("(2 tries)")


@pytest.mark.parametrize(
    ("lie", "conformity", "tries"),
    [("mute-once", Conformity.CONFORMS, 2), ("mute", Conformity.DEVIATES, len(ALLOWANCES))],
)
def test_a_client_that_loses_its_first_command_is_tried_again(
    context: ConformContext, catalogue: Catalogue, lie: str, conformity: Conformity, tries: int
) -> None:
    """Whoever sends nothing in any try deviates; what the runner asked the target afterwards is not held against it."""
    verdict = verdict_on(context, catalogue, lie, Scenario.SYNC, Shape())
    assert (verdict.conformity, verdict.tries) == (conformity, tries)
    assert "ROLE" not in accusations(verdict)


@pytest.mark.parametrize("fault", [FaultKind.DELAY, FaultKind.ERROR])
def test_a_fault_that_never_happened_is_inconclusive(
    context: ConformContext, catalogue: Catalogue, fault: FaultKind
) -> None:
    """Of what the runner makes of it, nothing is known, whether the fault would have been harmless or not."""
    verdict = verdict_on(context, catalogue, "slow", Scenario.SYNC, Shape(), fault=fault)
    assert (verdict.conformity, verdict.tries) == (Conformity.INCONCLUSIVE, len(ALLOWANCES))
    assert accusations(verdict).startswith(f"a reply to put the fault `{fault}` in / none came")


def test_a_client_that_gave_up_waiting_is_inconclusive(
    context: ConformContext, catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its reply came later than the client's own timeout, as on a busy machine: the error that it counts is true."""
    monkeypatch.setattr(faulty, "DELAY_S", GAVE_UP_S + 0.5)
    verdict = verdict_on(context, catalogue, "hurried", Scenario.SYNC, Shape(), fault=FaultKind.DELAY)
    assert verdict.seen is not None
    assert sum(verdict.seen.answers[0].errors.values()) == 1
    assert (verdict.conformity, verdict.tries) == (Conformity.INCONCLUSIVE, len(ALLOWANCES))


def test_an_error_that_no_wait_explains_deviates(context: ConformContext, catalogue: Catalogue) -> None:
    """A timeout without the time is an invention."""
    verdict = verdict_on(context, catalogue, "skittish", Scenario.SYNC, Shape())
    assert (verdict.conformity, verdict.tries) == (Conformity.DEVIATES, 1)


def test_what_contradicts_the_definition_is_not_tried_again(context: ConformContext, catalogue: Catalogue) -> None:
    """More time would not undo it."""
    verdict = verdict_on(context, catalogue, "halves", Scenario.PIPELINING, BURST)
    assert (verdict.conformity, verdict.tries) == (Conformity.DEVIATES, 1)


def test_what_never_happened_in_all_the_time_deviates(context: ConformContext, catalogue: Catalogue) -> None:
    """Threads that take turns are given every chance to work at the same time, and then accused."""
    verdict = verdict_on(context, catalogue, "alone", Scenario.THREADS, THREADS)
    assert (verdict.conformity, verdict.tries) == (Conformity.DEVIATES, len(ALLOWANCES))


def test_a_runner_that_waits_for_ever_is_ended(
    context: ConformContext, catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lost connection must not make a runner hang beyond its limit."""
    monkeypatch.setattr(observed, "LIMIT_S", 5.0)
    verdict = verdict_on(context, catalogue, "stuck", Scenario.SYNC, Shape(), fault=FaultKind.RESET)
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
        ("late", Scenario.SYNC, Shape(), "came after the answer|every command of the window counted"),
        ("talkative", Scenario.SYNC, Shape(), r"x PING"),
    ],
)
def test_a_lie_about_slices_in_a_row_is_caught(
    context: ConformContext, catalogue: Catalogue, *, lie: str, scenario: Scenario, shape: Shape, words: str
) -> None:
    """Each slice is held against its own order, and so is what lies between two."""
    verdict = verdict_on(context, catalogue, lie, scenario, shape, turns=True)
    assert verdict.conformity is Conformity.DEVIATES
    assert re.search(words, accusations(verdict))


@pytest.mark.parametrize(("scenario", "shape"), FAULTY_SHAPES, ids=lambda value: str(value).replace(" ", ","))
def test_the_honest_double_takes_turns(
    context: ConformContext, catalogue: Catalogue, scenario: Scenario, shape: Shape
) -> None:
    """Whoever begins where it is told, works a lead-in and is quiet in between is not accused."""
    verdict = verdict_on(context, catalogue, "none", scenario, shape, turns=True)
    assert accusations(verdict) == ""
    assert verdict.seen is not None
    assert len(verdict.seen.outcome.slices) == TURNS
    assert all(answer.lead_in.operations for answer in verdict.seen.answers)


@pytest.mark.parametrize(
    ("scenario", "shape", "kind"),
    [(*where, kind) for where, kind in zip(FAULTY_SHAPES, cycle(FaultKind), strict=False)],
    ids=lambda value: str(value).replace(" ", ","),
)
def test_the_honest_double_stands_faults(
    context: ConformContext, catalogue: Catalogue, scenario: Scenario, shape: Shape, kind: FaultKind
) -> None:
    """Whoever counts right is not accused, whatever the network does; clients show it for every fault everywhere."""
    verdict = verdict_on(context, catalogue, "none", scenario, shape, fault=kind)
    assert accusations(verdict) == ""
