"""Whose doing a finding is: the clients that sent a command, opened connections, sent or received most."""

from collections.abc import Iterable, Iterator
from typing import Final

from respmark.triage.connections import SHARE_OF_BUSIEST, busiest
from respmark.triage.counters import Counters
from respmark.triage.snapshot import ClientGroup, MonitoredClient, NodeSnapshot, Who

MONITORED: Final = ("set_then_expire", "selects", "repeated_pops", "conflicts", "longest_run")
"""What MONITOR counts, as rules name it among their suspects."""


def suspects(words: Iterable[str], counters: Counters) -> tuple[Who, ...]:
    """Return the clients that these words are about (`RuleSpec.suspects`), the likeliest first."""
    wanted, node = frozenset(words), counters.node
    found = [
        *_monitored(wanted, node),
        *(_opening(node) if "opening" in wanted else ()),
        *senders_of(wanted, node),
        *(_receiving(node) if "receiving" in wanted else ()),
        *(busiest(counters).who if "busy" in wanted else ()),
    ]
    return tuple(dict.fromkeys(found))


def senders_of(commands: Iterable[str], node: NodeSnapshot) -> tuple[Who, ...]:
    """Return the clients that had sent one of these commands last when somebody looked."""
    wanted = set(commands)
    return tuple(group.who for group in node.clients if wanted & group.commands.keys())


def _monitored(wanted: frozenset[str], node: NodeSnapshot) -> list[Who]:
    clients = node.monitor.clients if node.monitor else ()
    found = [(number, one) for how in MONITORED if how in wanted for one in clients if (number := count(one, how))]
    return [one.who for _, one in sorted(found, key=lambda pair: -pair[0])]


def count(one: MonitoredClient, how: str) -> int:
    """Return one of what MONITOR counts."""
    number: int = getattr(one, how)
    return number


def _opening(node: NodeSnapshot) -> Iterator[Who]:
    """Yield who opens connections and closes them; if all that were seen are still open, whoever opened them.

    A connection that has not yet said all about itself belongs to the client of the same host that has.
    """
    opened = [group for group in node.clients if group.opened]
    found = [group.who for group in opened if group.opened > group.grown] or [group.who for group in opened]
    yield from (one for one in found if not any(_introduces(one, other) for other in found))


def _introduces(early: Who, late: Who) -> bool:
    """Return whether a connection can be another one's that has not yet sent all of its name, library and version."""
    said = [(early.name, late.name), (early.library, late.library), (early.version, late.version)]
    if early.host != late.host or said == [(one, one) for one, _ in said]:
        return False
    return all(one in {"", other} for one, other in said)


def _receiving(node: NodeSnapshot) -> list[Who]:
    """Return who gets most bytes; where the server does not count them, the only client that is at work."""
    counted = [(group.sent_bytes, group.who) for group in node.clients if group.sent_bytes is not None]
    if not counted:
        active = [group.who for group in node.clients if _works(group)]
        return active if len(active) == 1 else []
    least = SHARE_OF_BUSIEST * max(1, *(sent for sent, _ in counted))
    return [who for sent, who in counted if sent > least]


def _works(group: ClientGroup) -> bool:
    return group.active > 0 and not group.subscribed
