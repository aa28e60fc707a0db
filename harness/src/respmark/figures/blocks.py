"""The cells of a block: they took turns, so their slices can be compared lap by lap."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from respmark.figures.compare import LapSeries
from respmark.figures.measured import COMPARED
from respmark.figures.rounds import counted, responses
from respmark.results.records import Status, TrialRecord
from respmark.results.run import Run


@dataclass(frozen=True, eq=False)
class CountedCell:
    """What comparisons need of a cell that has slices that count."""

    trial: TrialRecord
    """Its first trial that is `ok`."""
    series: Mapping[str, LapSeries]
    """Its slices, by metric."""

    @property
    def library_version(self) -> str:
        """Return the version that was loaded; empty if the results name none."""
        return self.trial.versions.get(self.trial.client.library, "")


CountedCells = Mapping[str, CountedCell]
"""The cells of a block that have slices that count, by ID."""
Blocks = Mapping[str, CountedCells]
"""The cells of a run that have slices that count, by block."""


def blocks_of(run: Run) -> Blocks:
    """Return the cells that have slices that count, in the order of the suite, whichever round failed."""
    first = {trial.cell_id: trial for trial in reversed(run.trials) if trial.status is Status.OK}
    series = _series(run)
    blocks: defaultdict[str, dict[str, CountedCell]] = defaultdict(dict)
    for cell_id in run.cell_ids:
        if cell_id in series:
            blocks[first[cell_id].block][cell_id] = CountedCell(first[cell_id], series[cell_id])
    return dict(blocks)


def _series(run: Run) -> dict[str, dict[str, LapSeries]]:
    found: defaultdict[str, dict[str, LapSeries]] = defaultdict(dict)
    for slices, of_responses in ((counted(run), False), (responses(run), True)):
        of_these = {key: one.columns for key, (_, one) in COMPARED.items() if one.of_responses is of_responses}
        columns = sorted({column for of_one in of_these.values() for column in of_one})
        ordered = slices.select("cell_id", "round", "lap", *columns).sort("round", "lap").collect()
        for (cell_id,), part in ordered.partition_by("cell_id", as_dict=True).items():
            for key, of_one in of_these.items():
                if len(known := part.drop_nulls(of_one)):
                    numbers = known.select(of_one).to_numpy().astype(float)
                    found[str(cell_id)][key] = LapSeries(known.select("round", "lap").to_numpy(), numbers)
    return found
