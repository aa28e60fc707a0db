"""Calls to processes of one machine come one after the other, those to several hosts at the same time."""

import signal
import threading
from typing import Any

import pytest

from respmark.errors import RunnerFailedError
from respmark.run.processes import call_each
from respmark.runners.protocol import OnHost
from tests.runners.scripted import SURELY_S


class Process:
    """Knows only where it is."""

    def __init__(self, host: str | None) -> None:
        self.host = None if host is None else OnHost(host, is_here=False, clock_error_ns=0)


def processes(*hosts: str | None) -> Any:  # noqa: ANN401 - nothing else of a runner is looked at
    return [Process(host) for host in hosts]


def test_calls_to_several_hosts_are_under_way_together() -> None:
    """Each waits until all are there, which one after the other would never be."""
    both = processes("a", "b", "a")
    meeting = threading.Barrier(len(both))

    def call(process: Any) -> str:  # noqa: ANN401 - nothing else of a runner is looked at
        meeting.wait(SURELY_S)
        return f"{process.host.name}"

    assert call_each(both, call) == ["a", "b", "a"]


def test_calls_on_one_machine_are_made_in_their_order() -> None:
    """In this thread: another one would disturb what is measured."""
    seen: list[threading.Thread] = []
    call_each(processes(None, None), lambda _: seen.append(threading.current_thread()))
    assert seen == [threading.current_thread()] * 2


def test_a_host_that_fails_does_not_leave_others_under_way() -> None:
    """Their answers are there when the error is raised."""
    answered: list[str] = []

    def call(process: Any) -> None:  # noqa: ANN401 - nothing else of a runner is looked at
        if process.host.name == "bad":
            raise RunnerFailedError("it is lost")
        answered.append(process.host.name)

    with pytest.raises(RunnerFailedError, match="it is lost"):
        call_each(processes("bad", "a", "b"), call)
    assert sorted(answered) == ["a", "b"]


def test_an_interrupt_does_not_end_a_call_to_a_host() -> None:
    """Its answer would be lost, and the end of the trial would wait for it in vain."""
    answered: list[str] = []
    main = threading.get_ident()

    def call(process: Any) -> None:  # noqa: ANN401 - nothing else of a runner is looked at
        signal.pthread_kill(main, signal.SIGINT)
        answered.append(process.host.name)

    with pytest.raises(KeyboardInterrupt):
        call_each(processes("a"), call)
    assert answered == ["a"]
