"""What a reader must know besides the figures, in words made from evidence."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from respmark.contract.trial import Scenario, Shape
from respmark.report.wire_notes import wire_notes
from respmark.results.records import Status
from respmark.statistics.cells import ReportCell
from respmark.statistics.measured import Measured
from respmark.statistics.precision import Precision, precision_of

DRIFT_PERCENT: Final = 10.0
"""If the halves of a round differ by more, the client was not warmed up, or the machine changed its speed."""

WAITING_PERCENT: Final = 3.0
"""A client that uses more of one processor while it waits disturbs the others in its block."""
STOLEN_PERCENT: Final = 2.0
"""If the hypervisor takes more, slices do not show what this machine can do."""
OTHERS_PERCENT: Final = 25.0
"""The harness itself and waiting clients need about 10 % if slices are short."""
RATIOS: Final = (
    "ratios compare slices of the same laps, with 95 % intervals over rounds; `=`: no difference from the baseline "
    "shown, all ratios of the block taken together (Holm), even if one interval excludes 1; CPU is per command "
    "(docs/statistics.md)"
)
WIDE_PERCENT: Final = 5.0
"""If half of the intervals of RPS are wider, the reader is told how to narrow them."""
TEN: Final = 10
"""Of fewer intervals, the one that nine in ten do not exceed is the widest."""
OTHER_DECODING: Final = "†"
"""Follows a figure whose client decodes replies to another type than the client that it is compared with."""
SHARED_KEYS: Final = (
    "all clients write the same keys: each cache also loses entries to the other clients' SETs, and has fewer local "
    "hits than it would have alone"
)
ACCOUNTS_PERCENT: Final = 5.0
"""Two counts of the same CPU that differ by more do not count the same thing."""


class Footnotes:
    """The numbered notes of a table, each once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, note: str | None) -> str:
        """Return a note's number for the row that it belongs to; empty if there is no note."""
        return "" if note is None else str(self._numbers.setdefault(note, len(self._numbers) + 1))

    @property
    def numbered(self) -> list[str]:
        """Return all notes with their numbers in front."""
        return [f"({number}) {note}" for note, number in self._numbers.items()]


def cell_note(cell: ReportCell) -> str | None:
    """Return one note on a cell: reasons, and what the wire shows that the scenario's name does not suggest."""
    if cell.status is Status.MISSING:
        return None  # the same for every scenario: it is said once, below all tables
    if cell.status is Status.UNSUPPORTED:
        return f"{cell.client}: {cell.status}: {cell.reason}"
    said = "; ".join(_notes(cell))
    return f"{cell.client}{in_shape(cell)}: {said}" if said else None


def _notes(cell: ReportCell) -> Iterator[str]:
    if cell.measured is None:
        yield f"{cell.status}: {cell.reason}"
        return
    if cell.reason:
        yield cell.reason
    yield from wire_notes(cell, cell.measured)
    yield from _drift(cell.measured)
    yield from _steady(cell, cell.measured)
    yield from _accounts(cell.measured)
    yield from _disturbs(cell.measured)
    yield from _disturbed(cell.measured)
    yield from _own_commands(cell.measured)


def table_notes(cells: Iterable[ReportCell], baseline: str | None = None) -> Iterator[str]:
    """Yield the notes that belong to no single cell of a table; `baseline` is the client that was asked for."""
    cells = list(cells)
    if baseline is not None:
        there = {cell.block for cell in cells if cell.client == baseline and cell.measured}
        without = dict.fromkeys(cell_label(cell) for cell in cells if cell.measured and cell.block not in there)
        if without:
            where = "; ".join(filter(None, without))
            yield f"no ratios{f' ({where})' if where else ''}: {baseline} has no figures there"
    if any(cell.is_partial for cell in cells):
        yield "* from fewer rounds or slices than planned"
    yield from _decoding(cells)
    if any(cell.comparison is not None for cell in cells):
        yield RATIOS
    caches = Counter(cell.block for cell in cells if cell.scenario is Scenario.CACHING and cell.measured)
    if any(count > 1 for count in caches.values()):
        yield SHARED_KEYS
    if parts := sorted({cell.block for cell in cells if cell.block and "--part=" in cell.block}):
        yield (
            f"the clients do not fit into memory together: {', '.join(parts)} took turns in separate blocks, each with "
            "the baseline"
        )


def decodes_otherwise(cell: ReportCell, cells: Iterable[ReportCell]) -> ReportCell | None:
    """Return the baseline of the cell's block if it decodes replies to another type, else None."""
    if cell.comparison is None or cell.decodes_to is None:
        return None
    baseline = next((other for other in cells if other.cell_id == cell.comparison.baseline), None)
    return None if baseline is None or baseline.decodes_to in {None, cell.decodes_to} else baseline


def _decoding(cells: list[ReportCell]) -> Iterator[str]:
    clients: defaultdict[tuple[str, str | None], dict[str, str | None]] = defaultdict(dict)
    for cell in cells:
        if baseline := decodes_otherwise(cell, cells):
            clients[baseline.client, baseline.decodes_to][cell.client] = cell.decodes_to
    for (baseline_client, decodes_to), others in clients.items():
        listed = ", ".join(f"{client} to {other}" for client, other in others.items())
        yield (
            f"{OTHER_DECODING} {baseline_client} decodes replies to {decodes_to}, {listed}: "
            "this accounts for part of the difference"
        )


def missing_notes(cells: Iterable[ReportCell]) -> list[str]:
    """Return why clients are missing, each client once."""
    notes = (f"{cell.client} is missing: {cell.reason}" for cell in cells if cell.status is Status.MISSING)
    return list(dict.fromkeys(notes))


def precision_line(cells: Iterable[ReportCell]) -> str:
    """Return how far the run knows its ratios, in one sentence; empty if it has no intervals."""
    found = precision_of(cell.comparison for cell in cells)
    rps, cpu = (_known(found[metric]) for metric in ("rps", "client_cpu"))
    if rps is None or cpu is None:
        return ""
    rps_half, rps_most, cpu_half, cpu_most = map(_percent, (*rps, *cpu))
    advice = "; more rounds narrow them (--rounds)" if rps[0] > WIDE_PERCENT else ""
    if found["rps"].intervals == 1:
        return f"The throughput ratio is known to ±{rps_half}, that of client CPU to ±{cpu_half}{advice}"
    most = "nine in ten" if found["rps"].intervals >= TEN else "all"
    return (
        f"Half of the throughput ratios are known to ±{rps_half} or better, {most} to ±{rps_most}; "
        f"those of client CPU to ±{cpu_half} and ±{cpu_most}{advice}"
    )


def _known(found: Precision) -> tuple[float, float] | None:
    half, nine_in_ten = found.half_width_percent_median, found.half_width_percent_90
    return None if half is None or nine_in_ten is None else (half, nine_in_ten)


def _percent(value: float) -> str:
    return f"{value:.1f} %" if value < 9.95 else f"{value:.0f} %"  # noqa: PLR2004 - two digits are enough


def _drift(measured: Measured) -> Iterator[str]:
    drift = measured.drift_percent
    if drift is not None and abs(drift) > DRIFT_PERCENT:
        yield (
            f"throughput changed by {drift:+.0f} % from the first half of a round to the second (median over rounds)"
        )


def _steady(cell: ReportCell, measured: Measured) -> Iterator[str]:
    if measured.rounds_not_steady:
        yield (
            f"was still not steady after {measured.warmup_s:.2g} s of warm-up in "
            f"{measured.rounds_not_steady} of {cell.rounds} rounds; a higher --warmup-limit-s may be needed"
        )


def _disturbs(measured: Measured) -> Iterator[str]:
    waiting = measured.waiting_cpu_percent
    if waiting is not None and waiting > WAITING_PERCENT:
        yield (f"used {waiting:.0f} % of one processor while it waited, which disturbed the other clients")


def _disturbed(measured: Measured) -> Iterator[str]:
    stolen, others = measured.stolen_percent or 0.0, measured.other_cpu_percent or 0.0
    if stolen > STOLEN_PERCENT:
        yield f"the hypervisor took {stolen:.0f} % of one processor for other machines"
    if others > OTHERS_PERCENT:
        yield f"other programs used {others:.0f} % of one processor during its slices"


def _own_commands(measured: Measured) -> Iterator[str]:
    if measured.own_commands:
        listed = ", ".join(f"{name.upper()} {count:,}" for name, count in measured.own_commands.items())
        yield f"sent by libraries of their own accord during its slices: {listed}"


def _accounts(measured: Measured) -> Iterator[str]:
    off = measured.cpu_accounts_percent
    if off is not None and abs(off) > ACCOUNTS_PERCENT:
        yield (
            f"the kernel's count of client CPU differs by {off:+.0f} % from the "
            "runner's own (median over rounds): treat this cell's client CPU with care"
        )


def shape_label(shape: Shape) -> str:
    """Return a shape in words: `depth 100, burst`; `10 threads, max_total 10`."""
    words = {
        "threads": f"{shape.threads} threads" if shape.threads != 1 else "1 thread",
        "depth": f"depth {shape.depth}",
        "window": str(shape.window),
        "form": str(shape.form),
        "connections": f"{shape.connections} clients" if shape.connections != 1 else "1 client",
        "max_total": f"max_total {shape.max_total}",
        "max_idle": f"max_idle {shape.max_idle}",
        "cache_entries": f"{shape.cache_entries} cache entries",
        "processes": f"{shape.processes} processes",
    }
    given = shape.model_dump(exclude_defaults=True)
    return ", ".join(word for name, word in words.items() if name in given)


def workload_label(cell: ReportCell) -> str:
    """Return a cell's workload in words; empty if its run has only one."""
    return f"workload {cell.workload}" if cell.names_workload else ""


def cell_label(cell: ReportCell) -> str:
    """Return a cell's shape in words, and its workload if its run has several."""
    return ", ".join(filter(None, (shape_label(cell.shape), workload_label(cell))))


def in_shape(cell: ReportCell) -> str:
    """Return a cell's shape and workload as they follow its client's name; empty if there is nothing to say."""
    label = cell_label(cell)
    return f" ({label})" if label else ""
