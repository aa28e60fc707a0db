"""The loop that a user would write over the same adapter: what the runner's own loops are judged by."""

from collections.abc import Iterator
from time import monotonic_ns
from typing import Any

from samples import closing_moment, opening_moment
from scenarios import Slices
from workload import Command


def work_bare(slices: Slices, first: int, duration_ns: int) -> dict[str, Any]:
    """Perform units of the first walker until the time is over, without keeping anything of them."""
    units, client = slices.walk(0, first), slices.clients[0]
    started = opening_moment()
    end_ns = started[0] + duration_ns
    if slices.adapter.kind == "async":
        count = slices.wait(_loop_of_tasks(client, units, end_ns))
    else:
        count = _loop(client, units, end_ns)
    return {"units": count, "started": started, "ended": closing_moment()}


def _loop(client: Any, units: Iterator[Command], end_ns: int) -> int:
    for count, (key, (call, value)) in enumerate(units, start=1):
        if value is None:
            call(client, key)
        else:
            call(client, key, value)
        if monotonic_ns() >= end_ns:
            return count
    return 0


async def _loop_of_tasks(client: Any, units: Iterator[Command], end_ns: int) -> int:
    for count, (key, (call, value)) in enumerate(units, start=1):
        await (call(client, key) if value is None else call(client, key, value))
        if monotonic_ns() >= end_ns:
            return count
    return 0
