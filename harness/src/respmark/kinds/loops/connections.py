"""What connections cost in memory: for each client, how much its processes have with more and more of them."""

from collections import defaultdict
from dataclasses import replace
from typing import Final

from respmark.contract.trial import Scenario
from respmark.figures.cells import Cell, RunFigures
from respmark.numbers import significant
from respmark.plan.needs import connections_of
from respmark.report.labels import Footnotes, use_label
from respmark.report.notes import cell_note
from respmark.report.table import Chapter, Column, Table, TableCell, subject, table

KIB: Final = 1 << 10
MIB: Final = 1 << 20
LINE: Final = (
    "peak resident memory of the client's processes in MiB, while as many threads or tasks use so many connections: "
    "those of one pool, or, in batching, client objects, each with its own"
)
NOTES: Final = (
    (
        "KiB per connection: what those between the two largest numbers add, with the threads or tasks that use them; "
        "none seen: processes differ by more than that"
    ),
    "Java's heap of 256 MiB is resident from the start: what connections keep in it does not show",
)
Memory = dict[int, int]
"""Bytes by connections."""


def connections_in(cell: Cell) -> int | None:
    """Return how many connections the cell's shape asks for; None if it says nothing of them."""
    if cell.scenario is Scenario.POOL:
        return connections_of(cell.shape)
    return cell.shape.connections if cell.scenario is Scenario.BATCHING else None


def memory_by_connections(run: RunFigures) -> dict[str, dict[str, Memory]]:
    """Return the memory of each client that was measured with several numbers of connections, by use."""
    found: defaultdict[str, defaultdict[str, Memory]] = defaultdict(lambda: defaultdict(dict))
    for cell in run.cells:
        connections = connections_in(cell)
        if connections is not None and cell.measured and cell.measured.peak_memory_bytes:
            found[_use(cell)][cell.subject][connections] = cell.measured.peak_memory_bytes
    several = {use: {client: one for client, one in by.items() if len(one) > 1} for use, by in found.items()}
    return {use: by for use, by in several.items() if by}


def connection_chapters(run: RunFigures) -> list[Chapter]:
    """Return the chapter, with a table per use, a row per client and a column per number of connections; maybe none."""
    found = memory_by_connections(run)
    tables = tuple(_table(use, by_client, _reasons(run, use, found)) for use, by_client in found.items())
    return [Chapter("memory by connections", (LINE,), tables, NOTES)] if tables else []


def _use(cell: Cell) -> str:
    return use_label(cell, "threads", "max_total", "connections")


def _reasons(run: RunFigures, use: str, found: dict[str, dict[str, Memory]]) -> dict[str, str]:
    """Return why figures are missing in a table, by client: of those that have a row there, or none in any table."""
    elsewhere = {client for other, by_client in found.items() if other != use for client in by_client}
    without = [cell for cell in run.cells if connections_in(cell) and _use(cell) == use and cell.measured is None]
    reasons = {cell.subject: cell_note(cell) for cell in without if cell.subject not in elsewhere - set(found[use])}
    return {client: reason for client, reason in reasons.items() if reason is not None}


def _table(use: str, by_client: dict[str, Memory], reasons: dict[str, str]) -> Table:
    notes = Footnotes()

    def name(client: str) -> TableCell:
        number = notes.number(reasons.get(client))
        return TableCell(f"{client} ({number})" if number else client, "client")

    def of_count(count: int) -> Column[str]:
        return Column(f"{count:,}", lambda client: _mib(by_client.get(client, {}).get(count)))

    counts = sorted({count for memory in by_client.values() for count in memory})
    columns: list[Column[str]] = [
        subject(name),
        *map(of_count, counts),
        Column("KiB per\nconnection", lambda client: _per_connection(by_client.get(client, {}))),
    ]
    made = table(use, dict.fromkeys([*by_client, *reasons]), columns)
    return replace(made, notes=notes.numbered)


def _mib(memory_bytes: int | None) -> str:
    return "" if memory_bytes is None else f"{memory_bytes / MIB:,.0f}"


def _per_connection(memory: Memory) -> str:
    if not memory:
        return ""
    added_kib = kib_per_connection(memory)
    return significant(added_kib) if added_kib >= 0 else "none seen"


def kib_per_connection(memory: Memory) -> float:
    """Return what a connection takes of those between the two largest numbers of them, in KiB."""
    fewer, most = sorted(memory)[-2:]
    return (memory[most] - memory[fewer]) / (most - fewer) / KIB
