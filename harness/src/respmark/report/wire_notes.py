"""Notes on cells whose traffic is not what the scenario's name suggests; `respmark conform` examines the wire itself.

The server counts reads, not writes: commands that it finds in one read were sent together, or came faster than it
reads.
A read holds at most 16 KiB, so longer units say nothing about flushes.
"""

from collections.abc import Iterator
from typing import Final

from respmark.contract.trial import Form, Scenario, Window
from respmark.statistics.cells import ReportCell
from respmark.statistics.measured import Measured

ALONE: Final = 1.5
"""With fewer commands per read, the server hardly ever found two together."""
TOGETHER: Final = 4.0
"""With this many commands per read or more, it usually found them in groups."""
WHOLE_READ_BYTES: Final = 8 * 1024
"""Units shorter than this fit into one read of the server with room to spare."""
ONE_READ: Final = 1.3
"""With up to this many reads per unit, a unit arrives in one read, except for an unlucky split."""


def wire_notes(cell: ReportCell, measured: Measured) -> Iterator[str]:
    """Yield the notes on one cell."""
    reads, depth, shape = measured.commands_per_read, cell.shape.depth or 1, cell.shape
    connections, threads = measured.connections_open, (shape.threads or 1) * shape.processes
    if cell.scenario is Scenario.THREADS and connections < threads:
        seen = f"the server saw {connections} connections for {threads} threads"
        per_read = f", {reads:.1f} commands per read" if reads else ""
        yield f"{seen}{per_read}: threads share connections and pipeline their commands on them"
    if reads is None or depth == 1:
        return
    seen = f"the server saw {reads:.1f} commands per read at depth {depth}"
    if cell.scenario is Scenario.PIPELINING:
        if reads < ALONE and connections > shape.processes:
            yield f"{seen}, over {connections} connections: each command in flight has its own connection"
        elif reads < ALONE and shape.window is Window.BURST:
            yield f"{seen}: each command is sent on its own"
        elif reads >= min(TOGETHER, depth * 0.7) and shape.window is Window.BURST:
            yield f"{seen}: the library combines commands issued together into a few writes, as an explicit batch would"
        elif reads >= min(TOGETHER, depth * 0.7):
            yield f"{seen}: replies arrive in groups, and so do the commands that follow them"
    elif cell.scenario is Scenario.TRANSACTION and shape.form is Form.BATCHED:
        reads_a_block = (depth + 2) / reads
        bytes_a_block = (measured.input_bytes_per_read or WHOLE_READ_BYTES) * reads_a_block
        if bytes_a_block < WHOLE_READ_BYTES and reads_a_block > ONE_READ:
            seen = f"the server saw {reads_a_block:.1f} reads per transaction at depth {depth}"
            yield f"{seen}: MULTI, the commands and EXEC are sent in more than one flush"
