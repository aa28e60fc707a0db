"""What a fidelity run found: one row per cell, kept in a file from which every table is made."""

from dataclasses import dataclass
from typing import Final

from respmark.contract.base import Message, PositiveCount, SchemaVersion
from respmark.contract.trial import Scenario, Shape
from respmark.placement import Placement
from respmark.statistics.compare import Prior, Ratio, Rounds, Series, prior_of, ratio_of, rounds_of

RPS_TARGET: Final = 0.97
"""Suite/bare RPS should be at least this."""
CPU_TARGET: Final = 1.03
"""Suite/bare CPU per command should be at most this."""
SAME: Final = 0.10
"""Differences between container and process up to this count as none; docs/containers.md explains larger ones."""
FILE: Final = "fidelity.json"


RowKey = tuple[str, Scenario, Shape]


class Lap(Message):
    """One slice of each side."""

    round: PositiveCount
    lap: PositiveCount
    suite_rps: float
    other_rps: float
    suite_cpu_ns: float
    """Per command."""
    other_cpu_ns: float


class Row(Message):
    """One client in one scenario and shape, against its bare loop or against a container."""

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
    def key(self) -> RowKey:
        """Return what identifies it among all rows."""
        return self.client, self.scenario, self.shape

    @property
    def rounds(self) -> set[int]:
        """Return the numbers of the rounds that it has."""
        return {lap.round for lap in self.laps}


class FidelityRun(Message):
    """Everything that a fidelity run found."""

    schema_version: SchemaVersion
    against: str
    """`bare` or `docker`."""
    rounds: PositiveCount
    """As many as a row was to have; a row that failed has fewer."""
    laps: PositiveCount
    slice_s: float
    lead_in_s: float
    machine: str
    placement: Placement | None = None
    """Null in older files."""
    target: str
    workload: str | None = None
    """Null in older files."""
    seed: int
    rows: list[Row]


@dataclass(frozen=True)
class Verdict:
    """One row's ratios: the suite's figures divided by the other side's."""

    rps: Ratio
    cpu: Ratio

    @property
    def words(self) -> str:
        """Return what the intervals show: `met`, `falls short`, or `not shown` if they contain the target."""
        if self.rps.low is None or self.rps.high is None or self.cpu.low is None or self.cpu.high is None:
            return "not shown: more --rounds"
        if self.rps.high < RPS_TARGET or self.cpu.low > CPU_TARGET:
            return "falls short"
        met = self.rps.low >= RPS_TARGET and self.cpu.high <= CPU_TARGET
        return "met" if met else "not shown: more --rounds"

    @property
    def difference(self) -> str:
        """Return, in words, whether a container's throughput and CPU per command are those of a process here."""
        ends = [(one.low, one.high) for one in (self.rps, self.cpu)]
        known = [(low, high) for low, high in ends if low is not None and high is not None]
        if len(known) == len(ends) and all(low >= 1 - SAME and high <= 1 + SAME for low, high in known):
            return f"the same within {SAME:.0%}"
        if any(high < 1 - SAME or low > 1 + SAME for low, high in known):
            return f"differs by more than {SAME:.0%}"
        return "not shown: more --rounds"


def verdicts(rows: list[Row]) -> list[Verdict | None]:
    """Return each row's verdict, in the rows' order; None if nothing was measured."""
    rps = [rounds_of(_rates(row, "suite"), _rates(row, "other")) for row in rows]
    cpu = [rounds_of(_costs(row, "suite"), _costs(row, "other")) for row in rows]
    rps_prior, cpu_prior = _prior(rps), _prior(cpu)
    return [
        None if one is None or other is None else Verdict(ratio_of(one, rps_prior), ratio_of(other, cpu_prior))
        for one, other in zip(rps, cpu, strict=True)
    ]


def _prior(rounds: list[Rounds | None]) -> Prior:
    return prior_of(one for one in rounds if one is not None)


def _rates(row: Row, side: str) -> Series:
    """Return commands and time, which is the same for all slices."""
    return Series.of({place: (rate, 1.0) for place, (rate, _) in _speeds(row, side).items()})


def _costs(row: Row, side: str) -> Series:
    """Return CPU and commands."""
    return Series.of({place: (cost * rate, rate) for place, (rate, cost) in _speeds(row, side).items()})


def _speeds(row: Row, side: str) -> dict[tuple[int, int], tuple[float, float]]:
    """Return RPS and CPU per command by (round, lap)."""
    return {(lap.round, lap.lap): (getattr(lap, f"{side}_rps"), getattr(lap, f"{side}_cpu_ns")) for lap in row.laps}
