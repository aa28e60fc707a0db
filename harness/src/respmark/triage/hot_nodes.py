"""A node of a cluster that has far more to do than the others."""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Final

from respmark.specs.triage import Severity
from respmark.triage.findings import Finding, Seen, written
from respmark.triage.signals import Signals
from respmark.triage.snapshot import NodeSnapshot

HOT: Final = 3.0
"""How many times the others' median it executes."""
BUSY_PER_S: Final = 100.0
"""Below that, it does not matter."""


def hot(nodes: Sequence[NodeSnapshot]) -> Iterator[Finding]:
    """Yield a finding for each of the primaries that executes several times what the others do."""
    rates = {
        node.address: Signals(node).server.signals["commands_per_s"]
        for node in nodes
        if not node.lost and node.last.get("role") == "master"
    }
    for address, rate in rates.items():
        others = [other for name, other in rates.items() if name != address]
        if others and rate > BUSY_PER_S and rate > HOT * median(others):
            yield _finding(address, rate, median(others))


def _finding(address: str, rate: float, others: float) -> Finding:
    signals = {"commands_per_s": rate}
    evidence = (
        f"{written('per_s', rate)} commands per second; half of the others execute at most {written('per_s', others)}"
    )
    return Finding(
        id="hot-node",
        severity=Severity.MEDIUM,
        title="one node of the cluster has most of the work",
        node=address,
        seen=(Seen(name=address, evidence=evidence, signals=signals),),
        clients=(),
        costs="the cluster is full when this node is",
        advice="look for a hot key there, or a hash tag that many keys share; move slots, or split the key",
    )
