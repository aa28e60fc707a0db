"""How the figures of loops are shown: the columns of their tables and the lines of the page's evidence, in their order.

What a figure is, `metrics` says.
"""

from typing import Final

from respmark import numbers
from respmark.contract.trial import Scenario
from respmark.figures.cells import Cell
from respmark.kinds.loops.metrics import LoopFigures
from respmark.report.columns import Fact, FigureColumn, RatioColumn, Section
from respmark.specs.names import name_parts

UNDETERMINED: Final = "not determined"
"""What is said of a bottleneck that no figure shows."""


def both_ms(measured: LoopFigures, first: str, second: str) -> str:
    """Return two latencies as text, a dash for one that is not known; those that may be longer are marked."""
    if getattr(measured, first) is None and getattr(measured, second) is None:
        return ""
    return "/".join(
        f"{_at_least(measured, key)}{numbers.milliseconds(getattr(measured, key)) or '-'}" for key in (first, second)
    )


def sent_by_libraries(measured: LoopFigures) -> str:
    """Return what libraries sent of their own accord, as text."""
    return ", ".join(f"{name.upper()} {count:,}" for name, count in measured.own_commands.items())


def _at_least(measured: LoopFigures, key: str) -> str:
    """Return the mark of a latency that may be longer, because units were given up after a shorter time."""
    value, unended_ms = getattr(measured, key), measured.unended_ms
    return "" if value is None or unended_ms is None or value < unended_ms else "> "


def _ms(measured: LoopFigures, key: str) -> str:
    value = getattr(measured, key)
    return "" if value is None else f"{_at_least(measured, key)}{numbers.significant(value)} ms"


def _cpu(us: float | None, percent: float) -> str:
    return "" if us is None else f"{numbers.microseconds(us)} per command, {numbers.percent(percent)} of one processor"


def _span(measured: LoopFigures, between: str) -> str:
    return f"{numbers.rps(measured.rps_min)}{between}{numbers.rps(measured.rps_max)}"


def _connections(measured: LoopFigures) -> str:
    opened = f", {measured.connections_received:,} new" if measured.connections_received else ""
    return f"{measured.connections_open:,}{opened}"


def redirected(measured: LoopFigures) -> str:
    """Return the share of commands that nodes sent on, and how many for each slot that moved; empty if none did."""
    if measured.redirected_percent is None:
        return ""
    return f"{numbers.significant(measured.redirected_percent)} / {numbers.significant(measured.redirects_per_move)}"


def node_shares(measured: LoopFigures) -> str:
    """Return which share of the reads each node carried out, as text; empty outside a cluster."""
    total = sum(measured.node_reads.values())
    return ", ".join(f"{node} {count / total * 100:.1f} %" for node, count in measured.node_reads.items() if total)


def asked(measured: LoopFigures) -> str:
    """Return what clients asked a cluster about itself, as text."""
    return ", ".join(f"{name.upper().replace('|', ' ')} {count:,}" for name, count in measured.topology_calls.items())


def _share(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio * 100:.0f}"


def workers(cell: Cell) -> str:
    """Return what does the work of `threads` and `pool` in this client: threads, or tasks that share one or a few."""
    options = name_parts(cell.client).options
    is_tasks = cell.language == "JavaScript" or "api=asyncio" in options or "tokio" in cell.versions
    if is_tasks or (cell.language == "C#" and "api=async" in options):
        return "tasks"
    if cell.language == "Go":
        return "goroutines"
    return "virtual threads" if "threads=virtual" in options else "threads"


def connections(cell: Cell, measured: LoopFigures) -> str:
    """Return how many connections the server saw, and what shares them; empty where there is one by definition."""
    if not measured.connections_open:
        return ""  # of a load generator, which connects when a slice begins
    seen = f"{measured.connections_open:,}"
    if cell.scenario is Scenario.PIPELINING:
        return seen
    if cell.scenario in {Scenario.THREADS, Scenario.POOL}:
        return f"{seen} ({cell.shape.threads or 1:,} {workers(cell)})"
    return ""


COLUMNS: Final = (
    FigureColumn("rps_median", "RPS", lambda m: numbers.rps(m.rps_median)),
    RatioColumn("rps"),
    FigureColumn(
        "client_cpu_us_per_command", "client\nCPU µs", lambda m: numbers.significant(m.client_cpu_us_per_command)
    ),
    FigureColumn(
        "server_cpu_us_per_command", "server\nCPU µs", lambda m: numbers.significant(m.server_cpu_us_per_command)
    ),
    FigureColumn("p50_ms", "p50/p99 ms\nper {unit}", lambda m: both_ms(m, "p50_ms", "p99_ms")),
    FigureColumn("service_p99_ms", "service\np99 ms", lambda m: numbers.significant(m.service_p99_ms), is_extra=True),
    FigureColumn("lag_p50_ms", "lag p50/p99 ms\ndue to begun", lambda m: both_ms(m, "lag_p50_ms", "lag_p99_ms")),
    FigureColumn("element_ms", "ms to the\nelement", lambda m: numbers.significant(m.element_ms)),
    FigureColumn("local_hit_ratio", "local\nhits %", lambda m: _share(m.local_hit_ratio)),
    FigureColumn("bottleneck", "bottleneck", "{}", is_extra=True),
    FigureColumn(
        "commands_per_read",
        "commands\nper read",
        "{:.1f}",
        is_extra=True,
        always_in=frozenset({Scenario.TRANSACTION}),  # a block is one write in one library, a hundred in another
    ),
    FigureColumn("reads_per_unit", "server reads\nper {unit}", "{:.1f}", is_extra=True),
    FigureColumn("redirected_percent", "sent on %\nper moved slot", redirected),
    FigureColumn("topology_calls_per_s", "asked for\nnodes per s", "{:.1f}", is_extra=True),
    FigureColumn("connections_open", "connections", _connections, is_extra=True),
    FigureColumn("rps_min", "RPS\nmin..max", lambda m: _span(m, ".."), is_extra=True),
    RatioColumn("client_cpu", is_extra=True),
    RatioColumn("server_cpu", is_extra=True),
    FigureColumn(
        "client_cpu_percent",
        "CPU %\nclient/server",
        lambda m: f"{m.client_cpu_percent:.0f}/{m.server_cpu_percent:.0f}",
        is_extra=True,
        always_with_rate=True,  # where there is no CPU per command
    ),
    FigureColumn("p999_ms", "p99.9/max\nms", lambda m: both_ms(m, "p999_ms", "max_ms"), is_extra=True),
)
"""In the tables' order; the others follow (`report.columns.columns`)."""


OF_ONE: Final = "{:.1f} % of one processor"
FACTS: Final = {
    Section.FIGURES: (
        Fact("rps_median", "throughput", "{:,.0f} commands per second"),
        Fact("rps_min", "rounds, lowest to highest", lambda m: _span(m, " to ")),
        Fact(
            "client_cpu_us_per_command",
            "client CPU",
            lambda m: _cpu(m.client_cpu_us_per_command, m.client_cpu_percent),
        ),
        Fact(
            "server_cpu_us_per_command",
            "server CPU",
            lambda m: _cpu(m.server_cpu_us_per_command, m.server_cpu_percent),
        ),
        Fact("p50_ms", "latency of one {unit}, p50", lambda m: _ms(m, "p50_ms")),
        Fact("p99_ms", "p99", lambda m: _ms(m, "p99_ms")),
        Fact("p999_ms", "p99.9", lambda m: _ms(m, "p999_ms")),
        Fact("max_ms", "longest", lambda m: _ms(m, "max_ms")),
        Fact("service_p50_ms", "from begin to done, p50", lambda m: _ms(m, "service_p50_ms")),
        Fact("lag_p99_ms", "lag, p99", lambda m: _ms(m, "lag_p99_ms")),
        Fact("due", "units due", "{:,}"),
        Fact("unstarted", "units that never began", "{:,}"),
        Fact("backlog", "most units waiting", "{:,}"),
        Fact("bottleneck", "limited by", lambda m: str(m.bottleneck or UNDETERMINED)),
        Fact("lag_p50_ms", "lag (from due to begun), p50", lambda m: _ms(m, "lag_p50_ms")),
        Fact("element_ms", "from an element's push to its receipt, on average", lambda m: _ms(m, "element_ms")),
        Fact("memory_bytes_per_key", "server memory per key", "{:,.0f} bytes"),
        Fact("operations", "commands", "{:,}", names_rounds=True),
        Fact("slices", "slices that count", "{}"),
    ),
    Section.WIRE: (
        Fact("commands_per_read", "commands per read", "{:.1f}"),
        Fact("input_bytes_per_read", "bytes per read", "{:,.0f}"),
        Fact("connections_open", "connections open", "{:,}"),
        Fact("connections_received", "connections made in the slices", "{:,}"),
        Fact("hit_ratio", "hit ratio", "{:.3f}"),
        Fact("local_hit_ratio", "local hit ratio", "{:.3f}"),
        Fact(
            "local_invalidations_per_second",
            "entries that the server made the local cache drop",
            "{:,.0f} per second",
        ),
        Fact("stale_ms", "reads of a replica were stale after a write", "{:.3f} ms"),
        Fact("reads_per_unit", "server reads per {unit}", "{:.1f}"),
        Fact("redirected_percent", "sent on by a node, in % of commands and per moved slot", redirected),
        Fact("topology_calls_per_s", "asked for nodes, commands or state", "{:.2f} per second"),
        Fact("topology_calls", "asked", asked),
        Fact("node_reads", "reads by node", node_shares),
        Fact("own_commands", "sent by the library of its own accord", sent_by_libraries),
    ),
    Section.DISTURBANCE: (
        Fact("other_cpu_percent", "other programs", OF_ONE),
        Fact("stolen_percent", "taken by the hypervisor", OF_ONE),
        Fact("waiting_cpu_percent", "this client while waiting", OF_ONE),
        Fact("drift_percent", "drift within a round", "{:+.1f} %"),
        Fact("outside_percent", "between order and answer, but outside the slice", "{:.1f} % of the time"),
        Fact("apart_percent", "without all processes at work", "{:.1f} % of the measured time"),
        Fact(
            "slices_repeated",
            "slices repeated because compilers were busy",
            lambda m: str(m.slices_repeated or ""),
        ),
        Fact("warmup_s", "warm-up", "{:.2g} s"),
        Fact("rounds_apart", "rounds kept off the server's CPU", lambda m: str(m.rounds_apart or "")),
        Fact("rounds_not_steady", "rounds not steady after warm-up", lambda m: str(m.rounds_not_steady or "")),
    ),
}
"""In the order of the page's evidence; figures that are in none of it follow (`report.columns.facts`)."""
