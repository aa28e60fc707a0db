"""The oracle of `respmark bisect`: each question of the search is a run of its own, in a folder of the search's."""

import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from respmark import kinds
from respmark.bisect.search import VersionSeries, VersionStep
from respmark.bisect.sequential import LOOKS, Answer, Pair, SequentialTest, VersionDifference
from respmark.bisect.words import Confirmed
from respmark.cli.candidates import Candidates
from respmark.cli.options import PinOptions, RunOptions, tell
from respmark.cli.under_way import JsonLines, LiveProgress, open_options, with_precise_laps
from respmark.cli.via import Via, Way
from respmark.errors import InvalidRequestError, NothingRanError
from respmark.figures.cells import Cell, RunFigures, read_figures
from respmark.figures.comparison import Change, changes, per_metric
from respmark.figures.estimate import UNKNOWN, LogRatios
from respmark.figures.kind import FigureKind
from respmark.figures.pairing import Pair as CellPair
from respmark.figures.series import releases_of
from respmark.machine.guardian import Guardian
from respmark.plan.make import make_plan
from respmark.plan.plan import Plan, PlannedCell
from respmark.plan.request import Request
from respmark.results.manifest import RunStatus
from respmark.results.records import Status
from respmark.results.store import read_manifest
from respmark.run.observer import Observer
from respmark.run.run import opened
from respmark.run.testbed import OpenOptions
from respmark.runners.missing import not_set_up
from respmark.setup.host import Missing
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client

CONFIRMING: Final = 10
"""Rounds in which the two versions of a step take turns after the search. Their number is fixed before: rounds that
decided when to stop make a difference look somewhat larger than it is."""
SERIES: Final = "series"
"""The folder of the series that a search begins with."""
SERIES_ROUNDS: Final = 4
SERIES_LAPS: Final = 6
"""It only chooses where to ask."""
LEAST_IN_SERIES: Final = 4
"""Of fewer versions, the ends are compared first."""
MOST_RELEASES: Final = 24
MOST_COMMITS: Final = 8
"""Each must be built."""
LOOKED: Final = (
    "bisect decided after each look whether this run needed more rounds; reports do not correct their intervals for "
    "that, the search's bisect.json does"
)


@dataclass
class Questions:
    """Measures what a search asks."""

    folder: Path
    """The search's."""
    end_s: float
    """When the runs are to end, by `time.monotonic`: those of the search earlier than those of its steps. What
    installing versions takes is added."""
    candidates: Candidates
    request: Request
    kind: FigureKind
    metric: str
    catalogue: Catalogue
    via: Via
    pins: PinOptions
    how: RunOptions
    console: Console
    cell: PlannedCell | None = field(init=False, default=None)
    """A cell of the last run."""
    _installing_s: float = field(init=False, default=0.0)
    _runs: int = field(init=False, default=0)
    """How many questions were measured."""

    def __call__(self, versions: Sequence[str], test: SequentialTest) -> Mapping[str, str]:
        """Measure versions in turns, as `bisect.search.Oracle` says."""
        if self.left_s <= 0:
            return {}
        clients, reasons = self.clients(versions)
        if reasons:
            return reasons
        self._runs += 1

        def more(folder: Path, rounds: int) -> int:
            found = self._found(read_figures(folder, self.kind), clients, test.pairs)
            return test.more(rounds, found) if len(found) == len(test.pairs) else 0

        folder = self.folder / f"{self._runs:02}"
        if reasons := self._measured(clients, LOOKS[0], folder, more):
            return reasons
        run = read_figures(folder, self.kind)
        # Where the time was over before the last look, or the run is resumed, this is the last one.
        test.more(max((trial.round for trial in run.trials), default=0), self._found(run, clients, test.pairs))
        return {}

    def in_series(self, clients: Mapping[str, Client], reasons: Mapping[str, str]) -> VersionSeries:
        """Measure versions in turns, each beside the oldest one, before anything is asked.

        `reasons` say why there is no client of others. Raises NothingRanError if the oldest or the newest one cannot be
        measured.
        """
        plan, folder = self.series_plan(clients.values()), self.folder / SERIES
        if not _is_measured(folder, plan):
            self._run(folder, self._open_options(plan, folder), lambda *_: 0)
        run = read_figures(folder, self.kind)
        names, failed = {client.name: version for version, client in clients.items()}, _failed(run)
        why = {**reasons, **{version: failed[name] for name, version in names.items() if name in failed}}
        first, *_, last = clients
        for end in (first, last):
            if end in why:
                raise NothingRanError(f"{end} cannot be measured: {why[end]}")
        (series,) = releases_of(run, [self.metric])
        points = {names[one.cell.client]: one for one in series.points if names[one.cell.client] not in why}
        neighbours = (_difference(older, newer, points[newer].step, self.metric) for older, newer in pairwise(points))
        ends = _difference(first, last, points[last].to_control, self.metric)
        return VersionSeries(neighbours=tuple(neighbours), ends=ends, unmeasurable=why)

    @property
    def left_s(self) -> float:
        """Return how long the runs may still take."""
        return self.end_s + self._installing_s - time.monotonic()

    def series_plan(self, clients: Iterable[Client]) -> Plan:
        """Return the plan of a series of versions, the oldest first."""
        named = tuple(clients)
        numbers: dict[str, Any] = {"rounds": SERIES_ROUNDS, "laps": self.request.laps or SERIES_LAPS}
        return self._of_one_use(
            make_plan(replace(self.request, clients=named, control=named[0].name, **numbers), self.catalogue)
        )

    def question_plan(self, clients: Iterable[Client]) -> Plan:
        """Return a plan that takes as long as a question does until its first look."""
        return self._plan_of(tuple(clients)[:2], LOOKS[0])

    def step_plan(self, clients: Iterable[Client]) -> Plan:
        """Return a plan that takes about as long as finding a step between two neighbours, and confirming it."""
        return self._plan_of(tuple(clients)[:2], LOOKS[1] + CONFIRMING)

    def confirmed(self, number: int, step: VersionStep, reproduce: Callable[[VersionStep], str]) -> Confirmed:
        """Measure the two versions of a step again, for as many rounds as were decided before."""
        name, ratios, rounds = f"step-{number}", {}, 0
        clients, reasons = self.clients((step.older, step.newer))
        if self.left_s <= 0 or reasons or self._measured(clients, CONFIRMING, self.folder / name, lambda *_: 0):
            name = ""
        else:
            run = read_figures(self.folder / name, self.kind)
            cells = _cells(run)
            pair = CellPair(cells[clients[step.newer].name], cells[clients[step.older].name])
            (found,) = changes([pair], per_metric, dict.fromkeys([self.metric, *self.kind.in_series]))
            ratios, rounds = dict(found.ratios), max((one.rounds for one in found.estimates.values()), default=0)
        return Confirmed(step=step, folder=name, rounds=rounds, ratios=ratios, reproduce=reproduce(step))

    def clients(self, versions: Iterable[str]) -> tuple[dict[str, Client], dict[str, str]]:
        """Return the client of each version, and why there is none."""
        clients: dict[str, Client] = {}
        reasons: dict[str, str] = {}
        for version in versions:
            try:
                with self._installing():
                    clients[version] = self.candidates.client(version)
            except Missing as missing:
                reasons[version] = f"{missing}; {missing.advice}"
                tell(f"{version} is missing: {reasons[version]}")
        return clients, reasons

    def _measured(
        self, clients: Mapping[str, Client], rounds: int, folder: Path, more: Callable[[Path, int], int]
    ) -> dict[str, str]:
        """Measure clients in turns, unless that is done; return why versions could not be measured."""
        plan = self._plan_of(clients.values(), rounds)
        reasons = {cell.client.name: cell.unsupported for cell in plan.cells if cell.unsupported is not None}
        if not reasons and not _is_measured(folder, plan):
            reasons = self._measure(plan, folder, more)
        if not reasons:
            reasons = _failed(read_figures(folder, self.kind))
        return {version: reasons[client.name] for version, client in clients.items() if client.name in reasons}

    def _plan_of(self, clients: Iterable[Client], rounds: int) -> Plan:
        # Versions that are compared must be in one block: what does not fit into memory is refused, not split.
        plan = make_plan(
            replace(self.request, clients=tuple(clients), rounds=rounds, memory_bytes=None), self.catalogue
        )
        return self._of_one_use(plan if self.request.laps else with_precise_laps(plan))

    def _of_one_use(self, plan: Plan) -> Plan:
        """Return the plan; raises InvalidRequestError if it compares versions in several uses."""
        # Not by block: a series has several of one use.
        uses = {(cell.scenario, cell.shape, cell.workload, cell.server): cell.whole_block for cell in plan.cells}
        blocks = list(uses.values())
        if len(blocks) > 1:
            raise InvalidRequestError(
                f"bisect compares versions in one scenario, shape, workload and server; these are {len(blocks)}: "
                f"{', '.join(blocks)}. Name one, such as --scenario batching --depth 100"
            )
        self.cell = plan.cells[0]
        return plan

    def _measure(self, plan: Plan, folder: Path, more: Callable[[Path, int], int]) -> dict[str, str]:
        """Set up and measure; return why clients are missing, by name: then nothing is measured."""
        made = self._open_options(plan, folder)
        if self.via.via is Way.LOCAL:
            found = ((one.name, not_set_up(one, self.catalogue.runners[one.runner])) for one in plan.clients)
            if missing := {name: reason for name, reason in found if reason is not None}:
                return missing
        self._run(folder, replace(made, warnings=[*made.warnings, LOOKED]), more)
        return {}

    def _open_options(self, plan: Plan, folder: Path) -> OpenOptions:
        """Set up what a plan needs."""
        how = replace(self.how, resume=None)
        with self._installing():
            return open_options(plan, self.catalogue, folder, via=self.via, pins=self.pins, how=how)

    @contextmanager
    def _installing(self) -> Iterator[None]:
        began_s = time.monotonic()
        try:
            yield
        finally:
            self._installing_s += time.monotonic() - began_s

    def _run(self, folder: Path, made: OpenOptions, more: Callable[[Path, int], int]) -> None:
        options = replace(made, limit_s=self.left_s)
        observer = self._observer()
        drawing = observer.drawing if isinstance(observer, LiveProgress) else nullcontext()
        with closing(Guardian()) as guardian, drawing, opened(options, guardian, observer, kinds) as run:
            for _ in run.rounds():
                pass  # nobody looks before the plan's are over
            while run.has_time() and (rounds := more(folder, run.completed)):
                for _ in range(rounds):
                    run.measure_round()

    def _observer(self) -> Observer:
        if self.how.json_lines:
            return JsonLines()
        return LiveProgress(self.console) if self.console.is_terminal and not self.how.quiet else Observer()

    def _found(self, run: RunFigures, clients: Mapping[str, Client], pairs: Iterable[Pair]) -> dict[Pair, LogRatios]:
        """Return the logarithms of the ratios newer/older, by pair, without pairs that have no round."""
        cells, found = _cells(run), {}
        for older, newer in pairs:
            one, other = (cells.get(clients[version].name) for version in (newer, older))
            if one is not None and other is not None:
                found[older, newer] = run.log_ratios(one, other, self.metric)
        return {pair: rounds for pair, rounds in found.items() if rounds is not None}


def series_of(candidates: Candidates) -> Sequence[str]:
    """Return the versions that take turns before anything is asked, as far apart as possible; none of few versions."""
    versions, most = candidates.versions, MOST_COMMITS if candidates.names else MOST_RELEASES
    if len(versions) < LEAST_IN_SERIES:
        return ()
    count = min(most, len(versions))
    return [versions[round(number * (len(versions) - 1) / (count - 1))] for number in range(count)]


def _difference(older: str, newer: str, found: Change | None, metric: str) -> VersionDifference:
    """Return what a series says of two versions."""
    ratio = found.ratio(metric) if found else UNKNOWN
    rounds = found.estimates[metric].rounds if found and metric in found.estimates else 0
    value = ratio.value if ratio.is_known else None
    return VersionDifference(
        older=older, newer=newer, answer=Answer.OPEN, rounds=rounds, ratio=value, low=ratio.low, high=ratio.high
    )


def _cells(run: RunFigures) -> dict[str, Cell]:
    """Return the cells of a run that have slices that count, by client."""
    return {cell.client: cell for cell in run.cells if cell.laps}


def _is_measured(folder: Path, plan: Plan) -> bool:
    """Return whether a search that is resumed has measured this; remove what it has not measured to its end."""
    if not (folder / "manifest.json").is_file():
        return False
    manifest = read_manifest(folder)
    if manifest.clients != (names := [client.name for client in plan.clients]):
        raise InvalidRequestError(
            f"{folder} has measured {', '.join(manifest.clients)}, and not {', '.join(names)}: give the same arguments "
            "as before, and --resume"
        )
    if manifest.status is not RunStatus.COMPLETE:
        shutil.rmtree(folder)
        return False
    return True


def _failed(run: RunFigures) -> dict[str, str]:
    """Return why clients have no trial that counts, by name."""
    good = {trial.client.name for trial in run.trials if trial.status is Status.OK}
    bad = [trial for trial in reversed(run.trials) if trial.client.name not in good]
    return {trial.client.name: trial.reason or str(trial.status) for trial in bad}
