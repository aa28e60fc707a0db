"""One walker per thread: `threads`, `pool`."""

from collections.abc import Sequence
from threading import Barrier, Thread

from respmark_python.clients.session import Session
from respmark_python.recorder.samples import Samples
from respmark_python.scenarios.loop import run_units
from respmark_python.scenarios.slices import Slices
from respmark_python.workload.walker import Walker


class ThreadSlices(Slices):
    """A scenario in which every walker has a thread; between the parts of slices the threads wait at a barrier."""

    def __init__(self, session: Session, walkers: Sequence[Walker], samples: Sequence[Samples]) -> None:
        super().__init__(session, walkers, samples)
        self._barrier = Barrier(len(walkers) + 1)
        self._end_ns = 0
        self._faults: list[Exception] = []

    def start(self) -> None:
        """Start the threads, which end with the process."""
        for i in range(len(self.walkers)):
            Thread(target=self._live, args=(i,), daemon=True).start()

    def work(self, end_ns: int) -> None:
        """Let every thread perform units, and wait until the last one is done."""
        self._end_ns = end_ns
        self._barrier.wait()
        self._barrier.wait()
        if self._faults:
            raise self._faults[0]

    def _live(self, i: int) -> None:
        while True:
            self._barrier.wait()
            try:
                run_units(self.walks[i], self.samples[i], self.failures[i], self._end_ns)
            except Exception as fault:  # noqa: BLE001 - for the main thread to raise
                self._faults.append(fault)
            self._barrier.wait()
