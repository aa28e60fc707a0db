"""Holds what a runner claims of a slice against what was asked, and against the server's counters."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from respmark.contract.events import Result, Slice, SliceOrder
from respmark.contract.trial import Scenario, Shape
from respmark.evidence.clocks import Span, cpu_mismatches, outside_mismatch, time_mismatches
from respmark.evidence.own_commands import unexpected_commands
from respmark.evidence.samples import in_flight, latency_mismatch
from respmark.histogram import Histogram
from respmark.records import Evidence, SliceRecord
from respmark.specs.scenario import commands_per_unit
from respmark.workload.walk import first_commands

HANDSHAKE_BYTES: Final = 1_000
"""What a new connection may send before its first command, and each open one to show that it is there."""
OWN_COMMAND_BYTES: Final = 100
"""Of what a library sends of its own accord."""
INFO_BYTES: Final = 100
"""Our own request."""
INPUT_SHARE: Final = 0.005
"""How far the bytes that the server read may be beyond those of the claimed commands: other spellings of a number."""


@dataclass(frozen=True)
class Asked:
    """What the processes of a trial were asked for."""

    order: SliceOrder
    commands_per_unit: int
    """Who claims units of another size claims another latency."""
    first_commands: Sequence[list[int]]
    """Where the walkers of each process were to begin."""
    span: Span
    """When, by the harness's clock, and with how much CPU, by the kernel's account."""

    @classmethod
    def of(cls, order: SliceOrder, scenario: Scenario, shape: Shape, commands: int, span: Span) -> "Asked":
        """Return what a trial's processes are asked for by an order, with a workload of `commands`."""
        firsts = [
            first_commands(commands, shape, scenario, part, order.first_command) for part in range(shape.processes)
        ]
        return cls(order, commands_per_unit(scenario, shape), firsts, span)


def slice_mismatch(answers: Iterable[Slice], evidence: Evidence, asked: Asked) -> str | None:
    """Return why the claim is not true, with the numbers of both sides; None if it is exactly true."""
    answers = list(answers)
    reasons = [
        *(reason for number, answer in enumerate(answers) for reason in _answer(answer, number, asked)),
        *time_mismatches(answers, asked.span),
        *cpu_mismatches(answers, asked.span),
        *_calls(evidence),
        *_unexpected(evidence),
        *_hits(evidence),
        *_input(evidence),
    ]
    return "; ".join(reasons) or None


def trial_mismatches(
    slices: Sequence[SliceRecord], results: Sequence[Result], scenario: Scenario, shape: Shape
) -> Iterator[str | None]:
    """Yield what of a trial as a whole is not true; `results` of its processes, none if they cannot be compared."""
    for part, result in enumerate(results):
        units = sum(one.answers[part].measured.units for one in slices)
        sampled = Histogram.of(result.latency.histogram).samples
        if sampled != units:
            yield f"the runner claims {units:,} units but has {sampled:,} latency samples"
    yield outside_mismatch(slices)
    if results and not any(answer.errors for one in slices for answer in one.answers):
        yield latency_mismatch(slices, results, in_flight(scenario, shape))


def _answer(answer: Slice, process: int, asked: Asked) -> Iterator[str]:
    yield from _inconsistent(answer, asked.commands_per_unit)
    yield from _too_short(answer, asked.order)
    begun = [segment.first_command for segment in answer.segments]
    if begun != asked.first_commands[process]:
        yield f"the slice was to begin at {asked.first_commands[process]}, the runner says {begun}"
    for kind, count in answer.errors.items():
        first = f", first: {answer.first_error}" if answer.first_error else ""
        yield f"{count:,} x {kind} in the slice{first}"


def _inconsistent(answer: Slice, commands: int) -> Iterator[str]:
    operations = answer.lead_in.operations + answer.measured.operations
    walked = sum(segment.operations for segment in answer.segments)
    if walked != operations:
        yield f"the runner claims {operations:,} operations but lists {walked:,} in its segments"
    for part in (answer.lead_in, answer.measured):
        if part.units * commands != part.operations:
            yield f"the runner claims {part.units:,} units of {commands:,} but {part.operations:,} operations"
    if answer.measured.operations == 0:
        yield "no operation was completed in the slice"


def _too_short(answer: Slice, order: SliceOrder) -> Iterator[str]:
    lasted_ns = answer.ended.at_ns - answer.measured_from.at_ns
    if lasted_ns < order.duration_ns:
        yield f"the slice lasted {lasted_ns / 1e6:g} ms, not the {order.duration_ns / 1e6:g} ms asked for"
    if answer.measured_from.at_ns - answer.started.at_ns < order.lead_in_ns:
        yield f"the lead-in was shorter than the {order.lead_in_ns / 1e6:g} ms asked for"


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


def _unexpected(evidence: Evidence) -> Iterator[str]:
    yield from unexpected_commands(evidence)
    if evidence.evicted_keys:
        yield f"the server dropped {evidence.evicted_keys:,} keys in the slice (memory limit?)"
    if evidence.expired_keys:
        yield f"{evidence.expired_keys:,} keys expired in the slice, ours do not: is anyone else using this server?"


def _hits(evidence: Evidence) -> Iterator[str]:
    claimed = (evidence.expected.hits, evidence.expected.misses)
    seen = (evidence.keyspace_hits, evidence.keyspace_misses)
    if None not in (*claimed, *seen) and claimed != seen:
        yield (
            f"the workload has {claimed[0]:,} hits and {claimed[1]:,} misses, "
            f"the server saw {seen[0]:,} and {seen[1]:,}"
        )


def _input(evidence: Evidence) -> Iterator[str]:
    """Yield that what the server read is not what the claimed commands have: other values, or none."""
    claimed, seen = evidence.expected.input_bytes, evidence.network_input_bytes
    if claimed is None or seen is None:
        return
    connections = evidence.connections_received + evidence.connections_all + evidence.replicas
    own = OWN_COMMAND_BYTES * sum(evidence.library_calls.values())
    most = claimed * (1 + INPUT_SHARE) + INFO_BYTES + HANDSHAKE_BYTES * connections + own
    if not claimed <= seen <= most:
        yield f"the claimed commands have {claimed:,} bytes, the server read {seen:,}"
