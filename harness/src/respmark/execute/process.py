"""One program on this machine that reads lines and prints lines."""

import contextlib
import os
import queue
import subprocess
import threading
from collections import deque
from collections.abc import Collection
from typing import IO, Final

from respmark.errors import RunnerFailedError
from respmark.evidence.kernel import named_threads_cpu_ns, peak_memory_bytes, process_cpu_ns, threads_cpu_ns
from respmark.paths import BUILD
from respmark.redaction import redacted
from respmark.target.guardian import Guardian
from respmark.target.process_group import await_end, end_child, reap

ENDING_LIMIT_S: Final = 1.0
"""From the end of a runner's output to its own end."""
STDERR_LINES: Final = 20
STDERR_LENGTH: Final = 1000
LINE_LIMIT: Final = 16 * 1024 * 1024
"""No answer is this long; a longer line is garbage."""
END: Final = None


def start_program(command: list[str]) -> "subprocess.Popen[bytes]":
    """Start a program that communicates through pipes, in its own process group; raises OSError if it cannot."""
    return subprocess.Popen(  # noqa: S603 - the command comes from a spec
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env=runner_environment(),
    )


def runner_environment() -> dict[str, str]:
    """Return the environment for runners: ours, without the target's password, and set-up's programs first on PATH."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RESPMARK_TARGET")}
    return kept | {"PATH": f"{BUILD / 'bin'}{os.pathsep}{kept.get('PATH', os.defpath)}"}


class Program:
    """A program at work; its output is read by threads that sleep in the kernel while there is none."""

    def __init__(self, process: "subprocess.Popen[bytes]", guardian: Guardian, compilers: Collection[str] = ()) -> None:
        self._process = process
        self._guardian = guardian
        self._compilers = compilers
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._stderr: deque[str] = deque(maxlen=STDERR_LINES)
        guardian.protect_process(process.pid)
        self._readers = [
            threading.Thread(target=self._read_lines, args=(process.stdout,), daemon=True),
            threading.Thread(target=self._read_errors, args=(process.stderr,), daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    def next_line(self, limit_s: float) -> bytes:
        """Return the next line of standard output; raises RunnerFailedError if none comes within `limit_s`."""
        try:
            line = self._lines.get(timeout=limit_s)
        except queue.Empty as error:
            self.kill()
            raise self.failed(f"the runner hung: it said nothing for {limit_s:.0f} s and was ended") from error
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
            raise self.failed(f"the runner did not end within {limit_s:.0f} s of its result and was ended")
        code = reap(self._process)
        self._close()
        if code != 0:
            raise self.failed(f"the runner ended with exit code {code} after its result", code)

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

    def _ended_early(self) -> RunnerFailedError:
        if not await_end(self._process, ENDING_LIMIT_S):
            self.kill()
            return self.failed("the runner closed its standard output before its result and was ended")
        code = reap(self._process)
        self._close()
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        last = self._stderr[-1] if self._stderr else "it left no word on standard error"
        return self.failed(f"the runner {how} before its result: {last}", code)

    def _close(self) -> None:
        self._guardian.release_process(self._process.pid)
        for reader in self._readers:
            reader.join(timeout=1)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()

    def _read_lines(self, stream: IO[bytes]) -> None:
        while line := stream.readline(LINE_LIMIT):
            self._lines.put(line)
        self._lines.put(END)

    def _read_errors(self, stream: IO[bytes]) -> None:
        while line := stream.readline(LINE_LIMIT):
            # Redacted before it is cut: half a password at the cut would not be found.
            if text := redacted(line.decode(errors="replace").rstrip()):
                self._stderr.append(text[:STDERR_LENGTH])
            while len(line) == LINE_LIMIT and not line.endswith(b"\n"):
                line = stream.readline(LINE_LIMIT)
