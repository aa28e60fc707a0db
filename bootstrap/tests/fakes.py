"""A machine that only remembers what it was asked to run, and answers as it was told."""

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bootstrap.layout import Layout
from bootstrap.machine import NOT_STARTED, Command, Finished, Interpreter
from bootstrap.model import Purpose
from bootstrap.screen import Screen
from bootstrap.worksite import Site

PYTHON = Interpreter("/usr/bin/python3", (3, 11, 2), "/usr", has_ensurepip=True)
UV = Path("/fake/uv")


@dataclass
class FakeMachine:
    """Commands that start with the words of an answer end as it says; all others end well."""

    root: Path
    interpreter: Interpreter = PYTHON
    variables: Mapping[str, str] = field(default_factory=lambda: {"PATH": "/usr/bin"})
    as_root: bool = False
    says: str | None = None
    """What the user answers; nothing: there is no terminal."""
    asked: list[str] = field(default_factory=list)
    commands: dict[str, Path] = field(default_factory=dict)
    answers: dict[str, Finished | list[Finished]] = field(default_factory=dict)
    makes: dict[str, Callable[[], object]] = field(default_factory=dict)
    ran: list[str] = field(default_factory=list)
    environments: list[Mapping[str, str]] = field(default_factory=list)

    def may_install(self) -> None:
        """Be root's, who has said yes to Debian's packages."""
        self.as_root = True
        self.variables = {**self.variables, "RESPMARK_SYSTEM_PACKAGES": "yes"}

    def is_root(self) -> bool:
        """Tell what the test said."""
        return self.as_root

    def which(self, name: str) -> Path | None:
        """Find what the test put there."""
        return self.commands.get(name)

    def run(self, command: Command, log: Path | None = None) -> Finished:
        """Remember the command, do what it is told to make, and answer."""
        line = " ".join(command.argv).replace(f"{self.root}/", "")
        self.ran.append(line)
        self.environments.append(command.environment)
        for start, make in self.makes.items():
            if line.startswith(start):
                make()
        finished = self._answer(line)
        if log is not None:
            log.parent.mkdir(parents=True, exist_ok=True)
            with log.open("a") as file:
                file.write(finished.output)
        return finished

    def show(self, command: Command, log: Path) -> Finished:
        """Do as `run` does."""
        return self.run(command, log)

    def ask(self, question: str) -> str | None:
        """Remember the question and answer as the test said."""
        self.asked.append(question)
        return self.says

    def _answer(self, line: str) -> Finished:
        for start, answer in self.answers.items():
            if line.startswith(start):
                return answer.pop(0) if isinstance(answer, list) else answer
        return Finished(0, "")

    def has(self, name: str, version: str = "") -> Path:
        """Put a command on PATH, as a real file, that tells this version."""
        path = self.root / "usr-bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(version)
        self.commands[name] = path
        self.answers[f"usr-bin/{name} --version"] = Finished(0, version)
        return path

    def has_not(self, name: str) -> None:
        """Take a command from PATH."""
        self.commands.pop(name, None)
        self.answers[name] = Finished(NOT_STARTED, f"{name}: not found")


@dataclass(frozen=True)
class Checkout:
    """A checkout in a temporary folder, and the machine it is set up on."""

    root: Path
    machine: FakeMachine
    printed: io.StringIO

    def site(self, purpose: Purpose = Purpose.BENCH) -> Site:
        """Give what set-up works with, for this purpose."""
        return Site(Layout(self.root), self.machine, Screen(self.printed, clock=lambda: 0.0), purpose)

    def write(self, name: str, content: str = "") -> Path:
        """Write a file of the checkout."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        return path

    def made_by(self, command: str, *names: str) -> None:
        """Let a command that starts so make files of the checkout."""
        self.machine.makes[command] = lambda: [self.write(name) for name in names]
