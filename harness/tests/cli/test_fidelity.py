"""`respmark fidelity`: its table."""

import io
import math

from rich.console import Console

from respmark.cli.fidelity import print_rows
from respmark.contract.trial import Scenario, Shape
from respmark.fidelity.verdict import Verdict
from respmark.plan.trial import Trial
from respmark.statistics.ratio import Interval
from tests.builders import make_client, make_trial


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


def test_an_interval_that_few_pairs_cannot_give_is_said_to_be_none() -> None:
    """Endless is not a number that a reader can use."""
    output = io.StringIO()
    few = Verdict(*[Interval(0.991, -math.inf, math.inf, 0.95)] * 2)
    print_rows(Console(file=output, width=140, highlight=False), [(make_trial(), few)])
    assert "inf" not in output.getvalue()
    assert "0.991  (too few pairs)" in output.getvalue()
    assert "not shown: more --pairs" in output.getvalue()
