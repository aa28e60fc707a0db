"""Holds the runner's claim against the server's counters."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from respmark.contract.events import Result
from respmark.records import Evidence

NANOSECONDS: Final = 10**9


@dataclass(frozen=True)
class Asked:
    """What the runner was asked for."""

    measure_s: float = 0
    """How long the window was to last: who claims the work in less time claims a rate that nobody saw."""
    commands_per_unit: int | None = None
    """Who claims units of another size claims another latency; None: not looked at."""


def refuted(results: Iterable[Result], evidence: Evidence, asked: Asked = Asked()) -> str | None:
    """Return why the claim is not true, with the numbers of both sides; None if it is exactly true."""
    results = list(results)
    reasons = [
        *_inconsistent(results),
        *_other_units(results, asked.commands_per_unit),
        *_too_short(results, asked.measure_s),
        *_errors(results),
        *_calls(evidence),
        *_strangers(evidence),
        *_hits(evidence),
    ]
    return "; ".join(reasons) or None


def _other_units(results: list[Result], commands: int | None) -> Iterator[str]:
    for result in results:
        if commands is not None and result.units * commands != result.operations:
            yield f"the runner claims {result.units:,} units of {commands:,} but {result.operations:,} operations"


def _inconsistent(results: list[Result]) -> Iterator[str]:
    for result in results:
        walked = sum(segment.operations for segment in result.segments)
        sampled = sum(count for _, count in result.latency.histogram)
        if walked != result.operations:
            yield f"the runner claims {result.operations:,} operations but lists {walked:,} in its segments"
        if sampled != result.units:
            yield f"the runner claims {result.units:,} units but has {sampled:,} latency samples"
        if result.operations == 0:
            yield "no operation was completed in the window"


def _too_short(results: list[Result], measure_s: float) -> Iterator[str]:
    for result in results:
        if result.elapsed_ns == 0 or result.elapsed_ns < measure_s * NANOSECONDS:
            yield f"the window lasted {result.elapsed_ns / NANOSECONDS:g} s, not the {measure_s:g} s asked for"


def _errors(results: list[Result]) -> Iterator[str]:
    for result in results:
        for kind, count in result.errors.items():
            first = f", first: {result.first_error}" if result.first_error else ""
            yield f"{count:,} x {kind} in the window{first}"


def _calls(evidence: Evidence) -> Iterator[str]:
    expected = sum(evidence.expected.calls.values())
    seen = sum(calls.calls for calls in evidence.workload_calls.values())
    differences = [
        f"{name.upper()} {claimed:,} claimed, {_seen(evidence, name):,} seen"
        for name, claimed in evidence.expected.calls.items()
        if claimed != _seen(evidence, name)
    ]
    if differences:
        yield f"claimed {expected:,} calls, the server saw {seen:,} ({'; '.join(differences)})"
    for name, calls in evidence.workload_calls.items():
        if calls.failed or calls.rejected:
            yield f"the server answered {calls.failed + calls.rejected:,} {name.upper()} with an error"


def _seen(evidence: Evidence, name: str) -> int:
    return evidence.workload_calls[name].calls if name in evidence.workload_calls else 0


def _strangers(evidence: Evidence) -> Iterator[str]:
    if evidence.other_calls:
        listed = ", ".join(f"{name.upper()} {count:,}" for name, count in evidence.other_calls.items())
        yield f"the server saw commands that are not in the workload: {listed}; is anyone else using this server?"
    if evidence.evicted_keys:
        yield f"the server dropped {evidence.evicted_keys:,} keys in the window (memory limit?)"
    if evidence.expired_keys:
        yield f"{evidence.expired_keys:,} keys expired in the window, ours do not: is anyone else using this server?"


def _hits(evidence: Evidence) -> Iterator[str]:
    claimed = (evidence.expected.hits, evidence.expected.misses)
    seen = (evidence.keyspace_hits, evidence.keyspace_misses)
    if None not in claimed and claimed != seen:
        yield (
            f"the workload has {claimed[0]:,} hits and {claimed[1]:,} misses, "
            f"the server saw {seen[0]:,} and {seen[1]:,}"
        )
