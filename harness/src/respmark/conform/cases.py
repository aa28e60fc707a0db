"""What is tried with a client: its shapes by the suite, and each fault in each scenario."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from respmark.conform.faulty import FAULTY_SHAPES, HARMLESS, fault_for
from respmark.plan.trial import Cell, Plan
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client, unsupported_reason
from respmark.wire.faults import Fault, FaultKind


@dataclass(frozen=True)
class Case:
    """One short trial, and what it is to show."""

    cell: Cell
    fault: Fault | None = None

    @property
    def must_conform(self) -> bool:
        """Tell whether every definition must hold, whatever the proxy does."""
        return self.fault is None or self.fault.kind in HARMLESS


def cases_of(plan: Plan, catalogue: Catalogue, *, with_faults: bool) -> list[Case]:
    """Return every case in the plan's order; faults once a library, in the configuration that is installed."""
    cases = [Case(cell) for cell in plan.cells]
    return cases + list(_faulty(plan.cells, catalogue)) if with_faults else cases


def _faulty(cells: Iterable[Cell], catalogue: Catalogue) -> Iterator[Case]:
    cells = list(cells)
    first_of: dict[str, Client] = {}
    for cell in cells:
        first_of.setdefault(cell.client.library, cell.client)
    scenarios = {cell.scenario for cell in cells}
    for client in first_of.values():
        for scenario, shape in FAULTY_SHAPES:
            reason = unsupported_reason(catalogue.clients[client.library], client, scenario, shape)
            if scenario in scenarios and reason is None:
                yield from (Case(Cell(client, scenario, shape, None), fault_for(kind, scenario)) for kind in FaultKind)
