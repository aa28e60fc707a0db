"""What connections cost in memory: for each client, how much its processes have with more and more of them."""

from collections import defaultdict
from typing import Final

from respmark.contract.trial import Scenario
from respmark.figures.cells import CountedRun
from respmark.numbers import significant
from respmark.plan.needs import connections_of
from respmark.report.notes import use_label
from respmark.report.table import SUBJECT, Chapter, Column, Table, TableCell, row

KIB: Final = 1 << 10
MIB: Final = 1 << 20
LINE: Final = (
    "peak resident memory of the client's processes in MiB, while as many threads or tasks borrow so many connections "
    "of a pool"
)
NOTES: Final = (
    "KiB per connection: what those between the two largest pools add, with the threads or tasks that use them",
    "Java's heap of 256 MiB is resident from the start: what connections keep in it does not show",
)
Memory = dict[int, int]
"""Bytes by connections."""


def memory_by_connections(run: CountedRun) -> dict[str, dict[str, Memory]]:
    """Return the memory of each client whose pools were measured with several sizes, by use; sizes as in the cells."""
    found: defaultdict[str, defaultdict[str, Memory]] = defaultdict(lambda: defaultdict(dict))
    for cell in run.cells:
        if cell.scenario is Scenario.POOL and cell.measured and cell.measured.peak_memory_bytes:
            use = use_label(cell, "threads", "max_total")
            found[use][cell.subject][connections_of(cell.shape)] = cell.measured.peak_memory_bytes
    several = {use: {client: one for client, one in by.items() if len(one) > 1} for use, by in found.items()}
    return {use: by for use, by in several.items() if by}


def connection_chapters(run: CountedRun) -> list[Chapter]:
    """Return the chapter, with a table per use, a row per client and a column per number of connections; maybe none."""
    tables = tuple(_table(use, by_client) for use, by_client in memory_by_connections(run).items())
    return [Chapter("memory by connections", (LINE,), tables, NOTES)] if tables else []


def _table(use: str, by_client: dict[str, Memory]) -> Table:
    counts = sorted({count for memory in by_client.values() for count in memory})
    heads = (*(f"{count:,}" for count in counts), "KiB per\nconnection")
    rows = tuple(
        row(TableCell(client, "client"), *(_mib(memory.get(count)) for count in counts), _per_connection(memory))
        for client, memory in by_client.items()
    )
    return Table(use, (SUBJECT, *map(Column, heads)), rows)


def _mib(memory_bytes: int | None) -> str:
    return "" if memory_bytes is None else f"{memory_bytes / MIB:,.0f}"


def _per_connection(memory: Memory) -> str:
    fewer, most = sorted(memory)[-2:]
    return significant((memory[most] - memory[fewer]) / (most - fewer) / KIB)
