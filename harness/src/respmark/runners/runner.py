"""Starts a runner, drives it by the lines of `harness/contract.md`, and ends it; whatever fails is explained."""

import base64
import contextlib
import json
import os
import queue
import subprocess
import threading
from collections import deque
from collections.abc import Collection
from typing import IO, Any, Final

import numpy as np
from pydantic import ValidationError

from respmark import paths
from respmark.contract.lines import Line, Loaded, Samples, Started, Work, Worked
from respmark.contract.trial import RUNNERS_FIELDS, Endpoint, walkers
from respmark.errors import RunnerFailedError, TargetError, UnsupportedError
from respmark.machine.guardian import Guardian
from respmark.machine.kernel import (
    named_threads_cpu_ns,
    peak_memory_bytes,
    process_cpu_ns,
    threads_cpu_ns,
)
from respmark.machine.cpus import keep_off
from respmark.machine.process_group import await_end, end_child, reap
from respmark.machine.sockets import Sockets, sockets_to
from respmark.redaction import conceal, redacted
from respmark.runners.protocol import Latencies, TrialRequest
from respmark.servers.control import Control
from respmark.servers.refusals import refusal
from respmark.servers.url import address
from respmark.specs.client import COMMON_OPTIONS

CONTRACT: Final = 3
SAMPLES: Final = 1 << 18
"""How many latencies a runner has room for: 2 MiB, seconds of most scenarios."""
CROWD: Final = 50
"""A runner with more threads has four times the room: of those that wait for a connection, few get most turns."""
ECHO_BYTES: Final = 1_000_000
HEARD: Final = 300
"""The most characters of a library's words in a sentence."""
TARGET_LOST_EXIT: Final = 4
"""Stands for the exit code of a runner whose server refused it or was lost."""
HUNG_EXIT: Final = 124
"""The same for a runner that was ended because it did not answer, as the program `timeout` has it."""
ENDING_LIMIT_S: Final = 1.0
"""From the end of a runner's output to its own end."""
READING_LIMIT_S: Final = 10.0
"""From a program's end to the last of what it printed, which something that it left behind may hold open."""
STDERR_LINES: Final = 20
STDERR_LENGTH: Final = 1000
LINE_LIMIT: Final = 16 * 1024 * 1024
"""No answer is this long; a longer line is garbage."""
END: Final = None


def runner_environment() -> dict[str, str]:
    """Return the environment for runners: ours, without the target's password, and set-up's programs first on PATH."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RESPMARK_TARGET")}
    return kept | {"PATH": f"{paths.build() / 'bin'}{os.pathsep}{kept.get('PATH', os.defpath)}"}


class LocalRunner:
    """One runner process, see `Runner`; threads that sleep in the kernel read its output."""

    _trial: TrialRequest

    def __init__(
        self, command: list[str], guardian: Guardian, compilers: Collection[str] = (), adapter: str = ""
    ) -> None:
        """Start it, in its own process group; raises OSError if that cannot be done."""
        self._process = process = subprocess.Popen(  # noqa: S603 - the command comes from a spec
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            env=runner_environment(),
        )
        self._guardian = guardian
        self._compilers = compilers
        self._adapter = adapter
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._stderr: deque[str] = deque(maxlen=STDERR_LINES)
        guardian.protect("process", process.pid)
        self._readers = [
            threading.Thread(target=self._read_lines, args=(process.stdout,), daemon=True),
            threading.Thread(target=self._read_errors, args=(process.stderr,), daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        self._latencies: list[Latencies] = []
        """Of each slice that kept them."""
        self._is_used = False
        """It has had a trial."""
        self._keeps = False
        """Whether the slice under way does."""
        self._kept, self._walkers = 0, 1
        """Latencies in the storage of the walker that has most, and the number of walkers."""

    @property
    def host(self) -> None:
        """Return None: it is on this machine."""

    def give(self, trial: TrialRequest) -> None:
        """Give it a trial; nothing of the one before is left but what its library has compiled."""
        secret = trial.target.password
        conceal(secret.get_secret_value() if secret else None)  # an agent's process knows no other password
        self._trial = trial
        self._latencies, self._keeps, self._kept, self._walkers = [], False, 0, 1
        if self._is_used:
            self._stderr.clear()
        self._is_used = True  # what it printed before its first trial says why it could not begin
        self.send(_trial_line(trial, self._adapter))

    def load(self, limit_s: float) -> Loaded:
        """Wait until the trial is loaded."""
        found: Loaded = self._line("loaded", limit_s)
        if found.contract != CONTRACT:
            raise self.failed(f"the runner implements contract {found.contract}, this harness {CONTRACT}")
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
        self.send(json.dumps({"echo": {"commands": commands, "bytes": ECHO_BYTES}}))
        replies: list[Any] = self._explained("replies", limit_s)
        return replies

    def work(self, work: Work, _at_ns: int | None = None) -> None:
        """Let it work for a slice, now: only runners of several hosts wait for each other."""
        self._keeps = work.keep
        self.send(json.dumps({"work": work.model_dump(exclude_none=True)}))

    def worked(self, limit_s: float) -> Worked:
        """Wait until the slice is over; one of nothing but errors ends the trial."""
        found: Worked = self._explained("worked", limit_s)
        errors = dict.fromkeys(map(redacted, found.errors), 0)
        for name, count in found.errors.items():
            errors[redacted(name)] += count
        first_error = found.first_error and redacted(found.first_error)
        if errors and not found.units:
            raise self.failed(lost(self._trial.target, first_error or ", ".join(errors)), TARGET_LOST_EXIT)
        if self._keeps:
            self._kept, self._walkers = self._kept + max(found.measured, default=0), max(1, len(found.measured))
        return found.model_copy(update={"errors": errors, "first_error": first_error})

    def collect(self, limit_s: float) -> None:
        """Take over its latencies, if they fill half of the storage."""
        if self._kept * 2 > _room(self._trial) // self._walkers:
            self._take_over(limit_s)

    def samples(self, limit_s: float) -> list[Latencies]:
        """Return the latencies of each slice that kept them."""
        self._take_over(limit_s)
        return self._latencies

    def next_line(self, limit_s: float) -> bytes:
        """Return the next line of standard output; raises RunnerFailedError if none comes within `limit_s`."""
        try:
            line = self._lines.get(timeout=limit_s)
        except queue.Empty as error:
            self.kill()
            message = f"the runner hung: it printed nothing for {limit_s:.0f} s and was stopped"
            raise self.failed(message, HUNG_EXIT) from error
        if line is END:
            raise self._ended_early()
        return line

    def send(self, line: str) -> None:
        """Write one line to standard input; if the program is gone already, the next read notices."""
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.write(line.encode() + b"\n")
                self._process.stdin.flush()

    def end(self, limit_s: float) -> None:
        """Close standard input, which makes the program close and end, and wait for its end."""
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
        if not await_end(self._process, limit_s):
            self.kill()
            raise self.failed(f"the runner did not exit within {limit_s:.0f} s of its result and was stopped")
        code = reap(self._process)
        self._close()
        if code != 0:
            raise self.failed(f"the runner exited with code {code} after its result", code)

    def cpu_ns(self) -> int | None:
        """Return the CPU time that the kernel counts for the process."""
        return process_cpu_ns(self._process.pid)

    def threads_ns(self) -> dict[int, int] | None:
        """Return the CPU time that the kernel counts for each thread."""
        return threads_cpu_ns(self._process.pid)

    def compiling_ns(self) -> int | None:
        """Return the CPU time that the kernel counts for its compilers' threads."""
        pids = self._pids() if self._compilers else []
        return named_threads_cpu_ns(pids, self._compilers) if pids else None

    def sockets(self) -> list[Sockets] | None:
        """Return its connections, as the kernel shows them; None with a unix socket."""
        port = self._trial.target.port
        return None if port is None else sockets_to(self._process.pid, port)

    def keep_off(self, thread: int, server: int) -> bool:
        """Keep a thread off the CPUs of a server's process."""
        return keep_off(thread, server)

    def _pids(self) -> list[int]:
        return [self._process.pid]

    def peak_memory_bytes(self) -> int | None:
        """Return the peak memory of its largest process, by the kernel's count."""
        return max(filter(None, map(peak_memory_bytes, self._pids())), default=None)

    def kill(self) -> None:
        """End the process and its group, if it is still running."""
        end_child(self._process)
        self._close()

    def failed(self, message: str, code: int | None = None) -> RunnerFailedError:
        """Return the error that says so, with the last lines of standard error."""
        return RunnerFailedError(redacted(message), code, tuple(self._stderr))

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
            raise UnsupportedError(redacted(line.unsupported))
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
            meaning = explain(self._trial.target, error.stderr[-1] if error.stderr else str(error))
            if meaning is None:
                raise
            raise RunnerFailedError(meaning, TARGET_LOST_EXIT, error.stderr) from error

    def _ended_early(self) -> RunnerFailedError:
        if not await_end(self._process, ENDING_LIMIT_S):
            self.kill()
            return self.failed("the runner closed its standard output before its result and was stopped")
        code = reap(self._process)
        self._close()
        how = f"was killed by signal {-code}" if code < 0 else f"exited with code {code}"
        last = self._stderr[-1] if self._stderr else "it printed nothing to standard error"
        return self.failed(f"the runner {how} before its result: {last}", code)

    def _close(self) -> None:
        self._guardian.release("process", self._process.pid)
        for reader in self._readers:
            reader.join(timeout=READING_LIMIT_S)
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()

    def _read_lines(self, stream: IO[bytes]) -> None:
        with stream:
            while line := stream.readline(LINE_LIMIT):
                self._lines.put(line)
        self._lines.put(END)

    def _read_errors(self, stream: IO[bytes]) -> None:
        with stream:
            while line := stream.readline(LINE_LIMIT):
                # Redacted before it is cut: half a password at the cut would not be found.
                if text := redacted(line.decode(errors="replace").rstrip()):
                    self._stderr.append(text[:STDERR_LENGTH])
                while len(line) == LINE_LIMIT and not line.endswith(b"\n"):
                    line = stream.readline(LINE_LIMIT)


def explain(target: Endpoint, words: str) -> str | None:
    """Return why a library could not do its work; None if its own words do not say so, and the server is well."""
    if known := refusal(words, _shortened(words), target):
        return known
    try:
        with Control(target):
            return None
    except TargetError as error:
        return f"{error}; the runner said: {_shortened(words)}" if words else str(error)


def lost(target: Endpoint, words: str) -> str:
    """Return why no unit of a slice succeeded at a server; `words` are the first error's."""
    return explain(target, words) or (
        f"no unit of a slice succeeded at the target at {address(target)}, which answers now: {_shortened(words)}"
    )


def _room(trial: TrialRequest) -> int:
    return 4 * SAMPLES if walkers(trial.scenario, trial.shape) > CROWD else SAMPLES


def _shortened(words: str) -> str:
    return " ".join(words.split())[:HEARD]


def _trial_line(trial: TrialRequest, adapter: str) -> str:
    """Return the trial as a runner reads it; the password is in it."""
    client = trial.client
    return json.dumps(
        {
            "client": client.library,
            "adapter": adapter,
            "options": {name: value for name, value in client.options.items() if name not in COMMON_OPTIONS},
            "scenario": trial.scenario,
            "shape": trial.shape.model_dump(mode="json", exclude_none=True, include=set(RUNNERS_FIELDS)),
            "workload": str(trial.workload),
            "part": trial.part,
            "parts": trial.shape.processes,
            "samples": _room(trial),
            "open": trial.shape.rate is not None,
            "target": trial.target.model_dump(mode="json"),
        }
    )
