"""The checks that ask the server."""

import itertools
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from respmark.errors import ServerError
from respmark.servers import checks
from respmark.servers.checks import PING, persistence, round_trip
from tests.fake_node import FakeControl


class Answering(FakeControl):
    """A server that answers commands from a table, and PING in parts of some size."""

    def __init__(
        self, answers: dict[tuple[str, ...], Any] | None = None, pong: Sequence[bytes] = (b"+P", b"ONG\r\n")
    ) -> None:
        super().__init__()
        self._answers = answers or {}
        self._pong = pong
        self._parts: list[bytes] = []

    def command(self, *words: str | bytes | int) -> Any:  # noqa: ANN401 - as its base class
        """Answer from the table; an error is raised."""
        answer = self._answers[tuple(str(word) for word in words)]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def send_raw(self, data: bytes | memoryview) -> None:
        """Take PING."""
        self.sent.append(bytes(data))
        self._parts = list(self._pong)

    def receive_raw(self, size: int) -> bytes:
        """Give the next part."""
        part = self._parts.pop(0)
        assert len(part) <= size
        return part


def test_the_round_trip_is_measured_on_ping(monkeypatch: pytest.MonkeyPatch) -> None:
    """Samples of 1, 2, 3 and 4 ms, each begun where the last one ended, after as many PINGs to warm up."""
    readings = itertools.chain.from_iterable((0, ms * 1_000_000) for ms in (1, 2, 3, 4))
    monkeypatch.setattr(checks, "time", SimpleNamespace(perf_counter_ns=lambda: next(readings)))
    control = Answering()
    trip = round_trip(control, pings=4)
    assert control.sent == [PING] * 8
    assert trip == {"avg": 2.5, "min": 1, "p50": 2, "p95": 4, "p99": 4}


@pytest.mark.parametrize(
    ("save", "aof", "found", "advised"),
    [
        ([b"save", b""], 0, "off", ""),
        ([b"save", b"3600 1"], 0, "snapshots", "CONFIG SET save"),
        ([b"save", b"3600 1"], 1, "snapshots and append-only file", "CONFIG SET appendonly no"),
        (ServerError("NOPERM"), 0, "not shown to this user", "ask its owner"),
    ],
)
def test_persistence(save: object, aof: int, found: str, advised: str) -> None:
    """Snapshots and append-only file are told, with what to do; a user who may not ask is told whom to ask."""
    answers = {("INFO", "persistence"): f"aof_enabled:{aof}\r\n".encode(), ("CONFIG", "GET", "save"): save}
    finding = persistence(Answering(answers))
    assert finding.found == found
    assert advised in (finding.advice or "")
