"""A checkout on a machine that only remembers what it was asked to run, and answers as it was told."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from respmark.setup.host import Finished, SetupHost
from respmark.setup.steps import PYTHON


@dataclass
class FakeHost(SetupHost):
    """Commands that start with the words of a result end as it says; all others end well."""

    variables: Mapping[str, str] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    says_yes: bool = False
    """What the user answers."""
    questions: list[str] = field(default_factory=list)
    as_root: bool = False
    results: dict[str, Finished | list[Finished]] = field(default_factory=dict)
    makes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The files that commands make which start so."""
    ran: list[str] = field(default_factory=list)
    ran_in: list[str] = field(default_factory=list)
    """The folder of each command."""
    interrupts: bool = False
    """Whether the user presses Ctrl-C during the next command."""

    def __post_init__(self) -> None:
        self.sources = self.root

    @property
    def system(self) -> str:
        """Name a system."""
        return "Debian 12"

    def is_root(self) -> bool:
        """Tell what the test said."""
        return self.as_root

    def which(self, name: str) -> Path | None:
        """Find what the test put there."""
        path = self.root / "usr" / name
        return path if path.exists() else None

    def agrees(self, question: str) -> bool:
        """Remember the question and answer as the test said."""
        self.questions.append(question)
        return self.says_yes

    def run(self, argv: tuple[str, ...], log: str, folder: str = ".") -> Finished:
        """Remember the command, make what it makes, and answer."""
        line = " ".join(argv).replace(f"{self.root}/", "").replace(str(PYTHON), "python")
        self.ran.append(line)
        self.ran_in.append(folder)
        for name in (name for start, names in self.makes.items() if line.startswith(start) for name in names):
            self.write(name)
        if self.interrupts:
            raise KeyboardInterrupt
        found = next((result for start, result in self.results.items() if line.startswith(start)), Finished(0, ""))
        finished = found.pop(0) if isinstance(found, list) else found
        self.write(f".build/log/{log}.log", finished.output)
        return finished

    def has(self, name: str, version: str = "") -> Path:
        """Put a command on PATH, as a real file, that tells this version."""
        self.results[f"usr/{name} --version"] = Finished(0, version)
        return self.write(f"usr/{name}", version)

    def may_install(self) -> None:
        """Be a Debian machine of root's, who has said yes."""
        self.has("apt-get")
        self.as_root, self.variables = True, {"RESPMARK_SYSTEM_PACKAGES": "yes"}

    def write(self, name: str, content: str = "") -> Path:
        """Write a file of the checkout."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        return path


@pytest.fixture
def host(tmp_path: Path) -> FakeHost:
    made = FakeHost(root=tmp_path, build=tmp_path / ".build")
    made.say = made.said.append
    return made
