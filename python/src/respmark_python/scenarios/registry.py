"""Which walkers a scenario has, and what works on its slices: the main thread, threads, or tasks."""

from typing import Any, cast

from respmark_python.clients.session import RunsTasks, Session, TaskSession
from respmark_python.contract.trial import Trial
from respmark_python.recorder.samples import make_samples
from respmark_python.scenarios.layout import commands_per_unit
from respmark_python.scenarios.single import SingleSlices
from respmark_python.scenarios.slices import Slices
from respmark_python.scenarios.tasks import TaskSlices
from respmark_python.scenarios.threaded import ThreadSlices
from respmark_python.workload.commands import Commands, Step, bind, materialise
from respmark_python.workload.walker import Walker
from respmark_python.workload.workload import Workload


def make_slices(trial: Trial, workload: Workload, session: Session) -> Slices:
    """Materialise the workload for the trial's scenario."""
    walkers = make_walkers(trial, workload, session)
    if isinstance(session, RunsTasks):
        tasks = (trial.shape.depth or 1) if trial.shape.window == "sliding" else len(walkers)
        return TaskSlices(cast("TaskSession", session), walkers, make_samples(tasks))
    slices = ThreadSlices if trial.scenario in {"threads", "pool"} else SingleSlices
    return slices(session, walkers, make_samples(len(walkers)))


def make_walkers(trial: Trial, workload: Workload, session: Session) -> list[Walker]:
    """Return a walker for each lane, with everything computed that can be computed beforehand."""
    make_word = bytes.decode if session.decodes_to == "text" else bytes
    commands = materialise(workload, session.arguments, make_word)
    lanes, part, parts = len(session.lanes), trial.workload.part, trial.workload.parts
    offsets = [(part * lanes + i) * workload.commands // (parts * lanes) for i in range(lanes)]
    steps = {id(lane.target): _steps(workload, commands, session, lane.target) for lane in session.lanes}
    return [
        Walker(lane.perform, commands, steps[id(lane.target)], offset, commands_per_unit(trial))
        for lane, offset in zip(session.lanes, offsets, strict=True)
    ]


def _steps(workload: Workload, commands: Commands, session: Session, target: Any) -> list[Step]:
    methods = [session.method(target, kind) for kind in workload.mix]
    return [
        bind(methods[number], workload.mix[number], session.arguments, value) for number, value in commands.distinct
    ]
