"""The one check of what runners claim: each rule returns a sentence with the numbers of both sides, or None."""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from respmark.contract.lines import Loaded, Work, Worked
from respmark.evidence.expectation import Expectation
from respmark.evidence.info import Calls
from respmark.evidence.own_commands import SortedCalls, unexpected_commands
from respmark.evidence.snapshot import Evidence
from respmark.specs.client import Client

HANDSHAKE_BYTES: Final = 1_000
"""What a new connection may send before its first command, and an open one to show that it is still there."""
OWN_COMMAND_BYTES: Final = 100
"""Of each command that is neither the workload's nor part of a handshake."""
INFO_BYTES: Final = 100
"""Of the harness's own INFO."""
INPUT_SHARE: Final = 0.005
"""By what share the server may read more bytes than the claimed commands have: numbers can be spelled in other ways."""


@dataclass(frozen=True)
class JudgedSlice:
    """One slice: what was asked for, what each process claims, and what the server counted."""

    work: Work
    answers: Sequence[Worked]
    sampled: int | None
    """Latencies that were handed over; None: it is not known, because the runner ended before."""
    opened: int
    """Connections that the trial claims to have opened as its work."""
    expected: Expectation
    evidence: Evidence
    calls: SortedCalls


Rule = Callable[[JudgedSlice], str | None]


def mismatches(judged: JudgedSlice) -> str | None:
    """Return everything for which the slice does not count; None if it does."""
    return "; ".join(filter(None, (rule(judged) for rule in RULES))) or None


def too_short(judged: JudgedSlice) -> str | None:
    """A process that worked for less time claims a rate that nobody saw."""
    shortest_ns = min(one.elapsed_ns for one in judged.answers)
    if shortest_ns >= judged.work.ns or judged.work.arrivals is not None:  # which end with the last unit
        return None
    return f"the slice lasted {shortest_ns / 1e6:g} ms, not the {judged.work.ns / 1e6:g} ms asked for"


def nothing_done(judged: JudgedSlice) -> str | None:
    """A process that did nothing does not hide behind the others."""
    return None if all(sum(one.measured) for one in judged.answers) else "no operation was completed in the slice"


def failed_units(judged: JudgedSlice) -> str | None:
    """An error is not a slow success."""
    errors = [
        f"{count:,} x {kind} in the slice" + (f", first: {one.first_error}" if one.first_error else "")
        for one in judged.answers
        for kind, count in one.errors.items()
    ]
    return "; ".join(errors) or None


def samples(judged: JudgedSlice) -> str | None:
    """Every unit has its latency."""
    units = sum(sum(one.measured) for one in judged.answers)
    if judged.work.arrivals is not None:
        units += sum(count for one in judged.answers for count in one.errors.values())
    if judged.sampled is None or judged.sampled == units:
        return None
    return f"the runner claims {units:,} units but has {judged.sampled:,} latency samples"


def calls(judged: JudgedSlice) -> str | None:
    """What was claimed is what the server executed."""
    claimed, seen = judged.expected.calls, judged.calls.workload
    differences = [
        f"{name.upper()} {count:,} claimed, {found:,} seen"
        for name, count in claimed.items()
        if (found := seen.get(name, Calls(0)).calls) != count
    ]
    if not differences:
        return None
    all_seen = sum(count.calls for count in seen.values())
    listed = "; ".join(differences)
    return f"claimed {sum(claimed.values()):,} calls, the server saw {all_seen:,} ({listed})"


def error_replies(judged: JudgedSlice) -> str | None:
    """The server refused nothing."""
    refused = {name: count.failed + count.rejected for name, count in judged.calls.workload.items()}
    said = [f"the server answered {count:,} {name.upper()} with an error" for name, count in refused.items() if count]
    return "; ".join(said) or None


def hits(judged: JudgedSlice) -> str | None:
    """The database is in the workload's state."""
    claimed = judged.expected.hits, judged.expected.misses
    seen = judged.evidence.hits, judged.evidence.misses
    if None in (*claimed, *seen) or claimed == seen:
        return None
    return "the workload has {:,} hits and {:,} misses, the server saw {:,} and {:,}".format(*claimed, *seen)


def lost_keys(judged: JudgedSlice) -> str | None:
    """A server short of memory, or with keys of somebody else, changes what is measured."""
    if judged.evidence.evicted_keys:
        return f"the server dropped {judged.evidence.evicted_keys:,} keys in the slice (memory limit?)"
    if judged.evidence.expired_keys:
        expired = judged.evidence.expired_keys
        return f"{expired:,} keys expired in the slice, ours do not: is anyone else using this server?"
    return None


def others_commands(judged: JudgedSlice) -> str | None:
    """Nobody else was at work."""
    return unexpected_commands(judged.calls, judged.evidence, judged.opened)


def input_bytes(judged: JudgedSlice) -> str | None:
    """The commands had the workload's values: the server read as many bytes as they have."""
    claimed, seen, evidence = judged.expected.input_bytes, judged.evidence.input_bytes, judged.evidence
    if claimed is None or seen is None:
        return None
    connections = evidence.connections_received + evidence.connections + evidence.replicas
    own = sum(judged.calls.library.values()) + sum(judged.calls.others.values())
    most = claimed * (1 + INPUT_SHARE) + INFO_BYTES + HANDSHAKE_BYTES * connections + OWN_COMMAND_BYTES * own
    if claimed <= seen <= most:
        return None
    return f"the claimed commands have {claimed:,} bytes, the server read {seen:,}"


def local_cache(judged: JudgedSlice) -> str | None:
    """A client's own cache counts as it answers, and the server says what changed; see `Expectation.local_reads`."""
    reads = judged.expected.local_reads
    if reads is None:
        return None
    caches = [one.cache for one in judged.answers if one.cache is not None]
    if len(caches) < len(judged.answers):
        return "the runner does not say what the client's own cache did (`cache`)"
    misses = sum(one.misses for one in caches)
    counted = [one.hits for one in caches if one.hits is not None]
    if misses > reads or (len(counted) == len(caches) and sum(counted) + misses != reads):
        return (
            f"the client's own cache counts {sum(counted):,} hits and {misses:,} misses, "
            f"the runner claims {reads:,} GETs"
        )
    tracked = judged.evidence.tracking_clients
    if reads == misses or tracked is None or tracked >= len(caches):
        return None
    return (
        f"the server tracks the reads of {tracked:,} connections, {len(caches)} processes have a cache: "
        "nobody tells them what changed"
    )


RULES: Final[tuple[Rule, ...]] = (
    too_short,
    nothing_done,
    failed_units,
    samples,
    calls,
    error_replies,
    hits,
    lost_keys,
    others_commands,
    input_bytes,
    local_cache,
)
"""Of a slice, in the order in which their reasons are listed."""


def version_mismatch(
    client: Client,
    loaded: Sequence[Loaded],
    before: Mapping[str, str] | None,
    absent: AbstractSet[str] = frozenset(),
) -> str | None:
    """Return why the versions that each process loaded are not those of the client, or None.

    `before` is what an earlier round loaded; `absent` are packages that, by its options, the client does without. A
    client's version that is a word, such as `distribution`, stands for whatever is installed.
    """
    for versions in (one.versions for one in loaded):
        found = versions.get(client.library)
        if found is None:
            return f"the runner does not say which version of {client.library} it loaded"
        if client.version is not None and client.version[0].isdigit() and found != client.version:
            return f"{client.library} {found} was loaded, where {client.version} was asked for"
        if unwanted := sorted(absent & versions.keys()):
            return f"{unwanted[0]} was loaded: {client.name} is measured without it"
        before = versions if before is None else before
        for name in {**before, **versions}:
            if (now := versions.get(name, "none")) != (earlier := before.get(name, "none")):
                return f"{name} {now} was loaded, where another process or round loaded {earlier}"
    return None
