"""Where everything lies; all that set-up makes is under `.build`, but for what npm and its like insist on."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Layout:
    """The places of one checkout."""

    root: Path

    @property
    def build(self) -> Path:
        """All that set-up makes."""
        return self.root / ".build"

    @property
    def bin(self) -> Path:
        """Links to the tools that set-up brought because the machine has none that will do."""
        return self.build / "bin"

    def log(self, name: str) -> Path:
        """Give the file with the whole output of the step of this name."""
        return self.build / "log" / f"{name}.log"

    def stamp(self, name: str) -> Path:
        """Give the file that tells what the step of this name was last done for."""
        return self.build / "stamp" / f"{name}.json"

    def status(self, name: str) -> Path:
        """Give the file that tells whether a language, or one environment of it, can be used."""
        return self.build / "status" / f"{name}.json"

    def shown(self, path: Path) -> str:
        """Give the path as a person in the checkout would type it."""
        return str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)
