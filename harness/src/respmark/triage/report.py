"""The report of a watch: findings worst first, and for a cluster a table of its nodes; as chapters, and as JSON."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final

from respmark import numbers
from respmark.contract.base import Message, Seconds
from respmark.report.table import SUBJECT, Chapter, Heading, Listing, Table, TableCell, row
from respmark.servers.info import Info
from respmark.specs.triage import ANY_CLIENT, Severity
from respmark.triage.findings import LOST, SHOWN, Finding, RuleJudge, Seen, worst_first, written
from respmark.triage.hot_nodes import hot
from respmark.triage.rows import shortened
from respmark.triage.signals import Signals
from respmark.triage.snapshot import FORMAT, Format, KeyGroup, KeySample, NodeSnapshot, ServerSnapshot, Who
from respmark.triage.unseen import unseen

TEXT: Final = (SUBJECT, Heading("", is_text=True))
KEY_GROUPS: Final = (SUBJECT, *map(Heading, ("keys", "memory", "of all", "with an expiry")))
LARGEST_KEYS: Final = (SUBJECT, Heading("type", is_text=True), Heading("memory"))
NODES: Final = (
    SUBJECT,
    Heading("role", is_text=True),
    *map(Heading, ("commands/s", "CPU", "connections", "opened/s", "memory", "keys", "findings")),
)


class NodeFigures(Message):
    """What one server did during the watch."""

    address: str
    version: str
    role: str
    seconds: Seconds
    commands_per_s: float
    cpu_percent: float
    connections: int
    connections_per_s: float
    """Opened."""
    used_memory_bytes: int
    keys: int
    lost: str | None = None
    """Why nothing else is known of it."""


class SampledKeys(Message):
    """The keys that were sampled on one server."""

    node: str
    sample: KeySample


class FindingChanges(Message):
    """What changed since an earlier snapshot; findings by their id, at the node's address if there are several."""

    taken_at: datetime
    appeared: tuple[str, ...]
    gone: tuple[str, ...]
    of_another: str | None = None
    """The address of the earlier snapshot, if that is of another server."""
    still: tuple[str, ...]
    """With what their first threshold is about, before and now."""


class TriageReport(Message):
    """The JSON report."""

    format: Format
    respmark_version: str
    taken_at: datetime
    nodes: tuple[NodeFigures, ...]
    findings: tuple[Finding, ...]
    """Worst first."""
    changes: FindingChanges | None = None
    basis: str = ""
    """What rates are of, in words, if not of a watch."""
    keys: tuple[SampledKeys, ...] = ()
    """What `--keys` found, by server."""
    unseen: tuple[str, ...] = ()
    """What was not looked at, and why."""

    def has(self, severity: Severity) -> bool:
        """Return whether there is a finding as severe as that, or more."""
        order = list(Severity)
        return any(order.index(one.severity) <= order.index(severity) for one in self.findings)


def report_of(snapshot: ServerSnapshot, judge: RuleJudge, baseline: ServerSnapshot | None = None) -> TriageReport:
    """Return the report of a snapshot, compared with an earlier one if there is one."""
    findings = worst_first([*(one for node in snapshot.nodes for one in judge.findings(node)), *hot(snapshot.nodes)])
    return TriageReport(
        format=FORMAT,
        respmark_version=snapshot.respmark_version,
        taken_at=snapshot.taken_at,
        nodes=tuple(map(_figures, snapshot.nodes)),
        findings=tuple(findings),
        changes=None if baseline is None else _changes(baseline, judge, findings, snapshot),
        basis=snapshot.nodes[0].basis,
        keys=tuple(SampledKeys(node=one.address, sample=one.keys) for one in snapshot.nodes if one.keys),
        unseen=tuple(dict.fromkeys(words for node in snapshot.nodes if not node.lost for words in unseen(node))),
    )


def _figures(node: NodeSnapshot) -> NodeFigures:
    signals, info = Signals(node).server.signals, Info(node.last or node.first)
    return NodeFigures(
        address=node.address,
        version=info.version,
        role=info.fields.get("role", "unknown").replace("master", "primary").replace("slave", "replica"),
        seconds=node.seconds,
        commands_per_s=signals["commands_per_s"],
        cpu_percent=signals["cpu_percent"],
        connections=max(0, (info.count("connected_clients") or 1) - 1),
        connections_per_s=signals["connections_per_s"],
        used_memory_bytes=max(0, info.count("used_memory") or 0),
        keys=int(signals["keys"]),
        lost=node.lost,
    )


def _changes(
    baseline: ServerSnapshot, judge: RuleJudge, findings: Sequence[Finding], snapshot: ServerSnapshot
) -> FindingChanges:
    several = len({one.node for one in findings} | {node.address for node in baseline.nodes}) > 1
    before = _by_name((one for node in baseline.nodes for one in judge.findings(node)), several=several)
    now = _by_name(findings, several=several)
    return FindingChanges(
        taken_at=baseline.taken_at,
        of_another=None if _names(baseline) & _names(snapshot) else baseline.nodes[0].address,
        appeared=tuple(name for name in now if name not in before),
        gone=tuple(name for name in before if name not in now),
        still=tuple(f"{name}{_moved(before[name].seen[0], now[name].seen[0])}" for name in now if name in before),
    )


def _names(snapshot: ServerSnapshot) -> set[str]:
    """Return what says whether snapshots are of the same servers, which may be named in two ways, or be restarted."""
    known = ((node.address, (node.last or node.first).get("run_id", "")) for node in snapshot.nodes)
    return {name for pair in known for name in pair if name}


def _by_name(findings: Iterable[Finding], *, several: bool) -> dict[str, Finding]:
    return {
        f"{one.id} at {one.node}" if several else one.id: one for one in findings if one.severity is not Severity.NOTE
    }


def _moved(before: Seen, now: Seen) -> str:
    """Return how the first signal that both have moved."""
    for signal, value in now.signals.items():
        if signal in before.signals:
            return f" ({signal} {written(signal, before.signals[signal])}, now {written(signal, value)})"
    return ""


def to_json(report: TriageReport) -> str:
    """Return the report as one JSON document."""
    return report.model_dump_json(indent=1) + "\n"


def chapters_of(report: TriageReport) -> list[Chapter]:
    """Return the report as chapters: what was watched, what changed, the findings, and what they come to."""
    several = len(report.nodes) > 1
    return [
        Chapter(
            "respmark triage",
            tuple(_watched(one, report.basis) for one in report.nodes) if not several else (_of_cluster(report),),
            level=1,
        ),
        *([Chapter("", tables=(_nodes(report),))] if several else []),
        *([_changed(report.changes)] if report.changes else []),
        *(_chapter(one, names_node=several) for one in report.findings),
        *(_of_keys(one, names_node=several) for one in report.keys if one.sample.seen),
        Chapter("", (_sum(report.findings), *_closing(report.unseen))),
    ]


def _watched(node: NodeFigures, basis: str) -> str:
    memory = written("used_memory_bytes", node.used_memory_bytes)
    return (
        f"{node.version} at {node.address}, {node.role}, {basis or f'watched for {node.seconds:.0f} s'}: "
        f"{numbers.rps(node.commands_per_s)} commands/s, {numbers.percent(node.cpu_percent)} of a CPU, "
        f"{node.connections:,} connections, {numbers.rps(node.connections_per_s)} opened/s, {memory}, "
        f"{node.keys:,} keys"
    )


def _of_cluster(report: TriageReport) -> str:
    return f"a cluster of {len(report.nodes)} nodes, all watched at the same time"


def _nodes(report: TriageReport) -> Table:
    return Table("", NODES, tuple(_node(one, report.findings) for one in report.nodes))


def _node(node: NodeFigures, findings: Iterable[Finding]) -> tuple[TableCell, ...]:
    worst = [one for one in findings if one.node == node.address and one.severity is not Severity.NOTE]
    found = TableCell(
        ", ".join(dict.fromkeys(one.id for one in worst)) or "none", str(worst[0].severity) if worst else ""
    )
    if node.lost:
        return row(node.address, node.role, *[""] * 6, found)
    return row(
        node.address,
        node.role,
        numbers.rps(node.commands_per_s),
        numbers.percent(node.cpu_percent),
        f"{node.connections:,}",
        numbers.rps(node.connections_per_s),
        written("used_memory_bytes", node.used_memory_bytes),
        f"{node.keys:,}",
        found,
    )


def _changed(changes: FindingChanges) -> Chapter:
    said = {"new": changes.appeared, "gone": changes.gone, "still there": changes.still}
    rows = tuple(row(what, ", ".join(names)) for what, names in said.items() if names)
    other = f", which was of another server: {changes.of_another}" if changes.of_another else ""
    title = f"since {changes.taken_at:%Y-%m-%d %H:%M:%S} UTC{other}"
    return Chapter("", tables=(Table(title, TEXT, rows or (row("", "nothing changed"),)),))


def _chapter(finding: Finding, *, names_node: bool) -> Chapter:
    """Return one finding: its facts as a table, and the lines to write."""
    title = f"{finding.title} ({finding.id}{f', {finding.node}' if names_node else ''})"
    table = Table(title, TEXT, tuple(_facts(finding)), mark=TableCell(str(finding.severity), str(finding.severity)))
    return Chapter("", tables=(table,), listings=tuple(_listings(finding)))


def _facts(finding: Finding) -> Iterator[tuple[TableCell, ...]]:
    for number, one in enumerate(finding.seen[:SHOWN]):
        yield row("" if number else "seen", one.evidence)
    if len(finding.seen) > SHOWN:
        yield row("", f"and {len(finding.seen) - SHOWN:,} more")
    if finding.id != LOST and finding.clients:
        yield row("by", "; ".join(_clients(finding.clients)))
    yield row("cost", finding.costs)
    if finding.gain is not None:
        yield row("gain", _gain(finding))
    yield row("fix", finding.advice)


def _clients(clients: Sequence[Who]) -> Iterator[str]:
    yield from (one.words for one in clients[:SHOWN])
    if len(clients) > SHOWN:
        yield f"and {len(clients) - SHOWN:,} more"


def _gain(finding: Finding) -> str:
    gain = finding.gain
    assert gain is not None  # noqa: S101 - only asked of findings that have one
    interval = "" if gain.low is None or gain.high is None else f" ({_span(gain.low, gain.high)})"
    return (
        f"at most {numbers.ratio(gain.ratio)} times{interval} {gain.says}: of {gain.client} {gain.client_version} in a "
        f"loop that does nothing else, {gain.place}, published run {gain.run}"
    )


def _span(low: float, high: float) -> str:
    return f"{numbers.ratio(low)}..{numbers.ratio(high)}"


def _listings(finding: Finding) -> Iterator[Listing]:
    for one in finding.code:
        yield Listing("with any client" if one.client == ANY_CLIENT else f"with {one.client}", one.text)


def _of_keys(keys: SampledKeys, *, names_node: bool) -> Chapter:
    """Return what the sample comes to: by type, by the beginning of the name, and the largest keys."""
    sample, where = keys.sample, f" of {keys.node}" if names_node else ""
    groups = [("type", sample.kinds), *([("prefix", sample.prefixes)] if sample.prefixes else [])]
    tables = [
        Table(
            f"{sample.seen:,} keys{where}, by {by}",
            KEY_GROUPS,
            tuple(_group(one, sample.bytes_of_all) for one in found),
        )
        for by, found in groups
    ]
    largest = tuple(
        row(shortened(one.name or f"{one.kind} {place}"), one.kind, written("bytes", one.size_bytes))
        for place, one in enumerate(sample.largest[:SHOWN], start=1)
    )
    return Chapter("", tables=(*tables, Table(f"the largest{where}", LARGEST_KEYS, largest)))


def _group(one: KeyGroup, total_bytes: int) -> tuple[TableCell, ...]:
    return row(
        one.name,
        f"{one.keys:,}",
        written("bytes", one.bytes_of_all),
        numbers.percent(100 * one.bytes_of_all / max(total_bytes, 1)),
        numbers.percent(100 * one.expiring / max(one.keys, 1)),
    )


def _closing(unseen: Sequence[str]) -> Iterator[str]:
    if unseen:
        yield f"not looked at: {'; '.join(unseen)}"


def _sum(findings: Sequence[Finding]) -> str:
    counts = {one: sum(finding.severity is one for finding in findings) for one in Severity}
    if not any(count for one, count in counts.items() if one is not Severity.NOTE):
        notes = f"; {counts[Severity.NOTE]} of what triage asks for cannot be used" if counts[Severity.NOTE] else ""
        return f"no findings{notes}"
    return "findings: " + ", ".join(f"{count} {one}" for one, count in counts.items() if count)
