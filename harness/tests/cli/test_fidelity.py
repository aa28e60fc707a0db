"""`respmark fidelity`: its table."""

import io
import math
from collections.abc import Callable

import pytest
from rich.console import Console

from respmark.cli.fidelity import _row, print_rows
from respmark.contract.trial import Scenario, Shape, TrialRequest
from respmark.execute.fake import FakeExecutor
from respmark.execute.protocol import RunnerMissingError
from respmark.fidelity.pairs import BareLoops, FidelityError, Speed
from respmark.fidelity.verdict import Verdict
from respmark.plan.trial import Trial
from respmark.statistics.ratio import Interval
from tests.builders import FakeTarget, honest, make_bench, make_client, make_trial


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
    row = _row(make_bench(executor, target), make_trial(), bare, 6, None)
    assert isinstance(row, Verdict)
    assert bare.seen == [1, 1, 3, 3, 5, 5]
    assert row.rps.median == row.cpu_per_command.median == 1.0


@pytest.mark.parametrize("fault", [FidelityError("the bare loop broke"), RunnerMissingError("not installed")])
def test_a_row_that_cannot_be_measured_has_its_reason(fault: Exception) -> None:
    """The other rows are measured all the same."""
    target = FakeTarget()
    executor = FakeExecutor(honest(target.control.server))
    assert _row(make_bench(executor, target), make_trial(), Bare(executor, fault), 6, None) == str(fault)


def test_an_interval_that_few_pairs_cannot_give_is_said_to_be_none() -> None:
    """Endless is not a number that a reader can use."""
    output = io.StringIO()
    few = Verdict(*[Interval(0.991, -math.inf, math.inf, 0.95)] * 2)
    print_rows(Console(file=output, width=140, highlight=False), [(make_trial(), few)])
    assert "inf" not in output.getvalue()
    assert "0.991  (too few pairs)" in output.getvalue()
    assert "not shown: more --pairs" in output.getvalue()
