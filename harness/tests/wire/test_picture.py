"""The picture of a trace."""

import re

from syrupy.assertion import SnapshotAssertion

from respmark.wire.picture import picture
from respmark.wire.replies import Reply
from respmark.wire.trace import Trace
from tests.wire.builders import Line


def drawn(trace: Trace, lines: int = 40, around: int | None = None) -> str:
    """Return the picture with times taken out."""
    return "\n".join(re.sub(r"\d+\.\d\d ms", "*.** ms", line) for line in picture(trace, lines, around))


def test_the_picture_of_a_batch_and_of_single_commands(snapshot: SnapshotAssertion) -> None:
    """Commands that came without a reply between them are one line, and so are their replies."""
    line = Line().send(1, "HELLO").answer(1).mark("go")
    line.send(1, "GET", "GET", "SET").send(1, "GET").answer(1, 4)
    line.send(2, "GET").send(3, "SET").answer(2).answer(3, 1, Reply("-", 9, "ERR no")).mark("end")
    assert drawn(line.trace()) == snapshot


def test_a_long_picture_says_what_it_leaves_out() -> None:
    """Its beginning, or what lies around an event, and how much more there is."""
    line = Line().mark("go")
    for _ in range(50):
        line.send(1, "GET").answer(1)
    trace = line.mark("end").trace()
    assert drawn(trace, 10).endswith("... 90 lines more")
    event = trace.connections[0].commands[25].order
    assert "... 45 lines before" in drawn(trace, 10, event)


def test_nothing_has_a_picture_too() -> None:
    """A trace without a connection."""
    assert drawn(Line().trace()) == "nothing came over the wire"
