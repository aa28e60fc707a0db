"""Signals that end a command as Ctrl-C does."""

import contextlib
import os
import signal

import pytest

from respmark.run.signals import signals_as_interrupt


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_is_an_interrupt(number: signal.Signals) -> None:
    """What a run does on Ctrl-C it does on SIGTERM and SIGHUP; afterwards signals are as before."""
    before = signal.getsignal(number)
    with pytest.raises(KeyboardInterrupt, match=number.name), signals_as_interrupt():
        os.kill(os.getpid(), number)
    with contextlib.suppress(ZeroDivisionError), signals_as_interrupt():
        assert signal.getsignal(number) is not before
        _ = 1 / 0
    assert signal.getsignal(number) is before
