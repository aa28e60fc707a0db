"""A client that takes the advice of rules."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from respmark import paths

OWN_CLIENT: Final = frozenset({"connection-churn", "auth-churn", "select-churn", "slow-version"})
"""Rules whose lines make the client."""
IDLE_S: Final = 10


@dataclass(frozen=True)
class Advised:
    """One library in one version."""

    language: str
    name: str
    """The library's, as in a rule's code."""
    version: str
    """As it is in CLIENT LIST."""
    pinned: str = ""
    """As set-up names it, if it is not the newest."""

    @property
    def installation(self) -> str:
        """Return the name of its folder."""
        return f"{self.name}-{self.pinned}" if self.pinned else self.name

    @property
    def folder(self) -> Path:
        """Return where set-up puts it."""
        return paths.build() / self.language / self.installation
