"""Speaks the contract with one process (`harness/contract.md`); whatever fails is explained."""

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from pydantic import ValidationError

from respmark.contract.lines import Arrivals, KeepGoing, Line, Loaded, Moment, Samples, Started, Work, Worked
from respmark.contract.trial import RUNNERS_FIELDS, Endpoint, walkers
from respmark.errors import ClientLostServerError, RunnerFailedError, RunnerHungError, ServerError, UnsupportedError
from respmark.machine.sockets import Sockets
from respmark.redaction import conceal, redacted
from respmark.runners.protocol import HERE, NO_LOAD, HostLoad, Latencies, OnHost, Place, TrialRequest
from respmark.servers.control import Control
from respmark.servers.refusals import refusal
from respmark.servers.url import address
from respmark.specs.client_tables import COMMON_OPTIONS
from respmark.specs.limits import LIMITS
from respmark.workload.columns import commands_in
from respmark.workload.workload import first_commands

if TYPE_CHECKING:
    from respmark.runners.protocol import Process

CONTRACT: Final = 4
"""The version of the contract that it speaks."""
SAMPLES: Final = 1 << 18
"""How many latencies a runner has room for: 2 MiB, seconds of most scenarios."""
CROWD: Final = 50
"""A runner with more threads has four times the room: of those that wait for a connection, few get most turns."""
ECHO_BYTES: Final = 1_000_000
HEARD: Final = 300
"""The most characters of a library's words in a sentence."""


class Runner:
    """One runner process; it works on one trial after the other.

    Whatever waits does so for at most `limit_s`, and raises RunnerFailedError if the runner did not answer, ended, or
    said something else; UnsupportedError where this machine or server cannot do it.
    """

    _trial: TrialRequest

    def __init__(self, process: "Process", adapter: str = "", place: Place = HERE) -> None:
        """`adapter` is the file of the client's adapter, `place` is where the process is."""
        self.process = process
        self._adapter, self._place = adapter, place
        self._latencies: list[Latencies] = []
        """Of each slice that kept them."""
        self._is_used = False
        """It has had a trial."""
        self._keeps = False
        """Whether the slice under way does."""
        self._kept, self._walkers = 0, 1
        """Latencies in the storage of the walker that has most, and the number of walkers."""
        self._load = NO_LOAD
        self._commands = 0
        """Of the workload."""

    @property
    def host(self) -> OnHost | None:
        """Return which of several hosts it is on; None: this machine."""
        return self._place.on_host(self._load)

    def give(self, trial: TrialRequest) -> None:
        """Send it a trial of its client; nothing of the one before is left but what its library has compiled."""
        secret = trial.server.password
        conceal(secret.get_secret_value() if secret else None)
        self._trial, self._load = trial, NO_LOAD
        self._commands = commands_in(trial.workload)
        self._latencies, self._keeps, self._kept, self._walkers = [], False, 0, 1
        if self._is_used:
            self.process.forget_stderr()
        self._is_used = True  # what it printed before its first trial says why it could not begin
        self.send(json.dumps(_trial_line(trial, self._adapter, self._place.file(trial.workload))))

    def load(self, limit_s: float) -> Loaded:
        """Wait until the trial is loaded."""
        found: Loaded = self._line("loaded", limit_s)
        if found.contract != CONTRACT:
            raise self.failed(f"the runner implements contract {found.contract}, and respmark contract {CONTRACT}")
        settings = {name: redacted(one) if isinstance(one, str) else one for name, one in found.settings.items()}
        versions = {name: redacted(one) for name, one in found.versions.items()}
        return found.model_copy(update={"versions": versions, "settings": settings})

    def started(self, limit_s: float) -> Started:
        """Wait until a program that measures one start has done so."""
        found: Started = self._explained("started", limit_s)
        return found

    def connect(self, limit_s: float) -> None:
        """Let it open its connections."""
        self.send('{"connect": {}}')
        self._explained("connected", limit_s)

    def echo(self, commands: int, limit_s: float) -> list[Any]:
        """Return its replies to the workload's first commands."""
        self.send(json.dumps({"echo": {"first": self._firsts()[0], "commands": commands, "bytes": ECHO_BYTES}}))
        replies: list[Any] = self._explained("replies", limit_s)
        return replies

    def work(self, work: Work, at_ns: int | None = None) -> None:
        """Let it work for a slice; if it is gone, `worked` will show that.

        Runners of several hosts begin together, at a moment of this machine's clock; None: now.
        """
        self._keeps = work.keep
        order = work.model_dump(exclude_none=True) | {"first": self._firsts(work.first)}
        if work.arrivals is not None:
            order["arrivals"] |= self._own_arrivals(work.arrivals)
        self.process.write(json.dumps({"work": order}), at_ns)

    def _own_arrivals(self, arrivals: Arrivals) -> dict[str, Any]:
        """Return what the process's own units are, by its own clock."""
        own, at_ns = arrivals.own[self._trial.part], self._place.theirs(arrivals.at)
        return {"file": self._place.file(Path(own.file)), "lead_in": own.lead_in, "at": at_ns}

    def _firsts(self, first: int = 0) -> list[int]:
        """Return where each of its walkers begins, if the trial begins at a command."""
        trial = self._trial
        return first_commands(self._commands, trial.shape, trial.scenario, trial.part, first)

    def worked(self, limit_s: float) -> Worked:
        """Wait until the slice is over; raises RunnerFailedError if every unit of it failed."""
        found: Worked = self._explained("worked", limit_s)
        if self.process.exchange is not None:
            self._load += HostLoad.between(*self.process.exchange)
        errors = dict.fromkeys(map(redacted, found.errors), 0)
        for name, count in found.errors.items():
            errors[redacted(name)] += count
        first_error = found.first_error and redacted(found.first_error)
        if errors and not found.units:
            raise self.failed(lost(self._trial.server, first_error or ", ".join(errors)), ClientLostServerError)
        if self._keeps:
            self._kept, self._walkers = self._kept + max(found.measured, default=0), max(1, len(found.measured))
        moments = {name: self._ours(getattr(found, name)) for name in ("started", "measured_from", "ended")}
        return found.model_copy(update={**moments, "errors": errors, "first_error": first_error})

    def collect(self, limit_s: float) -> None:
        """Take over its latencies, if they fill half of its storage; called when no slice runs."""
        if self._kept * 2 > _room(self._trial) // self._walkers:
            self._take_over(limit_s)

    def samples(self, limit_s: float) -> list[Latencies]:
        """Return the latencies of each slice that kept them."""
        self._take_over(limit_s)
        return self._latencies

    def keep_going(self, order: KeepGoing) -> None:
        """Let it work as an application that keeps going; its files are where it sees them, its moments are its own."""
        self.send(json.dumps({"keep_going": {"first": self._firsts(), **order.model_dump()}}))

    def went(self, limit_s: float) -> None:
        """Wait until it is done with that."""
        self._line("went", limit_s)

    def next_line(self, limit_s: float) -> bytes:
        """Return the next line of standard output; raises RunnerFailedError if none comes within `limit_s`."""
        try:
            line = self.process.read(limit_s)
        except TimeoutError as error:
            self.kill()
            message = f"the runner hung: it printed nothing for {limit_s:.0f} s and was stopped"
            raise self.failed(message, RunnerHungError) from error
        if line is None:
            raise self._ended_early()
        return line

    def send(self, line: str) -> None:
        """Write one line to standard input; if the program is gone already, the next read notices."""
        self.process.write(line)

    def end(self, limit_s: float) -> None:
        """Close standard input, which makes the program close and end, and wait for its end."""
        code = self.process.end(limit_s)
        if code is None:
            raise self.failed(f"the runner did not exit within {limit_s:.0f} s of its result and was stopped")
        if code != 0:
            raise self.failed(f"the runner exited with code {code} after its result")

    def cpu_ns(self) -> int | None:
        """Return its CPU time since it started, as counted by something other than itself; None if not counted."""
        return self.process.cpu_ns()

    def threads_ns(self) -> dict[int, int] | None:
        """Return the CPU time of each of its threads since it started, by the kernel's count; None if not counted."""
        return self.process.threads_ns()

    def compiling_ns(self) -> int | None:
        """Return the kernel's CPU time of its compilers' threads that have not ended; None if not counted."""
        return self.process.compiling_ns()

    def sockets(self) -> list[Sockets] | None:
        """Return its connections to its server, as the kernel shows them; None if not known, or of a cluster."""
        server = self._trial.server
        return None if server.port is None or server.cluster else self.process.sockets(server.port)

    def keep_off(self, thread: int, server: int) -> bool:
        """Keep a thread off the CPUs of a server's process on its machine, if it has others; return whether it is."""
        return self.process.keep_off(thread, server)

    def peak_memory_bytes(self) -> int | None:
        """Return the largest resident set of its largest process, by the kernel's count; None if not known."""
        return self.process.peak_memory_bytes()

    def kill(self) -> None:
        """End it, if it is still running."""
        self.process.kill()

    def failed(self, message: str, kind: type[RunnerFailedError] = RunnerFailedError) -> RunnerFailedError:
        """Return the error that says so, with the last lines of standard error."""
        return kind(redacted(f"{self._place.prefix}{message}"), self.process.stderr)

    def _ours(self, moment: Moment) -> Moment:
        return moment._replace(at_ns=max(0, self._place.ours(moment.at_ns)))

    def _take_over(self, limit_s: float) -> None:
        self.send('{"samples": {}}')
        found: Samples = self._line("samples", limit_s)
        latencies = self._numbers(found.latencies)
        if self._trial.shape.rate is not None:
            due, lags = map(self._numbers, (found.due or "", found.lags or ""))
            if not len(latencies) == len(due) == len(lags):
                raise self.failed(
                    "the runner does not report when units were due (`due`, `lags`): does it lack an open loop?"
                )
            latencies = np.column_stack([latencies, due, lags])
        if len(latencies) != sum(found.counts):
            raise self.failed(
                f"the runner reports {len(latencies):,} latencies, but its counts add up to {sum(found.counts):,}"
            )
        self._latencies += np.split(latencies, np.cumsum(found.counts)[:-1]) if found.counts else []
        self._kept = 0

    def _numbers(self, text: str) -> Latencies:
        try:
            return np.frombuffer(base64.b64decode(text, validate=True), dtype="<f8")
        except ValueError as error:
            raise self.failed(f"the runner's latencies cannot be read: {error}") from error

    def _line(self, name: str, limit_s: float) -> Any:  # noqa: ANN401 - each line has its own type
        text = self.next_line(limit_s)
        try:
            line = Line.model_validate_json(text)
        except ValidationError as error:
            shown = redacted(text.decode(errors="replace"))[:200].rstrip()
            problem = error.errors()[0]["msg"]
            raise self.failed(
                f"the runner printed a line that the contract does not allow ({problem}): {shown}"
            ) from error
        if line.unsupported is not None:
            raise self.failed(line.unsupported, UnsupportedError)
        if (found := getattr(line, name)) is None:
            said = ", ".join(line.model_fields_set) or "nothing"
            raise self.failed(f"the runner printed `{said}` where `{name}` was expected")
        return found

    def _explained(self, name: str, limit_s: float) -> Any:  # noqa: ANN401 - as above
        """Return the next line; if the runner ended in place of it, say why its library did not get on."""
        try:
            return self._line(name, limit_s)
        except UnsupportedError:
            raise
        except RunnerFailedError as error:
            meaning = explain(self._trial.server, error.stderr[-1] if error.stderr else str(error))
            if meaning is None:
                raise
            raise self.failed(meaning, ClientLostServerError) from error

    def _ended_early(self) -> RunnerFailedError:
        code = self.process.ended()
        if code is None:
            return self.failed("the runner closed its standard output before its result and was stopped")
        if (why := self.process.why_it_ended(code)) is not None:
            return self.failed(why)
        how = f"was killed by signal {-code}" if code < 0 else f"exited with code {code}"
        last = self.process.stderr[-1] if self.process.stderr else "it printed nothing to standard error"
        return self.failed(f"the runner {how} before its result: {last}")


def explain(server: Endpoint, words: str) -> str | None:
    """Return why a library could not do its work; None if its own words do not say so, and the server is well."""
    if known := refusal(words, _shortened(words), server):
        return known
    try:
        with Control(server):
            return None
    except ServerError as error:
        return f"{error}; the runner said: {_shortened(words)}" if words else str(error)


def lost(server: Endpoint, words: str) -> str:
    """Return why no unit of a slice succeeded at a server; `words` are the first error's."""
    return explain(server, words) or (
        f"no unit of a slice succeeded at the server at {address(server)}, which answers now: {_shortened(words)}"
    )


def _room(trial: TrialRequest) -> int:
    return 4 * SAMPLES if walkers(trial.scenario, trial.shape) > CROWD else SAMPLES


def _shortened(words: str) -> str:
    return " ".join(words.split())[:HEARD]


def _trial_line(trial: TrialRequest, adapter: str, workload: str) -> dict[str, Any]:
    """Return the trial as a runner reads it; the password is in it."""
    client = trial.client
    options = {name: value for name, value in client.options.items() if name not in {*COMMON_OPTIONS, LIMITS}}
    limits = {} if trial.limits is None else {LIMITS: trial.limits}
    return {
        "client": client.library,
        "adapter": adapter,
        "options": {**options, **limits},
        "scenario": trial.scenario,
        "shape": trial.shape.model_dump(mode="json", exclude_none=True, include=set(RUNNERS_FIELDS)),
        "workload": workload,
        "samples": _room(trial),
        "open": trial.shape.rate is not None,
        "server": trial.server.model_dump(mode="json"),
    }
