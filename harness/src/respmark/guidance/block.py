"""Chooses the block on which a claim's comparison is judged: the nearest to the conditions that it was measured under.

A ratio is of two cells that took turns in a block. Of the blocks that have both cells, those on another workload than
the claim's and those in a place that the claim is not about do not count. The nearest of the others does (`_distance`).
The choice must not depend on the figures: picking the block that says what one wants to hear shows nothing.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from respmark.figures.cells import Cell, RunFigures
from respmark.figures.estimate import Estimate, LogRatios
from respmark.figures.pairing import Pair
from respmark.results.manifest import CellDescription, Manifest
from respmark.results.records import Status
from respmark.specs.client import ClientSpec
from respmark.specs.guidance import ClaimSpec
from respmark.specs.names import name_parts
from respmark.specs.naming import one_client
from respmark.specs.statements import CellSpec, ClaimedBound, ClaimedRatio, Conditions, Place
from respmark.specs.versions import release_of

Turns = tuple[str, float | None]
"""A block, and the round trip of those of its cells that are compared."""


@dataclass(frozen=True)
class Found:
    """What a block says about two cells that took turns in it."""

    pair: Pair
    rounds: LogRatios
    estimate: Estimate | None
    """None with one round, which shows nothing about how processes differ."""
    was_warm: bool
    """Whether every trial of the two was steady when its warm-up ended."""
    round_s: float | None
    """About how long a round of the block takes; None if the run did not end."""

    @property
    def run_id(self) -> str:
        """Return the name of the run."""
        return self.pair.new.run_id

    @property
    def block(self) -> str:
        """Return the block in which the two took turns."""
        return self.pair.new.block

    @property
    def versions(self) -> tuple[str, str]:
        """Return the versions of the two libraries that were loaded; empty if the results name none."""
        return self.pair.new.library_version or "", self.pair.base.library_version or ""

    @property
    def workloads(self) -> tuple[str, str]:
        """Return the workloads of the two."""
        return self.pair.new.workload, self.pair.base.workload

    @property
    def servers(self) -> tuple[str, str]:
        """Return the versions of the servers of the two, as `redis 7.0.15`."""
        known = self.pair.new.run.manifest.servers
        return known[self.pair.new.server].version, known[self.pair.base.server].version

    @property
    def place(self) -> Place:
        """Return where the clients were."""
        return place_of(self.pair.new.run.manifest, self.pair.new)

    @property
    def rtt_ms(self) -> float | None:
        """Return the round trip that a relay made; None: none was made."""
        return self.pair.new.shape.rtt_ms


@dataclass(frozen=True)
class Absent:
    """Why there is no ratio."""

    reason: str
    is_elsewhere: bool = False
    """Whether the runs were made in a place that the claim says nothing about."""
    is_planned: bool = True
    """Whether a run was to measure both sides."""


def is_of_others(claimed: ClaimedRatio | ClaimedBound, found: object) -> bool:
    """Return whether this is about one client of several, and no run was to measure that one."""
    return claimed.of_everyone and isinstance(found, Absent) and not found.is_planned


class JudgedRun:
    """A run, and what claims ask of it."""

    def __init__(self, run: RunFigures, clients: Mapping[str, ClientSpec]) -> None:
        """Index the run's cells by what claims say of a cell."""
        self.run, self.clients, self.cpus = run, dict(clients), run.manifest.machine.cpus
        self.cells: defaultdict[tuple[object, ...], dict[Turns, CellDescription]] = defaultdict(dict)
        manifest = run.manifest
        for cell in manifest.cells:
            # What is the run's own need not be named by a claim.
            workloads = {cell.workload, None} if cell.workload == manifest.first_workload else {cell.workload}
            servers = {cell.server, None} if cell.server == manifest.first_server else {cell.server}
            turns = cell.block, cell.shape.rtt_ms
            for of_workload, of_server in product(workloads, servers):
                self.cells[cell.client.name, cell.scenario, cell.shape.direct, of_workload, of_server][turns] = cell

    @cached_property
    def not_warm(self) -> frozenset[str]:
        """Return the cells that were not steady after the warm-up of one of their trials."""
        trials = (trial for trial in self.run.trials if trial.status is Status.OK)
        return frozenset(trial.cell_id for trial in trials if not trial.was_steady)

    @property
    def places(self) -> frozenset[Place]:
        """Return where the run's clients were."""
        return frozenset(place_of(self.run.manifest, cell) for cell in self.run.manifest.cells)

    def planned(self, side: CellSpec) -> dict[Turns, CellDescription]:
        """Return the run's cells of this client, scenario, shape, workload and server, behind whatever round trip."""
        name = one_client(side.client, self.clients).name
        return self.cells.get((name, side.scenario, side.shape.direct, side.workload, side.server), {})

    def workloads_of(self, side: CellSpec) -> set[str]:
        """Return the workloads with which the run has a cell of this client, scenario, shape and server."""
        use = one_client(side.client, self.clients).name, side.scenario, side.shape.direct
        return {str(key[3]) for key in self.cells if (*key[:3], key[4]) == (*use, side.server) and key[3]}

    def pairs(self, claimed: ClaimedRatio, conditions: Conditions) -> Iterator[Found]:
        """Yield the ratio in every block that has both cells, where the claim says something."""
        cells, others = (self.planned(side.under(conditions)) for side in (claimed.cell, claimed.against))
        for turns in (turns for turns in cells if turns in others):
            pair = cells[turns], others[turns]
            places = {place_of(self.run.manifest, cell) for cell in pair}
            if conditions.place in {None, *places} and (found := self._found(*pair, claimed)):
                yield found

    def _found(self, cell: CellDescription, against: CellDescription, claimed: ClaimedRatio) -> Found | None:
        pair = Pair(self.run.by_id[cell.cell_id], self.run.by_id[against.cell_id])
        if (rounds := self.run.log_ratios(pair.new, pair.base, claimed.metric)) is None:
            return None
        return Found(
            pair,
            rounds,
            estimate=self.run.estimate(pair.new, pair.base, claimed.metric),
            was_warm=self.not_warm.isdisjoint((cell.cell_id, against.cell_id)),
            round_s=self._round_s(cell.block),
        )

    def _round_s(self, block: str) -> float | None:
        """Return the run's time for each trial, times the trials of the block."""
        manifest = self.run.manifest
        if manifest.wall_s is None or not self.run.trials:
            return None
        return manifest.wall_s / len(self.run.trials) * sum(cell.block == block for cell in manifest.cells)


def place_of(manifest: Manifest, cell: CellDescription | Cell) -> Place:
    """Return where a cell's client was."""
    if cell.shape.rtt_ms is not None:
        return Place.NETWORK
    server = manifest.servers[cell.server]
    return Place.LOCAL if server.spawned or _is_here(server.address) else Place.NETWORK


def _is_here(address: str) -> bool:
    return address.startswith(("unix socket ", "127.", "localhost:", "[::1]"))


def block_for(
    claim: ClaimSpec, claimed: ClaimedRatio, runs: Sequence[JudgedRun], versions: Mapping[str, str]
) -> Found | Absent:
    """Return the ratio that is nearest to the claim's conditions, or why there is none; the first of equals counts.

    `versions` are those of the libraries that the claim's source measured.
    """
    if (elsewhere := _elsewhere(claim.conditions, runs)) is not None:
        return elsewhere
    found = [one for run in runs for one in run.pairs(claimed, claim.conditions)]
    if not found:
        return _absent(claim, claimed, runs)
    new_enough = [one for one in found if not any(_older(one, claimed, versions))]
    if not new_enough:
        return Absent(f"measured only with {', '.join(_older(found[0], claimed, versions))}")
    return min(new_enough, key=lambda one: _distance(one, claim.conditions, claimed, versions))


def _distance(
    found: Found, conditions: Conditions, claimed: ClaimedRatio, versions: Mapping[str, str]
) -> tuple[float, ...]:
    """Return how far the block is from the claim's conditions; what comes first weighs most (docs/guidance.md)."""
    other_place = conditions.usual_place not in {None, found.place}
    return (
        other_place,
        _round_trips_apart(found, conditions),
        sum(conditions.server not in {None, server.partition(" ")[0]} for server in found.servers),
        _other_versions(found, claimed, versions),
        -len(found.rounds),
    )


def _round_trips_apart(found: Found, conditions: Conditions) -> float:
    """Return the difference in ms; a network whose round trip nobody made is farther than any whose is known."""
    if conditions.rtt_ms is None:
        return 0
    if found.rtt_ms is None:
        return conditions.rtt_ms if found.place is Place.LOCAL else math.inf
    return abs(found.rtt_ms - conditions.rtt_ms)


def _older(found: Found, claimed: ClaimedRatio, versions: Mapping[str, str]) -> list[str]:
    """Return the libraries whose major version is older than the one that the source measured: these say nothing."""
    return [
        f"{library} {version}, which is older than the {there} that the claim is about"
        for library, version, there in dict.fromkeys(_versions(found, claimed, versions))
        if () < release_of(version)[:1] < release_of(there)[:1]
    ]


def _other_versions(found: Found, claimed: ClaimedRatio, versions: Mapping[str, str]) -> int:
    """Return how many of the two libraries have another major version than the source measured."""
    of_sides = _versions(found, claimed, versions)
    return sum(release_of(version)[:1] != release_of(there)[:1] for _, version, there in of_sides)


def _versions(found: Found, claimed: ClaimedRatio, versions: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Yield the libraries of the two sides that the source measured: with the version here, and the one there."""
    for side, version in zip((claimed.cell, claimed.against), found.versions, strict=True):
        library = name_parts(side.client).base
        if library in versions:
            yield library, version, versions[library]


def _elsewhere(conditions: Conditions, runs: Sequence[JudgedRun]) -> Absent | None:
    """Return that all runs were made in the place that the claim is not about, if so."""
    places = frozenset[Place]().union(*(run.places for run in runs))
    if conditions.place is None or not places or conditions.place in places:
        return None
    if conditions.place is Place.LOCAL:
        return Absent("it is about clients on the server's machine; these were behind a network", is_elsewhere=True)
    return Absent(f"it is about a network of {conditions.rtt_ms:g} ms; these clients had none", is_elsewhere=True)


def _absent(claim: ClaimSpec, claimed: ClaimedRatio, runs: Sequence[JudgedRun]) -> Absent:
    sides = [side.under(claim.conditions) for side in (claimed.cell, claimed.against)]
    planned = {side.label: [(run.run, cell) for run in runs for cell in run.planned(side).values()] for side in sides}
    for side in sides:
        if not planned[side.label]:
            others = sorted(set[str]().union(*(run.workloads_of(side) for run in runs))) if side.workload else []
            where = f"; measured only on: {', '.join(others)}" if others else ""
            return Absent(f"no run has {side.label}{where}", is_planned=False)
    for label, cells in planned.items():
        if not any(run.by_id[cell.cell_id].laps for run, cell in cells):
            return Absent(f"{label}: {_why_not_counted(cells)}")
    return Absent("both were measured, but not in turns in one block: figures of different blocks are not compared")


def _why_not_counted(cells: Iterable[tuple[RunFigures, CellDescription]]) -> str:
    for run, cell in cells:
        found = run.by_id[cell.cell_id]
        if found.status not in {Status.OK, Status.NOT_MEASURED}:
            return f"{found.status}: {found.reason}"
    return "the run ended before it was measured"
