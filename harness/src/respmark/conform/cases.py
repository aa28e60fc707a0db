"""The cases that are tried with a client: the suite's shapes, slices in a row, the other decoding, and each fault."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from respmark.conform.faulty import FAULTY_SHAPES, HARMLESS, faults_of
from respmark.contract.trial import Scenario, Shape
from respmark.plan.trial import Cell, Plan
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client, unsupported_reason
from respmark.specs.naming import make_client
from respmark.wire.faults import Fault

DECODE: Final = "decode"
"""The option for the type of values, sent and received."""
COMMANDS_WORKLOAD: Final = "conform-commands"
"""The workload with every command."""
COMMAND_SHAPES: Final = ((Scenario.SYNC, Shape()), (Scenario.BATCHING, Shape(depth=10)))
"""Where every command is tried: a command that waits and one that is buffered are different methods of a library."""


@dataclass(frozen=True)
class Case:
    """One short trial, and what it must show."""

    cell: Cell
    fault: Fault | None = None
    turns: bool = False
    """Several slices with a lead-in, as in a run; otherwise one slice without a lead-in."""
    every_command: bool = False
    """Uses the workload that has every command that runners have a typed method for."""

    @property
    def must_conform(self) -> bool:
        """Return whether every definition must hold, whatever the proxy does."""
        return self.fault is None or self.fault.kind in HARMLESS


def cases_of(plan: Plan, catalogue: Catalogue, *, with_faults: bool) -> list[Case]:
    """Return every case: the plan's in its order, then those of each library's first configuration."""
    once = list(_once_a_library(plan.cells, catalogue))
    cases = [*(Case(cell) for cell in plan.cells), *(Case(cell, turns=True) for cell in once)]
    cases += [Case(cell) for cell in _decoded_otherwise(once, catalogue)]
    if with_faults:
        cases += [Case(cell, fault) for cell in once for fault in faults_of(cell.scenario)]
    return cases


def _decoded_otherwise(cells: Iterable[Cell], catalogue: Catalogue) -> Iterator[Cell]:
    """Return the cells of clients that decode as installed, once for every other value of that option.

    This changes nothing on the wire; verification shows that replies have the type that is claimed.
    """
    for cell in cells:
        spec, client = catalogue.clients[cell.client.library], cell.client
        default, *others = spec.option_values(client.version).get(DECODE, (None,))
        for value in others if client.options.get(DECODE) == default else ():
            other = make_client(spec, client.version, {**client.options, DECODE: value})
            if unsupported_reason(spec, other, cell.scenario, cell.shape) is None:
                yield Cell(other, cell.scenario, cell.shape, None)


def command_cases_of(plan: Plan) -> list[Case]:
    """Return the cases with every command: for each client, one in `sync` and one in `batching`."""
    return [Case(cell, every_command=True) for cell in plan.cells if (cell.scenario, cell.shape) in COMMAND_SHAPES]


def _once_a_library(cells: Iterable[Cell], catalogue: Catalogue) -> Iterator[Cell]:
    """Return, for each library's first client, a cell of every scenario that it and the plan have."""
    cells = list(cells)
    first_of: dict[str, Client] = {}
    for cell in cells:
        first_of.setdefault(cell.client.library, cell.client)
    scenarios = {cell.scenario for cell in cells}
    for client in first_of.values():
        for scenario, shape in FAULTY_SHAPES:
            reason = unsupported_reason(catalogue.clients[client.library], client, scenario, shape)
            if scenario in scenarios and reason is None:
                yield Cell(client, scenario, shape, None)
