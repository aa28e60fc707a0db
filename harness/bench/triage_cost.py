"""What `respmark triage` adds to a server's CPU, by how many are connected to it.

    cd harness && ../.build/harness/bin/python -m bench.triage_cost [--seconds 10] [--rounds 5]

An idle server with so many open connections is left alone for some seconds and watched for as many, in turns: the
difference of the CPU time that the kernel counts for its process is what triage adds. Prints Markdown.
"""

import resource
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from typing import Final, cast

import cyclopts

from respmark.escaping import markdown_row
from respmark.machine.guardian import Guardian
from respmark.machine.kernel import process_cpu_ns
from respmark.servers.control import Control
from respmark.servers.node import Node, spawn
from respmark.specs.catalogue import Catalogue
from respmark.specs.server import SpawnedServer
from respmark.triage.options import WatchOptions
from respmark.triage.watch import watch

CONNECTIONS: Final = (1, 100, 1_000, 5_000)


@contextmanager
def connected(server: Node, number: int) -> Iterator[None]:
    """Keep so many connections open."""
    with ExitStack() as opened:
        for _ in range(number):
            opened.enter_context(Control(server.endpoint))
        yield


def used_ns(server: Node) -> int:
    """Return the CPU time of the server, as the kernel counts it."""
    return process_cpu_ns(server.pid or 0) or 0


def cpu_percent(server: Node, seconds: float, *, watched: bool, keys: int = 0) -> float:
    """Return the share of one processor that the server used in about so many seconds."""
    before, began = used_ns(server), time.monotonic_ns()
    if watched:
        watch(server.endpoint, WatchOptions(seconds, keys))
    else:
        time.sleep(seconds)
    return 100 * (used_ns(server) - before) / (time.monotonic_ns() - began)


def row(server: Node, connections: int, seconds: float, rounds: int) -> Sequence[str]:
    """Return a row of the table: medians of rounds."""
    turns = [[cpu_percent(server, seconds, watched=one) for one in (False, True)] for _ in range(rounds)]
    alone, watched = zip(*turns, strict=True)
    added = [one - other for one, other in zip(watched, alone, strict=True)]
    shown = (statistics.median(one) for one in (alone, watched, added))
    return [f"{connections:,}", *(f"{value:.2f} %" for value in shown), f"{min(added):.2f}..{max(added):.2f} %"]


def triage_cost(*, seconds: float = 10.0, rounds: int = 5) -> None:
    """Print what triage adds to the CPU of a server.

    Args:
        seconds: How long each watch takes.
        rounds: How often.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    heads = ("connections", "alone", "watched", "added", "of all rounds")
    print("\n".join([markdown_row(heads), markdown_row(["---:"] * len(heads))]))
    with closing(Guardian()) as guardian:
        server = spawn(cast("SpawnedServer", Catalogue().server("spawned")), guardian)
        try:
            for connections in (one for one in CONNECTIONS if one + 100 < max(soft, hard)):
                with connected(server, connections):
                    print(markdown_row(row(server, connections, seconds, rounds)))
        finally:
            server.close()


if __name__ == "__main__":
    cyclopts.run(triage_cost)
