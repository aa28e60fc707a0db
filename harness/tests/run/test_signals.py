"""Signals that end a run as Ctrl-C does."""

import contextlib
import os
import signal
import threading

import pytest

from respmark.run.signals import signals_as_interrupt


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_is_an_interrupt(number: signal.Signals) -> None:
    """What a run does on Ctrl-C it does on SIGTERM and SIGHUP: everything is ended in order."""
    with pytest.raises(KeyboardInterrupt, match=number.name), signals_as_interrupt():
        os.kill(os.getpid(), number)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_afterwards_signals_are_as_before(number: signal.Signals) -> None:
    """Handlers are put back, after an error too."""
    before = signal.getsignal(number)
    with contextlib.suppress(ZeroDivisionError), signals_as_interrupt():
        assert signal.getsignal(number) is not before
        _ = 1 / 0
    assert signal.getsignal(number) is before


def test_in_another_thread_nothing_is_changed() -> None:
    """Only the main thread may set handlers; elsewhere it is no error."""
    seen: list[object] = []
    before = signal.getsignal(signal.SIGTERM)

    def work() -> None:
        with signals_as_interrupt():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]
