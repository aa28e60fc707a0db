"""Bare loops with redis-py, to judge the runner by: how much of its figures does it cause itself?

Replays the runner's commands with the same library and options, and counts only how many it completed. It shares no
code with the runner. It knows only GET and SET, and only `sync`, `batching` and `pipelining`.

    python bare/redis_py.py --host H --port P --workload FILE --scenario S --depth D
        [--window burst|sliding] [--parser hiredis|python|python-parser] [--protocol 3|2]

Prints `ready` when connected and warm, then answers each line `SECONDS FIRST_COMMAND` with
`OPERATIONS ELAPSED_NS CPU_NS`. Ends when its input ends.
"""

import argparse
import asyncio
import gc
import importlib
import json
import struct
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, islice, repeat
from pathlib import Path
from time import perf_counter_ns, process_time_ns
from typing import Any

Loop = Callable[[float, int], Any]
"""Runs for this many seconds from this command on; returns how many commands it completed (async: a coroutine)."""
WARM_UP_S = 0.5


@dataclass
class Commands:
    """The commands of the workload file."""

    keys: list[str]
    values: list[bytes | None]
    """A command without a value is a GET, one with a value a SET; equal values are one object."""

    def walk(self, first: int) -> Iterator[tuple[str, bytes | None]]:
        """Return the commands from this one on, endlessly."""
        return zip(cycle(self.keys, first), cycle(self.values, first), strict=False)


def cycle(items: list[Any], first: int) -> Iterator[Any]:
    """Return the items from this one on, endlessly."""
    rest: Any = iter(items)
    rest.__setstate__(first)
    return chain(rest, chain.from_iterable(repeat(items)))


def read_commands(path: str) -> Commands:
    """Read the workload file."""
    content = Path(path).read_bytes()
    (length,) = struct.unpack_from("<I", content, 12)
    header = json.loads(content[16 : 16 + length])
    names = [command["name"] for command in header["mix"]]
    if set(names) - {"GET", "SET"}:
        sys.exit(f"the bare loop knows GET and SET only, not {names}")
    kinds, numbers, sizes, block = (column(content, header[name]) for name in ("kinds", "keys", "sizes", "block"))
    multiplier, mask = header["value_multiplier"], (1 << header["value_modulus_bits"]) - 1
    known: dict[tuple[int, int], bytes] = {}
    values: list[bytes | None] = []
    for kind, key, size in zip(kinds, numbers.cast("I"), sizes.cast("I"), strict=True):
        if names[kind] == "SET":
            start = key * multiplier & mask
            values.append(known.setdefault((start, size), bytes(block[start : start + size])))
        else:
            values.append(None)
    prefix, digits = header["key_prefix"], header["key_digits"]
    keys = [prefix + str(key).zfill(digits) for key in numbers.cast("I")]
    return Commands(keys, values)


def column(content: bytes, place: dict[str, int]) -> memoryview:
    """Return the bytes of one column of the file."""
    return memoryview(content)[place["offset"] : place["offset"] + place["length"]]


def connect(make: Callable[..., Any], asked: argparse.Namespace, prefix: str, **settings: Any) -> Any:
    """Return a client with the options that were asked for."""
    if asked.protocol == 2 and not importlib.import_module("redis").__version__.startswith("3."):  # noqa: PLR2004 - RESP2
        settings["protocol"] = asked.protocol
    client = make(host=asked.host, port=asked.port, **settings)
    if asked.parser == "python-parser":
        parser = getattr(importlib.import_module("redis._parsers"), f"_{prefix}RESP{asked.protocol}Parser")
        client.connection_pool.connection_kwargs["parser_class"] = parser
    return client


def sync_loop(client: Any, commands: Commands) -> Loop:
    """One command after the other."""
    get, set_ = client.get, client.set

    def run(seconds: float, first: int) -> int:
        operations, end = 0, perf_counter_ns() + round(seconds * 1e9)
        for key, value in commands.walk(first):
            if value is None:
                get(key)
            else:
                set_(key, value)
            operations += 1
            if perf_counter_ns() >= end:
                break
        return operations

    return run


def batching_loop(client: Any, commands: Commands, depth: int) -> Loop:
    """One pipeline after the other."""
    pipeline = client.pipeline(transaction=False)
    get, set_, execute = pipeline.get, pipeline.set, pipeline.execute

    def run(seconds: float, first: int) -> int:
        operations, walk, end = 0, commands.walk(first), perf_counter_ns() + round(seconds * 1e9)
        while True:
            for key, value in islice(walk, depth):
                if value is None:
                    get(key)
                else:
                    set_(key, value)
            execute()
            operations += depth
            if perf_counter_ns() >= end:
                return operations

    return run


def burst_loop(client: Any, commands: Commands, depth: int) -> Loop:
    """One burst after the other."""
    get, set_ = client.get, client.set

    async def run(seconds: float, first: int) -> int:
        operations, walk, end = 0, commands.walk(first), perf_counter_ns() + round(seconds * 1e9)
        while True:
            burst = [get(key) if value is None else set_(key, value) for key, value in islice(walk, depth)]
            await asyncio.gather(*burst)
            operations += depth
            if perf_counter_ns() >= end:
                return operations

    return run


def sliding_loop(client: Any, commands: Commands, depth: int) -> Loop:
    """Tasks that each take the next command."""
    get, set_ = client.get, client.set

    async def work(walk: Iterator[tuple[str, bytes | None]], end: int) -> int:
        operations = 0
        for key, value in walk:
            await (get(key) if value is None else set_(key, value))
            operations += 1
            if perf_counter_ns() >= end:
                break
        return operations

    async def run(seconds: float, first: int) -> int:
        walk, end = commands.walk(first), perf_counter_ns() + round(seconds * 1e9)
        return sum(await asyncio.gather(*[work(walk, end) for _ in range(depth)]))

    return run


def make_loop(asked: argparse.Namespace) -> Loop:
    """Return the loop that was asked for."""
    if asked.parser == "python":
        sys.modules["hiredis"] = None  # type: ignore[assignment]
    redis, commands, depth = importlib.import_module("redis"), read_commands(asked.workload), asked.depth
    if asked.scenario == "sync":
        return sync_loop(connect(redis.Redis, asked, ""), commands)
    if asked.scenario == "batching":
        return batching_loop(connect(redis.Redis, asked, ""), commands, depth)
    # More than the library's default of 100 only if more are in flight.
    most = {"max_connections": depth} if depth > 100 else {}  # noqa: PLR2004
    client = connect(importlib.import_module("redis.asyncio").Redis, asked, "Async", **most)
    make, runner = burst_loop if asked.window == "burst" else sliding_loop, asyncio.Runner()
    loop = make(client, commands, depth)
    return lambda seconds, first: runner.run(loop(seconds, first))


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="A bare loop with redis-py.")
    parser.add_argument("--host", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--workload", required=True)
    parser.add_argument("--scenario", choices=["sync", "batching", "pipelining"], required=True)
    parser.add_argument("--depth", type=int, default=1)
    parser.add_argument("--window", choices=["burst", "sliding"], default="burst")
    parser.add_argument("--parser", choices=["hiredis", "python", "python-parser"], default="hiredis")
    parser.add_argument("--protocol", type=int, choices=[3, 2], default=3)
    return parser.parse_args()


def main() -> None:
    """Warm up, print `ready`, answer each line."""
    loop = make_loop(parse())
    loop(WARM_UP_S, 0)
    # As in the runner, the collector stays on but need not walk through the commands.
    gc.collect()
    gc.freeze()
    print("ready", flush=True)
    for line in sys.stdin:
        seconds, first = line.split()
        cpu, began = process_time_ns(), perf_counter_ns()
        operations = loop(float(seconds), int(first))
        elapsed, cpu = perf_counter_ns() - began, process_time_ns() - cpu
        print(operations, elapsed, cpu, flush=True)


if __name__ == "__main__":
    main()
