"""What every scenario does around its loop: verify, warm up, arm, measure."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from respmark_python.clients.session import Session
from respmark_python.recorder.tally import Progress, Tally
from respmark_python.recorder.window import Window
from respmark_python.scenarios.walker import Walker
from respmark_python.verification import Verifier
from respmark_python.workload.walk import Command

Perform = Callable[[Command], Any]
"""Performs a unit to its end and returns what it returns."""
Start = Callable[[], list[Tally]]
"""Opens the window, walks until it is over, closes it; returns each walker's tally."""


class Course(Protocol):
    """A scenario, ready to run."""

    walkers: Sequence[Walker]

    def verify(self, verifier: Verifier, commands: int) -> int:
        """Perform whole units until so many commands are done, and check every reply; return how many they were."""

    def arm(self, window: Window, on_progress: Progress | None = None) -> Start:
        """Make everything ready, so that the returned function starts at once."""


def verify_units(session: Session, walker: Walker, verifier: Verifier, commands: int, perform: Perform) -> int:
    """Perform units of a walker one by one and check them."""
    done, units = 0, walker.units()
    while done < commands:
        try:
            reply = perform(next(units))
        except session.failures as error:
            raise verifier.failure(walker.first + done, error) from error
        done += verifier.check(walker.first + done, walker.replies(reply), walker.commands)
    return done


def call_now(command: Command) -> Any:
    """Perform a unit and return what it returns."""
    call, arguments = command
    return call(*arguments)
