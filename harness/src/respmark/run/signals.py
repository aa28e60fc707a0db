"""SIGTERM and SIGHUP end a run as Ctrl-C does."""

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType


@contextlib.contextmanager
def signals_as_interrupt() -> Iterator[None]:
    """Raise KeyboardInterrupt on SIGTERM and SIGHUP: everything that was started is then ended in order."""

    def interrupt(number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt(signal.Signals(number).name)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # An ignored signal stays ignored: whoever says `nohup` wants the run to outlive the terminal.
    heard = [name for name in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(name) is not signal.SIG_IGN]
    before = {name: signal.signal(name, interrupt) for name in heard}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)
