"""Measures one trial: state, start, barrier, window, evidence, verdict."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from respmark.contract.base import SCHEMA_VERSION
from respmark.contract.events import Progress, Ready, Result
from respmark.contract.trial import TrialRequest, WorkloadPart
from respmark.evidence.expectation import Expectations
from respmark.evidence.snapshot import Context, Snapshot, evidence_between, take
from respmark.evidence.verdict import Asked, refuted
from respmark.execute.protocol import Executor, RunnerFailedError, RunnerProcess
from respmark.plan.trial import Settings, Trial
from respmark.records import Evidence, Status
from respmark.specs.scenario import commands_per_unit
from respmark.target.state import DatabaseState
from respmark.target.target import Target

START_LIMIT_S: Final = 60.0
"""For connecting, verifying and materialising; the warm-up comes on top."""
WINDOW_GRACE_S: Final = 30.0
"""For completing what is in flight, beside the window itself."""
END_LIMIT_S: Final = 10.0
UNSUPPORTED_EXIT: Final = 3


@dataclass(frozen=True)
class Bench:
    """What every trial of a run is measured with."""

    settings: Settings
    executor: Executor
    target: Target
    state: DatabaseState
    expectations: Expectations
    workload_path: str
    setup_commands: dict[str, frozenset[str]]
    """By library: what it sends of its own accord."""


@dataclass(frozen=True)
class Outcome:
    """What became of a trial."""

    status: Status
    reason: str | None = None
    stderr: tuple[str, ...] = ()
    ready: tuple[Ready, ...] = ()
    results: tuple[Result, ...] = ()
    evidence: Evidence | None = None
    counted_cpu_ns: int | None = None
    """CPU of all processes over the window as their control groups counted it."""


def measure(bench: Bench, trial: Trial, on_figure: Callable[[float], None]) -> Outcome:
    """Measure one trial; a runner's failure becomes an outcome.

    Raises:
        TargetLostError: the target went away.
        TargetError: the target refused us.
    """
    bench.state.restore(bench.target)
    processes: list[RunnerProcess] = []
    try:
        for part in range(trial.cell.shape.processes):
            # One by one, so that those that started are ended when a later one does not start.
            processes += [bench.executor.start(trial.cell.client, request_for(bench, trial, part))]
        return _measured(bench, trial, processes, on_figure)
    except RunnerFailedError as error:
        bench.state.dirty()
        status = Status.UNSUPPORTED if error.runner_exit_code == UNSUPPORTED_EXIT else Status.FAILED
        reason = error.stderr[-1] if status is Status.UNSUPPORTED and error.stderr else str(error)
        return Outcome(status, reason, error.stderr)
    finally:
        for process in processes:
            process.kill()


def _measured(
    bench: Bench, trial: Trial, processes: list[RunnerProcess], on_figure: Callable[[float], None]
) -> Outcome:
    ready = tuple(_ready(process, trial, bench.settings.warmup_for(trial.cell.client)) for process in processes)
    before = take(bench.target.control)
    for process in processes:
        process.go()
    results = _results(processes, trial, bench.settings.measure_s, on_figure)
    after = take(bench.target.control)
    evidence = _evidence(bench, trial, results, before, after)
    for process in processes:
        process.wait(END_LIMIT_S)
    if evidence.other_calls:
        bench.state.dirty()
    reason = refuted(
        results, evidence, Asked(bench.settings.measure_s, commands_per_unit(trial.cell.scenario, trial.cell.shape))
    )
    status = Status.FAILED if reason else Status.OK
    return Outcome(status, reason, (), ready, results, evidence, _counted_cpu_ns(processes, results))


def _counted_cpu_ns(processes: list[RunnerProcess], results: tuple[Result, ...]) -> int | None:
    counted = [process.counted_cpu_ns(result.elapsed_ns) for process, result in zip(processes, results, strict=True)]
    known = [cpu_ns for cpu_ns in counted if cpu_ns is not None]
    return sum(known) if len(known) == len(counted) else None


def request_for(bench: Bench, trial: Trial, part: int) -> TrialRequest:
    """Return what one runner process is told."""
    cell = trial.cell
    return TrialRequest(
        schema_version=SCHEMA_VERSION,
        trial_id=trial.id,
        client=cell.client.choice,
        scenario=cell.scenario,
        shape=cell.shape,
        workload=WorkloadPart(path=bench.workload_path, part=part, parts=cell.shape.processes),
        target=bench.target.for_runners,
        warmup_s=bench.settings.warmup_for(cell.client),
        measure_s=bench.settings.measure_s,
    )


def _ready(process: RunnerProcess, trial: Trial, warmup_s: float) -> Ready:
    event = process.next_event(START_LIMIT_S + warmup_s)
    if not isinstance(event, Ready):
        message = f"the runner sent `{event.event}` where `ready` was due"
        raise RunnerFailedError(message)
    _check_trial_id(event.trial_id, trial)
    return event


def _results(
    processes: list[RunnerProcess], trial: Trial, measure_s: float, on_figure: Callable[[float], None]
) -> tuple[Result, ...]:
    deadline = time.monotonic() + measure_s + WINDOW_GRACE_S

    def on_first(figure: float) -> None:
        """Processes do the same: the first one's figure, times their number, is near enough to look at."""
        on_figure(figure * len(processes))

    first, *others = processes
    result = _result(first, trial, deadline, on_first)
    return (result, *(_result(process, trial, deadline, lambda _figure: None) for process in others))


def _result(process: RunnerProcess, trial: Trial, deadline: float, on_figure: Callable[[float], None]) -> Result:
    while True:
        event = process.next_event(max(0.0, deadline - time.monotonic()))
        if isinstance(event, Ready):
            message = "the runner sent `ready` a second time"
            raise RunnerFailedError(message)
        _check_trial_id(event.trial_id, trial)
        if isinstance(event, Result):
            return event
        _tell(event, on_figure)


def _tell(event: Progress, on_figure: Callable[[float], None]) -> None:
    if event.elapsed_ns:
        on_figure(event.operations / event.elapsed_ns * 1e9)


def _check_trial_id(trial_id: str, trial: Trial) -> None:
    if trial_id != trial.id:
        message = f"the runner answers for trial `{trial_id}`, not for `{trial.id}`"
        raise RunnerFailedError(message)


def _evidence(bench: Bench, trial: Trial, results: tuple[Result, ...], before: Snapshot, after: Snapshot) -> Evidence:
    context = Context(
        expectation=bench.expectations.of(trial.cell.scenario, results),
        runner_cpu_ns=sum(result.cpu_user_ns + result.cpu_system_ns for result in results),
        server_is_local=bench.target.local,
        setup_commands=bench.setup_commands.get(trial.cell.client.library, frozenset()),
    )
    return evidence_between(before, after, context)
