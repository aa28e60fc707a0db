"""Every client that is here conforms: what CI asks of each runner."""

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial

import pytest

from respmark.conform.cases import Case, cases_of
from respmark.conform.context import conform_context
from respmark.conform.verdicts import CaseVerdict, Conformity, run_cases
from respmark.contract.trial import Form, Scenario, Window
from respmark.machine.guardian import Guardian
from respmark.plan.make import make_plan
from respmark.plan.plan import Plan, Settings
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client
from tests.builders.plan import asked

CATALOGUE = Catalogue()
LIBRARIES = sorted(name for name, spec in CATALOGUE.clients.items() if spec.capabilities.replies)
"""All but load generators, which show no replies."""
EVERYWHERE = frozenset({Scenario.SYNC, Scenario.BATCHING})
"""Scenarios in which every client of a library is tried."""
REQUIRED = frozenset(filter(None, os.environ.get("RESPMARK_REQUIRE", "").split(",")))
"""Languages, or single environments of them, whose absence is a failure, not a skip."""
pytestmark = [pytest.mark.timeout(900), pytest.mark.usefixtures("java_starts_soon")]


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_client_conforms(library: str) -> None:
    """Its first configuration in every scenario, with a fault in each; its others in `sync` and `batching`."""
    plan = plan_of(library)
    check(library, verdicts_on(chosen(plan, LIBRARIES.index(library)), plan.settings))


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_client_of_a_library_is_tried(library: str) -> None:
    """Also in two slices in a row, by which a client shows that nothing is left of the slice before."""
    plan = plan_of(library)
    cases = chosen(plan, LIBRARIES.index(library))
    possible = {cell.client.name for cell in plan.cells if cell.unsupported is None and cell.scenario in EVERYWHERE}
    assert {case.cell.client.name for case in cases} >= possible
    assert {case.cell.scenario for case in cases if case.turns} >= {
        cell.scenario for cell in plan.cells if cell.unsupported is None and cell.scenario in EVERYWHERE
    }


@pytest.mark.full
@pytest.mark.parametrize("library", LIBRARIES)
def test_a_client_conforms_in_every_case(library: str) -> None:
    """Every configuration in every shape, under every fault, with every command: what `respmark conform` tries."""
    plan = plan_of(library)
    check(library, verdicts_on(cases_of(plan, CATALOGUE, with_faults=True), plan.settings))


def chosen(plan: Plan, number: int) -> list[Case]:
    """Return one case for each scenario, window and form: the middle shape, and a fault, another one for each library.

    Of a library's further clients, those of `sync` and `batching`, with GET and SET. Slices in a row in both as well.
    """
    return list(_chosen(cases_of(plan, CATALOGUE, with_faults=True), plan.settings.first_workload, number))


def _chosen(cases: Sequence[Case], get_and_set: str, number: int) -> Iterator[Case]:
    groups = defaultdict[tuple[str, Scenario, Window | None, Form | None, str, bool, bool], list[Case]](list)
    for case in cases:
        cell, shape = case.cell, case.cell.shape
        way = cell.client.name, cell.scenario, shape.window, shape.form, cell.workload
        groups[*way, case.turns, case.fault is not None].append(case)
    for place, ((name, scenario, _, _, workload, turns, is_faulty), alike) in enumerate(groups.items()):
        is_first = name == cases[0].cell.client.name
        if is_faulty:
            yield alike[(number + place) % len(alike)]
        elif (scenario in EVERYWHERE and workload == get_and_set) or (is_first and not turns):
            yield alike[(len(alike) - 1) // 2]


def plan_of(library: str) -> Plan:
    return make_plan(asked("conform", CATALOGUE, clients=(f"{library}[*]",)), CATALOGUE)


def verdicts_on(cases: Sequence[Case], settings: Settings) -> list[CaseVerdict]:
    with closing(Guardian()) as guardian:
        return run_cases(cases, 2, partial(conform_context, settings, CATALOGUE, guardian))


def check(library: str, verdicts: Sequence[CaseVerdict]) -> None:
    absent = [verdict for verdict in verdicts if verdict.conformity is Conformity.MISSING]
    reasons = {verdict.reason for verdict in absent}
    if any(_required(verdict.case.cell.client) for verdict in absent):
        pytest.fail(f"{library} is missing, and RESPMARK_REQUIRE asks for it: {reasons}")
    if len(absent) == len(verdicts):
        pytest.skip(f"{library} is missing: {reasons}")
    lines = []
    for verdict in verdicts:
        if verdict.conformity is Conformity.DEVIATES:
            cell = verdict.case.cell
            lines += [f"{cell.client.name} {cell.scenario} {verdict.case.label}", *verdict.explanation()]
    assert not lines, "\n".join(lines)


def _required(client: Client) -> bool:
    return not REQUIRED.isdisjoint({client.runner, f"{client.runner}@{client.installation}"})
