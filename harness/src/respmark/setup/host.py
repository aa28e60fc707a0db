"""The machine that is set up: finds and runs commands, shows a line per step, and says why one failed."""

import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from respmark import paths

FOREIGN: Final = frozenset({"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "UV_PROJECT_ENVIRONMENT"})
"""What a user's shell may set for another project, and would lead ours astray."""
QUIET: Final = {
    "COLUMNS": "1000",  # Composer breaks its sentences at the terminal's width
    "COMPOSER_ALLOW_SUPERUSER": "1",
    "LC_ALL": "C.UTF-8",
    "NO_COLOR": "1",
    "UV_NO_PROGRESS": "1",
    "UV_PYTHON_DOWNLOADS": "never",
    "npm_config_update_notifier": "false",
}
"""For every command: nothing fetched behind our back, no questions, no adverts, no colours in logs."""
NOT_STARTED: Final = 127
"""The exit code that a shell gives for a command that it cannot start."""
ENDING_LIMIT_S: Final = 5.0
"""How long a process may take to end when told to."""
TELL_S: Final = 60.0
"""How often a command that takes long is told of: compilers take minutes on a busy machine."""
AT_ONCE: Final = 3
"""How many tasks are done beside each other: two processors are busy while one waits for its registry."""
QUESTIONS: Final = "questions"
"""The log of small commands, whose answers are all that is wanted of them."""
Value = TypeVar("Value")


class Finished(NamedTuple):
    """How a command ended and all that it printed."""

    code: int
    output: str


@dataclass
class SetupHost:
    """The checkout and the machine it is on; passed to everything that does something."""

    sources: Path = field(default_factory=paths.sources)
    """What everything is made of: only read."""
    root: Path = field(default_factory=paths.root)
    build: Path = field(default_factory=paths.build)
    """Where everything is that set-up makes: the folder `.build` of `root`."""
    variables: Mapping[str, str] = field(default_factory=lambda: os.environ)
    say: Callable[[str], None] = print
    """`respmark` says it on standard error."""
    answers: dict[str, bool] = field(default_factory=dict)
    """What the user has answered: no question is asked twice."""
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False)
    """Held by whoever asks the user or the system, or changes the system: one at a time."""
    _running: set["subprocess.Popen[bytes]"] = field(default_factory=set, repr=False)
    _is_stopped: bool = False

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

    def place(self, path: str) -> Path:
        """Return where a spec's path is: what set-up makes in `.build`, all else among the sources."""
        return (self.root if path.startswith(paths.BUILD) else self.sources) / path

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
        with self.lock:
            finished = self.run(tuple(map(str, argv)), QUESTIONS)
        return finished.output if finished.code == 0 else ""

    def side_by_side(self, tasks: Sequence[Callable[[], Value]]) -> list[Value]:
        """Do tasks, each in a thread of its own; return what they return, in their order.

        Raises what the first of them raises. Then, and if we are interrupted, the commands of the others are ended.
        """
        with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="respmark-set-up") as pool:
            doing = [pool.submit(task) for task in tasks]
            try:
                return [one.result() for one in doing]
            finally:
                self._is_stopped = not all(one.done() for one in doing)
                if self._is_stopped:
                    pool.shutdown(wait=False, cancel_futures=True)
                    for process in tuple(self._running):
                        _signal(process, signal.SIGTERM)

    def run(self, argv: tuple[str, ...], log: str, folder: str = ".") -> Finished:
        """Run a command with its output in a log, which no other command writes at the time; an interrupt ends it."""
        path = self.log(log)
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = {
            name: value
            for name, value in self.variables.items()
            if name not in FOREIGN and not name.startswith("RESPMARK_SERVER")  # no password of the user's server
        }
        found_on = {"PATH": f"{self.bin}{os.pathsep}{kept.get('PATH', os.defpath)}"}
        with path.open("ab") as writing:
            began = writing.tell()
            try:
                process = subprocess.Popen(  # noqa: S603 - the command comes from a spec
                    argv,
                    cwd=self.place(folder),
                    env={**kept, **found_on, **QUIET},
                    stdin=subprocess.DEVNULL,
                    stdout=writing,
                    stderr=subprocess.STDOUT,
                    process_group=0,  # Ctrl-C reaches us alone: what was interrupted is not taken for a failure
                )
            except OSError as error:
                return Finished(NOT_STARTED, f"{argv[0]}: {error.strerror}")
            self._running.add(process)
            try:
                while not self._is_stopped and process.poll() is None:
                    self._wait(process, log)
            finally:
                self._running.discard(process)
                _end(process)
        if self._is_stopped:
            raise KeyboardInterrupt
        return Finished(process.returncode, path.read_bytes()[began:].decode(errors="replace"))

    def _wait(self, process: "subprocess.Popen[bytes]", log: str) -> None:
        """Wait for a command to end, and say each minute that it has not."""
        try:
            process.wait(TELL_S)
        except subprocess.TimeoutExpired:
            self.say(f"set-up: {log} is at work for another minute; what it prints is in {self.log(log)}")

    def reason(self, failed: Finished) -> str:
        """Return the sentence that says why a command failed; its paths begin at the checkout: results repeat it."""
        return decisive(failed.output.replace(f"{self.root}/", "").replace(f"{self.sources}/", ""))

    def agrees(self, question: str) -> bool:
        """Return whether the user says yes; silence means no, as does a missing terminal."""
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            return False
        if question not in self.answers:
            self.say(question)
            self.answers[question] = sys.stdin.readline().strip().lower() in {"y", "yes"}
        return self.answers[question]


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End a command that is still running, and what it started."""
    _signal(process, signal.SIGTERM)
    try:
        process.wait(ENDING_LIMIT_S)
    except subprocess.TimeoutExpired:
        _signal(process, signal.SIGKILL)
        process.wait()


def _signal(process: "subprocess.Popen[bytes]", number: signal.Signals) -> None:
    if process.poll() is None:
        os.killpg(process.pid, number)


class Missing(Exception):  # noqa: N818 - says what happened
    """A command, a package or what a step makes is not here and could not be installed; says why, and what to do."""

    def __init__(self, sentence: str, advice: str = "") -> None:
        super().__init__(sentence)
        self.advice = advice


LONGEST = 300
COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
# What npm prints around its reason: codes, call stacks, blank lines, usage and where logs are.
NPM_NOISE = r"(?:code|errno|syscall|path|dest|command|at|A complete log|Lifecycle script)\b|[{}]"
# In each pattern, the groups are the sentence.
REASONS = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        # Maven: the compiler's first error, with the name that it does not find; else its first warning, fatal too.
        r"^\[ERROR\] (?:\S*/)?(\w+\.java:\[.*)$(?:\s*\[ERROR\]\s+symbol:\s+(.*))?",
        r"^\[WARNING\] (?:\S*/)?(\w+\.java:\[.*)$",
        # rustc: the first error, with its place.
        r"^error\[E\d+\]: (.*)$(?:\s*-->\s+(\S+))?",
        r"^(.*\berror (?:TS|CS|NU|MSB)\d+:.*)",
        rf"^(npm (?:error|ERR!) +(?!{NPM_NOISE})\S.*)",
        # uv, where a package's own build fails: with the last line of that.
        r"^error: (Failed to build .*?):?$[\s\S]*\[stderr\][\s\S]*^[ \t]+(\S.*)$",
        # uv: with the last cause, which is the deepest.
        r"^error: (.*?):?$(?:[\s\S]*^\s+(?:cause|Caused by): (.*))?",
        # pip: with the broken connection that it only warns about, if there is one.
        r"(?:^WARNING: Retrying .* broken by '(.*)': /[\s\S]*?)?^(ERROR: .*)$",
        # Python's and PHP's compilers: the adapter's first error, with its place.
        r"^\*\*\* Error compiling .*\s+File \"(?:\./)?(.*?)\", (line \d+)[\s\S]*?^(\w*Error: .*)$",
        r"^PHP (Parse error: .*)",
        # Composer: the first problem, or what follows `In SomeClass.php line 1:`.
        r"^(?:\s*Problem \d+|In \w+\.php line \d+:)\s+(?:- )?(.*)",
        # Go: the first line that the compiler objects to; what its package manager says besides what it does.
        r"^(?:\.{1,2}/)*(?:\S*/)?(\w+\.go:\d+:\d+: .*)$",
        r"^go: (?!(?:downloading|finding|added|upgraded|downgraded|removed) )(.*)$",
        r"^(E: .*)",
        # git: advice follows its reason.
        r"^(fatal: .*)",
        r"^(\[ERROR\] (?!COMPILATION ERROR).*)",
    )
)


def plain(output: str) -> str:
    """Return the output without its colours."""
    return COLOUR.sub("", output)


def decisive(output: str) -> str:
    """Return the sentence that says why a command failed; the last line if none looks like a reason."""
    text = plain(output)
    found = next((found for reason in REASONS if (found := reason.search(text))), None)
    sentence = ": ".join(filter(None, found.groups())) if found else text.strip().rpartition("\n")[2]
    words = " ".join(sentence.split()) or "it failed without a word"
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…"
