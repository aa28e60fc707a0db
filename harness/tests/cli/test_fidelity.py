"""`respmark fidelity`: its table."""

import io
import math
from collections.abc import Callable, Iterator

import pytest
from respmark.fidelity.verdict import Verdict
from respmark.run.measure import Bench
from rich.console import Console

from respmark.cli.fidelity import Task, _row, bare_pair, measured_rows, place_pair, print_places, print_rows, servers
from respmark.contract.trial import Scenario, Shape, TrialRequest
from respmark.execute.fake import FakeExecutor, Step
from respmark.execute.protocol import RunnerMissingError
from respmark.fidelity.pairs import BareLoops, FidelityError, Speed
from respmark.placement import Placement
from respmark.plan.trial import Trial
from respmark.statistics.ratio import Interval
from tests.builders import SHIPPED, make_client, make_trial, planned
from tests.execute.workbench import Notes
from tests.fakes import FakeTarget, honest, make_bench


def test_rows_have_ratios_with_their_intervals_or_the_reason_for_none() -> None:
    """What fell short, what could not be shown and what could not run are all told."""
    output = io.StringIO()
    good = Verdict(Interval(0.991, 0.98, 1.002, 0.95), Interval(1.01, 1.0, 1.02, 0.95))
    client = make_client("lib[parser=slow]")
    rows: list[tuple[Trial, Verdict | str]] = [
        (make_trial(Scenario.BATCHING, Shape(depth=100), client=client), good),
        (make_trial(client=client), "the bare loop does not start"),
    ]
    print_rows(Console(file=output, width=140, highlight=False), rows)
    lines = output.getvalue().splitlines()
    (batching,) = [line for line in lines if "lib[parser=slow] batching depth 100" in line]
    assert "0.991  (0.980..1.002)" in batching
    assert "1.010  (1.000..1.020)" in batching
    assert batching.rstrip().endswith("met")
    (sync,) = [line for line in lines if "lib[parser=slow] sync" in line]
    assert "the bare loop does not start" in sync


class Bare(BareLoops):
    """Bare loops that are as fast as the runner, and note how often that one ran before."""

    def __init__(self, executor: FakeExecutor, fault: Exception | None = None) -> None:
        self.seen: list[int] = []
        self._executor, self._fault = executor, fault

    def for_trial(self, trial: Trial) -> Callable[[TrialRequest], Speed]:
        """Return what measures the trial."""
        del trial
        return self._measure

    def _measure(self, _request: TrialRequest) -> Speed:
        if self._fault:
            raise self._fault
        self.seen.append(len(self._executor.requests))
        return Speed(100, 5000)


def test_suite_and_bare_loop_take_turns_in_beginning() -> None:
    """What comes second finds the machine as the first left it: neither is always second."""
    target = FakeTarget()
    executor = FakeExecutor(honest(target.control.server))
    bare = Bare(executor)
    row = _row(make_trial(), bare_pair(make_bench(executor, target), bare), 6, None)
    assert isinstance(row, Verdict)
    assert bare.seen == [1, 1, 3, 3, 5, 5]
    assert row.rps.median == row.cpu_per_command.median == 1.0


@pytest.mark.parametrize("fault", [FidelityError("the bare loop broke"), RunnerMissingError("not installed")])
def test_a_row_that_cannot_be_measured_has_its_reason(fault: Exception) -> None:
    """The other rows are measured all the same."""
    target = FakeTarget()
    executor = FakeExecutor(honest(target.control.server))
    pair = bare_pair(make_bench(executor, target), Bare(executor, fault))
    assert _row(make_trial(), pair, 6, None) == str(fault)


def test_the_cells_of_a_client_that_is_missing_have_its_reason() -> None:
    """No trial of it is started; one that any of the places lacks is measured in none."""
    target = FakeTarget()
    here = FakeExecutor(honest(target.control.server))
    there = FakeExecutor(lambda _: [], missing={"node": "not found; install Node.js"})
    plan = planned("fidelity", clients=("redis-py", "node-redis"), scenarios=(Scenario.SYNC,))
    pair = bare_pair(make_bench(here, target), Bare(here))
    nowhere = Placement(target=None, clients=None)
    task = Task(plan, SHIPPED, Notes(), nowhere, 6, Console(file=io.StringIO()))
    rows = measured_rows(task, pair, here, there)
    reasons = {trial.cell.client.library: result for trial, result in rows if isinstance(result, str)}
    assert reasons == {"node-redis": "not found; install Node.js"}
    assert {trial.cell.client.library for trial, _ in rows} == {"redis-py", "node-redis"}
    assert {request.client.library for request in here.requests} == {"redis-py"}


def test_an_interval_that_few_pairs_cannot_give_is_said_to_be_none() -> None:
    """Endless is not a number that a reader can use."""
    output = io.StringIO()
    few = Verdict(*[Interval(0.991, -math.inf, math.inf, 0.95)] * 2)
    print_rows(Console(file=output, width=140, highlight=False), [(make_trial(), few)])
    assert "inf" not in output.getvalue()
    assert "0.991  (too few pairs)" in output.getvalue()
    assert "not shown: more --pairs" in output.getvalue()


def test_process_and_container_take_turns_in_beginning() -> None:
    """As suite and bare loop do; each has a target of its own."""
    order: list[str] = []

    def place(name: str) -> Bench:
        target = FakeTarget()
        honestly = honest(target.control.server)

        def script(request: TrialRequest) -> Iterator[Step]:
            order.append(name)
            yield from honestly(request)

        return make_bench(FakeExecutor(script), target)

    row = _row(make_trial(), place_pair(place("here"), place("there")), 4, None)
    assert isinstance(row, Verdict)
    assert order == ["here", "there", "there", "here", "here", "there", "there", "here"]
    assert row.rps.median == row.cpu_per_command.median == 1.0


@pytest.mark.parametrize(
    ("rps", "words"),
    [
        (Interval(1.0, 0.95, 1.05, 0.95), "the same within 10%"),
        (Interval(0.8, 0.7, 0.85, 0.95), "differs by more than 10%"),
        (Interval(1.0, 0.8, 1.05, 0.95), "not shown: more --pairs"),
    ],
)
def test_a_container_is_said_to_be_the_same_only_where_the_interval_shows_it(rps: Interval, words: str) -> None:
    """Beyond ten percent it differs; in between nothing is claimed."""
    output = io.StringIO()
    found = Verdict(rps, Interval(1.0, 0.99, 1.01, 0.95))
    print_places(Console(file=output, width=140, highlight=False), [(make_trial(), found)])
    assert output.getvalue().splitlines()[-1].rstrip().endswith(words)


def test_two_versions_of_the_server_are_told() -> None:
    """A ratio between them is not one between places."""
    assert servers("redis 8.0.2", "redis 8.0.2") == "server: redis 8.0.2 in both places"
    assert "redis 7.0.15 here, valkey 8.1.1 in the container" in servers("redis 7.0.15", "valkey 8.1.1")
