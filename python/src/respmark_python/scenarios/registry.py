"""Which scenario runs on which course."""

from typing import cast

from respmark_python.clients.session import RunsTasks, Session, TaskSession
from respmark_python.contract.trial import Trial
from respmark_python.recorder.tally import make_tallies
from respmark_python.scenarios.course import Course
from respmark_python.scenarios.single import SingleCourse
from respmark_python.scenarios.tasks import TaskCourse
from respmark_python.scenarios.threaded import ThreadCourse
from respmark_python.scenarios.walker import make_walkers
from respmark_python.workload.commands import Workload


def make_course(trial: Trial, workload: Workload, session: Session) -> Course:
    """Materialise the workload for the trial's scenario."""
    walkers = make_walkers(trial, workload, session)
    if isinstance(session, RunsTasks):
        tasks = (trial.shape.depth or 1) if trial.shape.window == "sliding" else len(walkers)
        return TaskCourse(cast("TaskSession", session), walkers, make_tallies(tasks))
    course = ThreadCourse if trial.scenario in {"threads", "pool"} else SingleCourse
    return course(session, walkers, make_tallies(len(walkers)))
