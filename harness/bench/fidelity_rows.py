"""What `bench.fidelity` finds: its rows, their ratios, and the table in Markdown."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeVar

from bench.sides import Speed
from respmark.contract.base import Message, PositiveCount, SchemaVersion
from respmark.contract.trial import Scenario, Shape
from respmark.escaping import markdown, markdown_row
from respmark.figures.estimate import LapSeries, Ratio, log_ratios, prior_of, ratio_of
from respmark.machine.placement import Placement
from respmark.report.header import versions_line

FILE: Final = "fidelity.json"
HEADINGS: Final = ("client", "scenario", "ratio", "RPS", "CPU per command", "verdict")
MORE: Final = "not shown: more --rounds"


class Against(StrEnum):
    """What the suite's figures are held against."""

    BARE = "bare"
    PROGRAM = "program"
    DOCKER = "docker"


LIMITS: Final = {Against.BARE: 0.03, Against.PROGRAM: 0.05, Against.DOCKER: 0.10}
"""How far a ratio of RPS or of CPU per command may be from 1, to either side: a loop that is faster than the plainest
one does something that the plainest one does not. A program draws its own commands, with the workload's distributions.
docs/containers.md explains what containers cost."""
RATIOS: Final = {
    Against.BARE: "suite / bare loop",
    Against.PROGRAM: "suite / stand-alone program",
    Against.DOCKER: "container / process on this machine",
}


class Lap(Message):
    """One slice of each side; CPU is per command."""

    round: PositiveCount
    lap: PositiveCount
    suite_rps: float
    other_rps: float
    suite_cpu_ns: float
    other_cpu_ns: float


class Row(Message):
    """One client in one scenario and shape, and another way of doing the same."""

    client: str
    scenario: Scenario
    shape: Shape
    versions: dict[str, str]
    laps: list[Lap]
    reason: str | None
    """Why there are no laps, or fewer than were asked for."""
    unsupported: bool = False
    """Whether `reason` is that the client cannot do it, which is no failure."""

    @property
    def rounds(self) -> set[int]:
        """Return the numbers of the rounds that it has."""
        return {lap.round for lap in self.laps}


class Comparison(Row):
    """A row of `fidelity.json`: the suite against one of the others."""

    against: Against

    @property
    def key(self) -> tuple[Against, str, Scenario, Shape]:
        """Return what identifies it among all rows."""
        return self.against, self.client, self.scenario, self.shape


AnyRow = TypeVar("AnyRow", bound=Row)


class FidelityRun(Message):
    """Everything that was found."""

    schema_version: SchemaVersion
    rounds: PositiveCount
    """As many as a row was to have; a row that failed has fewer."""
    laps: PositiveCount
    slice_s: float
    lead_in_s: float
    machine: str
    placement: Placement
    server: str
    workload: str
    seed: int
    rows: list[Comparison]


@dataclass(frozen=True)
class RowRatios:
    """One row's ratios: the suite's figures divided by the other side's."""

    rps: Ratio
    cpu: Ratio

    def words(self, limit: float) -> str:
        """Return what the intervals show about the limit, to either side."""
        ends = [(one.low, one.high) for one in (self.rps, self.cpu)]
        known = [(low, high) for low, high in ends if low is not None and high is not None]
        if any(high < 1 - limit or low > 1 + limit for low, high in known):
            return f"differs by more than {limit:.0%}"
        within = len(known) == len(ends) and all(low >= 1 - limit and high <= 1 + limit for low, high in known)
        return f"the same within {limit:.0%}" if within else MORE


def ratios_of_rows(rows: Sequence[Row]) -> list[RowRatios | None]:
    """Return each row's ratios, in the rows' order; None if nothing was measured."""
    ratios = [_ratios(rows, of) for of in (lambda rps, _: (rps, 1.0), lambda rps, cpu_ns: (cpu_ns * rps, rps))]
    return [None if rps is None or cpu is None else RowRatios(rps, cpu) for rps, cpu in zip(*ratios, strict=True)]


def _ratios(rows: Sequence[Row], of: Callable[[float, float], tuple[float, float]]) -> list[Ratio | None]:
    rounds = [
        log_ratios(
            LapSeries.of({(lap.round, lap.lap): of(lap.suite_rps, lap.suite_cpu_ns) for lap in row.laps}),
            LapSeries.of({(lap.round, lap.lap): of(lap.other_rps, lap.other_cpu_ns) for lap in row.laps}),
        )
        for row in rows
    ]
    prior = prior_of(one for one in rounds if one is not None)
    return [None if one is None else ratio_of(one, prior) for one in rounds]


def with_laps(row: AnyRow, number: int, laps: Iterable[tuple[Speed, Speed]]) -> AnyRow:
    """Return the row with the laps of one more round."""
    found = [
        Lap(
            round=number,
            lap=lap,
            suite_rps=ours.rps,
            other_rps=other.rps,
            suite_cpu_ns=ours.cpu_ns_per_command,
            other_cpu_ns=other.cpu_ns_per_command,
        )
        for lap, (ours, other) in enumerate(laps, start=1)
    ]
    return row.model_copy(update={"laps": [*row.laps, *found]})


def title(run: FidelityRun) -> str:
    """Return the line above the table."""
    what = ", ".join(RATIOS[one] for one in Against if any(row.against is one for row in run.rows))
    counts = {len(row.rounds) for row in run.rows if row.laps} or {run.rounds}
    rounds = " to ".join(map(str, sorted({min(counts), max(counts)})))
    return f"{what}, with 95 % intervals over {rounds} rounds of {run.laps} laps"


def place(row: Row) -> str:
    """Return a row's scenario and shape."""
    return f"{row.scenario} {row.shape.label}".strip()


def words(run: FidelityRun) -> Iterator[list[str]]:
    """Yield the table's rows."""
    for row, one in zip(run.rows, ratios_of_rows(run.rows), strict=True):
        figures = ["", "", row.reason or "not measured"]
        if one is not None:
            figures = [ratio_words(one.rps), ratio_words(one.cpu), row.reason or one.words(LIMITS[row.against])]
        yield [row.client, place(row), RATIOS[row.against], *figures]


def ratio_words(ratio: Ratio) -> str:
    """Return a ratio with its interval, if it has one."""
    interval = "" if ratio.low is None or ratio.high is None else f" ({ratio.low:.3f} to {ratio.high:.3f})"
    return f"{ratio.value:.3f}{interval}"


def markdown_table(above: str, headings: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table of ratios in Markdown, with a line above it."""
    lines = [markdown(above), "", markdown_row(headings), markdown_row(["---"] * len(headings))]
    return "\n".join([*lines, *(markdown_row(map(markdown, one)) for one in rows)]) + "\n"


def to_markdown(run: FidelityRun) -> str:
    """Return the table in Markdown."""
    loaded = versions_line({row.client: row.versions for row in run.rows if row.versions})
    above = [title(run), run.machine, f"CPUs: {run.placement.words}", run.server, f"workload {run.workload}"]
    return markdown_table(f"{'; '.join(above)}. Loaded: {loaded}.", HEADINGS, words(run))
