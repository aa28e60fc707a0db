"""The cases that are tried with a client: the suite's shapes, slices in a row, and each kind of tampering."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final
from zlib import crc32

from respmark.conform.tampering import Tampering, TamperingKind
from respmark.contract.trial import Form, Scenario, Shape, Window
from respmark.plan.plan import Plan, PlannedCell
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client

TAMPERED_SHAPES: Final[tuple[tuple[Scenario, Shape], ...]] = (
    (Scenario.SYNC, Shape()),
    (Scenario.PIPELINING, Shape(depth=10, window=Window.BURST)),
    (Scenario.PIPELINING, Shape(depth=10, window=Window.SLIDING)),
    (Scenario.BATCHING, Shape(depth=10)),
    (Scenario.TRANSACTION, Shape(depth=10, form=Form.QUEUED)),
    (Scenario.TRANSACTION, Shape(depth=10, form=Form.BATCHED)),
    (Scenario.THREADS, Shape(threads=4, connections=1)),
    (Scenario.POOL, Shape(threads=4, max_total=2)),
    (Scenario.NEW_CONNECTION, Shape()),
    (Scenario.CACHING, Shape(cache_entries=100)),
)
"""Where replies are tampered with, and slices follow each other: every scenario, with each of its windows and forms."""
HARMLESS: Final = frozenset({TamperingKind.DELAY, TamperingKind.SPLIT})
"""Those that change nothing but timing."""
SHOWN_OF_CACHES: Final = HARMLESS | {TamperingKind.WRONG_VALUE}
"""Those that are tried in `caching`: with the others, what was claimed cannot be told from what the cache answered."""
ANY_COMMAND: Final = "conform-any"
"""The workload of commands that go through what a library has for any command."""
COMMANDS: Final = {"conform-commands": "every command", ANY_COMMAND: "any command"}
"""What the suite's other workloads have."""
EVERYWHERE: Final = frozenset({Scenario.SYNC, Scenario.BATCHING})
"""Scenarios in which `short_cases` tries every client of a library."""
TURNS: Final = 2
"""Slices in a row, in cases that try more than one."""


@dataclass(frozen=True)
class Case:
    """One short trial, and what it must show."""

    cell: PlannedCell
    tampering: Tampering | None = None
    turns: bool = False
    """`TURNS` slices with a lead-in, as in a run; otherwise one slice without a lead-in."""

    @property
    def must_conform(self) -> bool:
        """Return whether every definition must hold, whatever the proxy does."""
        return self.tampering is None or self.tampering.kind in HARMLESS

    @property
    def label(self) -> str:
        """Return its shape and how a reply is tampered with in words: `depth 10, burst; tampering: cut`."""
        turns = f"{TURNS} slices with a lead-in" if self.turns else ""
        commands = COMMANDS.get(self.cell.workload, self.cell.workload) if "workload" in self.cell.named else ""
        words = [self.cell.shape.label, commands, turns, f"tampering: {self.tampering.kind}" if self.tampering else ""]
        return "; ".join(filter(None, words))


def cases_of(plan: Plan, catalogue: Catalogue, *, with_tampering: bool) -> list[Case]:
    """Return every case: the plan's in its order, then those of each library's first configuration."""
    first_of: dict[str, Client] = {}
    for cell in plan.cells:
        first_of.setdefault(cell.client.library, cell.client)
    scenarios = {cell.scenario for cell in plan.cells}
    once = [
        PlannedCell(client, scenario, shape, None, plan.settings.first_workload, plan.settings.first_server)
        for client, (scenario, shape) in product(first_of.values(), TAMPERED_SHAPES)
        if scenario in scenarios and catalogue.clients[client.library].why_not(client, scenario, shape) is None
    ]
    cases = [*(Case(cell) for cell in plan.cells), *(Case(cell, turns=True) for cell in once)]
    if with_tampering:
        cases += [Case(cell, one) for cell in once for one in tamperings_of(cell.scenario)]
    return cases


def tamperings_of(scenario: Scenario) -> list[Tampering]:
    """Return how replies of a scenario are tampered with; in a transaction, it is the reply that has all others."""
    name = "EXEC" if scenario is Scenario.TRANSACTION else "GET"
    return [
        Tampering(kind, name) for kind in TamperingKind if scenario is not Scenario.CACHING or kind in SHOWN_OF_CACHES
    ]


def short_cases(cases: Sequence[Case], get_and_set: str) -> list[Case]:
    """Return one case for each scenario, window, form and workload of a library's first client, and one with tampering.

    The middle shape, and another kind of tampering for each library. Of its other clients, those of `sync` and
    `batching` with the workload `get_and_set`, or of all that they have if they have neither; in both also slices
    in a row.
    """
    return list(_short_cases(cases, get_and_set))


def _short_cases(cases: Sequence[Case], get_and_set: str) -> Iterator[Case]:
    first_of, groups = dict[str, str](), defaultdict[tuple[object, ...], list[Case]](list)
    usual = {case.cell.client.name for case in cases if _is_usual(case) and case.cell.unsupported is None}
    for case in cases:
        cell, shape = case.cell, case.cell.shape
        first_of.setdefault(cell.client.library, cell.client.name)
        way = cell.client.name, cell.scenario, shape.window, shape.form, cell.workload
        groups[*way, case.turns, case.tampering is not None].append(case)
    for every in groups.values():
        alike = [case for case in every if case.cell.unsupported is None] or every
        cell, is_tampered, turns = alike[0].cell, alike[0].tampering is not None, alike[0].turns
        is_first = cell.client.name == first_of[cell.client.library]
        if is_tampered:
            yield alike[crc32(f"{cell.client.library} {cell.scenario} {cell.shape.label}".encode()) % len(alike)]
        elif (is_first and not turns) or (
            cell.workload == get_and_set and (_is_usual(alike[0]) or cell.client.name not in usual)
        ):
            yield alike[(len(alike) - 1) // 2]


def _is_usual(case: Case) -> bool:
    return case.cell.scenario in EVERYWHERE
