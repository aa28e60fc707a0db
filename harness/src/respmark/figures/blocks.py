"""Compares cells that took turns in a block: clients with a baseline, and versions of a library with older ones."""

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Final

from pydantic import ConfigDict

from respmark.contract.base import Count, Message
from respmark.contract.trial import Scenario, Shape
from respmark.figures.compare import (
    UNKNOWN,
    Prior,
    Ratio,
    Rounds,
    Series,
    confidence_of,
    prior_of,
    ratio_of,
    rounds_of,
    with_claims,
)
from respmark.figures.families import Key
from respmark.figures.measured import COMPARED
from respmark.figures.rounds import counted, responses
from respmark.results.manifest import Until
from respmark.results.records import Status, TrialRecord
from respmark.results.store import Run
from respmark.specs.naming import NAME
from respmark.specs.versions import SortKey, VersionOrder, sort_key


class Ratios(Message):
    """One cell's figures divided by another's: a ratio for each compared metric, in JSON under the metric's key."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Ratio]

    def ratio(self, metric: str) -> Ratio:
        """Return the ratio of one metric, by its key; it is not known if one of the cells lacks it."""
        return self.__pydantic_extra__.get(metric, UNKNOWN)


class Comparison(Ratios):
    """A cell compared with the baseline of its block."""

    baseline: str
    """ID of the baseline's cell."""
    baseline_client: str
    baseline_workload: str
    """Name of the baseline's workload: a block may compare workloads."""
    baseline_server: str
    """Name of the baseline's server, if the run has several: a block may compare them."""


@dataclass(frozen=True, eq=False)
class CountedCell:
    """What comparisons need of a cell that has slices that count."""

    trial: TrialRecord
    """Its first trial that is `ok`."""
    series: Mapping[str, Series]
    """Its slices, by metric."""

    @property
    def library_version(self) -> str:
        """Return the version that was loaded; empty if the results name none."""
        return self.trial.versions.get(self.trial.client.library, "")


CountedCells = Mapping[str, CountedCell]
"""The cells of a block that have slices that count, by ID."""
Blocks = Mapping[str, CountedCells]
"""The cells of a run that have slices that count, by block."""
Pair = tuple[CountedCell, CountedCell]
"""The ratio is of the first to the second."""


def blocks_of(run: Run) -> Blocks:
    """Return the cells that have slices that count, in the order of the suite, whichever round failed."""
    first = {trial.cell_id: trial for trial in reversed(run.trials) if trial.status is Status.OK}
    series = _series(run)
    blocks: defaultdict[str, dict[str, CountedCell]] = defaultdict(dict)
    for cell_id in run.cell_ids:
        if cell_id in series:
            blocks[first[cell_id].block][cell_id] = CountedCell(first[cell_id], series[cell_id])
    return dict(blocks)


def _series(run: Run) -> dict[str, dict[str, Series]]:
    found: defaultdict[str, dict[str, Series]] = defaultdict(dict)
    for slices, of_responses in ((counted(run), False), (responses(run), True)):
        of_these = {key: one.columns for key, (_, one) in COMPARED.items() if one.of_responses is of_responses}
        columns = sorted({column for of_one in of_these.values() for column in of_one})
        ordered = slices.select("cell_id", "round", "lap", *columns).sort("round", "lap").collect()
        for (cell_id,), part in ordered.partition_by("cell_id", as_dict=True).items():
            for key, of_one in of_these.items():
                if len(known := part.drop_nulls(of_one)):
                    numbers = known.select(of_one).to_numpy().astype(float)
                    found[str(cell_id)][key] = Series(known.select("round", "lap").to_numpy(), numbers)
    return found


def comparisons_of(blocks: Blocks, baseline: str | None = None, looks: int = 1) -> dict[str, Comparison]:
    """Return the comparisons of all cells that have one, by cell.

    `baseline` is a client, by default each block's first. `looks` is how often the run was allowed to look at its own
    figures to decide whether to go on: more looks make intervals wider.
    """
    pairs = _with_baselines(blocks, baseline)
    ratios = ratios_of(
        pairs,
        looks,
        prior=lambda _, rounds: prior_of(rounds.values()),
        family=lambda cell_id, metric: (metric, pairs[cell_id][1].trial.cell_id),
    )
    return {
        cell_id: Comparison(
            baseline=other.trial.cell_id,
            baseline_client=other.trial.client.name,
            baseline_workload=other.trial.workload,
            baseline_server=other.trial.server,
            **ratios[cell_id],
        )
        for cell_id, (_, other) in pairs.items()
        if "rps" in ratios[cell_id]
    }


def _with_baselines(blocks: Blocks, client: str | None) -> dict[str, Pair]:
    return {
        cell_id: (cell, baseline)
        for cells in blocks.values()
        if (baseline := baseline_of(cells, client)) is not None
        for cell_id, cell in cells.items()
        if cell is not baseline
    }


def baseline_of(cells: CountedCells, client: str | None) -> CountedCell | None:
    """Return the cell of a client, by default the first."""
    return next((cell for cell in cells.values() if client in {None, cell.trial.client.name}), None)


def prior_of_run(blocks: Blocks, metric: str) -> Prior:
    """Return the prior fitted to the variances of a run's comparisons with their baselines."""
    return prior_of(rounds_of_pairs(_with_baselines(blocks, None), metric).values())


def rounds_between(cell: CountedCell, against: CountedCell, metric: str) -> Rounds | None:
    """Return the comparison of two cells of the same block; None if they have no lap in common that has the metric."""
    one, other = cell.series.get(metric), against.series.get(metric)
    return None if one is None or other is None else rounds_of(one, other)


def rounds_of_pairs(pairs: Mapping[Key, Pair], metric: str) -> dict[Key, Rounds]:
    """Return the comparisons of the pairs that have a lap in common."""
    return {key: rounds for key, pair in pairs.items() if (rounds := rounds_between(*pair, metric)) is not None}


def ratios_of(
    pairs: Mapping[Key, Pair],
    looks: int,
    prior: Callable[[str, Mapping[Key, Rounds]], Prior],
    family: Callable[[Key, str], Hashable],
    metrics: Collection[str] = COMPARED,
) -> dict[Key, dict[str, Ratio]]:
    """Return the ratios of each pair by metric, without those of pairs that have no lap in common.

    `prior` returns that of a metric and its comparisons, `family` the comparisons that a claim is corrected for.
    """
    confidence = confidence_of(looks)
    found: dict[tuple[Key, str], Ratio] = {}
    for metric in metrics:
        rounds = rounds_of_pairs(pairs, metric)
        fitted = prior(metric, rounds)
        found |= {(key, metric): ratio_of(one, fitted, confidence) for key, one in rounds.items()}
    ratios: dict[Key, dict[str, Ratio]] = {key: {} for key in pairs}
    for (key, metric), ratio in with_claims(found, lambda one: family(*one), confidence).items():
        ratios[key][metric] = ratio
    return ratios


NO_VERSION: Final[SortKey] = ((), False, ())


class LoadedClient(Message):
    """A client, and the loaded version of its library, as its results name it."""

    client: str
    version: str


class VersionChange(Ratios):
    """A library's new version divided by an old one, with the same options, scenario, shape, workload and block."""

    library: str
    new: LoadedClient
    old: LoadedClient
    scenario: Scenario
    shape: Shape
    workload: str | None
    """Null if the run has only one."""


def version_changes(blocks: Blocks, looks: int = 1, *, by_block: bool = False) -> list[VersionChange]:
    """Return the newest version of each library against each older one, in the order of the blocks.

    All ratios of all pairs are one family (Holm), because a reader of the table looks at all of them; or those of each
    block and metric are, as in other tables. `looks` is as in `comparisons_of`.
    """
    pairs = dict(enumerate(pair for cells in blocks.values() for pair in _pairs(cells)))
    if not pairs:
        return []
    ratios = ratios_of(
        pairs,
        looks,
        prior=lambda metric, _: prior_of_run(blocks, metric),
        family=lambda number, metric: (metric, pairs[number][0].trial.block) if by_block else (),
    )
    several = len({cell.trial.workload for cells in blocks.values() for cell in cells.values()}) > 1
    return [
        VersionChange(
            library=new.trial.client.library,
            new=_loaded(new),
            old=_loaded(old),
            scenario=new.trial.scenario,
            shape=new.trial.shape,
            workload=new.trial.workload if several else None,
            **ratios[number],
        )
        for number, (new, old) in pairs.items()
        if "rps" in ratios[number]
    ]


def _loaded(cell: CountedCell) -> LoadedClient:
    return LoadedClient(client=cell.trial.client.name, version=cell.library_version)


def _pairs(cells: CountedCells) -> Iterator[Pair]:
    alike: defaultdict[tuple[str, ...], list[CountedCell]] = defaultdict(list)
    for cell in cells.values():
        if cell.library_version:
            alike[_all_but_version(cell)].append(cell)
    for found in alike.values():
        newest = max(found, key=_order)
        yield from ((newest, older) for older in found if _order(older) < _order(newest))


def _all_but_version(cell: CountedCell) -> tuple[str, ...]:
    """Return what compared versions have in common; options are those in the name: defaults may differ by version."""
    trial = cell.trial
    match = NAME.match(trial.client.name)
    options = (match and match["options"]) or ""
    return trial.client.library, options, trial.scenario, trial.shape.model_dump_json(), trial.workload


def _order(cell: CountedCell) -> SortKey:
    """Return what versions are sorted by; npm's order reads the pre-releases of the other registries, too."""
    key = sort_key(cell.library_version, VersionOrder.SEMVER)
    return key if isinstance(key, tuple) else NO_VERSION


STEPS_PERCENT: Final = (2, 5, 10)


class Precision(Message):
    """The intervals of one metric, over all comparisons."""

    intervals: Count
    half_width_percent_median: float | None
    """Half the interval's width, in percent of the ratio; null if there are too few rounds for intervals."""
    half_width_percent_90: float | None
    """Nine in ten intervals are at most this wide."""
    within_percent: dict[int, Count]
    """How many intervals are at most this wide, by half width in percent."""


def precision_of(comparisons: Iterable[Comparison | None]) -> dict[str, Precision]:
    """Return the widths of all intervals, by metric; a baseline has none."""
    found = [one for one in comparisons if one is not None]
    return {metric: _precision([one.ratio(metric) for one in found]) for metric in COMPARED}


def _precision(ratios: Iterable[Ratio]) -> Precision:
    widths = sorted(one.half_width * 100 for one in ratios if one.half_width is not None)
    return Precision(
        intervals=len(widths),
        half_width_percent_median=median(widths) if widths else None,
        half_width_percent_90=widths[-(-9 * len(widths) // 10) - 1] if widths else None,
        within_percent={step: sum(width <= step for width in widths) for step in STEPS_PERCENT},
    )


def wide_comparisons(blocks: Blocks, until: Until) -> dict[str, float]:
    """Return the half widths that are larger than wanted, by cell: the wider of RPS and client CPU per command."""
    widths = {cell_id: _half_width(one) for cell_id, one in comparisons_of(blocks, looks=until.looks).items()}
    return {cell_id: width for cell_id, width in widths.items() if width > until.half_width}


def least_certain_blocks(blocks: Blocks) -> list[str]:
    """Return the names of the blocks that compare clients, the one with the widest intervals first (their median)."""
    found = comparisons_of(blocks)
    widths = {
        name: median(wide)
        for name, cells in blocks.items()
        if (wide := [_half_width(found[cell_id]) for cell_id in cells if cell_id in found])
    }
    return sorted(widths, key=lambda name: -widths[name])


def _half_width(comparison: Comparison) -> float:
    widths = [comparison.ratio(metric).half_width for metric in ("rps", "client_cpu")]
    return max(float("inf") if width is None else width for width in widths)
