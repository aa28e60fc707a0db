"""Turns a suite and what the user asked for into a plan."""

import math
import random
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from respmark.contract.trial import Scenario, Shape
from respmark.errors import InvalidRequestError
from respmark.plan.trial import Cell, Plan, Settings, Trial
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client, unsupported_reason
from respmark.specs.naming import find_clients
from respmark.specs.suite import ShapeAxes, SuiteSpec, TrialsSpec


@dataclass(frozen=True)
class Request:
    """What the user asked for on the command line; what is empty is left to the suite."""

    suite: str = "quick"
    clients: tuple[str, ...] = ()
    scenarios: tuple[Scenario, ...] = ()
    depths: tuple[int, ...] = ()
    rounds: int | None = None
    warmup_s: float | None = None
    measure_s: float | None = None
    target: str | None = None
    workload: str | None = None
    seed: int = field(default=1)


def make_plan(request: Request, catalogue: Catalogue) -> Plan:
    """Return the plan.

    Raises:
        InvalidRequestError: the request names something that does not exist, or nothing is left to measure.
    """
    suite = catalogue.suite(request.suite)
    cells = _cells(_chosen_trials(suite, request), _chosen_clients(suite, request, catalogue), catalogue)
    supported = [cell for cell in cells if cell.unsupported is None]
    settings = _settings(suite, request, catalogue)
    return Plan(settings=settings, suite=suite, cells=tuple(cells), trials=tuple(_rounds(supported, settings)))


def _settings(suite: SuiteSpec, request: Request, catalogue: Catalogue) -> Settings:
    if request.workload is None:
        workload = catalogue.workload(suite.workload, beside=catalogue.suite_folder(request.suite))
    else:
        workload = catalogue.workload(request.workload)
    settings = Settings(
        suite=suite.name,
        workload=workload,
        target=request.target or suite.target,
        rounds=suite.rounds if request.rounds is None else request.rounds,
        warmup_s=suite.warmup_s if request.warmup_s is None else request.warmup_s,
        measure_s=suite.measure_s if request.measure_s is None else request.measure_s,
        seed=request.seed,
        warmup_by_runner_s=suite.warmup_by_runner_s if request.warmup_s is None else {},
    )
    _check_runners(suite, catalogue)
    _check_numbers(settings)
    catalogue.target(settings.target)  # refuses a name that does not exist, before anything is started
    return settings


def _check_runners(suite: SuiteSpec, catalogue: Catalogue) -> None:
    if unknown := sorted(set(suite.warmup_by_runner_s) - set(catalogue.runners)):
        message = (
            f"suite `{suite.name}`: `warmup_by_runner_s` names {', '.join(unknown)}, which is no runner; "
            f"there are: {', '.join(catalogue.runners)}"
        )
        raise InvalidRequestError(message)


def _check_numbers(settings: Settings) -> None:
    checks = {
        "--rounds must be at least 1": settings.rounds >= 1,
        "--measure-s must be more than 0, and finite": 0 < settings.measure_s < math.inf,
        "--warmup-s must not be negative, and finite": 0 <= settings.warmup_s < math.inf,
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
    return [_with_depths(trials, request.depths) for trials in chosen]


def _with_depths(trials: TrialsSpec, depths: tuple[int, ...]) -> TrialsSpec:
    if not depths or not trials.shape.depth:
        return trials
    if min(depths) < 1:
        message = "--depth must be at least 1"
        raise InvalidRequestError(message)
    axes = {name: values for name, values in trials.shape if name != "depth"}
    return TrialsSpec(scenario=trials.scenario, shape=ShapeAxes(depth=depths, **axes), clients=trials.clients)


def _cells(chosen: list[TrialsSpec], clients: list[Client], catalogue: Catalogue) -> list[Cell]:
    cells: dict[str, Cell] = {}
    for trials in chosen:
        here = _restricted(trials, clients, catalogue)
        for shape in trials.shape.shapes():
            for client in here:
                cell = _cell(client, trials.scenario, shape, catalogue)
                cells.setdefault(cell.id, cell)
    if not cells:
        message = "no trial is left: none of the clients asked for is in a trial of the scenarios asked for"
        raise InvalidRequestError(message)
    return list(cells.values())


def _restricted(trials: TrialsSpec, clients: list[Client], catalogue: Catalogue) -> list[Client]:
    if trials.clients is None:
        return clients
    allowed = {client.name for client in _clients(trials.clients, catalogue)}
    return [client for client in clients if client.name in allowed]


def _cell(client: Client, scenario: Scenario, shape: Shape, catalogue: Catalogue) -> Cell:
    cell = Cell(client, scenario, shape, None)
    reason = unsupported_reason(catalogue.clients[client.library], client, scenario, shape)
    return replace(cell, unsupported=reason)


def _rounds(cells: list[Cell], settings: Settings) -> Iterable[Trial]:
    for number in range(1, settings.rounds + 1):
        order = list(cells)
        # Not for secrets: the same seed must give the same order.
        random.Random(f"{settings.seed}:{number}").shuffle(order)  # noqa: S311
        yield from (Trial(cell, number) for cell in order)
