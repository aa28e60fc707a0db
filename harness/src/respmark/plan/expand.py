"""Turns a suite and what the user asked for into a plan."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product

from respmark.contract.trial import Scenario
from respmark.errors import InvalidRequestError
from respmark.plan.memory import in_memory
from respmark.plan.order import in_random_order
from respmark.plan.trial import BlockRound, Cell, Plan, Settings, Trial
from respmark.plan.workloads import Workloads, workloads_of
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client, unsupported_reason, what_is_measured
from respmark.specs.naming import find_clients
from respmark.specs.suite import ShapeAxes, SuiteSpec, TrialsSpec
from respmark.workload.commands import CACHED, may_be_cached
from respmark.workload.spec import WorkloadSpec


@dataclass(frozen=True)
class Request:
    """What the user asked for on the command line; the suite decides about fields that are empty."""

    suite: str = "quick"
    clients: tuple[str, ...] = ()
    scenarios: tuple[Scenario, ...] = ()
    depths: tuple[int, ...] = ()
    rounds: int | None = None
    laps: int | None = None
    slice_s: float | None = None
    lead_in_s: float | None = None
    warmup_limit_s: float | None = None
    target: str | None = None
    workload: str | None = None
    """Replaces every workload of the suite."""
    seed: int = field(default=1)
    memory_bytes: int | None = None
    """Memory that the processes of a block may use together; None: no limit."""
    claims: tuple[str, ...] = ()
    """If the suite is made from guidance: only these claims; empty: all."""
    scale: str | None = None
    """One of the other sizes that the suite's spec names; None: the suite as it is."""


def make_plan(request: Request, catalogue: Catalogue) -> Plan:
    """Return the plan.

    Raises:
        InvalidRequestError: the request names something that does not exist, or nothing is left to measure.
    """
    suite = _at_scale(catalogue.suite(request.suite, request.claims), request.scale)
    chosen = _chosen_trials(suite, request)
    workloads = _workloads(suite, chosen, request, catalogue)
    cells = _cells(chosen, _chosen_clients(suite, request, catalogue), workloads, catalogue)
    if request.memory_bytes is not None:
        cells = in_memory(cells, catalogue.runners, request.memory_bytes)
    settings = _settings(suite, request, workloads.used_by(cells), catalogue)
    return Plan(settings=settings, suite=suite, cells=tuple(cells), rounds=tuple(_rounds(cells, settings)))


def _at_scale(suite: SuiteSpec, scale: str | None) -> SuiteSpec:
    if scale is None:
        return suite
    if scale not in suite.scales:
        known = ", ".join(suite.scales) or "none"
        message = f"suite `{suite.name}` has no scale `{scale}`; it has: {known}"
        raise InvalidRequestError(message)
    return suite.at_scale(scale)


def _workloads(suite: SuiteSpec, chosen: Iterable[TrialsSpec], request: Request, catalogue: Catalogue) -> Workloads:
    if request.workload is not None:
        return Workloads(catalogue.workload(request.workload))
    return workloads_of(suite, chosen, catalogue, catalogue.suite_folder(request.suite))


def _settings(suite: SuiteSpec, request: Request, workloads: Workloads, catalogue: Catalogue) -> Settings:
    settings = Settings(
        suite=suite.name,
        workload=workloads.own,
        target=request.target or suite.target,
        rounds=suite.rounds if request.rounds is None else request.rounds,
        laps=suite.laps if request.laps is None else request.laps,
        slice_s=suite.slice_s if request.slice_s is None else request.slice_s,
        lead_in_s=suite.lead_in_s if request.lead_in_s is None else request.lead_in_s,
        warmup_limit_s=suite.warmup_limit_s if request.warmup_limit_s is None else request.warmup_limit_s,
        seed=request.seed,
        other_workloads=tuple(workloads.others.values()),
    )
    _check_numbers(settings)
    catalogue.target(settings.target)  # refuses a name that does not exist, before anything is started
    return settings


def _check_numbers(settings: Settings) -> None:
    checks = {
        "--rounds must be at least 1": settings.rounds >= 1,
        "--laps must be at least 1": settings.laps >= 1,
        "--slice-s must be more than 0, and finite": 0 < settings.slice_s < math.inf,
        "--lead-in-s must not be negative, and finite": 0 <= settings.lead_in_s < math.inf,
        "--warmup-limit-s must not be negative, and finite": 0 <= settings.warmup_limit_s < math.inf,
        "--seed must not be negative": settings.seed >= 0,
    }
    for problem, holds in checks.items():
        if not holds:
            raise InvalidRequestError(problem)


def _chosen_clients(suite: SuiteSpec, request: Request, catalogue: Catalogue) -> list[Client]:
    return _clients(request.clients or suite.clients, catalogue)


def _clients(names: Iterable[str], catalogue: Catalogue) -> list[Client]:
    found = [client for name in names for client in find_clients(name, catalogue.clients)]
    return list({client.name: client for client in found}.values())


def _chosen_trials(suite: SuiteSpec, request: Request) -> list[TrialsSpec]:
    chosen = [trials for trials in suite.trials if not request.scenarios or trials.scenario in request.scenarios]
    present = {trials.scenario for trials in suite.trials}
    if absent := [scenario for scenario in request.scenarios if scenario not in present]:
        message = f"suite `{suite.name}` has no scenario {', '.join(absent)}; it has: {', '.join(sorted(present))}"
        raise InvalidRequestError(message)
    if request.workload is not None:
        chosen = [trials.model_copy(update={"workloads": ()}) for trials in chosen]
    return [_with_depths(trials, request.depths) for trials in chosen]


def _with_depths(trials: TrialsSpec, depths: tuple[int, ...]) -> TrialsSpec:
    if not depths or not trials.shape.depth:
        return trials
    if min(depths) < 1:
        message = "--depth must be at least 1"
        raise InvalidRequestError(message)
    axes = {name: values for name, values in trials.shape if name != "depth"}
    return trials.model_copy(update={"shape": ShapeAxes(depth=depths, **axes)})


def _cells(chosen: list[TrialsSpec], clients: list[Client], workloads: Workloads, catalogue: Catalogue) -> list[Cell]:
    cells: dict[str, Cell] = {}
    for trials in chosen:
        here = _restricted(trials, clients, catalogue)
        for workload, shape, client in product(workloads.of(trials), trials.shape.shapes(), here):
            reason = unsupported_reason(catalogue.clients[client.library], client, trials.scenario, shape)
            reason = reason or _cached_otherwise(trials.scenario, workloads.named(workload))
            cell = Cell(client, trials.scenario, shape, reason, trials.block, workload=workload)
            cells.setdefault(cell.id, cell)
    if not cells:
        message = "no trial is left: none of the clients asked for is in a trial of the scenarios asked for"
        raise InvalidRequestError(message)
    return list(cells.values())


def _cached_otherwise(scenario: Scenario, workload: WorkloadSpec) -> str | None:
    """Return why a workload cannot be used with `caching`, or None.

    If a cache may answer other commands than GET, nobody knows what the server must have counted for them.
    """
    others = [kind.name for kind in workload.mix if kind.name != CACHED and may_be_cached(kind.name)]
    if scenario is not Scenario.CACHING or not others:
        return None
    return f"caching is of GETs: workload {workload.name} has {', '.join(others)}, which only some libraries cache"


def _restricted(trials: TrialsSpec, clients: list[Client], catalogue: Catalogue) -> list[Client]:
    if trials.clients is not None:
        allowed = {client.name for client in _clients(trials.clients, catalogue)}
        clients = [client for client in clients if client.name in allowed]
    return list(_each_once(clients, trials.scenario, catalogue))


def _each_once(clients: Iterable[Client], scenario: Scenario, catalogue: Catalogue) -> Iterator[Client]:
    """Yield the clients, skipping any that its options do not distinguish from an earlier one in this scenario."""
    seen: set[tuple[object, ...]] = set()
    for client in clients:
        what = what_is_measured(catalogue.clients[client.library], client, scenario)
        if what not in seen:
            seen.add(what)
            yield client


def _rounds(cells: list[Cell], settings: Settings) -> Iterable[BlockRound]:
    for number in range(1, settings.rounds + 1):
        yield from one_round(cells, settings.seed, number)


def one_round(cells: Iterable[Cell], seed: int, number: int) -> list[BlockRound]:
    """Return round `number` of the cells' blocks, in a random order that differs between rounds."""
    blocks: dict[str, list[Cell]] = {}
    for cell in cells:
        if cell.unsupported is None:
            blocks.setdefault(cell.block, []).append(cell)
    order = in_random_order(list(blocks), f"{seed}:{number}")
    return [BlockRound(name, number, tuple(Trial(cell, number) for cell in blocks[name])) for name in order]
