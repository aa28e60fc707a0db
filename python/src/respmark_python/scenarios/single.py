"""One walker on the main thread: `sync`, `batching`, `transaction`, `new-connection`."""

from collections.abc import Sequence

from respmark_python.clients.session import Session
from respmark_python.recorder.tally import Progress, Tally, make_storage
from respmark_python.recorder.window import Window
from respmark_python.scenarios.course import Start, call_now, verify_units
from respmark_python.scenarios.loops import run_units
from respmark_python.scenarios.walker import Walker
from respmark_python.verification import Verifier


class SingleCourse:
    """A scenario in which one thing is done at a time."""

    def __init__(self, session: Session, walkers: Sequence[Walker]) -> None:
        self.walkers = walkers
        self._session = session
        self._storage = make_storage(1)[0]

    def verify(self, verifier: Verifier, commands: int) -> int:
        """Perform and check units."""
        return verify_units(self._session, self.walkers[0], verifier, commands, call_now)

    def arm(self, window: Window, on_progress: Progress | None = None) -> Start:
        """Make the walk and its tally."""
        units, tally, failures = (
            self.walkers[0].units(),
            Tally(self._storage, window, on_progress),
            self._session.failures,
        )

        def start() -> list[Tally]:
            window.open()
            run_units(units, tally, failures)
            window.close()
            return [tally]

        return start
