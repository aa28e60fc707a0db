"""The table of a fidelity run, for a terminal, Markdown and CSV."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from respmark.escaping import markdown, markdown_row
from respmark.fidelity.rows import CPU_TARGET, RPS_TARGET, FidelityRun, Row, Verdict, verdicts
from respmark.report.header import versions_line
from respmark.report.notes import shape_label
from respmark.statistics.compare import Ratio

COLUMNS = (
    *("client", "scenario", "depth", "status", "reason", "rps_ratio", "rps_ratio_low", "rps_ratio_high"),
    *("client_cpu_ratio", "client_cpu_ratio_low", "client_cpu_ratio_high", "verdict", "rounds", "laps"),
    *("window", "form", "threads", "connections", "max_total", "library_version"),
)
HEADINGS = ("client", "scenario", "RPS", "CPU per command", "verdict")


def title(run: FidelityRun) -> str:
    """Return the line above the table."""
    what = "suite / bare loop" if run.against == "bare" else "container / process on this machine"
    targets = f"; targets: RPS at least {RPS_TARGET}, CPU per command at most {CPU_TARGET}"
    return f"{what}, with 95 % intervals over {_rounds(run)} rounds of {run.laps} laps" + (
        targets if run.against == "bare" else ""
    )


def _rounds(run: FidelityRun) -> str:
    """Return how many rounds the measured rows have."""
    counts = {len(row.rounds) for row in run.rows if row.laps} or {run.rounds}
    return str(max(counts)) if len(counts) == 1 else f"{min(counts)} to {max(counts)}"


def to_terminal(console: Console, run: FidelityRun) -> None:
    """Print the table."""
    print_table(console, title(run), HEADINGS, _words(run))


def print_table(console: Console, above: str, headings: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    """Print a table of ratios, with a line above it."""
    console.print(Text(above))
    table = Table(show_edge=False, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for words in rows:
        table.add_row(*map(Text, words))
    console.print(table)


def to_markdown(run: FidelityRun) -> str:
    """Return the table in Markdown."""
    cpus = [f"CPUs: {run.placement.words}"] if run.placement else []
    workload = [f"workload {run.workload}"] if run.workload else []
    above = "; ".join([title(run), run.machine, *cpus, run.target, *workload])
    loaded = versions_line({row.client: row.versions for row in run.rows if row.versions})
    return markdown_table(f"{above}. Loaded: {loaded}.", HEADINGS, _words(run))


def markdown_table(above: str, headings: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table of ratios in Markdown, with a line above it."""
    lines = [markdown(above), "", markdown_row(headings), markdown_row(["---"] * len(headings))]
    return "\n".join([*lines, *(markdown_row(map(markdown, words)) for words in rows)]) + "\n"


def to_csv(run: FidelityRun) -> str:
    """Return one row per client, scenario and shape; an empty field means that it does not apply."""
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row, verdict in zip(run.rows, verdicts(run.rows), strict=True):
        writer.writerow(_fields(run, row, verdict))
    return output.getvalue()


def _fields(run: FidelityRun, row: Row, verdict: Verdict | None) -> list[str]:
    shape = row.shape.model_dump(mode="json")
    library = row.client.partition("[")[0].partition("@")[0]
    values: dict[str, object] = {
        **shape,
        "client": row.client,
        "scenario": row.scenario.value,
        "status": "unsupported" if row.unsupported else "failed" if verdict is None else "ok",
        "reason": row.reason,
        "rounds": len(row.rounds),
        "laps": len(row.laps),
        "library_version": row.versions.get(library),
    }
    if verdict is not None:
        values["verdict"] = _judgement(run, verdict)
        values |= _ends("rps_ratio", verdict.rps) | _ends("client_cpu_ratio", verdict.cpu)
    return [_written(values.get(name)) for name in COLUMNS]


def _ends(name: str, ratio: Ratio) -> dict[str, object]:
    return {name: ratio.value, f"{name}_low": ratio.low, f"{name}_high": ratio.high}


def _written(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _words(run: FidelityRun) -> Iterator[list[str]]:
    for row, verdict in zip(run.rows, verdicts(run.rows), strict=True):
        place = f"{row.scenario} {shape_label(row.shape)}".strip()
        if verdict is None:
            yield [row.client, place, "", "", row.reason or "not measured"]
        else:
            yield [row.client, place, ratio_words(verdict.rps), ratio_words(verdict.cpu), _judgement(run, verdict)]


def _judgement(run: FidelityRun, verdict: Verdict) -> str:
    return verdict.words if run.against == "bare" else verdict.difference


def ratio_words(ratio: Ratio) -> str:
    """Return a ratio with its interval, if it has one."""
    if ratio.low is None or ratio.high is None:
        return f"{ratio.value:.3f}"
    return f"{ratio.value:.3f} ({ratio.low:.3f} to {ratio.high:.3f})"
