"""Findings: the rows of a snapshot that rules are about, with evidence, cost, and what the change would bring."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from respmark import numbers
from respmark.contract.base import Message
from respmark.specs.client import ClientSpec
from respmark.specs.triage import ANY_CLIENT, PLACEHOLDER, RuleSpec, Severity, VersionRange, library_of
from respmark.triage.gains import Gain, Gains
from respmark.triage.rows import SignalRow
from respmark.triage.signals import Signals
from respmark.triage.snapshot import NodeSnapshot, Who

SHOWN: Final = 5
"""How many rows or clients of a finding are named; the others are counted."""
REPORTED_AS: Final = {"se.redis": "stackexchange-redis", "valkey-py": "valkey", "nodejs-redis": "node-redis"}
"""Libraries that call themselves otherwise (CLIENT SETINFO) than respmark does, in lower case."""
NOT_SEEN: Final = "not-seen"
"""The finding that something was refused."""
LEAST_CPU_PERCENT: Final = 2
"""Below that, nobody waits for the server: what a loop would gain is gained by nobody."""
LOST: Final = "node-lost"
UNREACHED: Final = "node-unreached"
"""The finding that a node, which its cluster says works, could not be reached."""
UNIT: Final = re.compile(r"(?:^|_)(per_s|percent|bytes|ms|us|s)(?:_per_call)?$")
BYTES: Final = (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10), ("bytes", 1))


class Lines(Message):
    """What to write in one client's language."""

    client: str
    """A library, as `respmark list` names it; `commands`: any."""
    text: str


class Seen(Message):
    """One row of a finding."""

    name: str
    """What it is about: a command, an error, a client, a key; of the server, its address."""
    evidence: str
    signals: dict[str, float]
    """Those that the rule's thresholds are about."""


class Finding(Message):
    """What is wrong with one server."""

    id: str
    """The rule's."""
    severity: Severity
    title: str
    node: str
    seen: tuple[Seen, ...]
    """The worst first."""
    clients: tuple[Who, ...]
    """Whose doing it is, as far as that can be seen."""
    costs: str
    advice: str
    gain: Gain | None = None
    """What the change brings by published runs; if there is none of these clients, of the one that it brings least."""
    code: tuple[Lines, ...] = ()


@dataclass(frozen=True)
class RuleJudge:
    """The rules, and what else findings are made from."""

    rules: Sequence[RuleSpec]
    gains: Gains
    clients: Mapping[str, ClientSpec]
    """Every library that respmark knows."""

    def findings(self, node: NodeSnapshot) -> list[Finding]:
        """Return the findings about a server, the worst first."""
        if node.lost:
            return [_lost(node)]
        signals, reported = Signals(node), dict[str, list[SignalRow]]()
        # Rules that leave to others what those explain better come after them.
        for rule in sorted(self.rules, key=lambda one: len(self._before(one))):
            if rows := [row for row in signals.rows(rule.of) if self._is_found(rule, row, signals, reported)]:
                reported[rule.id] = _worst_first(rows, rule)
        of = {rule.id: rule for rule in self.rules}
        found = [self._finding(of[name], rows, signals) for name, rows in reported.items()]
        return worst_first([*found, *self._not_seen(node)])

    def _before(self, rule: RuleSpec) -> frozenset[str]:
        """Return the rules whose findings must be known before."""
        of = {one.id: one for one in self.rules}
        known, waiting = set[str](), list(rule.unless)
        while waiting:
            if (name := waiting.pop()) not in known:
                known.add(name)
                waiting += of[name].unless if name in of else ()
        return frozenset(known)

    def _is_found(
        self, rule: RuleSpec, row: SignalRow, signals: Signals, reported: Mapping[str, Sequence[SignalRow]]
    ) -> bool:
        if (rule.only and row.name not in rule.only) or not self._has_version(rule, row):
            return False
        if rule.without_limit and not any(self._without_limit(row)):
            return False
        explained = (
            one.of is not rule.of or one.name == row.name for name in rule.unless for one in reported.get(name, ())
        )
        values = ((condition, _value(condition.signal, row, signals)) for condition in rule.when)
        if rule.seen_by_monitor and signals.node.monitor and not _value(rule.seen_by_monitor, row, signals):
            return False
        return all(value is not None and one.holds(value) for one, value in values) and not any(explained)

    def _has_version(self, rule: RuleSpec, row: SignalRow) -> bool:
        if not rule.versions:
            return True
        return any(
            self.library_of(who) == one.library and _is_within(who.version, one)
            for who in row.who
            for one in rule.versions
        )

    def _without_limit(self, row: SignalRow) -> Iterator[str]:
        """Yield the libraries of a row that wait for replies without a limit, each with what to do about it."""
        for who in row.who:
            spec = self.clients.get(self.library_of(who) or "")
            if spec is not None and spec.waits_without_limit(who.version.partition("-")[0]):
                can = f"its option: {spec.bounds_replies}" if spec.bounds_replies else "it has no option for one"
                yield f"{spec.library} {who.version}".strip() + f" waits for a reply without a limit; {can}"

    def library_of(self, who: Who) -> str | None:
        """Return a client's library, as respmark names it; None: it does not say, or respmark does not know it."""
        name = who.library.partition("(")[0].strip().lower()
        name = REPORTED_AS.get(name, name)
        return name if name in self.clients else None

    def _finding(self, rule: RuleSpec, rows: Sequence[SignalRow], signals: Signals) -> Finding:
        who = tuple(dict.fromkeys([*(one for row in rows for one in row.who), *signals.suspects(rule.suspects)]))
        libraries = list(dict.fromkeys(filter(None, map(self.library_of, who))))
        versions = [(name, one.version) for one in who if (name := self.library_of(one))]
        monitored = [_filled(rule.monitored, rows[0], signals)] if rule.monitored and signals.node.monitor else []
        more = [list(self._without_limit(row)) if rule.without_limit else [] for row in rows]
        more[0] += monitored
        return Finding(
            id=rule.id,
            severity=rule.severity,
            title=rule.title,
            node=signals.node.address,
            seen=tuple(_seen(rule, row, signals, added) for row, added in zip(rows, more, strict=True)),
            clients=who,
            costs=_filled(rule.costs, rows[0], signals),
            advice=rule.advice,
            gain=self.gains.of(rule, libraries) if rule.gain and _is_worth_it(signals) else None,
            code=tuple(_codes(rule, rows, versions, signals)),
        )

    def _not_seen(self, node: NodeSnapshot) -> Iterator[Finding]:
        """Yield a finding for each command that the server refused: what could not be judged without it."""
        for one in node.refused:
            lost = [rule.id for rule in self.rules if one.command in rule.needs]
            without = f"cannot be found without it: {', '.join(lost)}" if lost else "findings have fewer details"
            yield Finding(
                id=NOT_SEEN,
                severity=Severity.NOTE,
                title=f"{one.command} cannot be used",
                node=node.address,
                seen=(Seen(name=one.command, evidence=one.said, signals={}),),
                clients=(),
                costs=without,
                advice=f"let triage's user send {one.command} (docs/triage.md lists every command that triage sends)",
            )


def _worst_first(rows: Iterable[SignalRow], rule: RuleSpec) -> list[SignalRow]:
    """Return rows by how far they are beyond the rule's first threshold."""
    return sorted(rows, key=lambda row: -abs(row.signals.get(rule.when[0].signal, 0.0)))


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings in the order of their severities; equal ones keep theirs."""
    order = list(Severity)
    return sorted(findings, key=lambda one: order.index(one.severity))


def _lost(node: NodeSnapshot) -> Finding:
    if not node.reached:
        return Finding(
            id=UNREACHED,
            severity=Severity.NOTE,
            title="a node of the cluster cannot be reached from here",
            node=node.address,
            seen=(Seen(name=node.address, evidence=node.lost or "", signals={}),),
            clients=(),
            costs="nothing is known of it; the other nodes say that it works",
            advice="run triage where the cluster's clients run: behind NAT, or elsewhere, nodes have other addresses",
        )
    return Finding(
        id=LOST,
        severity=Severity.HIGH,
        title="a node of the cluster was lost during the watch",
        node=node.address,
        seen=(Seen(name=node.address, evidence=node.lost or "", signals={}),),
        clients=(),
        costs="the keys in its slots cannot be reached until a replica takes over",
        advice="check its log and its machine; CLUSTER NODES shows how the other nodes see it",
    )


def _is_worth_it(signals: Signals) -> bool:
    """Return whether the server has so much to do that a rate's gain says anything."""
    return signals.server.signals["cpu_percent"] >= LEAST_CPU_PERCENT


def _value(signal: str, row: SignalRow, signals: Signals) -> float | None:
    return row.signals.get(signal, signals.server.signals.get(signal))


def _seen(rule: RuleSpec, row: SignalRow, signals: Signals, more: Sequence[str]) -> Seen:
    thresholds = {one.signal: _value(one.signal, row, signals) or 0.0 for one in rule.when}
    evidence = "; ".join([" ".join(filter(None, [_filled(rule.evidence, row, signals), row.detail])), *more])
    return Seen(name=row.name, evidence=evidence, signals=thresholds)


def _filled(sentence: str, row: SignalRow, signals: Signals) -> str:
    """Return a sentence with the values of the signals that it names."""

    def filled(found: "re.Match[str]") -> str:
        if found[1] == "name":
            return row.name
        value = _value(found[1], row, signals)
        return "an unknown number of" if value is None else written(found[1], value)

    return PLACEHOLDER.sub(filled, sentence)


def written(signal: str, value: float) -> str:
    """Return the value of a signal with its unit, which its name ends with."""
    unit = found[1] if (found := UNIT.search(signal)) else ""
    if unit == "percent":
        return f"{value:.0f} %" if value >= 1 else f"{numbers.significant(value)} %"
    if unit == "bytes":
        name, size = next((one for one in BYTES if value >= one[1]), BYTES[-1])
        return f"{numbers.significant(value / size)} {name}"
    if unit in {"ms", "us", "s"}:
        return f"{numbers.significant(value)} {unit.replace('us', 'µs')}"
    return f"{value:,.0f}" if value == int(value) else numbers.significant(value)


def _codes(
    rule: RuleSpec, rows: Iterable[SignalRow], versions: Sequence[tuple[str, str]], signals: Signals
) -> Iterator[Lines]:
    """Yield the lines for what was seen, by client: each once."""
    found = (one for row in rows for one in _code(rule.code_of(row.name, signals.server.signals), versions))
    for lines in dict.fromkeys(found):
        if text := _filled_code(lines, signals.server):
            yield lines.model_copy(update={"text": text})


def _code(code: Mapping[str, str], versions: Sequence[tuple[str, str]]) -> Iterator[Lines]:
    """Yield the lines for these libraries; what to send with any client, if there are none for any of them."""
    known = dict.fromkeys(
        name for library, version in versions for name in code if library_of(name) == library and _is_for(name, version)
    )
    for name in known or [ANY_CLIENT]:
        if name in code:
            yield Lines(client=name, text=code[name].strip("\n"))


def _is_for(name: str, version: str) -> bool:
    """Return whether lines are for a version of their library; one that cannot be read only has those for all."""
    wanted = name.removeprefix(library_of(name))
    try:
        return not wanted or SpecifierSet(wanted).contains(version.partition("-")[0], prereleases=True)
    except InvalidVersion:
        return False


def _filled_code(lines: Lines, server: SignalRow) -> str:
    """Return lines with the values of their signals, without those of which one is not known."""
    if lines.client != ANY_CLIENT:
        return lines.text
    kept = (
        PLACEHOLDER.sub(lambda found: f"{server.signals[found[1]]:.0f}", line)
        for line in lines.text.splitlines()
        if all(name in server.signals for name in PLACEHOLDER.findall(line))
    )
    return "\n".join(kept)


def _is_within(version: str, of: VersionRange) -> bool:
    """Return whether a version, as a library reports it, is in a range; one that cannot be read is not."""
    try:
        found = Version(version.partition("-")[0])
        return Version(of.since) <= found and (of.before is None or found < Version(of.before))
    except InvalidVersion:
        return False
