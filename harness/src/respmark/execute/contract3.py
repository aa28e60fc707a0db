"""Drives a runner by the lines of `harness/contract.md`, and passes on what it says as events.

Whatever is the same in every language is done here: replies are checked, latencies folded, failures explained.
"""

import base64
import json
import time
from collections import deque
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from pydantic import ValidationError

from respmark.contract.base import SCHEMA_VERSION
from respmark.contract.events import (
    Connect,
    Finish,
    Latency,
    Loaded,
    Ready,
    Result,
    Segment,
    Slice,
    SliceOrder,
    Work,
)
from respmark.contract.lines import BaredLine, Line, LoadedLine, SamplesLine, WorkedLine, moment
from respmark.contract.trial import TrialRequest
from respmark.errors import RunnerFailedError
from respmark.execute.explain import explain, lost
from respmark.execute.process import LocalProcess
from respmark.execute.protocol import RunnerEvent, RunnerOrder
from respmark.execute.secrets import without_secrets
from respmark.histogram import folded
from respmark.redaction import redacted
from respmark.specs.client import ClientSpec
from respmark.specs.scenario import commands_per_unit, sample_covers
from respmark.workload import file as workload_file
from respmark.workload.replies import Replies
from respmark.workload.walk import first_commands

CONTRACT: Final = 3
SAMPLES: Final = 1 << 18
"""How many latencies a runner has room for: 2 MiB, seconds of most scenarios."""
ECHO_BYTES: Final = 1_000_000
UNSUPPORTED_EXIT: Final = 3
TARGET_LOST_EXIT: Final = 4
"""What records have as the exit code of a runner that said so."""


def trial_line(request: TrialRequest, adapter: str, workload: str) -> str:
    """Return the trial as a runner reads it; the password is in it."""
    target = request.target.model_dump(mode="json")
    shape = request.shape.model_dump(mode="json", exclude_none=True, exclude={"processes"})
    return json.dumps(
        {
            "client": request.client.library,
            "adapter": adapter,
            "options": request.client.options,
            "scenario": request.scenario,
            "shape": shape,
            "workload": workload,
            "part": request.workload.part,
            "parts": request.workload.parts,
            "samples": SAMPLES,
            "target": target,
        }
    )


@lru_cache(maxsize=4)
def _replies(path: str) -> Replies:
    return Replies(workload_file.read(Path(path)))


def beside(workload: str) -> str:
    """Return where the workload's columns are written, which runners read."""
    return str(Path(workload).with_suffix(".columns"))


class Contract3Process:
    """One runner at work on one trial."""

    def __init__(self, process: LocalProcess, request: TrialRequest, spec: ClientSpec, workload: str) -> None:
        """`workload` is the file's path as the runner sees it."""
        self._process = process
        self._request = request
        self._spec = spec
        self._loaded_line = LoadedLine(contract=CONTRACT, versions={})
        self._replies: list[Any] = []
        self._due: deque[Callable[[float], RunnerEvent]] = deque([self._loaded])
        """What the runner has been asked for and has not answered."""
        self._kept = 0
        """Latencies in the storage of the walker that has most."""
        self._latencies: list[npt.NDArray[np.float64]] = []
        """Of each kept slice."""
        self._started_ns = time.monotonic_ns()
        process.send(trial_line(request, spec.adapter_of(request.client.version), workload))

    def next_event(self, limit_s: float) -> RunnerEvent:
        """Return the next event; see `RunnerProcess`."""
        event = self._due[0](limit_s)
        self._due.popleft()
        return without_secrets(event)

    def order(self, order: RunnerOrder) -> None:
        """Pass an order on; see `RunnerProcess`."""
        match order:
            case Connect():
                self._due.append(self._ready)
                self._started_ns = time.monotonic_ns()
                self._process.send('{"connect": {}}')
            case SliceOrder():
                self._due.append(lambda limit_s: self._slice(order, limit_s))
                fields = {
                    "first": order.first_command,
                    "lead_in_ns": order.lead_in_ns,
                    "ns": order.duration_ns,
                    "keep": order.keep_samples,
                }
                self._process.send(json.dumps({"work": fields}))
            case Finish():
                self._due.append(self._result)
                self._process.send('{"samples": {}}')

    def collect(self, limit_s: float) -> None:
        """Fetch the latencies if they fill half of the storage; no slice runs."""
        if self._kept * 2 > SAMPLES // self._walkers:
            self._process.send('{"samples": {}}')
            self._keep(limit_s)

    def bare(self, first_command: int, duration_ns: int, limit_s: float) -> BaredLine:
        """Let its bare loop work from this command on.

        Raises:
            RunnerFailedError: it did not answer within `limit_s`.
        """
        self._process.send(json.dumps({"bare": {"first": first_command, "ns": duration_ns}}))
        found: BaredLine = self._explained("bared", limit_s)
        return found

    def wait(self, limit_s: float) -> None:
        """Let it close, and wait for its orderly end; see `RunnerProcess`."""
        self._process.wait(limit_s)

    def cpu_ns(self) -> int | None:
        """Ask the process."""
        return self._process.cpu_ns()

    def threads_ns(self) -> dict[int, int] | None:
        """Ask the process."""
        return self._process.threads_ns()

    def compiling_ns(self) -> int | None:
        """Ask the process."""
        return self._process.compiling_ns()

    def peak_memory_bytes(self) -> int | None:
        """Ask the process."""
        return self._process.peak_memory_bytes()

    def kill(self) -> None:
        """End it, if it is still running."""
        self._process.kill()

    @property
    def _firsts(self) -> list[int]:
        return self._begin(0)

    def _begin(self, first: int) -> list[int]:
        request = self._request
        shape = request.shape.model_copy(update={"processes": request.workload.parts})
        commands = _replies(request.workload.path).commands
        return first_commands(commands, shape, request.scenario, request.workload.part, first)

    @property
    def _walkers(self) -> int:
        return len(self._firsts)

    def _line(self, name: str, limit_s: float) -> Any:  # noqa: ANN401 - each line has its own type
        """Return the fields of the next line, which must have this name."""
        line = parsed(self._process, self._process.next_line(limit_s))
        if line.unsupported is not None:
            raise RunnerFailedError(line.unsupported, UNSUPPORTED_EXIT, (line.unsupported,))
        if (found := getattr(line, name)) is None:
            said = ", ".join(line.model_fields_set) or "nothing"
            raise self._process.failed(f"the runner said `{said}` where `{name}` was due")
        return found

    def _explained(self, name: str, limit_s: float) -> Any:  # noqa: ANN401 - as above
        """Return the next line; if the runner ended in place of it, say why its library did not get on."""
        try:
            return self._line(name, limit_s)
        except RunnerFailedError as error:
            meaning = explain(self._request.target, error.stderr[-1] if error.stderr else str(error))
            code = TARGET_LOST_EXIT if meaning else error.runner_exit_code
            raise RunnerFailedError(meaning or str(error), code, error.stderr) from error

    def _loaded(self, limit_s: float) -> Loaded:
        self._loaded_line = self._line("loaded", limit_s)
        startup_ns = time.monotonic_ns() - self._started_ns
        return Loaded(schema_version=SCHEMA_VERSION, trial_id=self._request.trial_id, startup_ns=startup_ns)

    def _ready(self, limit_s: float) -> Ready:
        self._explained("connected", limit_s)
        connect_ns = time.monotonic_ns() - self._started_ns
        if self._request.verify_commands:
            echo = {"commands": self._request.verify_commands, "bytes": ECHO_BYTES}
            self._process.send(json.dumps({"echo": echo}))
            self._replies = self._explained("replies", limit_s)
            if wrong := self._wrong():
                raise self._process.failed(wrong)
        return Ready(trial_id=self._request.trial_id, connect_ns=connect_ns, verified_replies=len(self._replies))

    def _wrong(self) -> str | None:
        per_unit = commands_per_unit(self._request.scenario, self._request.shape)
        if not self._replies or len(self._replies) % per_unit:
            sent = -(-max(1, len(self._replies)) // per_unit) * per_unit
            return f"{sent} commands were sent, {len(self._replies)} replies came: the client lost count"
        return _replies(self._request.workload.path).wrong(self._firsts[0], self._replies)

    def _slice(self, order: SliceOrder, limit_s: float) -> Slice:
        found: WorkedLine = self._explained("worked", limit_s)
        firsts = self._begin(order.first_command)
        if not len(found.lead_in) == len(found.measured) == len(firsts):
            raise self._process.failed(f"the runner counts {len(found.measured)} walkers, the trial has {len(firsts)}")
        per_unit = commands_per_unit(self._request.scenario, self._request.shape)
        units = [sum(both) for both in zip(found.lead_in, found.measured, strict=True)]
        if not sum(units) and found.errors:
            meaning = lost(self._request.target, found.first_error or ", ".join(found.errors))
            raise self._process.failed(meaning, TARGET_LOST_EXIT)
        if order.keep_samples:
            self._kept += max(found.measured)
        return Slice(
            trial_id=self._request.trial_id,
            slice=order.slice,
            started=moment(found.started),
            measured_from=moment(found.measured_from),
            ended=moment(found.ended),
            lead_in=Work(operations=sum(found.lead_in) * per_unit, units=sum(found.lead_in)),
            measured=Work(operations=sum(found.measured) * per_unit, units=sum(found.measured)),
            segments=[
                Segment(first_command=first, operations=count * per_unit)
                for first, count in zip(firsts, units, strict=True)
            ],
            errors=found.errors,
            first_error=found.first_error,
            local_cache=None if found.cache is None else found.cache.local_cache,
        )

    def _keep(self, limit_s: float) -> None:
        """Keep the latencies that the runner has been asked for."""
        found: SamplesLine = self._line("samples", limit_s)
        try:
            latencies = np.frombuffer(base64.b64decode(found.latencies, validate=True), dtype="<f8")
        except ValueError as error:
            raise self._process.failed(f"the runner's latencies cannot be read: {error}") from error
        if len(latencies) != sum(found.counts):
            said = f"the runner handed over {len(latencies):,} latencies, and counts {sum(found.counts):,}"
            raise self._process.failed(said)
        if found.dropped:
            said = f"the runner dropped {found.dropped:,} latencies, for which it had no room: make the slices shorter"
            raise self._process.failed(said)
        self._latencies += np.split(latencies, np.cumsum(found.counts)[:-1]) if found.counts else []
        self._kept = 0

    def _result(self, limit_s: float) -> Result:
        self._keep(limit_s)
        request, every = self._request, np.concatenate([np.empty(0), *self._latencies])
        return Result(
            schema_version=SCHEMA_VERSION,
            trial_id=request.trial_id,
            latency=Latency(
                sample_covers=sample_covers(request.scenario, request.shape),
                histogram=list(folded(every)),
                max_ns=int(every.max(initial=0)),
            ),
            peak_memory_bytes=self._process.peak_memory_bytes() or 0,
            decodes_to=_replies(request.workload.path).decoded_to(self._replies) or "bytes",
            runtime_health={},
            runtime_settings=self._loaded_line.settings,
            versions=self._loaded_line.versions,
        )


def parsed(process: LocalProcess, line: bytes) -> Line:
    """Return a line that the runner printed.

    Raises:
        RunnerFailedError: it is not in the contract.
    """
    try:
        return Line.model_validate_json(line)
    except ValidationError as error:
        shown = redacted(line.decode(errors="replace"))[:200].rstrip()
        problem = error.errors()[0]["msg"]
        message = f"the runner printed something that is not in the contract ({problem}): {shown}"
        raise process.failed(message) from error
