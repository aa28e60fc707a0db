"""Turns a suite and what the user asked for into a plan."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product

from respmark.contract.trial import Scenario
from respmark.errors import InvalidRequestError
from respmark.nearest import nearest_first
from respmark.plan.choose import for_all, trials_in
from respmark.plan.memory import in_memory
from respmark.plan.order import in_random_order
from respmark.plan.trial import BlockRound, Cell, Plan, Settings, Trial, why_not
from respmark.plan.workloads import Workloads, workloads_of
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client, unsupported_reason, what_is_measured
from respmark.specs.naming import find_clients
from respmark.specs.suite import ANY_SHAPE, ShapeAxes, SuiteSpec, TrialsSpec
from respmark.workload.commands import CACHED, may_be_cached
from respmark.workload.spec import WorkloadSpec


@dataclass(frozen=True)
class Request:
    """What the user asked for on the command line; the suite decides about fields that are empty."""

    suite: str = "quick"
    clients: tuple[str, ...] = ()
    """By name; the first is the baseline of every comparison."""
    scenarios: tuple[Scenario, ...] = ()
    shape: ShapeAxes = ANY_SHAPE
    """Replaces these parts of the suite's shapes, where scenarios have them."""
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
    named = _clients(request.clients, catalogue)
    names = tuple(client.name for client in named)
    suite = _at_scale(catalogue.suite(request.suite, request.claims, names), request.scale)
    # What guidance claims about a client is a comparison of two clients: the suite has both.
    everywhere = [] if suite.guidance else named
    chosen = _chosen_trials(suite, request, catalogue)
    if everywhere:
        chosen = for_all(chosen)
    workloads = _workloads(suite, chosen, request, catalogue)
    cells = _cells(chosen, everywhere, suite, workloads, catalogue)
    _check_measurable(cells)
    if request.memory_bytes is not None:
        cells = in_memory(cells, catalogue.runners, request.memory_bytes)
    settings = _settings(suite, request, workloads.used_by(cells), catalogue)
    return Plan(
        settings=settings,
        suite=suite,
        cells=tuple(cells),
        rounds=tuple(_rounds(cells, settings)),
        named=names,
    )


def _at_scale(suite: SuiteSpec, scale: str | None) -> SuiteSpec:
    if scale is None:
        return suite
    if scale not in suite.scales:
        message = f"suite `{suite.name}` has no scale `{scale}`; it has: {nearest_first(scale, suite.scales)}"
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
        warmup_at_once=suite.warmup_at_once,
        minutes=suite.minutes if request.rounds is None and request.laps is None else None,
        fills_minutes=not (request.clients or request.scenarios or request.shape != ANY_SHAPE or request.claims),
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


def _clients(names: Iterable[str], catalogue: Catalogue) -> list[Client]:
    found = [client for name in names for client in find_clients(name, catalogue.clients)]
    return list({client.name: client for client in found}.values())


def _chosen_trials(suite: SuiteSpec, request: Request, catalogue: Catalogue) -> list[TrialsSpec]:
    chosen = trials_in(suite, request.scenarios, request.shape, catalogue.scenarios)
    if request.workload is not None:
        chosen = [trials.model_copy(update={"workloads": ()}) for trials in chosen]
    return chosen


def _cells(
    chosen: list[TrialsSpec], named: list[Client], suite: SuiteSpec, workloads: Workloads, catalogue: Catalogue
) -> list[Cell]:
    """Return the cells of the trials: of every client that was named, or else of those that the suite has there."""
    cells: dict[str, Cell] = {}
    for trials in chosen:
        here = named or _of_suite(trials, suite, catalogue)
        for workload, shape, client in product(workloads.of(trials), trials.shape.shapes(), here):
            reason = unsupported_reason(catalogue.clients[client.library], client, trials.scenario, shape)
            reason = reason or _cached_otherwise(trials.scenario, workloads.named(workload))
            cell = Cell(client, trials.scenario, shape, reason, trials.block, workload=workload)
            cells.setdefault(cell.id, cell)
    return list(cells.values())


def _check_measurable(cells: Iterable[Cell]) -> None:
    """Refuse a plan of which nothing can be measured.

    Raises:
        InvalidRequestError: with each reason.
    """
    if all(cell.unsupported is not None for cell in cells):
        message = f"nothing of this can be measured: {'; '.join(why_not(cells))}"
        raise InvalidRequestError(message)


def _cached_otherwise(scenario: Scenario, workload: WorkloadSpec) -> str | None:
    """Return why a workload cannot be used with `caching`, or None.

    If a cache may answer other commands than GET, nobody knows what the server must have counted for them.
    """
    others = [kind.name for kind in workload.mix if kind.name != CACHED and may_be_cached(kind.name)]
    if scenario is not Scenario.CACHING or not others:
        return None
    return f"caching is of GETs: workload {workload.name} has {', '.join(others)}, which only some libraries cache"


def _of_suite(trials: TrialsSpec, suite: SuiteSpec, catalogue: Catalogue) -> list[Client]:
    return list(_each_once(_clients(trials.clients or suite.usual_clients, catalogue), trials.scenario, catalogue))


def _each_once(clients: Iterable[Client], scenario: Scenario, catalogue: Catalogue) -> Iterator[Client]:
    """Yield the clients, skipping any that its options do not distinguish from an earlier one in this scenario.

    That is for suites, which list clients for many scenarios: what a user named is measured.
    """
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
