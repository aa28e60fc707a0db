"""A checkout and the machine it is set up on: finds and runs commands, and shows the user one line per step."""

import math
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import NamedTuple

# What a user's shell may set for another project, and would lead ours astray.
FOREIGN = frozenset({"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "UV_PROJECT_ENVIRONMENT"})
# For every command of the set-up: nothing fetched behind our back, no questions, no adverts, no colours in logs.
QUIET = {
    "COLUMNS": "1000",  # Composer breaks its sentences at the terminal's width
    "COMPOSER_ALLOW_SUPERUSER": "1",
    "LC_ALL": "C.UTF-8",
    "NO_COLOR": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_NO_INPUT": "1",
    "UV_NO_PROGRESS": "1",
    "UV_PYTHON_DOWNLOADS": "never",
    "npm_config_update_notifier": "false",
}
NOT_STARTED = 127
"""The exit code that a shell gives for a command that it cannot start."""
ENDING_LIMIT_S = 5.0
"""How long a process may take to end when told to."""
LOOK_S = 0.1
"""How often a command's output is looked at."""


class Finished(NamedTuple):
    """How a command ended and all that it printed."""

    code: int
    output: str


@dataclass
class Site:
    """The checkout and its machine; passed to everything that does something."""

    root: Path
    purpose: str = "bench"
    """`bench`; `test` or `lint`, which need more; `docker`, where runners are built in containers; `docker-test`."""
    variables: Mapping[str, str] = field(default_factory=lambda: os.environ)
    answers: dict[str, bool] = field(default_factory=dict)
    """What the user has answered: no question is asked twice."""
    interrupted: Event = field(default_factory=Event)
    """Set to end what other threads run."""

    @property
    def build(self) -> Path:
        """Where everything is that set-up makes, except for what npm and its like insist on."""
        return self.root / ".build"

    @property
    def bin(self) -> Path:
        """Links to the tools that set-up installed, in front of PATH."""
        return self.build / "bin"

    @property
    def system(self) -> str:
        """What this system calls itself."""
        try:
            return platform.freedesktop_os_release()["PRETTY_NAME"]
        except OSError:
            return "this system"

    def log(self, name: str) -> Path:
        """Return the file with the whole output of the step of this name."""
        return self.build / "log" / f"{name}.log"

    def is_root(self) -> bool:
        """Return whether system packages can be installed without sudo."""
        return os.geteuid() == 0

    def which(self, name: str) -> Path | None:
        """Find a command on PATH, but not among those that set-up installed itself."""
        folders = self.variables.get("PATH", os.defpath).split(os.pathsep)
        found = shutil.which(name, path=os.pathsep.join(folder for folder in folders if Path(folder) != self.bin))
        return Path(found) if found else None

    def ask(self, *argv: str | Path) -> str:
        """Run a small command, and return what it printed, or nothing if it failed."""
        finished = self.run(tuple(map(str, argv)), "questions")
        return finished.output if finished.code == 0 else ""

    def run(  # noqa: PLR0913 - what a command needs
        self,
        argv: tuple[str, ...],
        log: str,
        folder: str = ".",
        *,
        variables: Mapping[str, str] = QUIET,
        silence_limit_s: float = math.inf,
        shown: bool = False,
    ) -> Finished:
        """Run a command with its output in a log and, if it is shown, on the screen as it comes.

        It is ended if it prints nothing for too long, or when we are interrupted.
        """
        path, output = self.log(log), b""
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = {name: value for name, value in self.variables.items() if name not in FOREIGN}
        found_on = {"PATH": f"{self.bin}{os.pathsep}{kept.get('PATH', os.defpath)}"}
        with path.open("ab", buffering=0) as writing, path.open("rb", buffering=0) as reading:
            reading.seek(0, os.SEEK_END)
            try:
                process = subprocess.Popen(
                    argv,
                    cwd=self.root / folder,
                    env={**kept, **found_on, **variables},
                    stdin=subprocess.DEVNULL,
                    stdout=writing,
                    stderr=subprocess.STDOUT,
                )
            except OSError as error:
                return Finished(NOT_STARTED, f"{argv[0]}: {error.strerror}")
            heard_s, ended = time.monotonic(), False
            try:
                while not self.interrupted.is_set() and ((said := reading.read()) or not ended):
                    ended = process.poll() is not None
                    if said:
                        heard_s, output = time.monotonic(), output + said
                        if shown:
                            sys.stdout.buffer.write(said)
                            sys.stdout.buffer.flush()
                    elif not ended and time.monotonic() - heard_s > silence_limit_s:
                        _end(process)
                        words = f"{argv[0]} said nothing for {silence_limit_s:.0f} s: it hung, and was ended\n"
                        writing.write(words.encode())
                    else:
                        with suppress(subprocess.TimeoutExpired):
                            process.wait(LOOK_S)
            finally:
                _end(process)
        return Finished(process.returncode, output.decode(errors="replace"))

    @contextmanager
    def at_once(self, commands: int) -> Iterator[Executor]:
        """Run up to this many commands at once, on threads; all of them end when we are interrupted."""
        with ThreadPoolExecutor(commands) as threads:
            try:
                yield threads
            except KeyboardInterrupt:
                self.interrupted.set()
                threads.shutdown(wait=False, cancel_futures=True)
                raise

    def agrees(self, question: str) -> bool:
        """Return whether the user says yes; silence means no, as does a missing terminal."""
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            return False
        if question not in self.answers:
            self.say(question, end="")
            self.answers[question] = sys.stdin.readline().strip().lower() in {"y", "yes"}
        return self.answers[question]

    def say(self, text: str = "", end: str = "\n") -> None:
        """Print a line."""
        sys.stdout.write(text + end)
        sys.stdout.flush()


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process that has not ended by itself."""
    process.terminate()
    try:
        process.wait(ENDING_LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
