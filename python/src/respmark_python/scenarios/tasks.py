"""Tasks on one event loop: every scenario of an asynchronous API."""

import asyncio
from collections.abc import Sequence
from typing import Any

from respmark_python.clients.session import TaskSession
from respmark_python.recorder.samples import Samples
from respmark_python.scenarios.loop import run_unit_tasks
from respmark_python.scenarios.slices import Slices
from respmark_python.workload.commands import Command
from respmark_python.workload.walker import Walker


class TaskSlices(Slices):
    """A scenario of tasks: one for each walker, or several that share one walker, each taking its next unit.

    Between the parts of slices they wait.
    """

    session: TaskSession

    def __init__(self, session: TaskSession, walkers: Sequence[Walker], samples: Sequence[Samples]) -> None:
        super().__init__(session, walkers, samples)
        self._begin, self._all_done = asyncio.Event(), asyncio.Event()
        self._end_ns = self._working = 0
        self._faults: list[Exception] = []
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Start the tasks, which end with the event loop."""
        self.session.run(self._start())

    def work(self, end_ns: int) -> None:
        """Let every task perform units, and wait until the last one is done."""
        self._end_ns = end_ns
        self.session.run(self._work())
        if self._faults:
            raise self._faults[0]

    def perform(self, unit: Command) -> Any:
        """Perform one unit and return what it returns."""

        async def perform() -> Any:
            return await super(TaskSlices, self).perform(unit)

        return self.session.run(perform())

    async def _start(self) -> None:
        self._tasks = [asyncio.create_task(self._live(i)) for i in range(len(self.samples))]
        # Lets each of them run until it waits.
        await asyncio.sleep(0)

    async def _work(self) -> None:
        self._working = len(self.samples)
        self._begin.set()
        self._begin.clear()
        await self._all_done.wait()
        self._all_done.clear()

    async def _live(self, i: int) -> None:
        walk = i % len(self.walkers)
        while True:
            await self._begin.wait()
            try:
                await run_unit_tasks(self.walks[walk], self.samples[i], self.failures[i], self._end_ns)
            except Exception as fault:  # noqa: BLE001 - for whoever awaits the work to raise
                self._faults.append(fault)
            self._working -= 1
            if not self._working:
                self._all_done.set()
