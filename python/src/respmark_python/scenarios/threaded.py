"""A walker a thread: `threads`, `pool`."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Barrier
from time import perf_counter_ns
from typing import Final

from respmark_python.clients.session import Session
from respmark_python.recorder.tally import Progress, Tally, make_storage
from respmark_python.recorder.window import SECOND_NS, Window
from respmark_python.scenarios.course import Start, call_now, verify_units
from respmark_python.scenarios.loops import run_units
from respmark_python.scenarios.walker import Walker
from respmark_python.verification import Verifier

GRACE_NS: Final = SECOND_NS // 20
"""How long after each second the main thread wakes: by then the walkers have published their counts."""


class ThreadCourse:
    """A scenario in which every walker has a thread, its own walk and its own tally."""

    def __init__(self, session: Session, walkers: Sequence[Walker]) -> None:
        self.walkers = walkers
        self._session = session
        self._storages = make_storage(len(walkers))

    def verify(self, verifier: Verifier, commands: int) -> int:
        """Perform and check units of the first walker."""
        return verify_units(self._session, self.walkers[0], verifier, commands, call_now)

    def arm(self, window: Window, on_progress: Progress | None = None) -> Start:
        """Start the threads; they wait at a barrier."""
        barrier = Barrier(len(self.walkers) + 1)
        tallies = [Tally(storage, window) for storage in self._storages]
        threads = ThreadPoolExecutor(len(self.walkers))
        pairs = zip(self.walkers, tallies, strict=True)
        work = [threads.submit(self._walker_thread(walker, tally, barrier)) for walker, tally in pairs]

        def start() -> list[Tally]:
            window.open()
            barrier.wait()
            _follow(work, tallies, window, on_progress)
            window.close()
            threads.shutdown()
            for thread in work:
                thread.result()
            return tallies

        return start

    def _walker_thread(self, walker: Walker, tally: Tally, barrier: Barrier) -> Callable[[], None]:
        units, failures = walker.units(), self._session.failures

        def work() -> None:
            barrier.wait()
            run_units(units, tally, failures)

        return work


def _follow(
    work: Sequence[Future[None]], tallies: Sequence[Tally], window: Window, on_progress: Progress | None
) -> None:
    """Wait for every thread; once a second, tell the progress that they published."""
    wake_ns = window.start_ns + SECOND_NS + GRACE_NS
    while wait(work, max(0, wake_ns - perf_counter_ns()) / SECOND_NS).not_done:
        if on_progress:
            on_progress(wake_ns - GRACE_NS - window.start_ns, sum(tally.published_units for tally in tallies))
        wake_ns += SECOND_NS
