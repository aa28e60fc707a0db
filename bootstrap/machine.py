"""The machine that set-up works on: commands found and run. Tests put a fake in its place."""

import importlib.util
import os
import select
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Protocol

# What a user's shell may carry for another project, and would lead ours astray.
FOREIGN = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "UV_PROJECT_ENVIRONMENT")

# What a shell answers for a command that it cannot start, and what `timeout` answers for one that it ended.
NOT_STARTED = 127
ENDED = 124

# A test runner that says nothing for so long hangs.
SILENCE_LIMIT_S = 900.0
# How long what a command leaves behind may keep its output open.
ENDING_LIMIT_S = 5.0


@dataclass(frozen=True)
class Command:
    """One command, where it runs, and what it finds in its environment beside the machine's own."""

    argv: tuple[str, ...]
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    limit_s: float | None = None
    """How long it may take, where it is run quietly and without a log."""


@dataclass(frozen=True)
class Finished:
    """How a command ended and all that it printed."""

    code: int
    output: str


@dataclass(frozen=True)
class Interpreter:
    """The Python that set-up runs in; the virtual environments are made from it."""

    path: str
    version: tuple[int, int, int]
    base: str
    has_ensurepip: bool

    @property
    def identity(self) -> str:
        """What must be the same for a virtual environment to be kept."""
        return f"{os.path.realpath(self.path)} {'.'.join(map(str, self.version))}"


class Machine(Protocol):
    """What set-up needs of a machine."""

    @property
    def interpreter(self) -> Interpreter:
        """The Python that set-up runs in."""

    @property
    def variables(self) -> Mapping[str, str]:
        """The environment variables that the user set."""

    def is_root(self) -> bool:
        """Tell whether system packages can be installed without asking."""

    def which(self, name: str) -> Path | None:
        """Find a command on PATH."""

    def run(self, command: Command, log: Path | None = None) -> Finished:
        """Run a command quietly; with a log, its output is there from the first line on."""

    def show(self, command: Command, log: Path) -> Finished:
        """Run a command whose output the user sees as it comes; keep it in the log as well."""

    def ask(self, question: str) -> str | None:
        """Ask the user and give the answer; nothing where nobody sits at a terminal."""


@dataclass(frozen=True)
class Host:
    """The real machine. `ours` is left out of PATH when commands are looked for."""

    ours: Path
    silence_limit_s: float = SILENCE_LIMIT_S
    """How long a command that is shown may say nothing before it is ended."""
    answers: dict[str, str] = field(default_factory=dict)
    """What the user has answered: nobody is asked twice."""

    @property
    def interpreter(self) -> Interpreter:
        """The Python that set-up runs in."""
        has_ensurepip = importlib.util.find_spec("ensurepip") is not None
        return Interpreter(sys.executable, sys.version_info[:3], sys.base_prefix, has_ensurepip)

    @property
    def variables(self) -> Mapping[str, str]:
        """The environment variables that the user set."""
        return os.environ

    def is_root(self) -> bool:
        """Tell whether system packages can be installed without asking."""
        return os.geteuid() == 0

    def which(self, name: str) -> Path | None:
        """Find a command on PATH, but not among those that set-up brought itself."""
        folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
        found = shutil.which(name, path=os.pathsep.join(folder for folder in folders if Path(folder) != self.ours))
        return Path(found) if found else None

    def run(self, command: Command, log: Path | None = None) -> Finished:
        """Run a command quietly; with a log, its output is there from the first line on."""
        try:
            return _captured(command) if log is None else _logged(command, log)
        except OSError as error:
            return Finished(NOT_STARTED, f"{command.argv[0]}: {error.strerror}")

    def show(self, command: Command, log: Path) -> Finished:
        """Run a command whose output the user sees as it comes; keep it in the log as well."""
        try:
            return _shown(command, log, self.silence_limit_s)
        except OSError as error:
            return Finished(NOT_STARTED, f"{command.argv[0]}: {error.strerror}")

    def ask(self, question: str) -> str | None:
        """Ask the user and give the answer; nothing where nobody sits at a terminal."""
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            return None
        if question not in self.answers:
            self.answers[question] = _answer(question)
        return self.answers[question]


def _answer(question: str) -> str:
    sys.stdout.write(question)
    sys.stdout.flush()
    answer = sys.stdin.readline()
    if not answer.endswith("\n"):
        sys.stdout.write("\n")
    return answer


def _logged(command: Command, log: Path) -> Finished:
    with _opened(log) as file:
        start = file.seek(0, os.SEEK_END)
        with _started(command, file) as process:
            code = process.wait()
        file.seek(start)
        return Finished(code, file.read().decode(errors="replace"))


def _shown(command: Command, log: Path, silence_limit_s: float) -> Finished:
    with _opened(log) as file, _started(command, subprocess.PIPE) as process:
        kept = bytearray()

        def keep(chunk: bytes) -> None:
            sys.stdout.buffer.write(chunk)
            sys.stdout.buffer.flush()
            file.write(chunk)
            kept.extend(chunk)

        for chunk in _chunks(process, silence_limit_s):
            keep(chunk)
        code = process.poll()
        if code is None:
            _end(process)
            code = ENDED
            keep(f"{command.argv[0]} said nothing for {silence_limit_s:.0f} s: it hung, and was ended\n".encode())
        return Finished(code, kept.decode(errors="replace"))


def _chunks(process: subprocess.Popen[bytes], silence_limit_s: float) -> Iterator[bytes]:
    """Give the output as it comes: to its end, to the process's end, or until it is silent for too long."""
    descriptor = process.stdout.fileno() if process.stdout else -1
    silent_s = 0.0
    while silent_s < silence_limit_s:
        ended = process.poll() is not None
        patience_s = min(ENDING_LIMIT_S, silence_limit_s)
        if select.select([descriptor], [], [], patience_s)[0]:
            silent_s = 0.0
            chunk = os.read(descriptor, 65536)
            if not chunk:
                process.wait()
                return
            yield chunk
        elif ended:
            return
        else:
            silent_s += patience_s


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(ENDING_LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _opened(log: Path) -> IO[bytes]:
    log.parent.mkdir(parents=True, exist_ok=True)
    return log.open("a+b")


def _captured(command: Command) -> Finished:
    with _started(command, subprocess.PIPE) as process:
        try:
            output = process.communicate(timeout=command.limit_s)[0]
        except subprocess.TimeoutExpired:
            _end(process)
            return Finished(ENDED, "")
    return Finished(process.returncode, output.decode(errors="replace"))


@contextmanager
def _started(command: Command, output: IO[bytes] | int) -> Iterator[subprocess.Popen[bytes]]:
    """Start a command; when we are interrupted while it runs, it ends before us."""
    with _process(command, output) as process:
        try:
            yield process
        except BaseException:
            _end(process)
            raise


def _process(command: Command, output: IO[bytes] | int) -> subprocess.Popen[bytes]:
    environment = {name: value for name, value in os.environ.items() if name not in FOREIGN} | dict(command.environment)
    return subprocess.Popen(
        command.argv,
        cwd=command.folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
    )
