"""Traces made by hand: a line of time in place of a network."""

from dataclasses import dataclass, field

from respmark.conform.trace import CommandTrace, ConnectionTrace, Subject, Trace, TraceRecorder
from respmark.contract.trial import Scenario, Shape

OK, ERROR = b"+OK\r\n", b"-ERR no\r\n"


@dataclass
class Line:
    """One runner process; everything happens in the order in which it is written down."""

    scenario: Scenario = Scenario.SYNC
    shape: Shape = field(default_factory=Shape)
    commands: tuple[str, ...] = ("GET", "SET", "MULTI", "EXEC")

    def __post_init__(self) -> None:
        self.recorder = TraceRecorder(Subject("double", self.scenario, self.shape, "tiny", self.commands))
        self.connections: dict[int, ConnectionTrace] = {}
        self.waiting: dict[int, list[CommandTrace]] = {}
        self.reads = 0

    @property
    def trace(self) -> Trace:
        """Return the trace."""
        return self.recorder.trace

    def open(self, *numbers: int) -> "Line":
        """Open connections."""
        for number in numbers:
            self.connections[number], self.waiting[number] = self.recorder.opened(0), []
        return self

    def send(self, number: int, *names: str, arguments: tuple[bytes, ...] = (b"key:1",)) -> "Line":
        """Send commands with these arguments in one read."""
        if number not in self.connections:
            self.open(number)
        self.reads += 1
        for name in names:
            words = [name.encode(), *arguments]
            self.waiting[number].append(self.recorder.arrived(self.connections[number], words, self.reads))
        return self

    def answer(self, number: int, count: int = 1, reply: bytes = OK) -> "Line":
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

    def stall(self, outstanding: int) -> "Line":
        """Let the client wait for replies."""
        self.recorder.stalled(0, outstanding)
        return self
