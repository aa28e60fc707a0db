"""Which cases there are, and which worker tries them."""

from respmark.conform.cases import EVERYWHERE, Case, cases_of, short_cases
from respmark.conform.tampering import TamperingKind
from respmark.conform.verdicts import CaseQueue
from respmark.contract.trial import Scenario
from tests.builders.plan import SHIPPED, make_cell, make_client, planned


def test_the_short_cases_have_every_client_and_every_way_of_a_library() -> None:
    """Each client in `sync` and `batching`, and in two slices in a row there; each library in all that it can, once."""
    plan = planned("conform")
    every = cases_of(plan, SHIPPED, with_tampering=True)
    short = short_cases(every, plan.settings.first_workload)
    possible = [case for case in every if case.cell.unsupported is None]
    assert {case.cell.client.name for case in short} == {case.cell.client.name for case in every}
    libraries = {spec.library for spec in SHIPPED.clients.values() if spec.capabilities.replies}
    assert {case.cell.client.library for case in short} == libraries
    first = {case.cell.client.name for case in every if case.tampering}
    assert {_way(case) for case in short if case.cell.unsupported is None} >= {
        _way(case)
        for case in possible
        if (case.cell.client.name in first and not case.turns)
        or (case.cell.scenario in EVERYWHERE and case.cell.workload == plan.settings.first_workload)
    }
    assert {case.tampering.kind for case in short if case.tampering} == set(TamperingKind)
    assert len(short) < len(every) / 3


def test_every_library_works_in_slices_in_a_row() -> None:
    """Of all cases, in every scenario that tampering is tried in: what one slice leaves behind is seen in the next."""
    plan = planned("conform")
    every = cases_of(plan, SHIPPED, with_tampering=True)
    in_turns = {(case.cell.client.library, case.cell.scenario) for case in every if case.turns}
    assert in_turns == {(case.cell.client.library, case.cell.scenario) for case in every if case.tampering}
    libraries = {spec.library for spec in SHIPPED.clients.values() if spec.capabilities.replies}
    for cases in (every, short_cases(every, plan.settings.first_workload)):
        assert libraries == {case.cell.client.library for case in cases if case.turns}


def _way(case: Case) -> tuple[object, ...]:
    cell, shape = case.cell, case.cell.shape
    is_tampered = case.tampering is not None
    return cell.client.name, cell.scenario, shape.window, shape.form, cell.workload, case.turns, is_tampered


def test_a_worker_goes_on_with_its_client() -> None:
    """Then it takes the one that has most for each worker; whoever has a client's last case knows it."""
    names = ("many", "few", "many", "few", "many", "many", "many")
    waiting = CaseQueue([Case(make_cell(make_client(name), Scenario.SYNC)) for name in names])
    assert waiting.take() == (0, Case(make_cell(make_client("many"))), True)
    assert [_number(waiting.take("many")) for _ in range(2)] == [2, 4]
    assert _number(waiting.take()) == 1
    assert waiting.take("few") == (3, Case(make_cell(make_client("few"))), False)
    assert _number(waiting.take("few")) == 5
    assert waiting.take("many") == (6, Case(make_cell(make_client("many"))), False)
    assert waiting.take("many") is None


def _number(taken: tuple[int, Case, bool] | None) -> int:
    assert taken is not None
    return taken[0]
