"""Opens what the trials of a run need: servers, round trips, places for runners, workload files."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from respmark.errors import InvalidRequestError
from respmark.machine.awake import kept_awake
from respmark.machine.guardian import Guardian, guarded_folder
from respmark.machine.lock import lock_path, only_run
from respmark.network.round_trip import RoundTrip, round_trip
from respmark.plan.trial import Plan
from respmark.results.manifest import Until
from respmark.run.context import RunContext, make_context
from respmark.run.schedule import Asked
from respmark.runners.local import open_local
from respmark.runners.protocol import Executor, OpenExecutor
from respmark.servers.target import Target
from respmark.specs.catalogue import Catalogue


@dataclass(frozen=True)
class LaunchOptions:
    """What to run, and where its results go."""

    plan: Plan
    catalogue: Catalogue
    folder: Path
    command_line: Sequence[str]
    warnings: Sequence[str] = ()
    allow_flush: bool = False
    until: Until | None = None
    """Continue after the plan's rounds until comparisons are narrow."""
    asked: Asked | None = None
    """Continue after the plan's rounds as long as this asks for more."""
    opener: OpenExecutor = open_local
    resume: bool = False
    """Continue the run in the folder."""
    packages: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """What set-up resolved: for each client, the packages in its environment, and their versions."""


@contextmanager
def open_runs(guardian: Guardian, *runs: LaunchOptions) -> Iterator[list[tuple[Executor, RunContext]]]:
    """Open what the trials of each run need, while no other run measures on this machine."""
    with only_run(lock_path()), ExitStack() as stack:
        yield [stack.enter_context(_open(options, guardian)) for options in runs]


@contextmanager
def _open(options: LaunchOptions, guardian: Guardian) -> Iterator[tuple[Executor, RunContext]]:
    # What runners read lies in a folder inside one of our own.
    with guarded_folder(guardian) as folder, ExitStack() as stack:
        share = folder / "share"
        share.mkdir()
        opened = stack.enter_context(options.opener(options.catalogue, guardian, share, options.folder.name))
        if opened.placement.awake:
            stack.enter_context(kept_awake())
        targets = {name: _target(name, options, opened, stack) for name in options.plan.settings.servers}
        context = make_context(
            options.plan.settings,
            options.catalogue,
            opened,
            targets,
            guardian=guardian,
            share=share,
        )
        servers = {
            name: replace(server, round_trips=_round_trips(options, name, server.target, opened, stack))
            for name, server in context.servers.items()
        }
        for server in servers.values():
            stack.enter_context(closing(server.state))
        yield opened, replace(context, servers=servers)


def _target(name: str, options: LaunchOptions, opened: Executor, stack: ExitStack) -> Target:
    spec = options.catalogue.target(options.plan.settings.servers[name])
    target = stack.enter_context(closing(opened.open_target(spec, allow_flush=options.allow_flush)))
    for client in options.plan.clients:
        target.for_client(avoids_tls=client.avoids_tls)  # refuses what is impossible, before anything is written
    return target


def _round_trips(
    options: LaunchOptions, name: str, target: Target, opened: Executor, stack: ExitStack
) -> dict[float, RoundTrip]:
    shapes = [cell.shape for cell in options.plan.cells if cell.server == name]
    asked = sorted({shape.rtt_ms for shape in shapes if shape.rtt_ms is not None})
    if asked and any(client.avoids_tls for client in options.plan.clients):
        raise InvalidRequestError(
            "--rtt delays a single address of the server, and clients with tls=off use another: leave those out"
        )
    listen = opened.listen_address
    # Where containers know this machine by another name, it does not see their addresses either.
    server = target.for_runners if listen.bind_host == listen.advertised_host else target.endpoint
    return {rtt_ms: stack.enter_context(round_trip(round(rtt_ms * 1e6), server, listen)) for rtt_ms in asked}
