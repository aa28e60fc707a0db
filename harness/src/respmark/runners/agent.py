"""The agent of a host: starts runners' processes there, carries their lines, and reads the host's counters.

It knows nothing of what the lines say, nor of what carries the calls: whoever can make an object on another host and
call it can use it. Every argument and result is plain data that can be pickled, and no error leaves it but as data.
"""

import platform
import socket
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from respmark import __version__
from respmark.errors import NothingRanError, RespmarkError, RunnerMissingError
from respmark.machine.description import Machine, this_machine
from respmark.machine.guardian import Guardian, guarded_folder
from respmark.machine.limits import allow_many_connections
from respmark.machine.lock import check_free, lock_path, only_run
from respmark.machine.process import LocalProcess, Usage
from respmark.redaction import conceal
from respmark.runners.local import LocalExecutor
from respmark.runners.protocol import TrialRequest
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client

BOOT: Final = Path("/proc/sys/kernel/random/boot_id")
"""Differs on every machine, and after every start of one."""


@dataclass(frozen=True)
class HostFacts:
    """What a host says of itself."""

    name: str
    """As the host calls itself."""
    machine_id: str
    """The same for two agents on one machine."""
    machine: Machine
    respmark_version: str
    python: str
    folder: str
    """Where files of the run are put there."""


@dataclass(frozen=True)
class Failure:
    """An error of a call."""

    words: str
    is_missing: bool = False
    """A runner's program is not there; else anything."""


@dataclass(frozen=True)
class AgentReply:
    """The result of a call, and the host's clock when it was made."""

    value: Any = None
    failure: Failure | None = None
    at_ns: int = 0


@dataclass(frozen=True)
class Heard:
    """What came of waiting for a line of a process, with what is known of the process right after."""

    line: bytes | None
    """None: its output has ended, or nothing came in time."""
    came_in_time: bool
    stderr: tuple[str, ...]
    usage: Usage


def machine_id() -> str:
    """Return what tells this machine from every other one."""
    try:
        return BOOT.read_text(encoding="ascii").strip()
    except OSError:
        return socket.gethostname()


def why_not_now() -> str | None:
    """Return why no run can begin on this machine now; None if one can."""
    try:
        check_free(lock_path())
    except NothingRanError as error:
        return str(error)
    return None


class Agent:
    """What a run has on a host; it ends what it started when it is closed, or when its process ends."""

    def __init__(self, *, takes_lock: bool) -> None:
        """Open it; one agent of each machine takes the machine's lock, unless the command itself has it.

        Raises NothingRanError if another run is measuring on this host.
        """
        self._stack = ExitStack()
        if takes_lock:
            self._stack.enter_context(only_run(lock_path()))
        allow_many_connections()
        catalogue = Catalogue()
        guardian = Guardian()
        self._stack.callback(guardian.close)
        self._folder = self._stack.enter_context(guarded_folder(guardian))
        self._executor = self._stack.enter_context(LocalExecutor(catalogue.runners, catalogue.every_client, guardian))
        self._processes: dict[int, LocalProcess] = {}
        self._ordered: dict[int, threading.Thread] = {}

    def __del__(self) -> None:
        """End what is left when whatever carries the calls lets go of it, because the command is gone.

        Threads that read from runners would keep those, and the guardian, for ever.
        """
        self._stack.close()

    def facts(self) -> AgentReply:
        """Return what the host says of itself."""
        facts = HostFacts(
            name=socket.gethostname(),
            machine_id=machine_id(),
            machine=this_machine(),
            respmark_version=__version__,
            python=platform.python_version(),
            folder=str(self._folder),
        )
        return _answered(lambda: facts)

    def clock(self) -> AgentReply:
        """Return the host's clock."""
        return _answered(lambda: None)

    def has(self, name: str) -> AgentReply:
        """Return whether a file is here; `name` begins with its hash."""
        return _answered((self._folder / name).is_file)

    def put(self, name: str, content: bytes) -> AgentReply:
        """Write a file."""

        def write() -> None:
            part = self._folder / f"{name}.part"
            part.write_bytes(content)
            part.rename(self._folder / name)

        return _answered(write)

    def missing(self, client: Client) -> AgentReply:
        """Return why a client cannot be started here; None if it can."""
        return _answered(lambda: self._executor.missing(client))

    def start(self, number: int, request: TrialRequest) -> AgentReply:
        """Start the process of a runner, which has this number from now on."""
        secret = request.server.password
        conceal(secret.get_secret_value() if secret else None)  # this process knows no other password

        def start() -> None:
            self._processes[number] = self._executor.started(request)

        return _answered(start)

    def write(self, number: int, line: str, at_ns: int | None) -> AgentReply:
        """Write a line to a process at a moment of this host's clock, None: now; return its usage before that."""
        process = self._processes[number]
        usage = process.usage()
        if at_ns is None:
            process.write(line)
        else:
            # In a thread of its own: the other processes of this host get theirs at the same moment.
            ordered = self._ordered[number] = threading.Thread(
                target=_write_at, args=(process, line, at_ns), daemon=True
            )
            ordered.start()
        return _answered(lambda: usage)

    def read(self, number: int, limit_s: float) -> AgentReply:
        """Wait for a line of a process."""
        process, line, came_in_time = self._processes[number], None, True
        if (ordered := self._ordered.pop(number, None)) is not None:
            ordered.join()
        try:
            line = process.read(limit_s)
        except TimeoutError:
            came_in_time = False
        heard = Heard(line, came_in_time, tuple(process.stderr), process.usage())
        return _answered(lambda: heard)

    def call(self, number: int, method: str, *arguments: Any) -> AgentReply:  # noqa: ANN401 - each has its own types
        """Call any other method of a process; return what it returns, and the last lines of its standard error."""
        process = self._processes[number]
        return _answered(lambda: (getattr(process, method)(*arguments), tuple(process.stderr)))

    def forget(self, number: int) -> AgentReply:
        """End a process, if it is still running."""
        process = self._processes.pop(number, None)
        return _answered(lambda: None if process is None else process.kill())

    def close(self) -> AgentReply:
        """End everything that was started here, and remove every file."""
        return _answered(self._stack.close)


def _write_at(process: LocalProcess, line: str, at_ns: int) -> None:
    time.sleep(max(0, at_ns - time.monotonic_ns()) / 1e9)
    process.write(line)


def _answered(call: Callable[[], Any]) -> AgentReply:
    """Return what a call returns, or what it raised, with the clock in between."""
    try:
        value = call()
    except (RespmarkError, OSError) as error:
        failure = Failure(str(error), isinstance(error, RunnerMissingError))
        return AgentReply(failure=failure, at_ns=time.monotonic_ns())
    return AgentReply(value, at_ns=time.monotonic_ns())
