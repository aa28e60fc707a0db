"""Measures parsing alone: what redis-py takes to make Python objects of a reply that has arrived, with each parser.

The socket is in memory: it hands over the same replies again and again, as many bytes as are asked for. Each benchmark
runs in several processes, one after the other, because a process has its own luck.
"""

import argparse
import fnmatch
import gc
import importlib.metadata
import json
import platform
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter_ns
from types import SimpleNamespace
from typing import Any, Final

from redis._parsers import Encoder, _HiredisParser, _RESP3Parser

JOBS: Final = {"short": (0.1, 3), "medium": (0.5, 5), "long": (1.0, 10)}
"""How many seconds an iteration takes, and how many iterations a process measures."""
READ_BYTES: Final = 65_536
"""What redis-py asks a socket for."""
PARSERS: Final[Mapping[str, Callable[[int], Any]]] = {
    "redis-py": _HiredisParser,
    "redis-py[parser=python]": _RESP3Parser,
}


def bulk(length: int) -> bytes:
    """Return a value of this length as the server sends it."""
    return b"$%d\r\n%s\r\n" % (length, b"x" * length)


REPLIES: Final = {
    **{("GET", f"{size:,} bytes"): bulk(size) for size in (10, 100, 1_024, 10_240)},
    **{("LRANGE", f"{count} elements"): b"*%d\r\n" % count + bulk(128) * count for count in (100, 600)},
    ("HGETALL", "10 fields"): b"%10\r\n" + (bulk(8) + bulk(128)) * 10,
}
"""By command and what its reply is."""


class Socket:
    """A socket from which the same replies arrive for ever."""

    def __init__(self, reply: bytes) -> None:
        self._replies = memoryview(reply * (READ_BYTES // len(reply) + 1))
        self._at = 0

    def recv_into(self, buffer: bytearray) -> int:
        """Write as much as fits."""
        part = self._next(len(buffer))
        buffer[: len(part)] = part
        return len(part)

    def recv(self, size: int) -> bytes:
        """Return at most so many bytes."""
        return bytes(self._next(size))

    def settimeout(self, seconds: float | None) -> None:
        """Do nothing: it never waits."""

    def _next(self, size: int) -> memoryview:
        part = self._replies[self._at : self._at + size]
        self._at = (self._at + len(part)) % len(self._replies)
        return part


def measure(parser_name: str, reply: bytes, seconds: float, iterations: int) -> list[float]:
    """Return the nanoseconds that a reply took, in each iteration."""
    parser = PARSERS[parser_name](READ_BYTES)
    encoder = Encoder("utf-8", "strict", decode_responses=False)  # type: ignore[no-untyped-call]
    parser.on_connect(SimpleNamespace(_sock=Socket(reply), socket_timeout=None, encoder=encoder))
    read = parser.read_response
    gc.collect()
    gc.freeze()
    replies = max(1, round(seconds * 1e9 / taken(read, 200)))
    taken(read, replies)  # warm
    return [taken(read, replies) for _ in range(iterations)]


def taken(read: Callable[[], object], replies: int) -> float:
    """Return the nanoseconds that one of so many replies takes."""
    begun = perf_counter_ns()
    for _ in range(replies):
        read()
    return (perf_counter_ns() - begun) / replies


def in_a_process(name: str, job: str) -> list[float]:
    """Return what a process of its own measured."""
    command = [sys.executable, str(Path(__file__).parent), "--alone", name, "--job", job]
    return list(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))


def benchmarks() -> dict[str, tuple[str, tuple[str, str]]]:
    """Return the parser and the reply of each benchmark, by name."""
    return {f"decode.{use[0]}.{use[1]}.{parser}": (parser, use) for use in REPLIES for parser in PARSERS}


def main() -> None:
    """Measure what was asked for, and write it to the folder."""
    options = argparse.ArgumentParser()
    for name in ("--host", "--port", "--password-file", "--out", "--alone"):
        options.add_argument(name)  # nothing is sent: the server's address is not needed
    options.add_argument("--job", choices=JOBS, default="short")
    options.add_argument("--forks", type=int, default=3)
    options.add_argument("--filter", default="*")
    given = options.parse_args()
    if given.alone:
        parser, use = benchmarks()[given.alone]
        print(json.dumps(measure(parser, REPLIES[use], *JOBS[given.job])))
        return
    found = []
    for name, (parser, (command, reply)) in benchmarks().items():
        if fnmatch.fnmatch(name, given.filter):
            forks = [in_a_process(name, given.job) for _ in range(given.forks)]
            print(f"{name}: {min(map(min, forks)):,.0f} ns", flush=True)
            found.append({"benchmark": name, "subject": parser, "operation": f"{command}, {reply}", "forks": forks})
    versions = {
        name: importlib.metadata.version(package) for name, package in (("redis-py", "redis"), ("hiredis",) * 2)
    }
    runtime = f"{platform.python_implementation()} {platform.python_version()}"
    written = {"runtime": runtime, "versions": versions, "benchmarks": found}
    Path(given.out, "python.json").write_text(json.dumps(written), encoding="utf-8")


main()
