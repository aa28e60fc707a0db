"""Keys that expire and that nobody reads again: what the server does by itself, and what a SCAN beside it changes.

    cd harness && ../.build/harness/bin/python -m bench.expiry [--keys 300000] [--rounds 3]

All keys have a time to live, and a share of them ends at the same moment. The server looks for such keys at random and
goes on only while more than a tenth of a sample have expired (https://redis.io/docs/latest/commands/expire/), so a
smaller share stays in memory for long; a SCAN removes what it passes. Each way has a server of its own. Prints
Markdown, medians of rounds.
"""

import multiprocessing
import time
from collections.abc import Iterator
from contextlib import closing
from statistics import median
from typing import Final, NamedTuple, cast

import cyclopts

from respmark.contract.trial import Endpoint
from respmark.errors import RespmarkError
from respmark.escaping import markdown_row
from respmark.machine.guardian import Guardian
from respmark.servers.control import Control
from respmark.servers.info import info_text, parse_info
from respmark.servers.node import spawn
from respmark.specs.catalogue import Catalogue
from respmark.specs.server import SpawnedServer

SHARES: Final = (0.08, 1.0)
"""Of the keys that expire: fewer than the server goes on looking for, and all."""
VALUE: Final = b"v" * 100
AT_ONCE: Final = 1_000
"""Keys in a batch of SETs, and in a step of SCAN."""
WRITE_S: Final = 30e-6
"""More than writing a key takes: none may expire before the last one is written."""
WATCHED_S: Final = 10.0
"""How long a server is watched after the moment at which keys expire."""
GAP_S: Final = 0.002
"""Between two PINGs, as another client sends them."""
LATER_S: Final = 3600.0
"""How much later the other keys expire."""


class Seen(NamedTuple):
    """What was seen of one server."""

    second_percent: float
    """Expired keys that were gone a second after they expired."""
    last_percent: float
    """The same at the end."""
    freed_mib: float
    """Memory that was freed by then."""
    p99_ms: float
    """Of PING meanwhile."""


def fill(control: Control, keys: int, share: float) -> float:
    """Write the keys; return when the share of them expires, in seconds since the epoch."""
    at_s = time.time() + 1 + keys * WRITE_S
    for first in range(0, keys, AT_ONCE):
        numbers = range(first, min(keys, first + AT_ONCE))
        ends = (at_s if number % 100 < 100 * share else at_s + LATER_S for number in numbers)
        control.send_all(
            [("SET", f"key:{one}", VALUE, "PXAT", round(1e3 * end)) for one, end in zip(numbers, ends, strict=True)]
        )
    if time.time() >= at_s:
        raise RespmarkError(f"writing {keys:,} keys took longer than they live; name fewer with --keys")
    return at_s


def scan_from(at_s: float, endpoint: Endpoint) -> None:
    """Go through the keyspace once after a moment."""
    with Control(endpoint) as control:
        time.sleep(max(0.0, at_s - time.time()))
        cursor = b"0"
        while True:
            cursor, _ = control.command("SCAN", cursor, "COUNT", AT_ONCE)
            if cursor == b"0":
                return


def watch(control: Control, probe: Control, at_s: float, expiring: int) -> Seen:
    """Send PINGs from a moment on, and look now and then how many keys are gone."""
    before = memory_bytes(control)
    time.sleep(max(0.0, at_s - time.time()))
    took_ns: list[int] = []
    second: float | None = None
    while (passed_s := time.time() - at_s) < WATCHED_S:
        began_ns = time.perf_counter_ns()
        probe.command("PING")
        took_ns.append(time.perf_counter_ns() - began_ns)
        if second is None and passed_s >= 1:
            second = gone_percent(control, expiring)
        time.sleep(GAP_S)
    took_ns.sort()
    freed = (before - memory_bytes(control)) / (1 << 20)
    return Seen(second or 0.0, gone_percent(control, expiring), freed, took_ns[len(took_ns) * 99 // 100] / 1e6)


def gone_percent(control: Control, expiring: int) -> float:
    """Return how many of the keys that expired the server has removed."""
    return 100 * int(parse_info(info_text(control, "stats"))["expired_keys"]) / expiring


def memory_bytes(control: Control) -> int:
    """Return what the server has allocated."""
    return int(parse_info(info_text(control, "memory"))["used_memory"])


def measure(keys: int, share: float, *, scanned: bool) -> Seen:
    """Watch a server of its own."""
    with closing(Guardian()) as guardian:
        server = spawn(cast("SpawnedServer", Catalogue().server("spawned")), guardian)
        try:
            with Control(server.endpoint) as control, Control(server.endpoint) as probe:
                at_s = fill(control, keys, share)
                scanner = multiprocessing.get_context("spawn").Process(target=scan_from, args=(at_s, server.endpoint))
                if scanned:
                    scanner.start()
                seen = watch(control, probe, at_s, round(keys * share))
                if scanned:
                    scanner.join()
                return seen
        finally:
            server.close()


def rows(keys: int, rounds: int) -> Iterator[list[str]]:
    """Yield a row for each share and way: medians of rounds, in which ways take turns."""
    for share in SHARES:
        turns = [[measure(keys, share, scanned=scanned) for scanned in (False, True)] for _ in range(rounds)]
        for way, seen in zip(("by itself", "with a SCAN"), zip(*turns, strict=True), strict=True):
            second, last, freed, p99 = (median(values) for values in zip(*seen, strict=True))
            yield [f"{share:.0%}", way, f"{second:.1f} %", f"{last:.1f} %", f"{freed:.1f}", f"{p99:.2f}"]


def expiry(*, keys: int = 300_000, rounds: int = 3) -> None:
    """Print what became of keys that expired.

    Args:
        keys: How many there are, all with a time to live.
        rounds: How often each way is tried.
    """
    heads = ("expire", "server", "gone after 1 s", f"gone after {WATCHED_S:.0f} s", "MiB freed", "PING p99 ms")
    print("\n".join([markdown_row(heads), markdown_row(["---:", "---", *["---:"] * (len(heads) - 2)])]))
    for one in rows(keys, rounds):
        print(markdown_row(one))


if __name__ == "__main__":
    cyclopts.run(expiry)
