"""One program that we started: lines in and out, what the kernel counts for it, and its end with all of its group."""

import contextlib
import os
import queue
import subprocess
import threading
import time
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import IO, Final

from respmark import paths
from respmark.machine.cpus import keep_off
from respmark.machine.guardian import Guardian
from respmark.machine.kernel import (
    MachineCpu,
    machine_cpu,
    named_threads_cpu_ns,
    peak_memory_bytes,
    process_cpu_ns,
    threads_cpu_ns,
)
from respmark.machine.process_group import await_end, end_child, reap
from respmark.machine.sockets import Sockets, sockets_to
from respmark.redaction import redacted

ENDING_LIMIT_S: Final = 1.0
"""From the end of a program's output to its own end."""
READING_LIMIT_S: Final = 10.0
"""From a program's end to the last of what it printed, which something that it left behind may hold open."""
STDERR_LINES: Final = 20
STDERR_LENGTH: Final = 1000
LINE_LIMIT: Final = 16 * 1024 * 1024
"""No answer is this long; a longer line is garbage."""
END: Final = None


def runner_environment() -> dict[str, str]:
    """Return the environment for runners: ours, without the server's password, and set-up's programs first on PATH."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RESPMARK_SERVER")}
    return kept | {"PATH": f"{paths.build() / 'bin'}{os.pathsep}{kept.get('PATH', os.defpath)}"}


@dataclass(frozen=True)
class Usage:
    """What the kernel has counted for a program and its machine, at one moment; None: it does not say."""

    at_ns: int
    cpu_ns: int | None
    threads_ns: dict[int, int] | None
    compiling_ns: int | None
    machine: MachineCpu | None


class LocalProcess:
    """A process on this machine; threads that sleep in the kernel read its output."""

    exchange: tuple[Usage, Usage] | None = None
    """Readings right before the last line in and right after the last line out; None: nobody has taken any."""

    def __init__(self, command: list[str], guardian: Guardian, compilers: Collection[str] = ()) -> None:
        """Start it, in its own process group; raises OSError if that cannot be done.

        `compilers` are the names of its compilers' threads.
        """
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
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._stderr: deque[str] = deque(maxlen=STDERR_LINES)
        guardian.protect("process", process.pid)
        self._readers = [
            threading.Thread(target=self._read_lines, args=(process.stdout,), daemon=True),
            threading.Thread(target=self._read_errors, args=(process.stderr,), daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    def write(self, line: str, _at_ns: int | None = None) -> None:
        """Write one line to its input, now: only processes of several hosts wait for each other.

        If the program is gone already, the next read notices.
        """
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.write(line.encode() + b"\n")
                self._process.stdin.flush()

    def read(self, limit_s: float) -> bytes | None:
        """Return the next line of its output, None at its end; raises TimeoutError if none comes within `limit_s`."""
        try:
            return self._lines.get(timeout=limit_s)
        except queue.Empty:
            raise TimeoutError from None

    @property
    def stderr(self) -> Sequence[str]:
        """Return the last lines of its standard error, without passwords."""
        return tuple(self._stderr)

    def forget_stderr(self) -> None:
        """Forget what it has printed to standard error so far."""
        self._stderr.clear()

    def cpu_ns(self) -> int | None:
        """Return its CPU time since it started, by the kernel's count; None if not counted."""
        return process_cpu_ns(self._process.pid)

    def threads_ns(self) -> dict[int, int] | None:
        """Return the CPU time of each of its threads since it started, by the kernel's count; None if not counted."""
        return threads_cpu_ns(self._process.pid)

    def compiling_ns(self) -> int | None:
        """Return the CPU time of its compilers' threads that have not ended; None if it has none, or not counted."""
        pids = self.pids() if self._compilers else []
        return named_threads_cpu_ns(pids, self._compilers) if pids else None

    def usage(self) -> Usage:
        """Return what the kernel counts now."""
        return Usage(time.monotonic_ns(), self.cpu_ns(), self.threads_ns(), self.compiling_ns(), machine_cpu())

    def sockets(self, port: int) -> list[Sockets] | None:
        """Return its connections to a port, by what was asked of the kernel for them; None if not known."""
        return sockets_to(self._process.pid, port)

    def keep_off(self, thread: int, server: int) -> bool:
        """Keep a thread off the CPUs of a server's process, if it has others; return whether it is."""
        return keep_off(thread, server)

    def peak_memory_bytes(self) -> int | None:
        """Return the largest resident set of its largest process, by the kernel's count; None if not known."""
        return max(filter(None, map(peak_memory_bytes, self.pids())), default=None)

    def pids(self) -> list[int]:
        """Return its processes."""
        return [self._process.pid]

    def end(self, limit_s: float) -> int | None:
        """End its input, wait for its orderly end, and return its exit code; None: it was killed, as it did not end."""
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
        return self._ended_within(limit_s)

    def ended(self) -> int | None:
        """Return the exit code of a program whose output has ended; None: it went on, and was killed."""
        return self._ended_within(ENDING_LIMIT_S)

    def why_it_ended(self, _code: int) -> str | None:
        """Return what is known of why it ended besides its exit code and standard error; None: nothing."""

    def kill(self) -> None:
        """End the process and its group, if it is still running."""
        end_child(self._process)
        self._close()

    def _ended_within(self, limit_s: float) -> int | None:
        if not await_end(self._process, limit_s):
            self.kill()
            return None
        code = reap(self._process)
        self._close()
        return code

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
