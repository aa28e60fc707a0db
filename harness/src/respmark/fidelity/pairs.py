"""Measures one trial by the suite's runner and by its bare loop, in turn."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pydantic import ValidationError

from respmark.contract.base import Message, PositiveCount
from respmark.contract.trial import TrialRequest
from respmark.errors import RespmarkError
from respmark.execute.local import LocalProcess, start_program
from respmark.execute.protocol import RunnerFailedError
from respmark.placement import placed
from respmark.plan.trial import Trial
from respmark.records import Status
from respmark.redaction import redacted
from respmark.run.measure import END_LIMIT_S, START_LIMIT_S, WINDOW_GRACE_S, Bench, measure, request_for
from respmark.specs.runner import RunnerSpec
from respmark.target.guardian import Guardian

NANOSECONDS: Final = 1e9


class BareResult(Message):
    """What a bare loop prints."""

    operations: PositiveCount
    elapsed_ns: PositiveCount
    cpu_ns: PositiveCount


@dataclass(frozen=True)
class Speed:
    """One measurement, by either."""

    rps: float
    cpu_us_per_command: float


@dataclass(frozen=True)
class Ratios:
    """The suite's figures divided by the bare loop's, or a container's by those of a process here, of one pair."""

    rps: float
    cpu_per_command: float


class FidelityError(RespmarkError):
    """A measurement of a pair failed."""


def measure_pair(bench: Bench, trial: Trial, bare: Callable[[TrialRequest], Speed], *, suite_first: bool) -> Ratios:
    """Measure both, one after the other, each from the same state of the database.

    Raises:
        FidelityError: one of them failed.
    """
    if suite_first:
        ours, theirs = _by_suite(bench, trial), _by_bare_loop(bench, trial, bare)
    else:
        theirs, ours = _by_bare_loop(bench, trial, bare), _by_suite(bench, trial)
    return Ratios(ours.rps / theirs.rps, ours.cpu_us_per_command / theirs.cpu_us_per_command)


def measure_places(local: Bench, docker: Bench, trial: Trial, *, local_first: bool) -> Ratios:
    """Measure the same trial here and in a container, one after the other; return the container's share.

    Raises:
        FidelityError: one of them failed.
    """
    if local_first:
        here, there = _by_suite(local, trial), _by_suite(docker, trial)
    else:
        there, here = _by_suite(docker, trial), _by_suite(local, trial)
    return Ratios(there.rps / here.rps, there.cpu_us_per_command / here.cpu_us_per_command)


def _by_suite(bench: Bench, trial: Trial) -> Speed:
    outcome = measure(bench, trial, lambda _figure: None)
    if outcome.status is not Status.OK:
        message = f"{trial.id}: {outcome.reason}"
        raise FidelityError(message)
    result = outcome.results[0]
    cpu_ns = result.cpu_user_ns + result.cpu_system_ns
    return Speed(result.operations / result.elapsed_ns * NANOSECONDS, cpu_ns / result.operations / 1e3)


def _by_bare_loop(bench: Bench, trial: Trial, bare: Callable[[TrialRequest], Speed]) -> Speed:
    bench.state.restore(bench.target)
    return bare(request_for(bench, trial, part=0))


class BareLoops:
    """Starts the bare loops that live beside the runners."""

    def __init__(self, runners: dict[str, RunnerSpec], guardian: Guardian, cpus: str | None = None) -> None:
        """`cpus`: the only ones that loops may use."""
        self._runners = runners
        self._guardian = guardian
        self._cpus = cpus

    def for_trial(self, trial: Trial) -> Callable[[TrialRequest], Speed]:
        """Return what measures this trial by its bare loop."""
        client = trial.cell.client
        command = self._runners[client.runner].bare_for(client.environment, client.library)
        return lambda request: self._run(command, request)

    def _run(self, command: list[str], request: TrialRequest) -> Speed:
        process = LocalProcess(self._start(command), self._guardian)
        try:
            process.send(request.model_dump_json())
            process.next_line(START_LIMIT_S + request.warmup_s)
            process.go()
            result = _parsed(process.next_line(request.measure_s + WINDOW_GRACE_S))
            process.wait(END_LIMIT_S)
        except RunnerFailedError as error:
            message = f"the bare loop {' '.join(command)}: {error}"
            raise FidelityError(message) from error
        finally:
            process.kill()
        return Speed(result.operations / result.elapsed_ns * NANOSECONDS, result.cpu_ns / result.operations / 1e3)

    def _start(self, command: list[str]) -> "subprocess.Popen[bytes]":
        try:
            with placed(self._cpus):
                return start_program(command)
        except OSError as error:
            message = f"the bare loop {command[0]} does not start: {error.strerror}; run `make setup`"
            raise FidelityError(message) from error


def _parsed(line: bytes) -> BareResult:
    try:
        return BareResult.model_validate_json(line)
    except (ValidationError, json.JSONDecodeError) as error:
        message = f"the bare loop printed {redacted(line.decode(errors='replace'))[:200]!r}"
        raise FidelityError(message) from error
