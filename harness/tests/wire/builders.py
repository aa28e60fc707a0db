"""Traces made by hand: a line of time in place of a network."""

from dataclasses import dataclass, field

from respmark.contract.trial import Scenario, Shape
from respmark.wire.recorder import Command, Connection, Recorder
from respmark.wire.replies import Reply
from respmark.wire.requests import Request
from respmark.wire.trace import Subject, Trace

OK = Reply("+", 5, "OK")


@dataclass
class Line:
    """One runner process; everything happens in the order in which it is written down."""

    scenario: Scenario = Scenario.SYNC
    shape: Shape = field(default_factory=Shape)
    commands: tuple[str, ...] = ("GET", "SET", "MULTI", "EXEC")

    def __post_init__(self) -> None:
        subject = Subject(
            client="double", scenario=self.scenario, shape=self.shape, workload="tiny", commands=self.commands
        )
        self.recorder = Recorder(subject)
        self.connections: dict[int, Connection] = {}
        self.waiting: dict[int, list[Command]] = {}
        self.reads: dict[int, int] = {}

    def open(self, number: int) -> "Line":
        """Open a connection."""
        self.connections[number] = self.recorder.opened(0)
        self.waiting[number] = []
        self.reads[number] = 0
        return self

    def send(self, number: int, *names: str) -> "Line":
        """Send commands in one read."""
        if number not in self.connections:
            self.open(number)
        self.reads[number] += 1
        for name in names:
            request = Request(name, 1, (5,), b"key:1", 1)
            waiting = self.waiting[number]
            command = self.recorder.arrived(self.connections[number], request, self.reads[number], len(waiting))
            waiting.append(command)
        return self

    def answer(self, number: int, count: int = 1, reply: Reply = OK) -> "Line":
        """Answer the oldest commands."""
        for _ in range(count):
            self.recorder.delivered(self.waiting[number].pop(0), reply)
        return self

    def close(self, number: int) -> "Line":
        """Close a connection."""
        self.recorder.closed(self.connections[number], "client")
        return self

    def mark(self, name: str) -> "Line":
        """Mark a moment."""
        self.recorder.mark(name, 0)
        return self

    def trace(self) -> Trace:
        """Return the trace."""
        return self.recorder.freeze()
