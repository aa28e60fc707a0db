"""The timeline of a fault: what callers had in each second, and when the fault was."""

import pytest

from respmark.contract.trial import Fault
from respmark.errors import InvalidRequestError
from respmark.kinds.faults.picture import timeline
from respmark.kinds.faults.record import FaultRecord, Second, Step
from respmark.report.html.vega import Spec
from respmark.report.report import Report
from tests.builders.plan import SHIPPED
from tests.kinds.faults.builders import fault_record, fault_run, make_figures

STEPS = [Step(what="killed", at_ns=3 * 10**9), Step(what="a replica", at_ns=6 * 10**9)]


def drawn(record: FaultRecord) -> Spec:
    return timeline(Report.of(fault_run(record), SHIPPED).run)


def states_of(spec: Spec) -> list[str]:
    domain: list[str] = spec["spec"]["layer"][1]["encoding"]["color"]["scale"]["domain"]
    return domain


def test_replies_for_keys_of_other_primaries_have_a_bar_of_their_own() -> None:
    """They go on while nobody has any of the primary's keys."""
    figures = make_figures(seconds=[Second(due=40, succeeded=30, failed=2, elsewhere=25)])
    spec = drawn(fault_record(fault=Fault.FAILOVER_KILL, figures=figures, steps=STEPS))
    shaded, *bars = spec["datasets"][spec["data"]["name"]]
    assert (shaded["from"], shaded["to"]) == (3, 6)
    assert [bar["commands"] for bar in bars] == [5, 2, 25]
    assert [bar["state"] for bar in bars] == states_of(spec)


def test_where_no_primary_is_replaced_there_are_replies_and_errors() -> None:
    spec = drawn(fault_record(steps=STEPS))
    assert states_of(spec) == ["replies", "errors"]
    assert {bar["commands"] for bar in spec["datasets"][spec["data"]["name"]][1:]} == {40, 0}


def test_a_fault_that_the_run_lacks_is_refused_with_those_that_it_has() -> None:
    with pytest.raises(InvalidRequestError, match="it has: silence"):
        timeline(Report.of(fault_run(fault_record(steps=STEPS)), SHIPPED).run, "pause")
