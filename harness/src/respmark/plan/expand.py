"""Turns a suite and what the user asked for into a plan; the suite supplies only what the user did not name."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product
from typing import Final

from respmark.contract.trial import SHAPE_FIELDS, Scenario
from respmark.errors import InvalidRequestError
from respmark.machine.limits import FILES_BESIDE
from respmark.nearest import nearest_first
from respmark.plan.claims import made_of_claims
from respmark.plan.needs import by_block, connections_of, in_memory
from respmark.plan.series import in_series, minutes_of
from respmark.plan.trial import BlockRound, Cell, Plan, Settings, Trial, in_random_order, why_not
from respmark.redaction import redacted
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client, method_unsupported_reason, unsupported_reason, what_is_measured
from respmark.specs.guidance import UNLIMITED, Capacity, Named, chosen_claims, lacking_lines, left_out
from respmark.specs.naming import find_clients, telling_variants
from respmark.specs.scenario import ScenarioSpec, usual_trials
from respmark.specs.suite import ANY_SHAPE, Dimension, ShapeAxes, SuiteSpec, TrialsSpec
from respmark.specs.target import SpawnedTarget
from respmark.workload.commands import CACHED, may_be_cached
from respmark.workload.spec import KeyArgument, WorkloadSpec

DRIVER_DIGITS: Final = 12
"""Of the numbers that drivers put into keys."""
Workloads = Mapping[str, WorkloadSpec]
"""By the names or paths that trials have for them; the suite's own, or the first that was asked for, comes first."""


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
    servers: tuple[str, ...] = ()
    """Replace every server of the suite; several take turns."""
    workloads: tuple[str, ...] = ()
    """Replace every workload of the suite; several take turns."""
    seed: int = 1
    memory_bytes: int | None = None
    """Memory that the processes of a block may use together; None: no limit."""
    claims: tuple[str, ...] = ()
    """If the suite is made from guidance: only these claims; empty: all."""
    scale: str | None = None
    """One of the other sizes that the suite's spec names; None: the suite as it is."""
    capacity: Capacity = UNLIMITED
    """Claims that need more than this are left out."""
    control: str | None = None
    """The client that is in every block, if the clients are releases of one library, from the oldest to the newest."""


def make_plan(request: Request, catalogue: Catalogue) -> Plan:
    """Return the plan; raises InvalidRequestError if something does not exist, or nothing is left to measure."""
    named = _clients(request.clients, catalogue)
    names = tuple(client.name for client in named)
    of_file = catalogue.suite(request.suite)
    claims = _claims(of_file, request, names, catalogue)
    lacking = left_out(claims, request.capacity)
    if claims and len(lacking) == len(claims):
        raise InvalidRequestError(f"none of this can be measured: {'; '.join(lacking_lines(lacking))}")
    suite = _suite(of_file, request, names, [one for one in claims if one[1].id not in lacking], catalogue)
    # What guidance claims about a client is a comparison of two clients: the suite has both.
    everywhere = [] if suite.guidance else named
    chosen = trials_in(suite, request.scenarios, request.shape, catalogue.scenarios)
    chosen = [_asked(trials, request, several_clients=len(everywhere) > 1) for trials in chosen]
    if everywhere:
        chosen = for_all(chosen)
    workloads = _workloads(suite, chosen, request, catalogue)
    cells = _cells(chosen, everywhere, suite, workloads, catalogue)
    io_threads = {} if request.servers else _io_threads({cell.server for cell in cells}, catalogue)
    cells = [_within(cell, request.capacity, io_threads) for cell in cells]
    if all(cell.unsupported is not None for cell in cells):
        raise InvalidRequestError(f"none of this can be measured: {'; '.join(why_not(cells))}")
    if request.control is not None:
        cells = in_series(cells, request.control, catalogue.runners, request.memory_bytes)
    elif request.memory_bytes is not None:
        cells = in_memory(cells, catalogue.runners, request.memory_bytes)
    servers = dict.fromkeys([suite.target, *(server for trials in chosen for server in trials.servers)])
    settings = _settings(suite, request, cells, workloads.values(), servers)
    for server in settings.servers.values():
        catalogue.target(server)  # refuses a name that does not exist, before anything is started
    rounds = [block for number in range(1, settings.rounds + 1) for block in one_round(cells, settings.seed, number)]
    return Plan(settings, suite, tuple(cells), tuple(rounds), names, lacking, request.control)


def one_round(cells: Iterable[Cell], seed: int, number: int) -> list[BlockRound]:
    """Return round `number` of the cells' blocks, in a random order that differs between rounds.

    Blocks of the same workloads come one after the other: their keys are written once, and not for each block.
    """
    together: dict[frozenset[str], list[BlockRound]] = {}
    for block in in_random_order(by_block(cells), f"{seed}:{number}"):
        workloads = frozenset(cell.workload for cell in block)
        turn = BlockRound(block[0].block, number, tuple(Trial(cell, number) for cell in block))
        together.setdefault(workloads, []).append(turn)
    return list(chain.from_iterable(together.values()))


def _asked(trials: TrialsSpec, request: Request, *, several_clients: bool) -> TrialsSpec:
    """Return the trials with the servers and workloads that the user asked for; several of them are compared.

    Several clients as well share the block: each is compared with the first client in the same place, and with itself
    from the first place on.
    """
    several: dict[Dimension, tuple[str, ...]] = {"workload": request.workloads, "server": request.servers}
    if request.control is not None:  # releases are compared in each place, and places not with each other
        places = {f"{name}s": asked if len(asked) > 1 else () for name, asked in several.items() if asked}
        return trials.model_copy(update={**places, "compared": frozenset({"client"}), "block": None})
    compared: set[Dimension] = {name for name in trials.compared if len(several.get(name, ())) != 1}
    more: dict[str, object] = {}
    for name, asked in several.items():
        if asked:
            more[f"{name}s"] = asked if len(asked) > 1 else ()
        if len(asked) > 1:
            compared.add(name)
            more["block"] = None
    if several_clients and len(dict(request.shape).get("rtt_ms", ())) > 1:
        compared.add("rtt")
        more["block"] = None
    if several_clients and more.get("block", "") is None:
        compared.add("client")
    return trials.model_copy(update={**more, "compared": frozenset(compared)})


def _claims(suite: SuiteSpec, request: Request, names: Sequence[str], catalogue: Catalogue) -> list[Named]:
    """Return the claims that the suite is to be made of, also those about named clients; none if it is not made so."""
    if suite.guidance:
        others = dict.fromkeys(suite.guidance, names)
        return chosen_claims(catalogue.claims(suite.guidance, others), request.claims)
    if request.claims:
        raise InvalidRequestError(
            f"suite `{suite.name}` does not measure claims, so --claim does not apply; use: respmark run guidance "
            f"--claim {request.claims[0]}"
        )
    return []


def _suite(
    suite: SuiteSpec, request: Request, names: tuple[str, ...], claims: Sequence[Named], catalogue: Catalogue
) -> SuiteSpec:
    scale = request.scale
    if suite.guidance:
        suite = made_of_claims(suite, claims, catalogue.clients, names)
    if scale is not None:
        if scale not in suite.scales:
            known = nearest_first(scale, suite.scales)
            raise InvalidRequestError(f"suite `{suite.name}` has no scale `{scale}`; it has: {known}")
        suite = suite.at_scale(scale)
    return suite.model_copy(update={"target": request.servers[0]}) if request.servers else suite


def _workloads(suite: SuiteSpec, chosen: Iterable[TrialsSpec], request: Request, catalogue: Catalogue) -> Workloads:
    beside = None if request.workloads else catalogue.suite_folder(request.suite)
    words = dict.fromkeys(word for trials in chosen for word in trials.workloads)
    own = request.workloads[0] if request.workloads else suite.workload
    found = {word: catalogue.workload(word, beside) for word in (own, *words)}
    by_name: dict[str, WorkloadSpec] = {}
    for word, spec in found.items():
        if by_name.setdefault(spec.name, spec) != spec:
            raise InvalidRequestError(
                f"suite `{suite.name}` has two workloads named `{spec.name}`: results identify workloads by name, "
                f"so rename that of `{word}`"
            )
    return found


def _settings(
    suite: SuiteSpec,
    request: Request,
    cells: Sequence[Cell],
    workloads: Iterable[WorkloadSpec],
    servers: Iterable[str],
) -> Settings:
    """Return the settings, with those workloads and servers that a cell has."""
    names = ("rounds", "laps", "slice_s", "lead_in_s", "warmup_limit_s")
    asked = {name: value for name in names if (value := getattr(request, name)) is not None}
    is_part = request.clients or request.scenarios or request.shape != ANY_SHAPE or request.claims
    part = suite.part.model_dump() if suite.part is not None and is_part else {}
    minutes = suite.minutes if asked.keys().isdisjoint({"rounds", "laps"}) else None
    settings = Settings(
        suite=suite.name,
        workloads={spec.name: spec for spec in workloads if any(cell.workload == spec.name for cell in cells)},
        servers={name: one for one in servers if any(cell.server == (name := redacted(one)) for cell in cells)},
        **{name: getattr(suite, name) for name in names} | part | asked,
        seed=request.seed,
        warmup_at_once=suite.warmup_at_once,
        minutes=minutes if request.control is None else minutes_of(minutes, cells),
    )
    _check_numbers(settings)
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
    # The first is the baseline, which no reference is.
    found.sort(key=lambda client: not client.capabilities.is_library)
    return list({client.name: client for client in found}.values())


def _cells(
    chosen: list[TrialsSpec], named: list[Client], suite: SuiteSpec, workloads: Workloads, catalogue: Catalogue
) -> list[Cell]:
    """Return the cells of the trials: of every client that was named, or else of those that the suite has there."""
    cells: dict[str, Cell] = {}
    for trials in chosen:
        here = [one for one in named or _of_suite(trials, suite, catalogue) if _is_meant(trials, one, catalogue)]
        own = next(iter(workloads))
        axes = (trials.workloads or (own,), trials.servers or (suite.target,), trials.shape.shapes(), here)
        for word, server, shape, client in product(*axes):
            workload = workloads[word]
            differs: dict[Dimension, bool] = {"workload": workload != workloads[own], "server": server != suite.target}
            reason = unsupported_reason(catalogue.clients[client.library], client, trials.scenario, shape)
            reason = reason or method_unsupported_reason(catalogue.clients[client.library], workload)
            reason = reason or _caching_unsupported_reason(trials.scenario, workload)
            own_keys = client.capabilities.own_keys
            reason = reason or (
                _driver_unsupported_reason(client, workload) if own_keys else _library_unsupported_reason(workload)
            )
            cell = Cell(
                client,
                trials.scenario,
                shape,
                reason,
                workload.name,
                redacted(server),
                trials.block_of(shape, client.library),
                named=frozenset(name for name, is_so in differs.items() if is_so),
                turns=trials.turns,
            )
            cells.setdefault(cell.id, cell)
    return list(cells.values())


def _is_meant(trials: TrialsSpec, client: Client, catalogue: Catalogue) -> bool:
    """Return whether trials are for a client, which may have a scenario that takes their place."""
    other = trials.clients_without
    return other is None or unsupported_reason(catalogue.clients[client.library], client, other) is not None


def _io_threads(servers: Iterable[str], catalogue: Catalogue) -> dict[str, int]:
    """Return how many I/O threads the servers have that respmark starts as processes.

    Those that the user named are measured, however many they have.
    """
    specs = {name: catalogue.target(name) for name in servers if "://" not in name}
    return {name: spec.io_threads for name, spec in specs.items() if isinstance(spec, SpawnedTarget)}


def _within(cell: Cell, capacity: Capacity, io_threads: Mapping[str, int]) -> Cell:
    """Return the cell, with the reason if this machine has too little for it: a suite is scaled to the machine."""
    connections, threads, reason = connections_of(cell.shape), io_threads.get(cell.server, 1), None
    if capacity.files is not None and connections + FILES_BESIDE > capacity.files:
        reason = (
            f"needs {connections:,} connections, but a process may open only {capacity.files:,} files: raise the limit "
            "(`ulimit -Hn`, as root)"
        )
    elif capacity.cpus is not None and 1 < threads >= capacity.cpus:
        reason = (
            f"{threads} I/O threads of {cell.server} and a client need {threads + 1} CPUs; available: {capacity.cpus}"
        )
    return cell if reason is None or cell.unsupported else replace(cell, unsupported=reason)


def _of_suite(trials: TrialsSpec, suite: SuiteSpec, catalogue: Catalogue) -> list[Client]:
    """Return the suite's clients, without any that its options do not distinguish from an earlier one here.

    That is for suites, which list clients for many scenarios: what a user named is measured.
    """
    found = _clients(trials.clients or suite.usual_clients, catalogue)
    if suite.variants and not trials.clients:
        found = [one for client in found for one in _with_variants(client, trials.scenario, catalogue)]
    clients: dict[tuple[object, ...], Client] = {}
    for client in found:
        clients.setdefault(what_is_measured(catalogue.clients[client.library], client, trials.scenario), client)
    return list(clients.values())


def _with_variants(client: Client, scenario: Scenario, catalogue: Catalogue) -> list[Client]:
    return [client, *telling_variants(catalogue.clients[client.library], scenario)]


def _caching_unsupported_reason(scenario: Scenario, workload: WorkloadSpec) -> str | None:
    """Return why a workload cannot be used with `caching`, or None.

    If a cache may answer other commands than GET, what the server must have counted for them is not known.
    """
    others = [kind.name for kind in workload.mix if kind.name != CACHED and may_be_cached(kind.name)]
    if scenario is not Scenario.CACHING or not others:
        return None
    return f"caching measures GETs: workload {workload.name} has {', '.join(others)}, which only some libraries cache"


def _library_unsupported_reason(workload: WorkloadSpec) -> str | None:
    """Return why no library can send a workload, or None."""
    return (
        f"workload {workload.name} is for load generators, such as redis-benchmark" if workload.drivers_only else None
    )


def _driver_unsupported_reason(client: Client, workload: WorkloadSpec) -> str | None:
    """Return why a driver cannot send a workload, or None: it fills one command with numbers that it draws itself."""
    kind, *others = workload.mix
    has_keys = any(isinstance(argument, KeyArgument) for argument in kind.arguments)
    if not others and not (has_keys and (kind.first_key or workload.key_digits != DRIVER_DIGITS)):
        return None
    return (
        f"{client.library} can only repeat one command, with {DRIVER_DIGITS}-digit keys that start at 0, as in the "
        f"workloads get, set and ping; workload {workload.name} is different"
    )


def trials_in(
    suite: SuiteSpec, scenarios: Iterable[Scenario], shape: ShapeAxes, specs: Mapping[Scenario, ScenarioSpec]
) -> list[TrialsSpec]:
    """Return the trials of these scenarios (default: the suite's), in named shapes, or usual ones if it has none."""
    named = list(dict.fromkeys(scenarios))
    chosen = [trials for scenario in named for trials in _trials_of(suite, scenario, specs)] or list(suite.trials)
    axes = {name: values for name, values in shape if values}
    for name in axes:
        if not any(_takes(trials.scenario, name, is_named=bool(named)) for trials in chosen):
            raise InvalidRequestError(_of_none(name, chosen))
    return [_in_shape(trials, axes, is_named=bool(named)) for trials in chosen]


def _trials_of(suite: SuiteSpec, scenario: Scenario, specs: Mapping[Scenario, ScenarioSpec]) -> list[TrialsSpec]:
    own = [one.model_copy(update={"clients_without": None}) for one in suite.trials if one.scenario == scenario]
    return own or [usual_trials(scenario, specs[scenario])]


def _in_shape(trials: TrialsSpec, axes: Mapping[str, tuple[object, ...]], *, is_named: bool) -> TrialsSpec:
    taken = {name: values for name, values in axes.items() if _takes(trials.scenario, name, is_named=is_named)}
    return trials.model_copy(update={"shape": trials.shape.model_copy(update=taken)})


def _takes(scenario: Scenario, field: str, *, is_named: bool) -> bool:
    """Return whether a field of the shape is meant for a scenario.

    What a scenario may do without, but others need, is meant for it only if the scenario is named: `--threads` alone is
    about threads and pools, not about pipelining.
    """
    one = SHAPE_FIELDS[field]
    return scenario in one.required or (scenario in one.optional and (is_named or not one.required))


def _of_none(field: str, chosen: Iterable[TrialsSpec]) -> str:
    here = ", ".join(dict.fromkeys(trials.scenario for trials in chosen))
    one = SHAPE_FIELDS[field]
    having = [scenario for of in (one.required, one.optional) for scenario in Scenario if scenario in of]
    return f"--{option(field)} applies to {', '.join(having)}; this run measures only {here}"


def option(field: str) -> str:
    """Return the option that names a field of the shape, without its dashes."""
    return SHAPE_FIELDS[field].option or field.replace("_", "-")


def for_all(chosen: Iterable[TrialsSpec]) -> list[TrialsSpec]:
    """Return the trials without clients of their own, for clients that the user named.

    A block that the suite makes for some clients of its own is the usual block of its scenario and shape for them.
    """
    return [trials.model_copy(update={"clients": (), "block": None}) if trials.clients else trials for trials in chosen]
