"""Sets up a run (folder, target, workload files, executor), then lets the session measure."""

import platform
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from respmark import __version__
from respmark.contract.trial import Endpoint
from respmark.errors import ExitCode, InvalidRequestError, RunFolderError
from respmark.figures.cells import read_counted
from respmark.figures.comparisons import least_certain_blocks, wide_comparisons
from respmark.machine.description import this_machine
from respmark.machine.guardian import Guardian, guarded_folder
from respmark.machine.kernel import process_cpu_ns
from respmark.machine.lock import lock_path, only_run
from respmark.machine.placement import kept_awake
from respmark.machine.signals import signals_as_interrupt
from respmark.network.round_trip import RoundTrip, round_trip
from respmark.plan.trial import Cell, Plan
from respmark.redaction import redacted as redact
from respmark.results.manifest import (
    Manifest,
    PlannedCell,
    RoundTripDescription,
    RunStatus,
    Until,
    WorkloadDescription,
)
from respmark.results.records import FORMAT, Status
from respmark.results.store import RunFolder, measured_and_lost
from respmark.resume import continued, done, earlier_run
from respmark.run.context import RunContext, make_context
from respmark.run.counters import server_description
from respmark.run.schedule import PreciseSchedule, Schedule, TimedSchedule
from respmark.run.session import Done, Observer, Session
from respmark.runners.backend import Backend, OpenBackend
from respmark.servers.target import Target
from respmark.specs.catalogue import Catalogue, dump
from respmark.workload.columns import digest
from respmark.workload.spec import WorkloadSpec

PACKAGES = ("cyclopts", "numpy", "pydantic", "python-on-whales", "redis", "rich")


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
    backend: Backend = field(default_factory=Backend)
    resume: bool = False
    """Continue the run in the folder."""
    memory_bytes: int | None = None
    """What the processes of clients may take together."""
    fresh: Collection[str] = ()
    """Names of clients that get processes of their own for each block."""
    packages: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """What set-up resolved: for each client, the packages in its environment, and their versions."""


def new_run_id(plan: Plan, now: datetime, name: str | None = None) -> str:
    """Return an ID for a run that sorts by time and contains `name`, or else the suite's name."""
    return f"{now:%Y%m%dT%H%M%SZ}-{name or plan.settings.suite}-seed{plan.settings.seed}"


def launch(options: LaunchOptions, guardian: Guardian, observer: Observer) -> ExitCode:
    """Run the plan, and return the exit code when everything that was started has ended.

    Raises:
        InvalidRequestError: the run to be resumed is not one of this plan, or not one of this machine.
        TargetError: the target cannot be reached, or refused us, before the first trial or for good.
        RunFolderError: results cannot be written.
        NothingRanError: there is no server, or another run is measuring.
        KeyboardInterrupt: the user interrupted the run; the manifest says so.
    """
    began_s = time.monotonic()
    earlier = earlier_run(options.folder, options.plan) if options.resume else None
    before_s = 0.0 if earlier is None else earlier.wall_s or 0.0
    with open_runs(guardian, options) as [(opened, context)]:
        manifest = _manifest(options, context, opened)
        if earlier is None:
            folder = RunFolder.create(options.folder)
        else:
            folder, manifest = RunFolder.reopen(options.folder), continued(manifest, earlier)
        folder.write_manifest(manifest)
        for server in context.servers.values():
            server.state.note = observer.note
        context.resting.note, context.resting.fresh = observer.note, options.fresh
        schedule = _schedule(options, folder.folder, began_s - before_s, observer.note)
        session = Session(options.plan, context, options.catalogue.runners, observer, folder, schedule)
        session.done = Done() if earlier is None else done(options.folder)

        def spent(status: RunStatus) -> dict[str, object]:
            # Where time was too short for all rounds of the plan, a whole run has fewer.
            completed = schedule.completed if status is RunStatus.COMPLETE else 0
            return {
                "rounds": min(completed or manifest.rounds, manifest.rounds),
                "wall_s": before_s + time.monotonic() - began_s,
                "measured_s": session.measured_s,
                "round_trips": _described(context, is_over=True),
            }

        # The command hears signals as well, but outside of what writes the manifest's status.
        with _closing(folder, manifest, context, spent), signals_as_interrupt():
            statuses = session.run()
    return exit_code(statuses)


def _schedule(options: LaunchOptions, folder: Path, began_s: float, note: Callable[[str], None]) -> Schedule:
    """Return the schedule, which learns from the figures so far what is measured next."""
    plan, runners, until = options.plan, options.catalogue.runners, options.until
    if until is not None:
        return PreciseSchedule(
            plan,
            runners,
            end_s=began_s + until.budget_s,
            until=until,
            widths=lambda: wide_comparisons(read_counted(folder).blocks, until),
            note=note,
        )
    if (minutes := plan.settings.minutes) is not None:
        return TimedSchedule(
            plan,
            runners,
            end_s=began_s + minutes * 60,
            least_certain=(lambda: least_certain_blocks(read_counted(folder).blocks))
            if plan.settings.fills_minutes
            else None,
        )
    return Schedule(plan, runners)


@contextmanager
def open_runs(guardian: Guardian, *runs: LaunchOptions) -> Iterator[list[tuple[OpenBackend, RunContext]]]:
    """Open what the trials of each run need, while no other run measures on this machine."""
    with only_run(lock_path()), ExitStack() as stack:
        yield [stack.enter_context(_open(options, guardian)) for options in runs]


@contextmanager
def _open(options: LaunchOptions, guardian: Guardian) -> Iterator[tuple[OpenBackend, RunContext]]:
    # What runners read lies in a folder inside one of our own.
    with guarded_folder(guardian) as folder, ExitStack() as stack:
        share, backend = folder / "share", options.backend
        share.mkdir()
        opened = stack.enter_context(backend.open(options.catalogue, guardian, share, options.folder.name))
        if backend.placement.awake:
            stack.enter_context(kept_awake())
        targets = {name: _target(name, options, opened, stack) for name in options.plan.settings.servers}
        context = make_context(
            options.plan.settings,
            options.catalogue,
            opened.executor,
            targets,
            guardian=guardian,
            share=share,
            memory_bytes=options.memory_bytes,
        )
        servers = {
            name: replace(server, round_trips=_round_trips(options, name, server.target, opened, stack))
            for name, server in context.servers.items()
        }
        for server in servers.values():
            stack.enter_context(closing(server.state))
        yield opened, replace(context, servers=servers)


def _target(name: str, options: LaunchOptions, opened: OpenBackend, stack: ExitStack) -> Target:
    spec = options.catalogue.target(options.plan.settings.servers[name])
    target = stack.enter_context(closing(opened.open_target(spec, allow_flush=options.allow_flush)))
    for client in options.plan.clients:
        target.for_client(avoids_tls=client.avoids_tls)  # refuses what is impossible, before anything is written
    return target


def _round_trips(
    options: LaunchOptions, name: str, target: Target, opened: OpenBackend, stack: ExitStack
) -> dict[float, RoundTrip]:
    shapes = [cell.shape for cell in options.plan.cells if cell.server == name]
    asked = sorted({shape.rtt_ms for shape in shapes if shape.rtt_ms is not None})
    if asked and any(client.avoids_tls for client in options.plan.clients):
        raise InvalidRequestError("--rtt makes the round trip of one way to the server: leave tls=off out")
    address = opened.listen_address

    def find() -> Endpoint:
        # Where containers know this machine by another name, it does not see their addresses either.
        return target.for_runners if address.bind_host == address.advertised_host else target.endpoint

    return {rtt_ms: stack.enter_context(round_trip(round(rtt_ms * 1e6), find, address)) for rtt_ms in asked}


def _described(context: RunContext, *, is_over: bool) -> list[RoundTripDescription]:
    return [
        _round_trip(name, made, is_over=is_over)
        for name, server in context.servers.items()
        for made in server.round_trips.values()
    ]


def _round_trip(server: str, made: RoundTrip, *, is_over: bool) -> RoundTripDescription:
    used_ns = process_cpu_ns(made.pid) if is_over else None
    return RoundTripDescription(
        server=server,
        asked_ms=made.asked_ns / 1e6,
        p50_ms=made.p50_ns / 1e6,
        p99_ms=made.p99_ns / 1e6,
        alone_ms=made.alone_ns / 1e6,
        cpu_s=None if used_ns is None else used_ns / 1e9,
    )


@contextmanager
def _closing(
    folder: RunFolder,
    manifest: Manifest,
    context: RunContext,
    spent: Callable[[RunStatus], Mapping[str, object]] = lambda _status: {},
) -> Iterator[None]:
    """Write into the manifest how the run ended, whatever ends it."""
    status = RunStatus.STOPPED
    try:
        yield
        status = RunStatus.COMPLETE
    except KeyboardInterrupt:
        status = RunStatus.INTERRUPTED
        raise
    finally:
        remarks = [remark for server in context.servers.values() for remark in server.state.remarks]
        told = {"warnings": [*manifest.warnings, *remarks], **spent(status)}
        ended = manifest.model_copy(update={"status": status, "ended_at": datetime.now(UTC), **told})
        # On a full disk, the manifest still says `running`, which reports take for an incomplete run.
        with suppress(RunFolderError) if status is not RunStatus.COMPLETE else measured_and_lost():
            folder.write_manifest(ended)


def exit_code(statuses: Sequence[Status]) -> ExitCode:
    """Return the exit code for the statuses of all trials."""
    counts = Counter(statuses)
    if not counts[Status.OK]:
        return ExitCode.SOME_FAILED if counts[Status.FAILED] else ExitCode.NOTHING_RAN
    return ExitCode.SOME_FAILED if counts[Status.FAILED] else ExitCode.OK


def _manifest(options: LaunchOptions, context: RunContext, opened: OpenBackend) -> Manifest:
    plan = options.plan
    return Manifest(
        format=FORMAT,
        run_id=options.folder.name,
        respmark_version=__version__,
        command_line=list(options.command_line),
        status=RunStatus.RUNNING,
        started_at=datetime.now(UTC),
        ended_at=None,
        suite={**dump(plan.suite), "target": redact(plan.suite.target)},
        workloads={name: _workload(spec, context) for name, spec in plan.settings.workloads.items()},
        scenarios={cell.scenario: options.catalogue.scenarios[cell.scenario] for cell in plan.cells},
        clients=[client.name for client in plan.clients],
        named_clients=list(plan.named),
        cells=[_planned(cell, options.catalogue) for cell in plan.cells],
        rounds=plan.settings.rounds,
        laps=plan.settings.laps,
        slice_s=plan.settings.slice_s,
        lead_in_s=plan.settings.lead_in_s,
        warmup_limit_s=plan.settings.warmup_limit_s,
        minutes=plan.settings.minutes,
        seed=plan.settings.seed,
        trials=len(plan.trials),
        until=options.until,
        machine=this_machine(),
        harness={"python": platform.python_version(), **{name: version(name) for name in PACKAGES}},
        servers={name: server_description(server.target) for name, server in context.servers.items()},
        round_trips=_described(context, is_over=False),
        packages={name: dict(versions) for name, versions in options.packages.items()},
        compilers={
            name: spec.compilers
            for name, spec in options.catalogue.runners.items()
            if spec.compilers and name in {client.runner for client in options.plan.clients}
        },
        placement=options.backend.placement,
        containers=opened.containers(plan.clients),
        warnings=list(options.warnings),
    )


def _workload(spec: WorkloadSpec, context: RunContext) -> WorkloadDescription:
    made = context.workloads[spec.name].workload
    return WorkloadDescription(spec=dump(spec), sha256=digest(made, spec.key_prefix))


def _planned(cell: Cell, catalogue: Catalogue) -> PlannedCell:
    return PlannedCell(
        cell_id=cell.id,
        client=cell.client,
        language=catalogue.runners[cell.client.runner].language,
        scenario=cell.scenario,
        shape=cell.shape,
        block=cell.block,
        workload=cell.workload,
        server=cell.server,
    )
