"""What pages of published runs begin with: the answer in a few sentences, with its bounds, from the runs' files."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, TypeVar

from respmark import numbers
from respmark.contract.trial import Scenario
from respmark.escaping import markdown_table
from respmark.figures.cells import Cell
from respmark.figures.comparison import Change
from respmark.kinds.loops.connections import Memory, kib_per_connection, memory_by_connections
from respmark.kinds.reading import read
from respmark.micro.model import MICRO, MicroRun
from respmark.paths import CHECKOUT
from respmark.report.columns import ratio_text
from respmark.report.labels import cell_label, joined
from respmark.report.micro import place_of
from respmark.report.report import Report
from respmark.results.store import read_model
from respmark.specs.catalogue import Catalogue
from tools.clients_answers import LanguageRun, coded, is_as_installed
from tools.published import is_run

Item = TypeVar("Item")
Key = TypeVar("Key")

RUNS: Final = CHECKOUT / "results" / "published"


def as_list(sentences: Iterable[str]) -> str:
    """Return sentences as a list in Markdown, with an empty line around it; nothing if there is none."""
    lines = [f"- {one}\n" for one in sentences]
    return f"\n{''.join(lines)}\n" if lines else "\n"


def costs(catalogue: Catalogue) -> dict[str, str]:
    """Return what docs/costs.md begins with."""
    answers = {"tls": of_tls, "caching": of_caching, "memory": of_memory}
    return {"answer": as_list(one for name, of in answers.items() for one in _of_run(RUNS / name, catalogue, of))}


def cold_starts(catalogue: Catalogue) -> dict[str, str]:
    """Return what docs/cold-start.md begins with."""
    return {"answer": as_list(_of_run(RUNS / "cold-start", catalogue, of_cold_starts))}


def cluster(catalogue: Catalogue) -> Iterator[str]:
    """Yield the paragraphs and tables on what a cluster costs, and what clients do while its slots move."""
    for name, of in {"cluster": of_cluster, "cluster-moves": of_moves}.items():
        yield from _of_run(RUNS / name, catalogue, of)


def micro(_: Catalogue) -> dict[str, str]:
    """Return what docs/micro.md begins with."""
    found = (RUNS / name / MICRO for name in ("micro-python", "micro-java", "micro-dotnet"))
    runs = [read_model(path, MicroRun) for path in found if path.is_file()]
    return {"answer": as_list(sentence for run in runs for sentence in of_micro(run))}


def of_micro(run: MicroRun) -> Iterator[str]:
    """Yield how many times as long a client takes for an operation as the first one, by topic."""
    times: defaultdict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for record in run.records:
        if record.measured is not None:
            times[record.topic, record.subject][place_of(record)] = record.measured.time_ns
    for topic in dict.fromkeys(topic for topic, _ in times):
        (first, base), *others = ((subject, found) for (of, subject), found in times.items() if of == topic)
        for subject, found in others:
            if not (ratios := sorted((found[place] / base[place], place) for place in found if place in base)):
                continue
            ends = (
                f"{numbers.ratio(ratio)} times ({place})" for ratio, place in dict.fromkeys((ratios[0], ratios[-1]))
            )
            yield f"`{topic}`: `{subject}` takes {' to '.join(ends)} as long as `{first}`."


def _of_run(folder: Path, catalogue: Catalogue, answer: Callable[[Report], Iterable[str]]) -> Iterator[str]:
    for run in read(folder) if is_run(folder) else ():
        yield from answer(Report.of(run, catalogue))


def of_tls(report: Report) -> Iterator[str]:
    """Yield what is left of the throughput with TLS, from the client that loses most to the one that loses least."""
    told = "; ".join(f"in {use} {_span(found)}" for use, found in _by_use(_compared(report)).items())
    if told:
        yield f"With TLS, clients do this share of the commands that they do without: {told}."


def _compared(report: Report) -> list[Change]:
    """Return the comparisons of cells with another one that took turns with them."""
    return [one.comparison for one in report.cells if one.comparison is not None and one.comparison.main.is_known]


def _by_use(changes: Iterable[Change]) -> dict[str, list[Change]]:
    return _grouped(changes, lambda one: _use(one.new))


def _use(cell: Cell) -> str:
    is_suites = cell.workload == cell.run.manifest.first_workload
    label = joined(cell.shape.label, "" if is_suites else f"workload {cell.workload}")
    return f"`{cell.scenario}`" + (f" ({label})" if label else "")


def _span(changes: Iterable[Change]) -> str:
    ordered = sorted(changes, key=lambda one: one.main.value)
    return " to ".join(f"{ratio_text(one.main)} ({coded(one.new)})" for one in dict.fromkeys((ordered[0], ordered[-1])))


def of_cluster(report: Report) -> Iterator[str]:
    """Yield what is left of a node's throughput on other servers, and into how many one across slots is split."""
    changes = _compared(report)
    yield from _on_other_servers([one for one in changes if one.new.server != one.base.server])
    for (new, base), found in _grouped(changes, lambda one: (one.new.workload, one.base.workload)).items():
        if new != base:
            told = "; ".join(f"{use} {_span(those)}" for use, those in _by_use(found).items())
            yield f"With `{new}`, of the commands that the same client does with `{base}`: {told}.\n"
    split = [one for one in report.cells if one.measured is not None and one.measured.calls_per_command is not None]
    calls = [
        f"`{name}` {_ends(cells, lambda one: one.measured.calls_per_command)}"
        for name, cells in _grouped(split, lambda one: one.workload).items()
    ]
    if calls:
        yield f"A command of several keys across slots became, at the nodes: {', '.join(calls)}.\n"


def _on_other_servers(changes: Iterable[Change]) -> Iterator[str]:
    """Yield a table for each server that others are compared with: what a client does there of its commands."""
    for base, found in _grouped(changes, lambda one: one.base.server).items():
        by_server = {name: _by_use(those) for name, those in _grouped(found, lambda one: one.new.server).items()}
        rows = [
            (use, *(_span(uses[use]) if use in uses else "" for uses in by_server.values())) for use in _by_use(found)
        ]
        yield f"Of the commands a second that a client does on `{base}`, it does this share on:\n"
        yield markdown_table(["", *(f"`{name}`" for name in by_server)], rows)


def _grouped(items: Iterable[Item], of: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    found: defaultdict[Key, list[Item]] = defaultdict(list)
    for item in items:
        found[of(item)].append(item)
    return found


def of_moves(report: Report) -> Iterator[str]:
    """Yield how many commands nodes sent on while slots moved, and how often clients asked for the nodes."""
    moved = [one for one in report.cells if one.measured is not None and one.measured.redirected_percent is not None]
    rows = [
        (
            use,
            _ends(cells, lambda one: one.measured.redirected_percent),
            _ends(cells, lambda one: one.measured.topology_calls_per_s),
        )
        for use, cells in _grouped(moved, _use).items()
    ]
    if rows:
        heads = "while slots move", "nodes sent on, % of the commands", "asked for all nodes, times a second"
        yield markdown_table(heads, rows)


def _ends(cells: Iterable[Cell], of: Callable[[Cell], float]) -> str:
    """Return the least and the most of a figure, each with its client."""
    ordered = sorted(cells, key=of)
    ends = {numbers.significant(of(one)): coded(one) for one in (ordered[-1], ordered[0])}
    return (
        " to ".join(f"{text} ({name})" for text, name in reversed(ends.items())) if len(ends) > 1 else next(iter(ends))
    )


def of_caching(report: Report) -> Iterator[str]:
    """Yield the throughput of each client with caches of several sizes, beside that without one."""
    measured = [cell for cell in report.cells if cell.measured is not None]
    without = {cell.client: _rps(cell) for cell in measured if cell.scenario is Scenario.SYNC}
    cached = [cell for cell in measured if cell.scenario is Scenario.CACHING]
    for client, cells in _grouped(cached, lambda one: one.client).items():
        told = [f"{_rps(one)} with {cell_label(one)}" for one in cells]
        told += [f"{without[client]} without a cache"] if client in without else []
        yield f"Client-side caching in `{client}`, commands a second (lowest to highest round): {', '.join(told)}."


def _rps(cell: Cell) -> str:
    found = cell.measured
    return f"{numbers.rps(found.rps_median)} ({numbers.rps(found.rps_min)} to {numbers.rps(found.rps_max)})"


def of_memory(report: Report) -> Iterator[str]:
    """Yield what a further connection takes, in a pool and in a client object of its own."""
    found = {use: _added(by_client) for use, by_client in memory_by_connections(report.run).items()}
    told = "; ".join(f"`{use}`: {least} to {most}" for use, (least, most) in found.items())
    if told:
        yield f"A further connection takes, with the thread or task that uses it: {told}."


def _added(by_client: Mapping[str, Memory]) -> tuple[str, str]:
    """Return the least and the most that one more connection takes, with the client."""
    ordered = sorted((kib_per_connection(memory), client) for client, memory in by_client.items())
    least, most = (f"{numbers.significant(kib)} KiB (`{client}`)" for kib, client in (ordered[0], ordered[-1]))
    return least, most


def of_cold_starts(report: Report) -> Iterator[str]:
    """Yield how long a new process takes to its first reply, by language, from the quickest library to the slowest."""
    by_language = _grouped(
        (cell for cell in report.cells if cell.measured is not None and cell.is_library), lambda one: one.language
    )
    ordered = {name: sorted(cells, key=_start_ms) for name, cells in by_language.items()}
    told = "; ".join(
        f"{name} {', '.join(f'`{one.name}` {_start(one)}' for one in dict.fromkeys((cells[0], cells[-1])))}"
        for name, cells in sorted(ordered.items(), key=lambda one: _start_ms(one[1][0]))
    )
    if told:
        yield (
            "From the request for a process to its first reply, the quickest and the slowest library of each language, "
            f"in milliseconds (in brackets, all but a tenth of the starts on either side): {told}."
        )


def _start_ms(cell: Cell) -> float:
    return float(cell.measured.start_ms)


def _start(cell: Cell) -> str:
    found = cell.measured
    return numbers.interval(found.start_ms, found.start_low_ms, found.start_high_ms, numbers.significant)


def of_network(report: Report) -> Iterator[str]:
    """Yield how far the clients as installed are apart, in each use, without a network and behind each round trip."""
    run = LanguageRun(report)
    trips = sorted({cell.shape.rtt_ms for cell in run.cells}, key=lambda one: one or 0.0)
    rows = []
    for use, cells in run.at(None).items():
        clients = {cell.client for cell in cells}
        apart = [_apart(run, (one for one in run.at(trip).get(use, []) if one.client in clients)) for trip in trips]
        if any(apart):
            rows.append((_use(cells[0]), *apart))
    if rows:
        yield "Of two clients as installed, the fastest and the slowest, the first does so many times the commands:\n"
        yield markdown_table(["", *(f"behind {trip:g} ms" if trip else "without a network" for trip in trips)], rows)


def _apart(run: LanguageRun, cells: Iterable[Cell]) -> str:
    """Return how many times the slowest client's commands the fastest does, and both; empty of less than two."""
    ordered = sorted(filter(is_as_installed, cells), key=lambda one: one.measured.rps_median)
    if not ordered[1:]:
        return ""
    slowest, fastest = ordered[0], ordered[-1]
    names = " to ".join(f"{coded(one)} {numbers.rps(one.measured.rps_median)}" for one in (fastest, slowest))
    return f"{ratio_text(run.ratio(fastest, slowest))}: {names}"


def of_servers(report: Report) -> Iterator[str]:
    """Yield in how many comparisons of servers a difference is shown, and how large those are."""
    compared = [one for one in _compared(report) if one.new.shape.rate is None]
    shown = [one for one in compared if one.main.shown]
    if not compared:
        return
    told = "none" if not shown else f"{len(shown)}, of {_ratios(shown)}"
    yield (
        f"The suite {report.manifest.suite['name']}: of {len(compared)} comparisons of two servers, by the throughput "
        f"of the same client with the same workload and as many connections, these show a difference: {told}."
    )


def _ratios(changes: Iterable[Change]) -> str:
    return "; ".join(f"{ratio_text(one.main)} ({one.new.subject}, {one.new.workload})" for one in changes)
