"""Checks what runners claim about slices against what was asked for, and against the server's counters.

Each rule is written once, here or in `clocks`, `compiling`, `local_cache`, `own_commands` and `samples`. It applies to
the slices of a trial that has just ended, and to those of many trials that are read from files.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Final

import numpy as np

from respmark.contract.events import Result
from respmark.contract.trial import Scenario, Shape
from respmark.evidence.clocks import cpu_mismatch, outside_mismatches, time_mismatches, trial_cpu_mismatch
from respmark.evidence.compiling import repetition_mismatch
from respmark.evidence.local_cache import local_cache_mismatches
from respmark.evidence.mismatch import Mismatch, told
from respmark.evidence.own_commands import unexpected_commands
from respmark.evidence.samples import Samples, latency_mismatches, longest_mismatch
from respmark.evidence.samples import in_flight as samples_in_flight
from respmark.histogram import Histogram
from respmark.results.slice_arrays import Integers, SliceArrays
from respmark.specs.scenario import commands_per_unit
from respmark.workload.walk import first_commands

HANDSHAKE_BYTES: Final = 1_000
"""What a new connection may send before its first command, and an open one to show that it is still there."""
OWN_COMMAND_BYTES: Final = 100
"""Of each command that is neither the workload's nor part of a handshake."""
INFO_BYTES: Final = 100
"""Of our own INFO request."""
INPUT_SHARE: Final = 0.005
"""By what share the server may read more bytes than the claimed commands have: numbers can be spelled in other ways."""
NO_WALKER: Final = -1
"""Stands for a first command where there is no walker."""


@dataclass(frozen=True)
class Asked:
    """What the processes of a trial are asked to do in each slice."""

    commands: int
    """How many the workload has."""
    commands_per_unit: int
    """A runner that claims units of another size claims another latency."""
    walks: tuple[tuple[int, ...], ...]
    """Where the walkers of each process begin, in a slice that begins at the workload's first command."""
    in_flight: int
    """How many latency samples are under way at a time in each process."""
    connects: bool = False
    """Whether each unit opens a connection."""


@cache
def asked_of(scenario: Scenario, shape: Shape, commands: int) -> Asked:
    """Return what a trial's processes are asked to do, with a workload of this many commands."""
    walks = tuple(tuple(first_commands(commands, shape, scenario, part)) for part in range(shape.processes))
    in_flight, connects = samples_in_flight(scenario, shape), scenario is Scenario.NEW_CONNECTION
    return Asked(commands, commands_per_unit(scenario, shape), walks, in_flight, connects)


def slice_mismatches(slices: SliceArrays, asked: Sequence[Asked], cpus: int) -> dict[int, str]:
    """Return, by the slice's place, why claims are not true, with the numbers of both sides.

    Slices whose claims are exactly true are left out. `asked` is by trial; `cpus` is how many processors the machine
    has.
    """
    return told(_rules(slices, asked, cpus)) if len(slices) else {}


def trial_mismatches(
    slices: SliceArrays, asked: Sequence[Asked], results: Sequence[Sequence[Result]], cpus: int
) -> Iterator[tuple[int, str]]:
    """Yield each claim about a trial as a whole that is not true, with the trial's number.

    `results` are those of each trial's processes, none if they cannot be compared; `cpus` is how many processors the
    machine has.
    """
    if not len(slices):
        return
    samples = [Samples(found, one.in_flight) for found, one in zip(results, asked, strict=True)]
    outside, latency = outside_mismatches(slices, cpus), latency_mismatches(slices, samples)
    units = [slices.sums(done).tolist() for done in slices.answers("measured", "units")]
    had_errors = slices.sums(_errors(slices)).tolist()
    yield from told([trial_cpu_mismatch(slices.only(slices.counted), cpus)]).items()
    for number, of_trial in enumerate(results):
        for part, result in enumerate(of_trial):
            sampled = Histogram.of(result.latency.histogram).samples
            if sampled != units[part][number]:
                yield number, f"the runner claims {units[part][number]:,} units but has {sampled:,} latency samples"
        if number in outside:
            yield number, outside[number]
        if number in latency and of_trial and not had_errors[number]:
            yield number, latency[number]
        yield from ((number, reason) for one in of_trial if (reason := longest_mismatch(one.latency)) is not None)


def _rules(slices: SliceArrays, asked: Sequence[Asked], cpus: int) -> Iterator[Mismatch]:
    for process in range(slices.processes):
        yield from _inconsistent(slices, process, asked)
        yield from _too_short(slices, process)
        yield _cpu_fell(slices, process)
        yield _elsewhere(slices, process, asked)
        yield from _failed_units(slices, process)
    yield from time_mismatches(slices)
    yield cpu_mismatch(slices, cpus)
    yield repetition_mismatch(slices)
    yield from _calls(slices)
    yield from local_cache_mismatches(slices)
    yield unexpected_commands(slices, _opened(slices, asked))
    yield from _lost_keys(slices)
    yield _hits(slices)
    yield _input(slices)


def _opened(slices: SliceArrays, asked: Sequence[Asked]) -> Integers:
    """Return how many connections the trial claims to have opened, by slice."""
    units = slices.answers("lead_in", "units") + slices.answers("measured", "units")
    opened: Integers = units.sum(axis=0) * slices.by_slice(np.array([one.connects for one in asked]))
    return opened


def _inconsistent(slices: SliceArrays, process: int, asked: Sequence[Asked]) -> Iterator[Mismatch]:
    commands = slices.by_slice(np.array([one.commands_per_unit for one in asked]))
    lead_in, measured = (
        {what: slices.whole("answers", process, part, what) for what in ("operations", "units")}
        for part in ("lead_in", "measured")
    )
    claimed = lead_in["operations"] + measured["operations"]
    walked = np.zeros(len(slices), dtype=np.int64)
    for walker in slices.keys("answers", process, "segments"):
        walked += slices.known("answers", process, "segments", walker, "operations").values
    yield Mismatch(
        walked != claimed,
        lambda at: f"the runner claims {claimed[at]:,} operations but lists {walked[at]:,} in its segments",
    )
    for part in (lead_in, measured):
        others = (part["units"], commands, part["operations"])
        yield Mismatch(part["units"] * commands != part["operations"], partial(_other_units, *others))
    yield Mismatch(measured["operations"] == 0, lambda _: "no operation was completed in the slice")


def _other_units(units: Integers, commands: Integers, operations: Integers, at: int) -> str:
    return f"the runner claims {units[at]:,} units of {commands[at]:,} but {operations[at]:,} operations"


def _too_short(slices: SliceArrays, process: int) -> Iterator[Mismatch]:
    started, measured_from, ended = (
        slices.whole("answers", process, moment, "at_ns") for moment in ("started", "measured_from", "ended")
    )
    lasted_ns, asked_ns = ended - measured_from, slices.whole("order", "duration_ns")
    lead_in_ns = slices.whole("order", "lead_in_ns")
    yield Mismatch(
        lasted_ns < asked_ns,
        lambda at: f"the slice lasted {lasted_ns[at] / 1e6:g} ms, not the {asked_ns[at] / 1e6:g} ms asked for",
    )
    yield Mismatch(
        measured_from - started < lead_in_ns,
        lambda at: f"the lead-in was shorter than the {lead_in_ns[at] / 1e6:g} ms asked for",
    )


def _cpu_fell(slices: SliceArrays, process: int) -> Mismatch:
    """Return where a process claims to have used less CPU at a moment than at the one before."""
    used = np.stack([slices.cpu_ns(moment)[process] for moment in ("started", "measured_from", "ended")])
    return Mismatch(
        np.any(used[1:] < used[:-1], axis=0),
        lambda at: f"the CPU that the runner claims falls within the slice ({', '.join(map(str, used[:, at]))} ns)",
    )


def _elsewhere(slices: SliceArrays, process: int, asked: Sequence[Asked]) -> Mismatch:
    """Return where walkers began at other commands than asked for: all clients of a lap must do the same commands."""
    walks = [one.walks[process] if process < len(one.walks) else () for one in asked]
    segments = slices.keys("answers", process, "segments")
    walkers = max([len(segments), *map(len, walks)])
    begun = np.full((len(slices), walkers), NO_WALKER)
    for walker in segments:
        found = slices.known("answers", process, "segments", walker, "first_command")
        begun[:, int(walker)] = np.where(found.known, found.values, NO_WALKER)
    offsets = slices.by_slice(
        np.array([[*walk, *[NO_WALKER] * (walkers - len(walk))] for walk in walks], dtype=np.int64)
    )
    commands = slices.by_slice(np.array([one.commands for one in asked]))[:, np.newaxis]
    first = slices.whole("order", "first_command")[:, np.newaxis]
    to_begin = np.where(offsets == NO_WALKER, NO_WALKER, (first + offsets) % commands)

    def words(at: int) -> str:
        asked_for, said = ([one for one in rows[at].tolist() if one != NO_WALKER] for rows in (to_begin, begun))
        return f"the slice was to begin at {asked_for}, the runner says {said}"

    return Mismatch(np.any(begun != to_begin, axis=1), words)


def _failed_units(slices: SliceArrays, process: int) -> Iterator[Mismatch]:
    for kind, count in slices.mapping("answers", process, "errors").items():
        yield Mismatch(count.values > 0, partial(_error_words, slices, process, kind, count.values))


def _error_words(slices: SliceArrays, process: int, kind: str, count: Integers, at: int) -> str:
    message = slices.value(at, "answers", process, "first_error")
    first = f", first: {message}" if message else ""
    return f"{count[at]:,} x {kind} in the slice{first}"


def _errors(slices: SliceArrays) -> Integers:
    """Return how many units failed, by slice."""
    none = np.zeros(len(slices), dtype=np.int64)
    kinds = (slices.mapping("answers", process, "errors") for process in range(slices.processes))
    return sum((count.values for errors in kinds for count in errors.values()), none)


def _calls(slices: SliceArrays) -> Iterator[Mismatch]:
    claimed = slices.mapping("evidence", "expected", "calls")
    names = [str(name) for name in slices.keys("evidence", "workload_calls")]
    seen = {name: slices.known("evidence", "workload_calls", name, "calls").values for name in {*names, *claimed}}
    differs = [count.known & (count.values != seen[name]) for name, count in claimed.items()]

    def words(at: int) -> str:
        differences = "; ".join(
            f"{name.upper()} {count.values[at]:,} claimed, {seen[name][at]:,} seen"
            for (name, count), differ in zip(claimed.items(), differs, strict=True)
            if differ[at]
        )
        all_claimed = sum(int(count.values[at]) for count in claimed.values())
        all_seen = sum(int(seen[name][at]) for name in names)
        return f"claimed {all_claimed:,} calls, the server saw {all_seen:,} ({differences})"

    yield Mismatch(np.any(differs, axis=0) if differs else np.zeros(len(slices), dtype=np.bool_), words)
    for name in names:
        failed, rejected = (
            slices.known("evidence", "workload_calls", name, what).values for what in ("failed", "rejected")
        )
        yield Mismatch(failed + rejected > 0, partial(_answered_with_error, name, failed + rejected))


def _answered_with_error(name: str, count: Integers, at: int) -> str:
    return f"the server answered {count[at]:,} {name.upper()} with an error"


def _lost_keys(slices: SliceArrays) -> Iterator[Mismatch]:
    evicted, expired = (slices.known("evidence", name).values for name in ("evicted_keys", "expired_keys"))
    yield Mismatch(evicted > 0, lambda at: f"the server dropped {evicted[at]:,} keys in the slice (memory limit?)")
    yield Mismatch(
        expired > 0,
        lambda at: f"{expired[at]:,} keys expired in the slice, ours do not: is anyone else using this server?",
    )


def _hits(slices: SliceArrays) -> Mismatch:
    claimed = [slices.known("evidence", "expected", name) for name in ("hits", "misses")]
    seen = [slices.known("evidence", name) for name in ("keyspace_hits", "keyspace_misses")]
    are_known = np.all([one.known for one in (*claimed, *seen)], axis=0)
    differ = np.any([one.values != other.values for one, other in zip(claimed, seen, strict=True)], axis=0)

    def words(at: int) -> str:
        hits, misses, seen_hits, seen_misses = (one.values[at] for one in (*claimed, *seen))
        return f"the workload has {hits:,} hits and {misses:,} misses, the server saw {seen_hits:,} and {seen_misses:,}"

    return Mismatch(are_known & differ, words)


def _input(slices: SliceArrays) -> Mismatch:
    """Return where the server did not read as many bytes as the claimed commands have: other values, or none."""
    claimed = slices.known("evidence", "expected", "input_bytes")
    seen = slices.known("evidence", "network_input_bytes")
    connections = sum(
        slices.whole("evidence", name) for name in ("connections_received", "connections_all", "replicas")
    )
    beside = (slices.mapping("evidence", kind).values() for kind in ("library_calls", "other_calls"))
    own = OWN_COMMAND_BYTES * sum(count.values for counts in beside for count in counts)
    most = claimed.values * (1 + INPUT_SHARE) + INFO_BYTES + HANDSHAKE_BYTES * connections + own
    fits = (claimed.values <= seen.values) & (seen.values <= most)
    return Mismatch(
        claimed.known & seen.known & ~fits,
        lambda at: f"the claimed commands have {claimed.values[at]:,} bytes, the server read {seen.values[at]:,}",
    )
