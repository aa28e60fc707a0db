"""One set-up: where, on what machine, seen by whom, and for what."""

import os
from dataclasses import dataclass
from pathlib import Path

from bootstrap.layout import Layout
from bootstrap.machine import Command, Machine
from bootstrap.model import Purpose
from bootstrap.screen import Screen

# For every command of the set-up: nothing fetched behind our back, no questions, no adverts, no colours in logs.
QUIET = {
    "UV_PYTHON_DOWNLOADS": "never",
    "UV_NO_PROGRESS": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_NO_INPUT": "1",
    "npm_config_update_notifier": "false",
    "NO_COLOR": "1",
    "LC_ALL": "C.UTF-8",
}


@dataclass(frozen=True)
class Site:
    """Handed to everything that does something."""

    layout: Layout
    machine: Machine
    screen: Screen
    purpose: Purpose

    @property
    def path(self) -> str:
        """PATH with the tools that set-up brought in front."""
        return os.pathsep.join((str(self.layout.bin), self.machine.variables.get("PATH", os.defpath)))

    def command(self, argv: tuple[str, ...], folder: str = ".", **variables: str) -> Command:
        """Form a quiet command that runs in a folder of the checkout."""
        return Command(argv, self.layout.root / folder, {**QUIET, "PATH": self.path, **variables})

    def ask(self, *argv: str | Path) -> str:
        """Run a small command and give what it printed, or nothing if it failed."""
        finished = self.machine.run(self.command(tuple(map(str, argv))))
        return finished.output if finished.code == 0 else ""
