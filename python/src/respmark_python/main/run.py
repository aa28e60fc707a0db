"""A trial, step by step, as the contract numbers them."""

from contextlib import closing
from pathlib import Path
from time import monotonic_ns

from respmark_python.clients import refusals
from respmark_python.clients.registry import make_session
from respmark_python.clients.session import Session
from respmark_python.contract.events import Loaded, Ready, Slice
from respmark_python.contract.orders import SliceOrder
from respmark_python.contract.trial import Trial, parse_trial
from respmark_python.main.channel import Channel, say
from respmark_python.main.result import make_result
from respmark_python.recorder.garbage import set_aside
from respmark_python.recorder.health import GarbageCollection
from respmark_python.scenarios.failures import LostError
from respmark_python.scenarios.layout import sample_covers
from respmark_python.scenarios.registry import make_slices
from respmark_python.scenarios.slices import Slices
from respmark_python.verification.verifier import Verifier
from respmark_python.workload.file import read_workload


def run_trial(channel: Channel, started_ns: int) -> None:
    """Read one trial, obey the orders that follow it, print events."""
    trial = parse_trial(channel.trial())
    workload = read_workload(Path(trial.workload.path))
    session = make_session(trial)
    slices = make_slices(trial, workload, session)
    set_aside()
    say(Loaded(trial.trial_id, monotonic_ns() - started_ns))
    with closing(session):
        obey(channel, trial, session, slices, Verifier(workload, session))


def obey(channel: Channel, trial: Trial, session: Session, slices: Slices, verifier: Verifier) -> None:
    """Connect, work for slices, report the result; connections stay open until standard input ends."""
    channel.await_connect()
    say(connect(trial, session, slices, verifier))
    collection, has_kept = GarbageCollection(), False
    while order := channel.await_slice():
        if order.keep_samples and not has_kept:
            has_kept = True
            collection.restart()
        say(work_slice(trial, slices, order))
    say(make_result(trial.trial_id, sample_covers(trial), session, slices.samples, collection))
    channel.await_end()


def connect(trial: Trial, session: Session, slices: Slices, verifier: Verifier) -> Ready:
    """Open every connection, start threads or tasks, verify replies."""
    began_ns = monotonic_ns()
    session.connect()
    connect_ns = monotonic_ns() - began_ns
    slices.start()
    return Ready(trial.trial_id, connect_ns, slices.verify(verifier, trial.verify_commands))


def work_slice(trial: Trial, slices: Slices, order: SliceOrder) -> Slice:
    """Work for one slice.

    Raises:
        TargetError: the target was lost during the slice.
    """
    try:
        return slices.work_slice(trial.trial_id, order)
    except LostError as lost:
        raise refusals.lost(str(lost), lost.error, trial.target.address) from lost.error
