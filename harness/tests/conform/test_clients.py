"""Every client that is here conforms: what CI asks of each runner."""

import os
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace

import pytest

from respmark.conform.cases import COMMANDS_WORKLOAD, Case, cases_of, command_cases_of
from respmark.conform.explain import explanation, label
from respmark.conform.suite import Works
from respmark.conform.verdicts import Conformity, Verdict
from respmark.plan.expand import Request, make_plan
from respmark.plan.trial import Settings
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client
from respmark.target.guardian import Guardian

CATALOGUE = Catalogue()
REQUIRED = frozenset(filter(None, os.environ.get("RESPMARK_REQUIRE", "").split(",")))
"""Languages, or single environments of them, whose absence is a failure, not a skip."""
pytestmark = [pytest.mark.timeout(900), pytest.mark.usefixtures("java_starts_soon")]


@pytest.mark.parametrize("library", sorted(CATALOGUE.clients))
def test_a_client_conforms(library: str) -> None:
    """Every variant in every scenario, and with every command, is what the definitions say."""
    plan = make_plan(Request(suite="conform", clients=(f"{library}[*]",)), CATALOGUE)
    with_commands = replace(plan.settings, workload=CATALOGUE.workload(COMMANDS_WORKLOAD))
    verdicts = verdicts_on(list(representative(cases_of(plan, CATALOGUE, with_faults=False))), plan.settings)
    verdicts += verdicts_on(command_cases_of(plan), with_commands)
    _skip_or_fail_where_missing(library, verdicts)
    found = complaints(verdicts)
    assert not found, found


@pytest.mark.parametrize("library", sorted(CATALOGUE.clients))
def test_a_client_stands_every_fault(library: str) -> None:
    """In every scenario that it has."""
    plan = make_plan(Request(suite="conform", clients=(f"{library}[*]",)), CATALOGUE)
    cases = [case for case in cases_of(plan, CATALOGUE, with_faults=True) if case.fault is not None]
    verdicts = verdicts_on(cases, plan.settings)
    _skip_or_fail_where_missing(library, verdicts)
    found = complaints(verdicts)
    assert not found, found


def representative(cases: Sequence[Case]) -> Iterator[Case]:
    """Yield every shape of a library's first client, and one for each scenario, window and form of its other clients.

    It is the middle one of several. `respmark conform` tries them all: half as many cases again.
    """
    found: defaultdict[tuple[Hashable, ...], list[Case]] = defaultdict(list)
    for case in cases:
        shape = case.cell.shape
        found[case.cell.client.name, case.cell.scenario, shape.window, shape.form, case.turns].append(case)
    for (name, *_), alike in found.items():
        yield from alike if name == cases[0].cell.client.name else alike[(len(alike) - 1) // 2 :][:1]


def verdicts_on(cases: Sequence[Case], settings: Settings) -> list[Verdict]:
    """Judge every case, two at a time: they wait about as much as they compute."""
    with closing(Guardian()) as guardian:
        return Works(settings, CATALOGUE, guardian, lambda _: None).run(cases, jobs=2)


def _skip_or_fail_where_missing(library: str, verdicts: Sequence[Verdict]) -> None:
    absent = [verdict for verdict in verdicts if verdict.conformity is Conformity.MISSING]
    missing = {verdict.reason for verdict in absent}
    if any(_required(verdict.case.cell.client) for verdict in absent):
        pytest.fail(f"{library} is missing, and RESPMARK_REQUIRE asks for it: {missing}")
    if all(verdict.conformity is Conformity.MISSING for verdict in verdicts):
        pytest.skip(f"{library} is missing: {missing}")


def _required(client: Client) -> bool:
    return not REQUIRED.isdisjoint({client.runner, f"{client.runner}@{client.installation}"})


def complaints(verdicts: Sequence[Verdict]) -> str:
    """Return every deviation with its piece of the trace."""
    lines = []
    for verdict in verdicts:
        if verdict.conformity is Conformity.DEVIATES:
            cell = verdict.case.cell
            lines += [f"{cell.client.name} {cell.scenario} {label(verdict.case)}", *explanation(verdict)]
    return "\n".join(lines)
