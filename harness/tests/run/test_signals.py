"""Signals that end a command as Ctrl-C does."""

import contextlib
import os
import signal
import threading

import pytest
from pydantic import BaseModel, field_serializer
from pydantic_core import PydanticSerializationError

from respmark.errors import OutputError
from respmark.run.signals import signals_as_interrupt


class Interrupted(BaseModel):
    """A message; while it is written, the process is signalled."""

    number: int

    @field_serializer("number")
    def _signal(self, number: int) -> int:
        os.kill(os.getpid(), number)
        return number


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


def test_an_interrupt_that_a_library_reports_as_its_own_error_is_an_interrupt() -> None:
    """Pydantic does, whatever is raised while it writes."""
    with pytest.raises(KeyboardInterrupt, match="SIGTERM") as caught, signals_as_interrupt():
        Interrupted(number=signal.SIGTERM).model_dump_json()
    assert isinstance(caught.value.__cause__, PydanticSerializationError)


def test_an_error_of_ours_stays_what_it_is() -> None:
    """Its sentence says more than that the user interrupted."""

    def interrupted() -> None:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        except KeyboardInterrupt as error:
            raise OutputError from error

    with pytest.raises(OutputError), signals_as_interrupt():
        interrupted()


def test_in_another_thread_nothing_is_changed() -> None:
    """Only the main thread may set handlers; elsewhere it is no error."""
    seen: list[object] = []

    def work() -> None:
        with signals_as_interrupt():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGTERM)]
