"""Makes a plan of a suite, by arithmetic: its cells, why some cannot be measured, and the blocks that compare them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product

from respmark.contract.trial import Scenario
from respmark.errors import InvalidRequestError
from respmark.plan.faults import processes_of
from respmark.plan.plan import Plan, PlannedCell, Settings
from respmark.plan.request import AskedSuite, Request, asked_suite
from respmark.plan.split import series_minutes, split
from respmark.plan.unsupported import unsupported_lines, why_unsupported
from respmark.redaction import redacted
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client
from respmark.specs.naming import telling_variants
from respmark.specs.server import SpawnedServer
from respmark.specs.suite import Dimension, SuiteSpec, TrialsSpec


def make_plan(request: Request, catalogue: Catalogue) -> Plan:
    """Return the plan; raises InvalidRequestError if something does not exist, or nothing is left to measure.

    What the machine cannot have (`request.capacity`) is unsupported; the processes of a block fit into
    `request.memory_bytes`.
    """
    asked, capacity = asked_suite(request, catalogue), request.capacity
    cells = _cells(asked, catalogue)
    spawned = _spawned({cell.server for cell in cells}, catalogue)
    workloads = {spec.name: spec for spec in asked.workloads.values()}
    reasons = (
        why_unsupported(one, workloads[one.workload], catalogue, capacity, spawned, by_name=asked.names_servers)
        for one in cells
    )
    cells = [replace(cell, unsupported=reason) for cell, reason in zip(cells, reasons, strict=True)]
    if all(cell.unsupported is not None for cell in cells):
        raise InvalidRequestError(f"none of this can be measured: {'; '.join(unsupported_lines(cells))}")
    _check_round_trips(cells, spawned)
    cells = split(cells, catalogue.runners, request.memory_bytes, asked.control)
    settings = _settings(asked, cells)
    for server in settings.servers.values():
        catalogue.server(server)  # refuses a name that does not exist, before anything is started
    return Plan(settings, asked.suite, tuple(cells), asked.named, asked.left_out, asked.control)


def _cells(asked: AskedSuite, catalogue: Catalogue) -> list[PlannedCell]:
    """Return the cells of the trials: of the clients that were named, or else of those that the suite has there."""
    cells: dict[str, PlannedCell] = {}
    own, suite = next(iter(asked.workloads)), asked.suite
    for trials in asked.trials:
        clients = asked.clients or _of_suite(trials, suite, catalogue)
        here = [client for client in clients if _is_meant(trials, client, catalogue)]
        axes = (trials.workloads or (own,), trials.servers or (suite.server,), trials.shape.shapes(), here)
        for word, server, shape, client in product(*axes):
            workload = asked.workloads[word]
            differs: dict[Dimension, bool] = {
                "workload": workload != asked.workloads[own],
                "server": server != suite.server,
            }
            cell = PlannedCell(
                client,
                trials.scenario,
                shape,
                None,
                workload.name,
                redacted(server),
                trials.block_of(shape, client.library),
                named=frozenset(name for name, is_so in differs.items() if is_so),
                processes=processes_of(client, catalogue.spec_of(client), trials.scenario, shape),
                compared=trials.turns,
            )
            cells.setdefault(cell.id, cell)
    return list(cells.values())


def _is_meant(trials: TrialsSpec, client: Client, catalogue: Catalogue) -> bool:
    """Return whether trials are for a client, which may have a scenario that takes their place."""
    other = trials.clients_without
    return other is None or catalogue.clients[client.library].why_not(client, other) is not None


def _of_suite(trials: TrialsSpec, suite: SuiteSpec, catalogue: Catalogue) -> Sequence[Client]:
    """Return the suite's clients, without any that its options do not distinguish from an earlier one here.

    That is for suites, which list clients for many scenarios: what a user named is measured.
    """
    found = catalogue.named(trials.clients or suite.usual_clients)
    if suite.variants and not trials.clients:
        found = [one for client in found for one in _with_variants(client, trials.scenario, catalogue)]
    clients: dict[tuple[object, ...], Client] = {}
    for client in found:
        clients.setdefault(catalogue.clients[client.library].what_is_measured(client, trials.scenario), client)
    return list(clients.values())


def _with_variants(client: Client, scenario: Scenario, catalogue: Catalogue) -> list[Client]:
    return [client, *telling_variants(catalogue.clients[client.library], scenario)]


def _spawned(servers: Iterable[str], catalogue: Catalogue) -> dict[str, SpawnedServer]:
    """Return the servers that respmark starts as processes."""
    specs = {name: catalogue.server(name) for name in servers if "://" not in name}
    return {name: spec for name, spec in specs.items() if isinstance(spec, SpawnedServer)}


def _check_round_trips(cells: Iterable[PlannedCell], spawned: Mapping[str, SpawnedServer]) -> None:
    """Refuse several round trips to a cluster: each node tells clients of one address, a relay's or its own."""
    looped = [cell for cell in cells if cell.unsupported is None and cell.scenario is not Scenario.FAULTS]
    for name in (name for name, spec in spawned.items() if spec.primaries is not None):
        if len(asked := {cell.shape.rtt_ms or 0 for cell in looped if cell.server == name}) > 1:
            written = " and ".join(f"{one:g} ms" for one in sorted(asked))
            raise InvalidRequestError(
                f"{name} is a cluster, and its nodes tell clients one address each: a run has one round trip to it, "
                f"not {written}; measure them in several runs, each with one --rtt"
            )


def _settings(asked: AskedSuite, cells: Sequence[PlannedCell]) -> Settings:
    """Return the settings, with those workloads and servers that a cell has."""
    workloads, servers = {cell.workload for cell in cells}, {cell.server for cell in cells}
    named = dict.fromkeys([asked.suite.server, *(server for trials in asked.trials for server in trials.servers)])
    settings = Settings(
        suite=asked.suite.name,
        workloads={spec.name: spec for spec in asked.workloads.values() if spec.name in workloads},
        servers={name: server for server in named if (name := redacted(server)) in servers},
        **asked.numbers,
    )
    if asked.control is None:
        return settings
    return replace(settings, minutes=series_minutes(settings.minutes, cells))
