"""What the page shows of single rounds and slices; all other figures are the cells'."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from polars import col

from respmark import numbers
from respmark.results.records import Status, TrialRecord
from respmark.statistics.cells import CountedRun
from respmark.statistics.rounds import counted


class Lap(NamedTuple):
    """One slice that counts."""

    round: int
    lap: int
    begun_ns: int
    rps: float


@dataclass(frozen=True)
class Series:
    """Rounds and slices of a run, by cell."""

    run: CountedRun

    @cached_property
    def _laps(self) -> dict[str, list[Lap]]:
        found: defaultdict[str, list[Lap]] = defaultdict(list)
        rps = col("operations") / col("elapsed_ns") * 1e9
        laps = counted(self.run).select("cell_id", "round", "lap", "begun_ns", rps=rps)
        for cell_id, *lap in laps.iter_rows():
            found[cell_id].append(Lap(*lap))
        return found

    @cached_property
    def _rounds(self) -> dict[str, list[tuple[TrialRecord, dict[str, Any] | None]]]:
        """Return the rounds of each cell with their figures, if slices of them count."""
        figures = {one["trial_id"]: one for one in self.run.rounds.iter_rows(named=True)}
        found: defaultdict[str, list[tuple[TrialRecord, dict[str, Any] | None]]] = defaultdict(list)
        for trial in self.run.trials:
            found[trial.cell_id].append((trial, figures.get(trial.trial_id)))
        return found

    def laps(self, cell_id: str) -> list[Lap]:
        """Return the slices of a cell that count."""
        return self._laps.get(cell_id, [])

    def client_cpu(self, cell_id: str) -> list[float]:
        """Return the client's CPU in microseconds per command, by round."""
        rounds = self._rounds.get(cell_id, ())
        return [figures["client_cpu_us_per_command"] for _, figures in rounds if figures]

    def rounds(self, cell_id: str) -> Iterator[tuple[str, str]]:
        """Yield each round's name, and what became of it."""
        for trial, figures in self._rounds.get(cell_id, ()):
            yield f"round {trial.round}: {trial.trial_id}", _outcome(trial, figures)

    def settings(self, cell_id: str) -> dict[str, str]:
        """Return a client's options, and settings of its runtime that bear on the figures."""
        trials = [trial for trial, _ in self._rounds.get(cell_id, ())]
        options = {f"option {name}": str(value) for name, value in trials[0].client.options.items()} if trials else {}
        settings = next((trial.settings for trial in trials if trial.settings), {})
        return options | {name: str(value) for name, value in settings.items()}


def _outcome(trial: TrialRecord, figures: dict[str, Any] | None) -> str:
    if trial.status is not Status.OK:
        return f"{trial.status}: {trial.reason}"
    if figures is None:
        return "no slice counts"
    client, server = (numbers.microseconds(figures[f"{side}_cpu_us_per_command"]) for side in ("client", "server"))
    return (
        f"{numbers.rps(figures['rps_median'])} commands per second, {client} client and {server} server CPU per command"
    )
