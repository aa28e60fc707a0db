"""What one latency record costs, in nanoseconds and as a share of a `sync` operation.

A record is what the measured loop does beyond calling the client: one clock reading, one store, one comparison. Its
cost is the difference between the loop with it and without it, around a call that does nothing. It is compared with a
GET of 1 KiB with redis-py, on a server that this program starts. Nothing is asserted: machines differ.

    python bench/recording.py
"""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice, repeat
from statistics import median
from time import monotonic_ns, sleep
from typing import Any, Final

import redis

from respmark_python.recorder.samples import make_samples
from respmark_python.scenarios.failures import Failures
from respmark_python.scenarios.loop import run_units

CALLS: Final = 1_000_000
SLICE_NS: Final = 10_000_000
ROUNDS: Final = 7
OPERATIONS: Final = 20_000
KIBIBYTE: Final = 1024


def nothing(_key: str) -> None:
    """Stand in for a client that takes no time."""


def plain_loop() -> float:
    """Return the nanoseconds per call of a loop that records nothing."""
    began = monotonic_ns()
    for key, (call, value) in islice(units(), CALLS):
        if value is None:
            call(key)
        else:
            call(key, value)
    return (monotonic_ns() - began) / CALLS


def recording_loop() -> float:
    """Return the nanoseconds per call of the runner's loop."""
    (samples,) = make_samples(1)
    began = monotonic_ns()
    # Short enough for the samples to fit the storage.
    run_units(units(), samples, Failures((redis.RedisError,), samples), began + SLICE_NS)
    return (monotonic_ns() - began) / samples.end_part(keep=False)


def units() -> Iterator[Any]:
    """Return endless units that do nothing."""
    return zip(repeat("key"), repeat((nothing, None)))


def sync_operation() -> float:
    """Return the nanoseconds of one GET."""
    with server() as port, redis.Redis(port=port) as client:
        client.set("key", b"x" * KIBIBYTE)
        for _ in range(OPERATIONS // 10):
            client.get("key")
        began = monotonic_ns()
        for _ in range(OPERATIONS):
            client.get("key")
        return (monotonic_ns() - began) / OPERATIONS


@contextmanager
def server() -> Iterator[int]:
    """Run a server on a free loopback port, and end it."""
    named = os.environ.get("RESPMARK_SERVER")
    names = (named,) if named else ("valkey-server", "redis-server")
    binary = next(filter(None, map(shutil.which, names)), None)
    if binary is None:
        sys.exit("no server: install redis-server or name its binary in RESPMARK_SERVER")
    with socket.socket() as probe, tempfile.TemporaryDirectory() as folder:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
        probe.close()
        options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder]
        process = subprocess.Popen([binary, *options], stdout=subprocess.DEVNULL)  # noqa: S603 - the server found above
        try:
            await_server(port)
            yield port
        finally:
            process.terminate()
            process.wait()


def await_server(port: int) -> None:
    """Wait until the port is open."""
    for _ in range(500):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        sleep(0.01)
    sys.exit("the server did not start")


def middle(measure: Callable[[], float]) -> float:
    """Return the median of several measurements."""
    return median(measure() for _ in range(ROUNDS))


def main() -> None:
    """Print what a record costs."""
    plain, recording, operation = middle(plain_loop), middle(recording_loop), sync_operation()
    record = recording - plain
    print(f"loop that records nothing  {plain:10.1f} ns a call")
    print(f"loop of the runner         {recording:10.1f} ns a call")
    print(f"one latency record         {record:10.1f} ns")
    print(f"one sync operation (GET)   {operation:10.1f} ns")
    print(f"share of the record        {record / operation:10.2%}")


if __name__ == "__main__":
    main()
