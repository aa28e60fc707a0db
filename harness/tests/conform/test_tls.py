"""Conformance over TLS: the proxy passes for the server, and sees what is inside."""

from contextlib import closing

from respmark.conform.cases import Case
from respmark.conform.context import conform_context
from respmark.conform.tampering import Tampering, TamperingKind
from respmark.conform.verdicts import Conformity, judge
from respmark.contract.trial import Scenario, Shape
from respmark.machine.guardian import Guardian
from respmark.plan.make import make_plan
from respmark.servers.server import open_server
from tests.builders.plan import SHIPPED, asked, make_cell

CLIENT = "redis-py[parser=hiredis]"
BATCHES = Scenario.BATCHING, Shape(depth=10)


def test_a_server_of_others_is_held_over_tls_too() -> None:
    """The proxy speaks TLS to both sides: runners verify its own certificate, it verifies the server's."""
    with (
        closing(Guardian()) as guardian,
        closing(open_server(SHIPPED.server("spawned-tls"), guardian, allow_flush=False)) as theirs,
    ):
        there = theirs.for_runners
        assert there.password is not None
        assert there.tls is not None
        url = f"rediss://:{there.password.get_secret_value()}@127.0.0.1:{there.port}?ssl_ca_certs={there.tls.ca_file}"
        plan = make_plan(asked("conform", clients=(CLIENT,), servers=(url,)), SHIPPED)
        cell = make_cell(
            plan.clients[0], *BATCHES, workload=plan.settings.first_workload, server=plan.settings.first_server
        )
        with conform_context(plan.settings, SHIPPED, guardian) as context:
            assert context.listen_address.tls not in {None, there.tls}
            cases = Case(cell), Case(cell, Tampering(TamperingKind.RESET, "GET"))
            verdicts = [judge(case, context) for case in cases]
    assert [verdict.conformity for verdict in verdicts] == [Conformity.CONFORMS] * 2, verdicts
