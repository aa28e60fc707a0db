"""What a reader must know besides the figures of loops: what disturbed them, and what their traffic shows."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from respmark import numbers
from respmark.contract.trial import Form, Scenario, Window
from respmark.figures.cells import Cell
from respmark.figures.precision import precision_of
from respmark.kinds.loops.columns import node_shares, sent_by_libraries
from respmark.kinds.loops.metrics import LoopFigures
from respmark.kinds.loops.record import REPLICA
from respmark.report.labels import cell_name, listed
from respmark.report.notes import PARTIAL, without_baseline


class Doubt(NamedTuple):
    """A figure beyond which a cell's others are to be read with care."""

    name: str
    metric: str
    limit: float
    """Of the metric's absolute value."""
    note: str

    def value(self, measured: LoopFigures | None) -> float | None:
        """Return the figure if it is beyond the limit."""
        found = getattr(measured, self.metric, None)
        return found if found is not None and abs(found) > self.limit else None


DOUBTS: Final = (
    Doubt(
        "drifted",
        "drift_percent",
        10.0,
        "throughput changed by {:+.0f} % from the first half of a round to the second (median over rounds)",
    ),
    Doubt(
        "CPU in doubt",
        "cpu_accounts_percent",
        5.0,
        "the kernel's count of client CPU differs by {:+.0f} % from the runner's own (median over rounds): treat this "
        "cell's client CPU with care",
    ),
    Doubt(
        "busy while waiting",
        "waiting_cpu_percent",
        3.0,
        "used {:.0f} % of one processor while it waited, which disturbed the other clients",
    ),
    Doubt(
        "time outside",
        "outside_percent",
        10.0,
        "{:.0f} % of the time from the request for a slice to its answer was outside the slice (median over rounds)",
    ),
    Doubt(
        "processes overlapped little",
        "apart_percent",
        20.0,
        "its processes overlapped little: for {:.0f} % of the measured time, not all of them were working",
    ),
    Doubt(
        "saturated",
        "saturated_slices",
        0,
        "could not keep the rate in {} of its slices: response times are those of a growing queue (docs/load.md)",
    ),
    Doubt(
        "CPU taken by the hypervisor",
        "stolen_percent",
        2.0,
        "the hypervisor took {:.0f} % of one processor for other machines",
    ),
    # The harness itself and waiting clients need about 10 % if slices are short.
    Doubt(
        "other programs' CPU",
        "other_cpu_percent",
        25.0,
        "other programs used {:.0f} % of one processor during its slices",
    ),
    Doubt(
        "not steady after its warm-up",
        "rounds_not_steady",
        0,
        "was not steady at the end of its warm-up in {} of its rounds; a higher --warmup-limit-s may be needed",
    ),
)
NATIVE: Final = "native code with threads of its own, which client CPU includes: {}"
RATIOS: Final = (
    "ratios compare slices of the same laps, with 95 % intervals over rounds; `=`: no difference from the baseline is "
    "shown once all ratios of the block are corrected for (Holm), even if this interval excludes 1; CPU is per command "
    "(docs/statistics.md)"
)
SHARED_KEYS: Final = (
    "all clients write the same keys: each cache also loses entries to the other clients' SETs, and has fewer local "
    "hits than it would have alone"
)
LATE_SHARE: Final = 0.1
"""Of the p50 of response times: with a longer lag, response times are partly the runner's own."""
LATE: Final = "units began late: the median lag of {} ms is more than a tenth of the p50 of {} ms (docs/load.md)"
WIDE_PERCENT: Final = 5.0
"""If half of the intervals of RPS are wider, the reader is told how to narrow them."""
TEN: Final = 10
"""Of fewer intervals, the one that nine in ten do not exceed is the widest."""
ALONE: Final = 1.5
"""With fewer commands per read, the server hardly ever found two together."""
TOGETHER: Final = 4.0
"""With this many commands per read or more, it usually found them in groups."""
WHOLE_READ_BYTES: Final = 8 * 1024
"""Units shorter than this fit into one read of the server with room to spare."""
ONE_READ: Final = 1.3
"""With up to this many reads per unit, a unit arrives in one read, except for an unlucky split."""


LEARNED_AFTER: Final = 2
"""MOVED for a slot: with more, a client has not learned where it is now."""
EVERY: Final = 0.9
"""With so many requests for each MOVED, or more, the one makes the other."""
FOR_NODES: Final = frozenset({"cluster", "cluster|slots", "cluster|shards", "cluster|nodes"})
"""What clients send to learn which node has which slots, in lower case; before Redis 7.0, it is counted as one."""


def lags_behind(measured: LoopFigures | None) -> bool:
    """Return whether units of an open loop begin so late that this is a good part of their response times."""
    if measured is None or measured.lag_p50_ms is None or measured.p50_ms is None:
        return False
    return measured.lag_p50_ms >= LATE_SHARE * measured.p50_ms


def notes(cell: Cell) -> Iterator[str]:
    """Yield what the figures of a cell show that the scenario's name does not suggest, and what is in doubt of them."""
    measured = cell.measured
    yield from wire_notes(cell, measured)
    if lags_behind(measured):
        yield LATE.format(numbers.milliseconds(measured.lag_p50_ms), numbers.milliseconds(measured.p50_ms))
    for doubt in DOUBTS:
        if (value := doubt.value(measured)) is not None:
            yield doubt.note.format(value)
    if measured.redirects:
        yield f"{measured.redirects:,} commands were sent to a node that did not have their slot (MOVED, ASK)"
    yield from cluster_notes(cell, measured)
    if measured.own_commands:
        yield f"sent by libraries of their own accord during its slices: {sent_by_libraries(measured)}"


def cluster_notes(cell: Cell, measured: LoopFigures) -> Iterator[str]:
    """Yield how a client follows slots that move, and which nodes answered its reads, where replicas might."""
    moved, slots = (measured.redirects or 0) - (measured.asks or 0), measured.moved_slots or 0
    clients = cell.shape.processes * (cell.shape.connections or 1)
    if moved > LEARNED_AFTER * slots * clients > 0:
        yield f"goes on to ask the node that had a slot: {moved:,} MOVED for {slots:,} slots that moved"
    asked = sum(count for name, count in measured.topology_calls.items() if name in FOR_NODES)
    if moved and asked >= EVERY * moved:
        yield f"asks for all nodes again with every MOVED: {asked:,} times for {moved:,} MOVED"
    if (measured.askings or 0) < (measured.asks or 0):
        counts = f"{measured.askings:,} for {measured.asks:,} ASK"
        yield f"asks the same node again after ASK, or leaves ASKING out: {counts}"
    if any(node.startswith(REPLICA) for node in measured.node_reads):
        yield f"reads by node: {node_shares(measured)}"


def table_notes(cells: Sequence[Cell], baseline: str | None) -> Iterator[str]:
    """Yield the notes that belong to no single cell of a table; `baseline` is the client that was asked for."""
    yield from without_baseline(cells, baseline)
    if any(cell.is_partial for cell in cells):
        yield PARTIAL
    yield from _decoding(cells)
    if native := dict.fromkeys(cell.client for cell in cells if cell.measured and cell.native_core):
        yield NATIVE.format(listed(native))
    yield from _places(cells)
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


def differently_decoding_baseline(cell: Cell) -> Cell | None:
    """Return the baseline of the cell's block if it decodes replies to another type, else None."""
    if cell.comparison is None or cell.decodes_to is None:
        return None
    baseline = cell.comparison.base
    return None if baseline.decodes_to in {None, cell.decodes_to} else baseline


def _decoding(cells: Sequence[Cell]) -> Iterator[str]:
    others: defaultdict[str, dict[str, None]] = defaultdict(dict)
    own = {cell.cell_id for cell in cells}
    for cell in cells:
        if (baseline := differently_decoding_baseline(cell)) and baseline.cell_id in own:
            first = f"{baseline.client} decodes replies to {baseline.decodes_to}"
            others[first][f"{cell.client} to {cell.decodes_to}"] = None
    for first, found in others.items():
        yield f"{first}, {', '.join(found)}: this accounts for part of the difference"


def _places(cells: Iterable[Cell]) -> Iterator[str]:
    """Yield which clients of a table were kept off the server's CPU, where others of it were not."""
    measured = [(cell.subject, cell.measured.rounds_apart > 0) for cell in cells if cell.measured]
    if len({is_off for _, is_off in measured}) > 1:
        off = dict.fromkeys(name for name, is_off in measured if is_off)
        yield f"kept off the server's CPU, as one thread does their work: {', '.join(off)} (docs/statistics.md)"


def caveats(cells: Sequence[Cell]) -> Iterator[str]:
    """Yield what to know before believing the figures of a run, in few lines; details are in the tables' notes."""
    counts = {doubt.name: sum(doubt.value(cell.measured) is not None for cell in cells) for doubt in DOUBTS}
    if disturbed := [f"{name} {count}" for name, count in counts.items() if count]:
        of = sum(cell.measured is not None for cell in cells)
        yield f"possibly disturbed cells, of {of}: {', '.join(disturbed)}; tables note by how much"
    if mixed := [cell for cell in cells if _mixes_placements(cell)]:
        yield f"kept off the server's CPU in some rounds and not in others: {len(mixed)} cells"
    if late := [cell for cell in cells if lags_behind(cell.measured)]:
        yield f"units began late (lag of a tenth of the p50 or more): {listed(map(cell_name, late))}"
    pipelining = ((cell, cell.measured) for cell in cells if cell.scenario is Scenario.PIPELINING and cell.measured)
    found = (cell.client for cell, figures in pipelining if 1 < (cell.shape.depth or 1) <= figures.connections_open)
    if spread := dict.fromkeys(found):
        yield f"pipelining uses one connection per command in flight: {listed(spread)}"
    if others := dict.fromkeys(cell.library for cell in cells if differently_decoding_baseline(cell)):
        yield f"decoded to another type than the first client's: {listed(others)}"


def _mixes_placements(cell: Cell) -> bool:
    """Return whether the client was kept off the server's CPU in some of its rounds, and not in others."""
    return cell.measured is not None and 0 < cell.measured.rounds_apart < cell.rounds


def precision_line(cells: Sequence[Cell]) -> str:
    """Return how far the run knows its ratios, in one sentence; empty if it has no intervals."""
    if not cells:
        return ""
    found = precision_of(cells[0].run.kind, (cell.comparison for cell in cells))
    both = found["rps"], found["client_cpu"]
    known = [(one.half_width_percent_median, one.half_width_percent_90) for one in both]
    widths = [width for one in known for width in one if width is not None]
    if len(widths) < 2 * len(both):
        return ""
    half, most, half_cpu, most_cpu = map(_plus_or_minus, widths)
    advice = "; more rounds narrow this (--rounds)" if widths[0] > WIDE_PERCENT else ""
    if found["rps"].intervals == 1:
        return f"The throughput ratio is known to within {half}, the client CPU ratio to within {half_cpu}{advice}"
    of = "90 %" if found["rps"].intervals >= TEN else "all"
    return (
        f"Throughput ratios are known to within {half} (median; {of}: {most}), "
        f"client CPU ratios to within {half_cpu} ({of}: {most_cpu}){advice}"
    )


def _plus_or_minus(percent: float) -> str:
    return f"±{percent:.1f} %" if percent < 9.95 else f"±{percent:.0f} %"  # noqa: PLR2004 - two digits are enough


def wire_notes(cell: Cell, measured: LoopFigures) -> Iterator[str]:
    """Yield what shows that traffic is not what the scenario's name suggests; `conform` examines the wire itself.

    The server counts reads, not writes: commands that it finds in one read were sent together, or came faster than it
    reads. A read holds at most 16 KiB, so longer units say nothing about flushes.
    """
    reads, depth, shape = measured.commands_per_read, cell.shape.depth or 1, cell.shape
    connections, threads = measured.connections_open, (shape.threads or 1) * shape.processes
    if cell.scenario is Scenario.THREADS and connections < threads:
        per_read = f", {reads:.1f} commands per read" if reads else ""
        yield (
            f"the server saw {connections} connections for {threads} threads{per_read}: "
            "threads share connections and pipeline their commands on them"
        )
    if reads is None or depth == 1:
        return
    if cell.scenario is Scenario.PIPELINING:
        seen, is_burst = f"the server saw {reads:.1f} commands per read at depth {depth}", shape.window is Window.BURST
        if reads < ALONE and connections > shape.processes:
            yield f"{seen}, over {connections} connections: each command in flight has its own connection"
        elif reads < ALONE and is_burst:
            yield f"{seen}: each command is sent on its own"
        elif reads >= min(TOGETHER, depth * 0.7):
            burst = "the library combines commands issued together into a few writes, as an explicit batch would"
            sliding = "replies arrive in groups, and so do the commands that follow them"
            yield f"{seen}: {burst if is_burst else sliding}"
    elif cell.scenario is Scenario.TRANSACTION and shape.form is Form.BATCHED:
        flushes = (depth + 2) / reads
        if flushes > ONE_READ and (measured.input_bytes_per_read or WHOLE_READ_BYTES) * flushes < WHOLE_READ_BYTES:
            seen = f"the server saw {flushes:.1f} reads per transaction at depth {depth}"
            yield f"{seen}: MULTI, the commands and EXEC are sent in more than one flush"
