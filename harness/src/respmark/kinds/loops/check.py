"""The one check of what runners claim, against what the server counted: sentences with the numbers of both sides.

Besides the workload's commands, clients may send a few: an upper bound that holds on every server. A connection that is
opened introduces itself, and an open one asks now and then whether its server is still there. Servers before Redis 7.0
count subcommands under their command (`CLIENT SETINFO` as `client`), later ones apart, and some do not count what they
refuse: so the bound is for a command with all its subcommands. What is beyond it was sent by somebody else.
"""

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from respmark.contract.lines import Work, Worked
from respmark.kinds.loops.expectation import Expectation
from respmark.run.connecting import SETUP_COMMANDS
from respmark.servers.evidence import Evidence
from respmark.servers.info import Calls
from respmark.workload.commands import CACHED

HANDSHAKE_BYTES: Final = 1_000
"""Bytes that a new connection may send before its first command, and an open one to show that it is still there."""
OWN_COMMAND_BYTES: Final = 100
"""Bytes of each command that is neither the workload's nor part of a handshake."""
INFO_BYTES: Final = 100
"""Bytes of the harness's own INFO."""
INPUT_SHARE: Final = 0.005
"""By what share the server may read more bytes than the claimed commands have: numbers can be spelled in other ways."""
SENT_A_CONNECTION: Final = 8
"""How often a new connection may send each command: StackExchange.Redis sends CLIENT up to five times, CONFIG four."""
SENT_A_REDIRECT: Final = 2
"""How often each of ASKING, CLUSTER and the like may follow a redirection by a cluster's node."""
SENT_A_TRANSACTION: Final = 3
"""How often a library may send a command of its own for each transaction: rueidis sends three PINGs after one."""
KEPT_ALIVE_A_SECOND: Final = 1.0
"""How often a second an open connection may ask, by each command, whether its server is still there."""
CONNECTIONS_A_REPLICA: Final = 2
"""A replica acknowledges once a second, and sends a few commands when it connects: as many as two clients may."""
NOTHING: Final[Mapping[str, int]] = MappingProxyType({})


@dataclass(frozen=True)
class SortedCalls:
    """What a server counted, by who may have sent it."""

    workload: dict[str, Calls]
    """The workload's commands, MULTI and EXEC among them."""
    setup: dict[str, int]
    """Handshakes."""
    library: dict[str, int]
    """What the block's libraries send of their own accord, as their specs say: a client that waits may, too."""
    others: dict[str, int]


def sort_calls(calls: Mapping[str, Calls], workload: Container[str], library: Container[str]) -> SortedCalls:
    """Sort commands, in lower case, by who may have sent them."""
    found = SortedCalls({}, {}, {}, {})
    for name, count in calls.items():
        command = name.partition("|")[0]
        if name in workload:
            found.workload[name] = count
        elif name in library or command in library:
            found.library[name] = count.sent
        elif command in SETUP_COMMANDS:
            found.setup[name] = count.sent
        else:
            found.others[name] = count.sent
    return found


@dataclass(frozen=True, kw_only=True)
class JudgedSlice:
    """One slice: what was asked for, what each process claims, and what the server counted."""

    work: Work
    answers: Sequence[Worked]
    sampled: int | None
    """Number of latency samples received; None if the runner ended before sending them."""
    opened: int
    """Connections that the trial claims to have opened as its work."""
    expected: Expectation
    evidence: Evidence
    calls: SortedCalls
    beside: Mapping[str, int] = field(default_factory=dict)
    """Commands of its own that the client sends with its units, in lower case, and how many there are."""


def mismatches(judged: JudgedSlice) -> str | None:
    """Return everything for which the slice does not count; None if it does."""
    return "; ".join([*_work(judged), *_counters(judged), *_others(judged), *_local_cache(judged)]) or None


def _work(judged: JudgedSlice) -> Iterator[str]:
    """Yield what is wrong with the work by the runner's own account."""
    shortest_ns = min(one.elapsed_ns for one in judged.answers)
    has_arrivals = judged.work.arrivals is not None  # which end with the last unit
    if shortest_ns < judged.work.ns and not has_arrivals:
        yield f"the slice lasted {shortest_ns / 1e6:g} ms, not the {judged.work.ns / 1e6:g} ms asked for"
    units = [sum(one.measured) for one in judged.answers]
    if not all(units):  # a process that did nothing does not hide behind the others
        yield "no operation was completed in the slice"
    for one in judged.answers:
        first = f", first: {one.first_error}" if one.first_error else ""
        yield from (f"{count:,} x {kind} in the slice{first}" for kind, count in one.errors.items())
    claimed = sum(units) + (sum(sum(one.errors.values()) for one in judged.answers) if has_arrivals else 0)
    if judged.sampled is not None and judged.sampled != claimed:
        yield f"the runner claims {claimed:,} units but has {judged.sampled:,} latency samples"


def _counters(judged: JudgedSlice) -> Iterator[str]:
    """Yield where the server executed other commands than claimed, refused some, or had other keys."""
    expected, evidence, seen = judged.expected, judged.evidence, judged.calls.workload
    differences = [
        f"{name.upper()} {count:,} claimed, {found:,} seen"
        for name, count in expected.calls.items()
        if not count <= (found := seen.get(name, Calls(0)).calls) <= expected.most.get(name, count)
    ]
    if differences:
        claimed, counted = sum(expected.calls.values()), sum(count.calls for count in seen.values())
        yield f"claimed {claimed:,} calls, the server saw {counted:,} ({'; '.join(differences)})"
    # A cluster's node that does not have a key's slot rejects the command, and says which one has it: no error.
    refused = {name: count.failed + count.rejected for name, count in seen.items()}
    if sum(refused.values()) > evidence.redirects:
        said = "the server answered {:,} {} with an error"
        yield from (said.format(count, name.upper()) for name, count in refused.items() if count)
    lookups = expected.hits, expected.misses, evidence.hits, evidence.misses
    if None not in lookups and lookups[:2] != lookups[2:]:
        yield "the workload has {:,} hits and {:,} misses, the server saw {:,} and {:,}".format(*lookups)
    if evidence.evicted_keys:
        yield f"the server dropped {evidence.evicted_keys:,} keys in the slice (memory limit?)"
    elif evidence.expired_keys:
        yield (
            f"{evidence.expired_keys:,} keys expired in the slice, but the workload's never expire: "
            "is anyone else using this server?"
        )


def _others(judged: JudgedSlice) -> Iterator[str]:
    """Yield commands of others, and values other than the workload's: the server read other bytes."""
    evidence = judged.evidence
    fetched = judged.expected.calls.get(CACHED.lower(), 0) if judged.expected.local_reads is not None else 0
    if unexpected := unexpected_commands(judged.calls, evidence, judged.opened, fetched, judged.beside):
        yield unexpected
    claimed, seen = judged.expected.input_bytes, evidence.input_bytes
    if claimed is None or seen is None:
        return
    connections = evidence.connections_received + evidence.connections + evidence.replicas
    again = claimed * evidence.redirects // max(1, sum(judged.expected.calls.values()))
    split = sum(judged.calls.workload.get(name, Calls(0)).calls for name in judged.expected.most)
    own = evidence.redirects + split + sum(judged.calls.library.values()) + sum(judged.calls.others.values()) + fetched
    most = (claimed + again) * (1 + INPUT_SHARE) + INFO_BYTES + HANDSHAKE_BYTES * connections + OWN_COMMAND_BYTES * own
    if not claimed <= seen <= most:
        yield f"the claimed commands have {claimed:,} bytes, the server read {seen:,}"


def unexpected_commands(
    calls: SortedCalls, evidence: Evidence, opened: int, fetched: int = 0, beside: Mapping[str, int] = NOTHING
) -> str | None:
    """Return what was sent beyond the workload and what connections may send.

    `opened` is how many connections the trial itself claims to have opened: commands that no library is known to send
    may belong to those, and not to connections of somebody else. `fetched` is how many GETs a local cache had no answer
    to: some libraries send commands of their own with each (rueidis: CLIENT CACHING, and PTTL in a transaction).
    `beside` are commands that the client sends with its units, and how many there are.
    """
    seconds = 1 + evidence.elapsed_ns / 1e9 * KEPT_ALIVE_A_SECOND
    open_ones = round((evidence.connections + CONNECTIONS_A_REPLICA * evidence.replicas) * seconds)
    # Some libraries send a command before each transaction (SELECT, in StackExchange.Redis 1), or after it (rueidis).
    transactions = calls.workload.get("exec", Calls(0)).calls
    redirected = SENT_A_REDIRECT * evidence.redirects
    known = SENT_A_CONNECTION * evidence.connections_received + open_ones + transactions + fetched + redirected
    kinds = (
        (calls.setup, known),
        (calls.library, known + (SENT_A_TRANSACTION - 1) * transactions),
        (calls.others, SENT_A_CONNECTION * opened + open_ones),
    )
    beyond = [
        f"{command.upper()} {count:,} (at most {most:,})"
        for found, usual in kinds
        for command, count in _by_command(found).items()
        if count > (most := usual + beside.get(command, 0))
    ]
    if not beyond:
        return None
    listed = ", ".join(beyond)
    return f"the server saw commands that are not in the workload: {listed}; is anyone else using this server?"


def _by_command(calls: Mapping[str, int]) -> Counter[str]:
    found: Counter[str] = Counter()
    for name, count in calls.items():
        found[name.partition("|")[0]] += count
    return found


def _local_cache(judged: JudgedSlice) -> Iterator[str]:
    """Yield where a client's own cache does not count as it answers, or could go stale unnoticed."""
    reads = judged.expected.local_reads
    if reads is None:
        return
    caches = [one.cache for one in judged.answers if one.cache is not None]
    if len(caches) < len(judged.answers):
        yield "the runner does not report what the client-side cache did (`cache`)"
        return
    misses, tracked = sum(one.misses for one in caches), judged.evidence.tracking_clients
    counted = [one.hits for one in caches if one.hits is not None]
    if misses > reads or (len(counted) == len(caches) and sum(counted) + misses != reads):
        yield (
            f"the client-side cache counts {sum(counted):,} hits and {misses:,} misses, "
            f"the runner claims {reads:,} GETs"
        )
    elif reads != misses and tracked is not None and tracked < len(caches):
        yield (
            f"the server tracks the reads of {tracked:,} connections, but {len(caches)} processes have a cache: "
            "caches that it does not track would go stale"
        )
