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

ENDING = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


class Interrupted(BaseModel):
    """A message; while it is written, the process is signalled."""

    number: int

    @field_serializer("number")
    def _signal(self, number: int) -> int:
        os.kill(os.getpid(), number)
        return number


@pytest.mark.parametrize("number", ENDING)
def test_a_signal_is_an_interrupt(number: signal.Signals) -> None:
    """What a run does on Ctrl-C it does on SIGTERM and SIGHUP: everything is ended in order."""
    with pytest.raises(KeyboardInterrupt, match=number.name), signals_as_interrupt():
        os.kill(os.getpid(), number)


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


@pytest.mark.parametrize("number", ENDING)
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
