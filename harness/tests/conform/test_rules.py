"""The definitions as rules, on lines of time made by hand: what each of them accepts and what it does not."""

import pytest

from respmark.conform.observation import Observation
from respmark.conform.rules import deviations, tampered_deviations
from respmark.conform.tampering import Tampering, TamperingKind
from respmark.contract.trial import Form, Scenario, Shape, Window
from respmark.errors import ClientLostServerError, RunnerFailedError, RunnerHungError
from respmark.results.records import Status
from tests.builders.plan import make_cell, make_client
from tests.conform.builders import Line

IDLE = Shape(threads=2, max_total=2, max_idle=1)


def found(line: Line) -> list[str]:
    cell = make_cell(make_client(), line.scenario, line.shape)
    return [one.found for one in deviations(Observation(cell, Status.OK, None, (), (), line.trace))]


def line(scenario: Scenario, shape: Shape, *open_before: int) -> Line:
    return Line(scenario, shape).open(*open_before).mark("go")


@pytest.mark.parametrize(
    "honest",
    [
        line(Scenario.SYNC, Shape(), 1).send(1, "GET").answer(1).send(1, "SET").answer(1),
        line(Scenario.SYNC, Shape(processes=1), 1).send(1, "GET").answer(1),
        line(Scenario.BATCHING, Shape(depth=2), 1).send(1, "GET").send(1, "GET").answer(1, 2),
        line(Scenario.PIPELINING, Shape(depth=2, window=Window.BURST), 1, 2).send(1, "GET").send(2, "GET").answer(1),
        line(Scenario.PIPELINING, Shape(depth=2, window=Window.SLIDING), 1)
        .send(1, "GET", "GET").answer(1).send(1, "GET").answer(1, 2),
        line(Scenario.TRANSACTION, Shape(depth=1, form=Form.BATCHED), 1).send(1, "MULTI", "GET", "EXEC").answer(1, 3),
        line(Scenario.TRANSACTION, Shape(depth=1, form=Form.BATCHED), 1)
        .send(1, "MULTI", "GET").answer(1, 2).send(1, "EXEC").answer(1),
        line(Scenario.TRANSACTION, Shape(depth=2, form=Form.BATCHED), 1)
        .send(1, "MULTI").answer(1).send(1, "GET", "GET").answer(1, 2).send(1, "EXEC").answer(1),
        line(Scenario.TRANSACTION, Shape(depth=1, form=Form.QUEUED), 1)
        .send(1, "MULTI").answer(1).send(1, "GET").answer(1).send(1, "EXEC").answer(1),
        line(Scenario.THREADS, Shape(threads=2, connections=1), 1).send(1, "GET").send(1, "GET").answer(1, 2),
        line(Scenario.POOL, Shape(threads=3, max_total=2), 1, 2).send(1, "GET").send(2, "GET").answer(1).answer(2),
        line(Scenario.POOL, IDLE, 1).send(1, "GET").send(2, "GET").answer(1).answer(2).close(2).mark("end"),
        line(Scenario.NEW_CONNECTION, Shape()).send(1, "GET").answer(1).close(1).send(2, "GET").answer(2).close(2),
    ],
)  # fmt: skip
def test_what_the_definition_says_is_accepted(honest: Line) -> None:
    """Also where a library has the choice: a flush in pieces, EXEC by itself, one connection for all threads."""
    assert found(honest) == []


@pytest.mark.parametrize(
    ("deviant", "words"),
    [
        (line(Scenario.SYNC, Shape(), 1, 2).send(1, "GET").answer(1).send(2, "GET").answer(2), "2 carried commands"),
        (line(Scenario.SYNC, Shape()).send(1, "GET").answer(1), "1 were"),
        (line(Scenario.BATCHING, Shape(depth=2), 1).send(1, "GET").answer(1), "others, too: 1 of 1"),
        (
            line(Scenario.PIPELINING, Shape(depth=2, window=Window.SLIDING), 1)
            .send(1, "GET", "GET").answer(1, 2).send(1, "GET", "GET").answer(1, 2),
            "no command was sent until more replies came",
        ),
        (
            line(Scenario.TRANSACTION, Shape(depth=1, form=Form.QUEUED), 1)
            .send(1, "MULTI", "GET", "EXEC").answer(1, 3),
            "3 were outstanding at once",
        ),
        (
            line(Scenario.TRANSACTION, Shape(depth=3, form=Form.BATCHED), 1)
            .send(1, "MULTI", "GET").answer(1, 2).send(1, "GET").answer(1).send(1, "GET", "EXEC").answer(1, 2),
            "a reply was awaited after 2 of them",
        ),
        (
            line(Scenario.TRANSACTION, Shape(depth=2, form=Form.BATCHED), 1)
            .send(1, "MULTI", "GET", "EXEC").answer(1, 3),
            "1 command",
        ),
        (
            line(Scenario.TRANSACTION, Shape(depth=1, form=Form.BATCHED), 1)
            .send(1, "GET").answer(1).send(1, "MULTI", "GET", "EXEC").answer(1, 3),
            "1 outside",
        ),
        (line(Scenario.THREADS, Shape(threads=2, connections=2), 1).send(1, "GET", "GET").answer(1, 2), "1 carried"),
        (line(Scenario.POOL, Shape(threads=2, max_total=1), 1, 2).send(1, "GET").answer(1), "2 were open"),
        (line(Scenario.POOL, Shape(threads=1, max_total=1)).send(1, "GET").answer(1), "1 were"),
        (
            line(Scenario.POOL, IDLE, 1, 2).send(1, "GET").send(2, "GET").answer(1).answer(2).mark("end"),
            "2 were open when all had been given back",
        ),
        (line(Scenario.NEW_CONNECTION, Shape(), 1).send(1, "GET").answer(1).send(1, "GET"), "2 went over one of them"),
    ],
)  # fmt: skip
def test_what_differs_from_the_definition_is_reported(deviant: Line, words: str) -> None:
    """With what was found."""
    assert words in "\n".join(found(deviant))


@pytest.mark.parametrize(
    ("kind", "error", "may_hang", "deviates"),
    [
        (TamperingKind.CUT, RunnerHungError, False, True),
        (TamperingKind.CUT, RunnerHungError, True, False),
        (TamperingKind.CUT, RunnerFailedError, True, True),
        (TamperingKind.CUT, ClientLostServerError, False, False),
        (TamperingKind.ERROR, RunnerHungError, True, True),
    ],
)
def test_a_runner_that_hangs_deviates_unless_its_library_is_known_to(
    kind: TamperingKind, error: type[RunnerFailedError], *, may_hang: bool, deviates: bool
) -> None:
    """After a connection was lost, and after nothing else."""
    trial = line(Scenario.SYNC, Shape(), 1).send(1, "GET")
    cell = make_cell(make_client(), trial.scenario, trial.shape)
    seen = Observation(cell, Status.FAILED, "it ended", (error("it ended"),), (), trial.trace)
    assert bool(list(tampered_deviations(seen, Tampering(kind, "GET"), may_hang=may_hang))) is deviates


@pytest.mark.parametrize(("stalls", "absent"), [(1, True), (3, False)])
def test_what_never_happened_is_final_if_it_was_waited_for_often_enough(stalls: int, *, absent: bool) -> None:
    """Before that, more time may show it."""
    trial = line(Scenario.THREADS, Shape(threads=2, connections=1), 1).send(1, "GET").answer(1)
    for _ in range(stalls):
        trial.stall(1)
    cell = make_cell(make_client(), trial.scenario, trial.shape)
    (deviation,) = deviations(Observation(cell, Status.OK, None, (), (), trial.trace))
    assert (deviation.found, deviation.absent) == ("never more than 1: the client waited for replies", absent)
