"""A trial, step by step, as the contract numbers them."""

from collections.abc import Sequence
from pathlib import Path
from time import perf_counter_ns

from respmark_python.clients.registry import open_session
from respmark_python.clients.session import Session
from respmark_python.contract.events import Lines, Progress, Ready, await_end, await_go, say
from respmark_python.contract.trial import Trial, parse_trial
from respmark_python.errors import TargetError
from respmark_python.recorder.health import GarbageCollection, set_aside_own_objects
from respmark_python.recorder.result import Subject, make_result
from respmark_python.recorder.tally import Progress as OnProgress
from respmark_python.recorder.tally import Tally, TargetLostError
from respmark_python.recorder.window import Window
from respmark_python.scenarios.course import Course, Start
from respmark_python.scenarios.registry import make_course
from respmark_python.scenarios.walker import sample_covers
from respmark_python.verification import Verifier
from respmark_python.workload.file import read_workload


def run_trial(lines: Lines, started_ns: int) -> None:
    """Read one trial, measure it, print its events."""
    trial = parse_trial(lines.readline())
    workload = read_workload(Path(trial.workload.path))
    session = open_session(trial)
    course = make_course(trial, workload, session)
    verified = course.verify(Verifier(workload, session), trial.verify_commands)
    warmed_ns, warmed = warm_up(trial, session, course)
    window = Window(trial.measure_s)
    start = course.arm(window, progress_of(trial, course))
    set_aside_own_objects()
    say(Ready(trial.trial_id, perf_counter_ns() - started_ns - warmed_ns, verified, warmed))
    await_go(lines)
    with GarbageCollection() as collection:
        tallies = walk(session, start)
    check_still_there(session, tallies)
    say(make_result(subject_of(trial, session, course), window, tallies, collection))
    await_end(lines)
    session.close()


def warm_up(trial: Trial, session: Session, course: Course) -> tuple[int, int]:
    """Run the scenario before it counts; return how long that took, and the commands it completed.

    Raises:
        TargetError: the target refused a command.
    """
    if not trial.warmup_s:
        return 0, 0
    began_ns = perf_counter_ns()
    tallies = walk(session, course.arm(Window(trial.warmup_s)))
    for tally in tallies:
        if tally.first_error and (refused := session.refusal(tally.first_error)):
            raise refused from tally.first_error
    return perf_counter_ns() - began_ns, sum(tally.units for tally in tallies) * course.walkers[0].commands


def walk(session: Session, start: Start) -> list[Tally]:
    """Walk until the window is over.

    Raises:
        TargetError: the target was lost on the way.
    """
    try:
        return start()
    except TargetLostError as lost:
        raise TargetError(f"{lost}: {session.refusal(lost.error) or lost.error}") from lost.error


def check_still_there(session: Session, tallies: Sequence[Tally]) -> None:
    """When the window ended on failures, look whether the target is still there.

    Raises:
        TargetError: it is not: a window too short for enough failures lost it all the same.
    """
    if any(tally.is_failing for tally in tallies):
        session.check_target()


def progress_of(trial: Trial, course: Course) -> OnProgress:
    """Return what prints progress."""
    per_unit = course.walkers[0].commands
    return lambda elapsed_ns, units: say(Progress(trial.trial_id, elapsed_ns, units * per_unit))


def subject_of(trial: Trial, session: Session, course: Course) -> Subject:
    """Return what was known before the window."""
    return Subject(
        trial_id=trial.trial_id,
        sample_covers=sample_covers(trial),
        commands_per_unit=course.walkers[0].commands,
        first_commands=[walker.first for walker in course.walkers],
        decodes_to=session.decodes_to,
        settings=session.settings,
        versions=session.versions,
    )
