"""Builders of slices to be judged."""

from typing import Any, Final

from respmark.contract.lines import Moment, Work, Worked
from respmark.kinds.loops.check import JudgedSlice, SortedCalls
from respmark.kinds.loops.expectation import Expectation
from respmark.servers.evidence import Evidence
from respmark.servers.info import Calls

SECOND_NS: Final = 10**9
CALLS: Final = {"get": 800, "set": 200}


def make_worked(units: int = 1000, **changes: Any) -> Worked:  # noqa: ANN401 - its fields
    begun = Moment(SECOND_NS, 0, 0)
    fields: dict[str, Any] = {
        "started": begun,
        "measured_from": begun,
        "ended": Moment(2 * SECOND_NS, SECOND_NS // 2, 0),
        "lead_in": [0],
        "measured": [units],
        "errors": {},
        "first_error": None,
    }
    return Worked(**{**fields, **changes})


def make_evidence(**changes: Any) -> Evidence:  # noqa: ANN401 - its fields
    fields: dict[str, Any] = {
        "elapsed_ns": SECOND_NS,
        "calls": {},
        "connections_received": 0,
        "connections": 1,
        "replicas": 0,
        "tracking_clients": None,
        "reads": 1000,
        "input_bytes": 100_300,
        "hits": 640,
        "misses": 160,
        "evicted_keys": 0,
        "expired_keys": 0,
        "server_cpu_ns": SECOND_NS // 5,
        "machine_cpu_ns": None,
        "stolen_cpu_ns": None,
    }
    return Evidence(**fields | changes)


def make_calls(**changes: dict[str, Any]) -> SortedCalls:
    fields: dict[str, Any] = {
        "workload": {name: Calls(count) for name, count in CALLS.items()},
        "setup": {},
        "library": {},
        "others": {},
    }
    return SortedCalls(**{**fields, **changes})


def make_expectation(**changes: Any) -> Expectation:  # noqa: ANN401 - its fields
    return Expectation(**{"calls": CALLS, "hits": 640, "misses": 160, "input_bytes": 100_000, **changes})


def make_judged(**changes: Any) -> JudgedSlice:  # noqa: ANN401 - its fields
    answers = changes.get("answers", [make_worked()])
    fields: dict[str, Any] = {
        "work": Work(first=0, ns=SECOND_NS, keep=True),
        "answers": answers,
        "sampled": sum(sum(one.measured) for one in answers),
        "opened": 0,
        "expected": make_expectation(),
        "evidence": make_evidence(),
        "calls": make_calls(),
    }
    return JudgedSlice(**fields | changes)
