"""What became of a trial: the parts of its record that its slices are not."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from respmark.contract.lines import Worked
from respmark.histogram import folded
from respmark.load.open_loop import OpenSlice
from respmark.machine.sockets import Sockets
from respmark.plan.plan import PlannedCell
from respmark.results.records import FoundRate, Handshake, HostShare, Latency, SliceRecord, Status, WarmUp
from respmark.runners.protocol import HostLoad, Latencies, OnHost
from respmark.specs.scenario import commands_per_unit, sample_covers


@dataclass(frozen=True)
class Outcome:
    """What became of a trial; each field is that of its record."""

    status: Status
    reason: str | None = None
    stderr: list[str] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)
    settings: dict[str, str | int | float | bool] = field(default_factory=dict)
    decodes_to: Literal["bytes", "text"] | None = None
    verified_replies: int = 0
    peak_memory_bytes: int = 0
    memory_bytes_per_key: float | None = None
    handshake: Handshake | None = None
    sockets: list[Sockets] | None = None
    warm_up: WarmUp | None = None
    found: FoundRate | None = None
    latency: Latency | None = None
    service: Latency | None = None
    lag: Latency | None = None
    hosts: list[HostShare] = field(default_factory=list)
    slices: list[SliceRecord] = field(default_factory=list)


def latency_of(cell: PlannedCell, by_slice: Sequence[Latencies], opened: Sequence[OpenSlice] = ()) -> Latency | None:
    """Return the latencies of a cell's slices together; None if there are none, or its client has none to give.

    `opened` are its slices in an open loop, if units may have been given up there.
    """
    if not by_slice or not cell.client.capabilities.latencies:
        return None
    every = np.concatenate(by_slice)
    # Of the units that were given up, the last one had waited for the shortest time.
    unended = [float(one.response[-1]) for one in opened if len(one.unstarted)]
    return Latency(
        sample_covers=sample_covers(cell.scenario, cell.shape),
        histogram=list(folded(every)),
        max_ns=int(every.max(initial=0)),
        unended_from_ns=round(min(unended)) if unended else None,
    )


def shares_of(cell: PlannedCell, hosts: Sequence[OnHost], counted: Sequence[Sequence[Worked]]) -> Iterator[HostShare]:
    """Yield what each host did; `hosts` has that of each process, `counted` their answers in each slice that counts."""
    per_unit = commands_per_unit(cell.scenario, cell.shape)
    for name in dict.fromkeys(host.name for host in hosts):
        parts = [part for part, host in enumerate(hosts) if host.name == name]
        answers = [answer[part] for answer in counted for part in parts]
        yield HostShare(
            host=name,
            processes=len(parts),
            operations=sum(sum(one.measured) for one in answers) * per_unit,
            elapsed_ns=sum(one.elapsed_ns for one in answers) // len(parts),
            client_cpu_ns=sum(one.ended.cpu_ns - one.measured_from.cpu_ns for one in answers),
            clock_error_ns=max(hosts[part].clock_error_ns for part in parts),
            other_cpu_percent=_other_cpu_percent([hosts[part].load for part in parts]),
        )


def _other_cpu_percent(loads: Sequence[HostLoad]) -> float | None:
    """Return what others used of a host's processors; its processes worked at the same time, and each saw all of it."""
    if not all(load.lasted_ns for load in loads):
        return None
    busy = sum(load.busy_ns / load.lasted_ns for load in loads) / len(loads)
    own = sum(load.own_ns / load.lasted_ns for load in loads)
    return round(max(0.0, busy - own) * 100, 1)
