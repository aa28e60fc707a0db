"""A program that starts, sends one command and has its reply; it says how long each stage took.

As harness/contract.md says, under "Cold start". What it does for itself, between the stages, is in none of them.
"""

import time

STARTED_NS = time.monotonic_ns()

# ruff: noqa: E402 - the runtime has started before anything is imported
import json
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from adapters import loaded
from answers import say
from workload import read_workload


def main() -> None:
    """Carry out the trial of the first line."""
    trial = SimpleNamespace(**json.loads(sys.stdin.readline()))
    try:
        start(trial)
    except NotImplementedError as error:
        say("unsupported", str(error))


def start(trial: SimpleNamespace) -> None:
    """Take a library from its import to its first reply, and say how long that took."""
    adapter, load_ns = timed(lambda: loaded(trial))
    workload = read_workload(trial.workload, adapter.commands, as_text=trial.options.get("decode") == "text")
    key, (call, _) = next(workload.walk(0))
    wait, loop_ns = timed(lambda: waiting(adapter.kind))
    client, create_ns = timed(lambda: wait(adapter.connect(1)))
    _, connect_ns = timed(lambda: wait(adapter.open(client, 1)))
    reply, first_ns = timed(lambda: wait(call(client, key)))
    stages = {
        "main_ns": STARTED_NS,
        "load_ns": load_ns,
        "create_ns": loop_ns + create_ns,
        "connect_ns": connect_ns,
        "first_ns": first_ns,
    }
    say("started", {**stages, "reply": reply, "versions": adapter.versions})
    wait(adapter.close(client))


def timed(stage: Callable[[], Any]) -> tuple[Any, int]:
    """Return what a stage returns, and the nanoseconds that it took."""
    began_ns = time.monotonic_ns()
    result = stage()
    return result, time.monotonic_ns() - began_ns


def waiting(kind: str) -> Callable[[Any], Any]:
    """Return what waits for a result: nothing where methods block, else an event loop, made with the client."""
    if kind != "async":
        return lambda result: result
    import asyncio  # noqa: PLC0415 - the library has imported it

    async def awaited(result: Any) -> Any:
        return await result

    runner = asyncio.Runner()
    return lambda result: runner.run(awaited(result))


main()
