"""Notes on cells whose traffic is not what the scenario's name suggests.

They say what the server's counters show. The server counts reads, not writes: commands that it finds in one read were
sent together, or came faster than it reads. A read holds at most 16 KiB, so anything longer says nothing about flushes.
`respmark conform` examines the wire itself.
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
    if cell.scenario is Scenario.THREADS:
        yield from _threads(cell, measured)
    if measured.commands_per_read is None or (cell.shape.depth or 1) == 1:
        return
    if cell.scenario is Scenario.PIPELINING:
        yield from _pipelining(cell, measured, measured.commands_per_read)
    elif cell.scenario is Scenario.TRANSACTION and cell.shape.form is Form.BATCHED:
        yield from _transaction(cell, measured, measured.commands_per_read)


def _pipelining(cell: ReportCell, measured: Measured, reads: float) -> Iterator[str]:
    depth, window = cell.shape.depth or 1, cell.shape.window
    seen = f"the server saw {reads:.1f} commands per read at depth {depth}, {window}"
    is_grouped = reads >= min(TOGETHER, depth * 0.7)
    if reads < ALONE and measured.connections_open > cell.shape.processes:
        connections = f"over {measured.connections_open} connections"
        yield f"{seen}, {connections}: each command in flight has its own connection, so no two share a read"
    elif reads < ALONE and window is Window.BURST:
        yield f"{seen}: each command is sent on its own"
    elif is_grouped and window is Window.BURST:
        yield f"{seen}: the library combines commands issued together into a few writes, as an explicit batch would"
    elif is_grouped:
        yield f"{seen}: replies arrive in groups, and so do the commands that follow them"


def _transaction(cell: ReportCell, measured: Measured, reads: float) -> Iterator[str]:
    block = (cell.shape.depth or 1) + 2
    reads_a_block = block / reads
    bytes_a_block = (measured.input_bytes_per_read or WHOLE_READ_BYTES) * reads_a_block
    if bytes_a_block < WHOLE_READ_BYTES and reads_a_block > ONE_READ:
        yield (
            f"the server saw {reads_a_block:.1f} reads per transaction at depth {block - 2}: MULTI, the "
            "commands and EXEC are sent in more than one flush"
        )


def _threads(cell: ReportCell, measured: Measured) -> Iterator[str]:
    threads = (cell.shape.threads or 1) * cell.shape.processes
    if measured.connections_open < threads:
        reads = f", {measured.commands_per_read:.1f} commands per read" if measured.commands_per_read else ""
        yield (
            f"the server saw {measured.connections_open} connections for {threads} threads{reads}: "
            "threads share connections and pipeline their commands on them"
        )
