"""Watches a server, or every node of a cluster, and returns what was seen: above all INFO at both ends.

All that is sent only reads (`asking.READS`).
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from typing import Final, TypeVar

from respmark import __version__
from respmark.contract.trial import Endpoint
from respmark.errors import ServerError, ServerLostError
from respmark.servers.url import address
from respmark.triage.cluster import other_nodes
from respmark.triage.node_watch import NodeWatch, WatchProgress
from respmark.triage.options import WatchOptions
from respmark.triage.snapshot import NodeSnapshot, ServerSnapshot

Taken = TypeVar("Taken")

LOOK_S: Final = 1.0
PINGS: Final = 10
"""How many PINGs are sent for each look."""
LOOKS: Final = 4
"""How often somebody looks at least."""


def watch(
    endpoint: Endpoint,
    options: WatchOptions,
    show: Callable[[WatchProgress], object] = lambda _: None,
    sleep: Callable[[float], object] = time.sleep,
    tell: Callable[[str], object] = lambda _: None,
) -> ServerSnapshot:
    """Watch a server, and the other nodes of its cluster; `show` gets what is seen of it meanwhile.

    Raises ServerError, with one sentence, if it cannot be reached or does not answer any more. Other nodes that fail
    are in the snapshot with that sentence.
    """
    # A user who may only watch may not select; only keys are of a database.
    asked = endpoint if options.keys else endpoint.model_copy(update={"database": 0})
    made = partial(NodeWatch, client_list=options.client_list, tell=tell)
    first = made(asked)
    first.open()
    with _all_closed([first]) as nodes:
        nodes += [made(one) for one in other_nodes(first.asker, first.first)]
        for node in nodes[1:]:
            _unless_lost(node, node.open)
        for node in nodes:
            _unless_lost(node, node.begin)
        first.sees_cluster = first.first.get("cluster_enabled") == "1"
        for is_look, late_s in _moments(options.seconds, sleep):
            if all(node.lost for node in nodes):
                break
            for node in nodes:
                node.own_delay_s = max(node.own_delay_s, late_s)
                _unless_lost(node, node.ping)
                if is_look and (look := _unless_lost(node, node.look)) and node is first:
                    show(look)
        taken = [_unless_lost(node, partial(node.end, options)) or _gone(node) for node in nodes]
    if all(one.lost for one in taken):
        raise ServerLostError(taken[0].lost or "")
    return ServerSnapshot(
        respmark_version=__version__, taken_at=datetime.now(UTC), seconds=options.seconds, nodes=tuple(taken)
    )


@contextmanager
def _all_closed(nodes: list[NodeWatch]) -> Iterator[list[NodeWatch]]:
    try:
        yield nodes
    finally:
        for node in nodes:
            if hasattr(node, "asker"):
                node.close()


def _moments(seconds: float, sleep: Callable[[float], object]) -> Iterator[tuple[bool, float]]:
    """Yield at every moment of a PING whether somebody looks, too, and how late it is; the last is the watch's end."""
    pings = PINGS * max(LOOKS, round(seconds / LOOK_S))
    for number in range(1, pings + 1):
        began_s = time.monotonic()
        sleep(seconds / pings)
        yield number % PINGS == 0, max(0.0, time.monotonic() - began_s - seconds / pings)


def _unless_lost(node: NodeWatch, step: Callable[[], Taken]) -> Taken | None:
    """Return what a step returns; None if the server is lost, now or before."""
    if node.lost:
        return None
    try:
        return step()
    except ServerError as error:
        node.lost = node.fail(error)
        return None


def _gone(node: NodeWatch) -> NodeSnapshot:
    return NodeSnapshot(
        address=address(node.endpoint),
        seconds=0,
        first=node.first,
        last={},
        reached=hasattr(node, "asker"),
        lost=node.lost,
    )
