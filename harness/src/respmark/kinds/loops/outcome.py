"""What became of a trial in slices: a function of what its loop has kept, when nothing runs any more."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from respmark.contract.lines import Worked
from respmark.histogram import folded
from respmark.kinds.loops.judge import Judge
from respmark.kinds.loops.loop import Loop
from respmark.kinds.loops.open_loop import OpenSlice
from respmark.kinds.loops.record import Aim, HostShare, Latency, LoopRecord
from respmark.plan.plan import PlannedCell
from respmark.results.records import Status
from respmark.run.outcome import Outcome
from respmark.run.state import RunState
from respmark.runners.protocol import HostLoad, Latencies, OnHost
from respmark.specs.scenario import commands_per_unit, sample_covers

LOST_AT_MOST: Final = 0.2
"""Share of a trial's slices that may be lost; with more, the trial has failed."""
SENT_BY_SENTINELS: Final = frozenset({"info", "ping", "publish"})
"""What sentinels send to every server that they watch: no more of it than open connections of a client may."""
ONE_OF: Final = 3
"""Of so many slices, one may be lost, whatever share that is."""


def outcome_of(loop: Loop, state: RunState, library_commands: frozenset[str], cut_short: str | None) -> Outcome:
    """Return what became of a trial; raises ServerLostError if the server was restarted meanwhile.

    Args:
        loop: What it has kept.
        state: What the run has measured so far: it must have loaded the same versions.
        library_commands: What the block's libraries send of their own accord.
        cut_short: Why slices are missing although the runner did not fail.
    """
    seen = _judged_outcome(loop, library_commands, cut_short)
    slices = seen.measured["slices"]
    mismatches = [one.reason for one in slices if one.reason is not None]
    if not slices or len(mismatches) > max(LOST_AT_MOST * len(slices), len(slices) >= ONE_OF):
        reason = mismatches[0] if mismatches else cut_short or "no slice was measured"
        return replace(seen, status=Status.FAILED, reason=reason)
    if wrong := loop.processes.mislabelled(state.versions):
        return replace(seen, status=Status.FAILED, reason=wrong)
    lost = f"{len(mismatches)} of {len(slices)} slices are not counted: {mismatches[0]}" if mismatches else None
    return replace(seen, reason="; ".join(filter(None, (lost, cut_short))) or None)


def _judged_outcome(loop: Loop, library_commands: frozenset[str], cut_short: str | None) -> Outcome:
    cell, processes = loop.cell, loop.processes
    spec, server = processes.bed.clients.get(cell.client.library), processes.in_use.server
    by_sentinels = SENT_BY_SENTINELS if server.kind == "sentinel" else frozenset()
    judge = Judge(
        cell=cell,
        workload=processes.workload.workload,
        library_commands=library_commands | by_sentinels,
        server_is_local=server.local,
        opened=processes.opened,
        sent_with_units=spec.sent_with_units(cell.client.options) if spec else {},
        elsewhere=frozenset(part for part, host in enumerate(processes.hosts) if not host.is_here),
        is_clustered=server.is_cluster,
    )
    latencies = loop.by_slice()
    judged = list(judge.judged(loop.slices, latencies))
    counted = [raw.answers for raw, (one, _) in zip(loop.slices, judged, strict=True) if one.counts]
    # Where the highest rate is looked for, the latency that stands beside it is that at 70 % of it.
    open_slices = [
        one
        for raw, kept in zip(loop.slices, latencies, strict=False)
        if (raw.probe is None or raw.probe[0] is Aim.SEVENTY) and (one := raw.as_open(cell, kept)) is not None
    ]
    measured = {
        "warm_up": loop.warm_up,
        "found": None if loop.search is None else loop.search.found(is_cut_short=cut_short is not None),
        "latency": latency_of(
            cell, [one.response for one in open_slices] if cell.shape.rate else latencies, open_slices
        ),
        "service": latency_of(cell, [one.service for one in open_slices]),
        "lag": latency_of(cell, [one.lag for one in open_slices]),
        "hosts": list(shares_of(cell, processes.hosts, counted)),
        "slices": [one for one, _ in judged],
    }
    saw_others = any(calls.others for _, calls in judged)
    return replace(
        processes.base_outcome(), record=LoopRecord, measured=measured, has_figures=bool(judged), saw_others=saw_others
    )


def latency_of(
    cell: PlannedCell, by_slice: Sequence[Latencies], open_slices: Sequence[OpenSlice] = ()
) -> Latency | None:
    """Return the latencies of a cell's slices together; None if there are none, or its client has none to give.

    `open_slices` are its slices in an open loop, if units may have been given up there.
    """
    if not by_slice or not cell.client.capabilities.latencies:
        return None
    every = np.concatenate(by_slice)
    # Units are in order of their due time, so the last abandoned one waited least.
    unended = [float(one.response[-1]) for one in open_slices if len(one.unstarted)]
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
