"""What a client says of its own cache, against what a cache can do and what the server saw."""

from collections import OrderedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respmark.contract.events import LocalCache, Segment, Slice
from respmark.contract.trial import Scenario, Shape
from respmark.evidence.expectation import Expectations
from respmark.evidence.local_cache import most_hits
from respmark.evidence.verdict import asked_of, slice_mismatches
from respmark.results.records import Calls, Evidence, Expectation
from respmark.results.slice_arrays import SliceArrays
from respmark.workload.file import Workload
from respmark.workload.generate import generate
from tests.builders.plan import tiny_spec, tiny_workload
from tests.builders.records import make_evidence, make_slice, make_slice_record
from tests.properties import UNTIMED

GETS, SETS, HITS = 800, 200, 300
ENTRIES = 10


def hits_of_lru(workload: Workload, segment: Segment, entries: int, held: range) -> int:
    """Let a cache that drops what was used least recently answer what it can; it holds some keys beforehand."""
    cache = OrderedDict.fromkeys(list(held)[:entries])
    hits = 0
    for place in range(segment.first_command, segment.first_command + segment.operations):
        row = place % workload.header.commands
        key, is_get = int(workload.keys[row]), workload.header.mix[workload.kinds[row]].name == "GET"
        if not is_get:
            cache.pop(key, None)
        elif key in cache:
            hits += 1
            cache.move_to_end(key)
        else:
            cache[key] = None
            if len(cache) > entries:
                cache.popitem(last=False)
    return hits


@UNTIMED
@given(st.integers(0, 2**32), st.integers(0, 200), st.integers(0, 300), st.integers(1, 40), st.integers(0, 60))
def test_no_cache_has_more_hits_than_are_possible(
    seed: int, first_command: int, operations: int, entries: int, first_held: int
) -> None:
    """Whatever it held when the slice began, a real cache stays below the bound."""
    workload = generate(tiny_spec(), seed)
    segment = Segment(first_command=first_command, operations=operations)
    held = range(first_held, first_held + entries)
    assert hits_of_lru(workload, segment, entries, held) <= most_hits(workload, segment, entries)


def test_a_get_after_a_set_is_no_hit() -> None:
    """The bound is less than all GETs: what was set since it was read is sent."""
    workload = tiny_workload()
    segment = Segment(first_command=0, operations=10 * workload.header.commands)
    gets = int(Expectations(workload).of(Scenario.SYNC, [make_slice(segments=[segment])]).calls["get"])
    assert most_hits(workload, segment, entries=10**6) < gets


def test_what_a_cache_answered_is_not_expected_of_the_server() -> None:
    """Only misses are calls; their bytes, and no others, were read."""
    segment = Segment(first_command=0, operations=60)
    told = LocalCache(hits=None, misses=7, invalidations=0)
    answer = make_slice(segments=[segment], local_cache=told)
    expectations = Expectations(tiny_workload())
    sent = expectations.of(Scenario.SYNC, [answer])
    cached = expectations.of(Scenario.CACHING, [answer], ENTRIES)
    assert cached.calls == sent.calls | {"get": 7}
    assert (cached.local_reads, cached.hits, cached.misses) == (sent.calls["get"], None, None)
    key = tiny_workload().key(0)
    of_one = len(f"*2\r\n$3\r\nGET\r\n${len(key)}\r\n{key.decode()}\r\n")
    assert (sent.input_bytes or 0) - (cached.input_bytes or 0) == (sent.calls["get"] - 7) * of_one


def caching(hits: int | None = HITS, misses: int = GETS - HITS) -> Slice:
    """Return an answer of 800 GETs, of which the cache answered 300."""
    return make_slice(local_cache=LocalCache(hits=hits, misses=misses, invalidations=5))


def evidence(most: int = HITS, tracking_clients: int | None = 1, gets: int = GETS - HITS) -> Evidence:
    """Return what the server saw of it."""
    calls = {"get": GETS - HITS, "set": SETS}
    expected = Expectation(calls=calls, hits=None, misses=None, local_reads=GETS, local_hits_most=most)
    seen = {"get": Calls(calls=gets), "set": Calls(calls=SETS)}
    return make_evidence(expected=expected, workload_calls=seen, tracking_clients=tracking_clients)


def reason_for(answer: Slice, seen: Evidence) -> str | None:
    """Return why the answer is refuted."""
    slices = SliceArrays.of([make_slice_record(answers=[answer], evidence=seen)])
    asked = asked_of(Scenario.CACHING, Shape(cache_entries=ENTRIES), 60)
    return slice_mismatches(slices, [asked], cpus=2).get(0)


@pytest.mark.parametrize("hits", [HITS, None])
def test_hits_that_fit_are_believed(hits: int | None) -> None:
    """With a library that counts its hits, and with one that does not; on servers that do not tell of tracking, too."""
    assert reason_for(caching(hits=hits), evidence()) is None
    assert reason_for(caching(hits=hits), evidence(tracking_clients=None)) is None


@pytest.mark.parametrize(
    ("answer", "seen", "words"),
    [
        (caching(), evidence(gets=GETS), "GET 500 claimed, 800 seen"),
        (
            caching(),
            evidence(most=29),
            "300 of 800 GETs were not sent, where a cache of this size can have answered 29",
        ),
        (
            caching(),
            evidence(tracking_clients=0),
            "the server tracks the reads of 0 connections, 1 processes",
        ),
        (caching(hits=301), evidence(), "counts 301 hits and 500 misses, the runner claims 800 GETs"),
        (caching(hits=None, misses=801), evidence(), "counts 0 hits and 801 misses, the runner claims 800 GETs"),
        (make_slice(), evidence(), "the runner does not say what the client's own cache did"),
    ],
    ids=["sent", "too-many", "untracked", "other-hits", "more-misses", "silent"],
)
def test_hits_that_cannot_be_are_refuted(answer: Slice, seen: Evidence, words: str) -> None:
    """One test for each way to lie about a cache."""
    assert words in (reason_for(answer, seen) or "")
