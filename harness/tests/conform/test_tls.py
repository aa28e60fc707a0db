"""Conformance over TLS: the proxy passes for the server, and sees what is inside."""

from contextlib import closing

from respmark.conform.cases import Case
from respmark.conform.verdicts import Conformity, judge
from respmark.conform.workbench import workbench
from respmark.contract.trial import Scenario, Shape
from respmark.plan.expand import Request, make_plan
from respmark.plan.trial import Cell
from respmark.target.guardian import Guardian
from tests.builders import SHIPPED


def test_what_a_client_sends_over_tls_is_held_against_the_definition() -> None:
    """A batch is one flush, as it is without TLS; the runner has verified the proxy's certificate."""
    plan = make_plan(Request(suite="conform", clients=("redis-py[parser=hiredis]",), target="spawned-tls"), SHIPPED)
    cell = Cell(plan.clients[0], Scenario.BATCHING, Shape(depth=10), None)
    with closing(Guardian()) as guardian, workbench(plan.settings, SHIPPED, guardian) as bench:
        verdict = judge(Case(cell), bench, SHIPPED.clients["redis-py"])
        assert bench.reach.tls is not None
    assert verdict.conformity is Conformity.CONFORMS, verdict.deviations
