"""Bare loops with redis-py, to judge the runner by: how much of its figures is its own doing?

Reads the trial that the runner reads, replays the same commands with the same library and options, and measures
nothing but how many there were. It shares no code with the runner. GET and SET are all it knows, and `sync`,
`batching` and `pipelining` all it does.

    python bare/redis_py.py < trial.json

It prints `{"event":"ready"}`, waits for a line, measures, and prints `{"operations", "elapsed_ns", "cpu_ns"}`.
"""

import asyncio
import gc
import importlib
import itertools
import json
import struct
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter_ns, process_time_ns
from typing import Any

Pair = tuple[str, bytes | None]
"""A command as its key and its value: without a value it is a GET, with one a SET."""
Loop = Callable[[float], int]
"""Runs for so many seconds and returns how many commands it completed."""


@dataclass
class Commands:
    """The commands of the workload file, `depth` of them again behind the last, so that no slice wraps around."""

    pairs: list[Pair]
    count: int
    first: int
    depth: int

    def walk(self) -> Iterator[Pair]:
        """Return the commands one by one, for ever."""
        return itertools.chain(self.pairs[self.first : self.count], itertools.cycle(self.pairs[: self.count]))


def read_commands(part: dict[str, Any], depth: int) -> Commands:
    """Read the workload file."""
    content = Path(part["path"]).read_bytes()
    (length,) = struct.unpack_from("<I", content, 12)
    header = json.loads(content[16 : 16 + length])
    names = [command["name"] for command in header["mix"]]
    if set(names) - {"GET", "SET"}:
        sys.exit(f"the bare loop knows GET and SET only, not {names}")
    kinds, keys, sizes, block = (column(content, header[name]) for name in ("kinds", "keys", "sizes", "block"))
    multiplier, mask = header["value_multiplier"], (1 << header["value_modulus_bits"]) - 1
    pairs: list[Pair] = []
    for kind, key, size in zip(kinds, keys.cast("I"), sizes.cast("I"), strict=True):
        start = key * multiplier & mask
        value = bytes(block[start : start + size]) if names[kind] == "SET" else None
        pairs.append((f"{header['key_prefix']}{key:0{header['key_digits']}d}", value))
    count = len(pairs)
    first = part.get("part", 0) * count // part.get("parts", 1)
    return Commands(pairs + [pairs[i % count] for i in range(depth)], count, first, depth)


def column(content: bytes, place: dict[str, int]) -> memoryview:
    """Return the bytes of one column of the file."""
    return memoryview(content)[place["offset"] : place["offset"] + place["length"]]


def connect(make: Callable[..., Any], trial: dict[str, Any], prefix: str, **settings: Any) -> Any:
    """Return a client of the trial's target with the trial's options."""
    target, options = trial["target"], trial["client"].get("options", {})
    if target.get("tls"):
        sys.exit("the bare loop does not speak TLS")
    names = {"host": "host", "port": "port", "unix_socket": "unix_socket_path", "database": "db"}
    names |= {"username": "username", "password": "password"}
    settings |= {names[name]: value for name, value in target.items() if value is not None and name in names}
    protocol = options.get("protocol", 3)
    if protocol == 2 and not importlib.import_module("redis").__version__.startswith("3."):  # noqa: PLR2004 - RESP2
        settings["protocol"] = protocol
    client = make(**settings)
    if options.get("parser") == "python-parser":
        parsers = importlib.import_module("redis._parsers")
        client.connection_pool.connection_kwargs["parser_class"] = getattr(parsers, f"_{prefix}RESP{protocol}Parser")
    return client


def sync_loop(client: Any, commands: Commands) -> Loop:
    """One command after the other."""
    get, set_, walk = client.get, client.set, commands.walk()

    def run(seconds: float) -> int:
        operations, end = 0, perf_counter_ns() + round(seconds * 1e9)
        for key, value in walk:
            if value is None:
                get(key)
            else:
                set_(key, value)
            operations += 1
            if perf_counter_ns() >= end:
                break
        return operations

    return run


def batching_loop(client: Any, commands: Commands) -> Loop:
    """One pipeline after the other."""
    pipeline, pairs, depth = client.pipeline(transaction=False), commands.pairs, commands.depth
    get, set_, execute = pipeline.get, pipeline.set, pipeline.execute

    def run(seconds: float) -> int:
        operations, at, end = 0, commands.first, perf_counter_ns() + round(seconds * 1e9)
        while True:
            for key, value in pairs[at : at + depth]:
                if value is None:
                    get(key)
                else:
                    set_(key, value)
            execute()
            operations += depth
            if perf_counter_ns() >= end:
                return operations
            at = (at + depth) % commands.count

    return run


def burst_loop(client: Any, commands: Commands) -> Callable[[float], Any]:
    """One burst after the other."""
    get, set_, pairs, depth = client.get, client.set, commands.pairs, commands.depth

    async def run(seconds: float) -> int:
        operations, at, end = 0, commands.first, perf_counter_ns() + round(seconds * 1e9)
        while True:
            burst = [get(key) if value is None else set_(key, value) for key, value in pairs[at : at + depth]]
            await asyncio.gather(*burst)
            operations += depth
            if perf_counter_ns() >= end:
                return operations
            at = (at + depth) % commands.count

    return run


def sliding_loop(client: Any, commands: Commands) -> Callable[[float], Any]:
    """Tasks that each take the next command."""
    get, set_, walk = client.get, client.set, commands.walk()

    async def work(end: int) -> int:
        operations = 0
        for key, value in walk:
            await (get(key) if value is None else set_(key, value))
            operations += 1
            if perf_counter_ns() >= end:
                break
        return operations

    async def run(seconds: float) -> int:
        end = perf_counter_ns() + round(seconds * 1e9)
        return sum(await asyncio.gather(*[work(end) for _ in range(commands.depth)]))

    return run


def make_loop(trial: dict[str, Any]) -> Loop:
    """Return the loop that the trial asks for."""
    if trial["client"].get("options", {}).get("parser") == "python":
        sys.modules["hiredis"] = None  # type: ignore[assignment]
    redis, shape = importlib.import_module("redis"), trial["shape"]
    depth = shape.get("depth") or 1
    commands = read_commands(trial["workload"], depth)
    if trial["scenario"] == "sync":
        return sync_loop(connect(redis.Redis, trial, ""), commands)
    if trial["scenario"] == "batching":
        return batching_loop(connect(redis.Redis, trial, ""), commands)
    if trial["scenario"] == "pipelining":
        # More than the library's default of 100 only when there are more in flight.
        most = {"max_connections": depth} if depth > 100 else {}  # noqa: PLR2004
        client = connect(importlib.import_module("redis.asyncio").Redis, trial, "Async", **most)
        make, runner = burst_loop if shape["window"] == "burst" else sliding_loop, asyncio.Runner()
        loop = make(client, commands)
        return lambda seconds: runner.run(loop(seconds))
    sys.exit(f"there is no bare loop for {trial['scenario']}: sync, batching and pipelining have one")


def main() -> None:
    """Warm up, say so, wait for a line, measure, print."""
    trial = json.loads(sys.stdin.readline())
    loop = make_loop(trial)
    loop(trial["warmup_s"])
    # As the runner does: the collector stays on, but need not walk through the commands.
    gc.collect()
    gc.freeze()
    print('{"event":"ready"}', flush=True)
    sys.stdin.readline()
    cpu, began = process_time_ns(), perf_counter_ns()
    operations = loop(trial["measure_s"])
    elapsed, cpu = perf_counter_ns() - began, process_time_ns() - cpu
    print(json.dumps({"operations": operations, "elapsed_ns": elapsed, "cpu_ns": cpu}), flush=True)


if __name__ == "__main__":
    main()
