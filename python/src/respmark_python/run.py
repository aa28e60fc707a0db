"""A trial, step by step, as the contract numbers them."""

from contextlib import closing
from pathlib import Path
from time import monotonic_ns

from respmark_python.clients.registry import make_session
from respmark_python.clients.session import Session
from respmark_python.contract.events import Loaded, Ready, Slice, say
from respmark_python.contract.orders import Lines, Orders, SliceOrder
from respmark_python.contract.trial import Trial, parse_trial
from respmark_python.errors import TargetError
from respmark_python.recorder.health import GarbageCollection, set_aside_own_objects
from respmark_python.recorder.result import make_result
from respmark_python.recorder.tally import TargetLostError
from respmark_python.scenarios.course import Course
from respmark_python.scenarios.registry import make_course
from respmark_python.scenarios.walker import sample_covers
from respmark_python.verification import Verifier
from respmark_python.workload.file import read_workload


def run_trial(lines: Lines, started_ns: int) -> None:
    """Read one trial, obey the orders that follow it, print events."""
    trial = parse_trial(lines.readline())
    workload = read_workload(Path(trial.workload.path))
    session = make_session(trial)
    course = make_course(trial, workload, session)
    set_aside_own_objects()
    say(Loaded(trial.trial_id, monotonic_ns() - started_ns))
    with closing(session):
        obey(Orders(lines), trial, session, course, Verifier(workload, session))


def obey(orders: Orders, trial: Trial, session: Session, course: Course, verifier: Verifier) -> None:
    """Connect, work for slices, tell the result; connections stay open until standard input ends."""
    orders.await_connect()
    say(connect(trial, session, course, verifier))
    collection, has_kept = GarbageCollection(), False
    while order := orders.await_slice():
        if order.keep_samples and not has_kept:
            has_kept = True
            collection.restart()
        say(work_slice(trial, session, course, order))
    say(make_result(trial.trial_id, sample_covers(trial), session, course.tallies, collection))
    orders.await_end()


def connect(trial: Trial, session: Session, course: Course, verifier: Verifier) -> Ready:
    """Open every connection, start threads or tasks, verify replies."""
    began_ns = monotonic_ns()
    session.connect()
    connect_ns = monotonic_ns() - began_ns
    course.start()
    return Ready(trial.trial_id, connect_ns, course.verify(verifier, trial.verify_commands))


def work_slice(trial: Trial, session: Session, course: Course, order: SliceOrder) -> Slice:
    """Work for one slice.

    Raises:
        TargetError: the target was lost on the way.
    """
    try:
        return course.work_slice(trial.trial_id, order)
    except TargetLostError as lost:
        raise TargetError(f"{lost}: {session.refusal(lost.error) or lost.error}") from lost.error
