"""Tasks on one event loop: `pipelining`, as bursts of one walker or as a window that slides over it."""

import asyncio
from collections.abc import Sequence
from typing import Any

from respmark_python.clients.session import TaskSession
from respmark_python.recorder.tally import Progress, Tally, make_storage
from respmark_python.recorder.window import Window
from respmark_python.scenarios.course import Start, verify_units
from respmark_python.scenarios.loops import run_unit_tasks
from respmark_python.scenarios.walker import Walker
from respmark_python.verification import Verifier
from respmark_python.workload.walk import Command


class TaskCourse:
    """A scenario of `tasks` tasks that share one walker: each takes the next unit of it."""

    def __init__(self, session: TaskSession, walkers: Sequence[Walker], tasks: int) -> None:
        self.walkers = walkers
        self._session = session
        self._tasks = tasks
        self._storage = make_storage(1)[0]

    def verify(self, verifier: Verifier, commands: int) -> int:
        """Perform and check units, one after the other."""
        return verify_units(self._session, self.walkers[0], verifier, commands, self._await_now)

    def arm(self, window: Window, on_progress: Progress | None = None) -> Start:
        """Make the walk and its tally."""
        units, tally, failures = (
            self.walkers[0].units(),
            Tally(self._storage, window, on_progress),
            self._session.failures,
        )

        async def measure() -> list[Tally]:
            window.open()
            tally.begin()
            await asyncio.gather(*[run_unit_tasks(units, tally, failures) for _ in range(self._tasks)])
            window.close()
            return [tally]

        return lambda: self._session.run(measure())

    def _await_now(self, command: Command) -> Any:
        async def perform() -> Any:
            call, arguments = command
            return await call(*arguments)

        return self._session.run(perform())
