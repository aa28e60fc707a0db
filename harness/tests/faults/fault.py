"""A fault, and what the user sees of it.

A test of a fault is decorated with `proves(...)`, which each file calls `fault` with the exit code that most of its
faults have, and takes it as `fault`; `fault.check(finished)` holds what a command left against it.
"""

from dataclasses import dataclass
from typing import Protocol

import pytest

from respmark.errors import ExitCode


class Ended(Protocol):
    """A command that has ended, as any fixture gives it."""

    @property
    def code(self) -> int:
        """Return its exit code."""

    @property
    def output(self) -> str:
        """Return its standard output."""

    @property
    def errors(self) -> str:
        """Return its standard error."""


@dataclass(frozen=True)
class Fault:
    """What is seen."""

    seen: str
    """Words that the user reads, as they are printed; empty: nobody can, or there is nothing to say."""
    exit_code: ExitCode

    def check(self, ended: Ended) -> None:
        """Assert that the user sees the words, and no stack trace."""
        said = " ".join(f"{ended.errors} {ended.output}".split())
        assert "Traceback" not in said, said
        assert ended.code == self.exit_code, said
        assert self.seen in said, said


def proves(seen: str, *, exit_code: ExitCode) -> pytest.MarkDecorator:
    """Make a test, which takes it as `fault`, the proof of what is seen."""
    return pytest.mark.parametrize("fault", [Fault(seen, exit_code)], ids=[""])
