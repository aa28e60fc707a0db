"""Makes a run of a plan: opens what it needs, and lets the session measure by a schedule."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from respmark.errors import ExitCode
from respmark.machine.guardian import Guardian
from respmark.machine.interrupts import signals_as_interrupt
from respmark.opening import LaunchOptions, open_runs
from respmark.plan.trial import Plan
from respmark.results.manifest import RunStatus, Until
from respmark.results.records import Status
from respmark.results.store import RunFolder
from respmark.resume import continued, done, earlier_run
from respmark.run.schedule import AskedSchedule, PreciseSchedule, Schedule, TimedSchedule
from respmark.run.session import Done, Observer, Session
from respmark.run_manifest import manifest_closed, manifest_of, round_trips_of


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
    with ExitStack() as stack, open_runs(guardian, options) as [(opened, context)]:
        manifest = manifest_of(options, context, opened)
        if earlier is None:
            folder = RunFolder.create(options.folder)
            stack.enter_context(folder.discarded_if_refused())
        else:
            folder, manifest = RunFolder.reopen(options.folder), continued(manifest, earlier)
        folder.write_manifest(manifest)
        for server in context.servers.values():
            server.state.note = observer.note
            for made in server.round_trips.values():
                made.begin(observer.note)
        until = options.until if earlier is None else earlier.until
        schedule = _schedule(replace(options, until=until), folder.folder, began_s - before_s, observer.note)
        session = Session(options.plan, context, options.catalogue.runners, observer, folder, schedule)
        session.done = Done() if earlier is None else done(options.folder)

        def spent(status: RunStatus) -> dict[str, object]:
            # Where time was too short for all rounds of the plan, a whole run has fewer.
            completed = schedule.completed if status is RunStatus.COMPLETE else 0
            return {
                "rounds": min(completed or manifest.rounds, manifest.rounds),
                "wall_s": before_s + time.monotonic() - began_s,
                "measured_s": session.measured_s,
                "round_trips": round_trips_of(context, is_over=True),
            }

        # The command hears signals as well, but outside of what writes the manifest's status.
        with manifest_closed(folder, manifest, context, spent), signals_as_interrupt():
            statuses = session.run()
    return exit_code(statuses)


def _schedule(options: LaunchOptions, folder: Path, began_s: float, note: Callable[[str], None]) -> Schedule:
    """Return the schedule, which learns from the figures so far what is measured next."""
    plan, runners, until = options.plan, options.catalogue.runners, options.until
    if options.asked is not None:
        return AskedSchedule(plan, runners, end_s=options.asked.end_s, asked=options.asked, folder=folder)
    if until is not None:
        return PreciseSchedule(
            plan,
            runners,
            end_s=began_s + until.budget_s,
            until=until,
            widths=lambda: _widths(folder, until),
            note=note,
        )
    if (minutes := plan.settings.minutes) is not None:
        return TimedSchedule(
            plan,
            runners,
            end_s=began_s + minutes * 60,
            least_certain=(lambda: _least_certain(folder)) if plan.settings.fills_minutes else None,
        )
    return Schedule(plan, runners)


def _widths(folder: Path, until: Until) -> dict[str, float]:
    from respmark.figures.cells import read_counted  # noqa: PLC0415 - takes long to load: not before the first slice
    from respmark.figures.comparisons import wide_comparisons  # noqa: PLC0415 - as above

    return wide_comparisons(read_counted(folder).blocks, until)


def _least_certain(folder: Path) -> list[str]:
    from respmark.figures.cells import read_counted  # noqa: PLC0415 - as above
    from respmark.figures.comparisons import least_certain_blocks  # noqa: PLC0415 - as above

    return least_certain_blocks(read_counted(folder).blocks)


def exit_code(statuses: Sequence[Status]) -> ExitCode:
    """Return the exit code for the statuses of all trials."""
    counts = Counter(statuses)
    if not counts[Status.OK]:
        return ExitCode.SOME_FAILED if counts[Status.FAILED] else ExitCode.NOTHING_RAN
    return ExitCode.SOME_FAILED if counts[Status.FAILED] else ExitCode.OK
