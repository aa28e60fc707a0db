"""SIGTERM and SIGHUP end a command as Ctrl-C does."""

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

from respmark.errors import RespmarkError


@contextlib.contextmanager
def signals_as_interrupt() -> Iterator[None]:
    """Raise KeyboardInterrupt on SIGINT, SIGTERM and SIGHUP: everything that was started is then ended in order.

    It is raised wherever the main thread is, and pydantic turns what is raised while it writes JSON into an error of
    its own. After a signal, an error that is not one of ours is therefore taken for the interrupt.
    """
    received: list[str] = []

    def interrupt(number: int, _frame: FrameType | None) -> None:
        received.append(signal.Signals(number).name)
        raise KeyboardInterrupt(received[0])

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # An ignored signal stays ignored: whoever says `nohup` wants the run to outlive the terminal.
    all_of_them = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    heard = [name for name in all_of_them if signal.getsignal(name) is not signal.SIG_IGN]
    before = {name: signal.signal(name, interrupt) for name in heard}
    try:
        yield
    except Exception as error:  # what a library makes of the interrupt can be any; none is swallowed
        if received and not isinstance(error, RespmarkError):
            raise KeyboardInterrupt(received[0]) from error
        raise
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)
