"""What reports read of single rounds and slices; all other figures are the cells'."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from respmark import numbers
from respmark.histogram import Histogram
from respmark.results.records import Status, TrialRecord
from respmark.results.store import Run
from respmark.results.version1 import Record
from respmark.statistics.cells import ReportCell
from respmark.statistics.counted import counted_slices
from respmark.statistics.rounds import client_cpu_us, round_of, rps, server_cpu_us


class Lap(NamedTuple):
    """One slice that counts."""

    round: int
    lap: int
    begun_ns: int
    rps: float


@dataclass(frozen=True)
class Series:
    """Rounds and slices of a run, by cell."""

    run: Run

    @cached_property
    def _records(self) -> dict[str, list[Record]]:
        return {found[0].cell_id: sorted(found, key=lambda one: one.round) for found in self.run.by_cell()}

    def laps(self, cell_id: str) -> Iterator[Lap]:
        """Yield the slices of a cell that count."""
        for record in self._records.get(cell_id, ()):
            if record.status is Status.OK and isinstance(record, TrialRecord) and (found := counted_slices(record)):
                slices = zip(found.laps.tolist(), found.begun_ns.tolist(), found.figures.rates.tolist(), strict=True)
                yield from (Lap(record.round, *one) for one in slices)

    def client_cpu(self, cell_id: str) -> list[float]:
        """Return the client's CPU in microseconds per command, by round."""
        records = (record for record in self._records.get(cell_id, ()) if record.status is Status.OK)
        return [client_cpu_us(found) for record in records if (found := round_of(record))]

    def rounds(self, cell_id: str) -> Iterator[tuple[str, str]]:
        """Yield each round's name, and what became of it."""
        for record in self._records.get(cell_id, ()):
            yield f"round {record.round}: {record.trial_id}", _outcome(record)

    def settings(self, cell_id: str) -> dict[str, str]:
        """Return a client's options, and settings of its runtime that bear on the figures."""
        records = self._records.get(cell_id, ())
        options = {f"option {name}": str(value) for name, value in records[0].client.options.items()} if records else {}
        results = [result for record in records for result in record.results][:1]
        return options | {name: str(value) for one in results for name, value in one.runtime_settings.items()}

    def latency(self, cell: ReportCell) -> Histogram:
        """Return the latencies of a cell that was measured."""
        return cell.measured.latency if cell.measured else Histogram.of([])


def _outcome(record: Record) -> str:
    if record.status is not Status.OK:
        return f"{record.status}: {record.reason}"
    if (found := round_of(record)) is None:
        return "no slice counts"
    return (
        f"{numbers.rps(rps(found))} commands per second, {numbers.microseconds(client_cpu_us(found))} client "
        f"and {numbers.microseconds(server_cpu_us(found))} server CPU per command"
    )
