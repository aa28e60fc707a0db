"""What a command costs a client, across languages: one at a time, and in batches."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from respmark import numbers
from respmark.contract.trial import Scenario
from respmark.figures.cells import Cell
from respmark.figures.estimate import UNKNOWN, Ratio
from respmark.report.columns import ratio_text
from respmark.report.report import Report
from respmark.report.table import SUBJECT, Chapter, Heading, Row, Table, TableCell, row
from tools.clients_answers import DEPTH, is_as_installed, named

FLOOR: Final = "hiredis"
"""What a command costs in C: the client that others are divided by, where a run has it."""
ACROSS: Final = "What a command costs, across languages"
ACROSS_LINE: Final = (
    f"The client's CPU per command, as installed, and how many times that of {FLOOR}, in C, in the same blocks of the "
    f"same run. Compare rows only by the last two columns: clients of several languages did not take turns. Sorted by "
    f"the last column, batches of {DEPTH}, in which nearly nothing is spent on waiting."
)
ASLEEP: Final = "idle CPUs slept"
ASLEEP_NOTE: Final = (
    "Idle CPUs slept: waking them is about half of what `sync` costs (docs/statistics.md has figures), so its columns "
    "rank ways of waiting as much as clients"
)
AWAKE: Final = "idle CPUs were kept awake"
NATIVE: Final = "native code with threads of its own is part of the process: its CPU is in the client's"
NO_FLOOR: Final = f"no run has {FLOOR} in `sync`: nothing says how often a client spends what C does"


@dataclass
class _Costs:
    """What a client's commands cost, and the ratios to the floor."""

    first: Cell
    cpu_us: dict[Scenario, float] = field(default_factory=dict)
    ratios: dict[Scenario, Ratio] = field(default_factory=dict)

    @property
    def rank(self) -> tuple[float, float]:
        """Return what it is sorted by: batches, then single commands; the floor comes first, what has none last."""
        if self.first.library == FLOOR:
            return 0, 0
        values = [self._value(one) for one in (Scenario.BATCHING, Scenario.SYNC)]
        return values[0], values[1]

    def _value(self, scenario: Scenario) -> float:
        ratio = self.ratios.get(scenario, UNKNOWN)
        return ratio.value if ratio.is_known else float("inf")


def across(reports: Iterable[Report]) -> Chapter:
    """Return a table of the runs that kept idle CPUs awake, and one of the others; a client is in its first run's."""
    every = list(reports)
    by_state = [
        (AWAKE, [one for one in every if _was_awake(one)]),
        (ASLEEP, [one for one in every if not _was_awake(one)]),
    ]
    tables = tuple(_table(title, some) for title, some in by_state if some)
    return Chapter(ACROSS, (ACROSS_LINE,), tables)


def _was_awake(report: Report) -> bool:
    return bool(report.manifest.placement.awake)


def _table(title: str, reports: Iterable[Report]) -> Table:
    found: dict[str, _Costs] = {}
    for report in reports:
        found = _costs(replace(report, baseline=FLOOR)) | found
    costs = sorted(found.values(), key=lambda one: one.rank)
    heads = ("sync", f"batches\nof {DEPTH}", f"sync,\ntimes {FLOOR}", f"batches,\ntimes {FLOOR}")
    columns = (SUBJECT, Heading("language", is_text=True), *map(Heading, heads))
    has_native = any(one.first.native_core for one in costs)
    has_floor = any(one.first.library == FLOOR for one in costs)
    notes = [*([NATIVE] if has_native else []), *([] if has_floor else [NO_FLOOR])]
    notes += [ASLEEP_NOTE] if title is ASLEEP else []
    return Table(title, columns, tuple(map(_row, costs)), tuple(notes))


def _costs(report: Report) -> dict[str, _Costs]:
    found: dict[str, _Costs] = {}
    for cell, cpu_us in _measured(report):
        costs = found.setdefault(cell.client, _Costs(cell))
        if cell.scenario not in costs.cpu_us:
            costs.cpu_us[cell.scenario] = cpu_us
            if cell.comparison and cell.comparison.base.client == FLOOR:
                costs.ratios[cell.scenario] = cell.comparison.ratio("client_cpu")
    return {client: costs for client, costs in found.items() if Scenario.SYNC in costs.cpu_us}


def _measured(report: Report) -> Iterator[tuple[Cell, float]]:
    for cell in report.cells:
        is_usual = cell.scenario is Scenario.SYNC or (cell.scenario is Scenario.BATCHING and cell.shape.depth == DEPTH)
        is_alone = cell.shape.processes == 1 and cell.shape.rtt_ms is None and cell.shape.rate is None
        if is_usual and is_alone and is_as_installed(cell) and cell.measured is not None:
            cpu_us = cell.measured.client_cpu_us_per_command
            if cpu_us is not None:
                yield cell, cpu_us


def _row(costs: _Costs) -> Row:
    cell = costs.first
    language = f"{cell.language}, core in {cell.native_core}" if cell.native_core else cell.language
    both = (Scenario.SYNC, Scenario.BATCHING)
    cpu = [numbers.microseconds(costs.cpu_us.get(one)) for one in both]
    times = [ratio_text(costs.ratios.get(one, UNKNOWN)) for one in both]
    return row(TableCell(named(cell), "client"), language, *cpu, *times)
