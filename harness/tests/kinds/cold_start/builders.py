"""Builders of cold starts, for tests."""

from typing import Any

from respmark.contract.trial import Scenario
from respmark.kinds.cold_start.record import ColdStart, StartsRecord
from tests.builders.plan import make_client, make_trial
from tests.builders.records import make_record

MS = 1_000_000


def start(runtime_ms: float, connect_ms: float | None = None, load_ms: float | None = 40) -> ColdStart:
    """Return a start whose client takes 2 ms to make, and whose first command 1 ms."""
    load_ns, connect_ns = (None if one is None else round(one * MS) for one in (load_ms, connect_ms))
    stages = {"load_ns": load_ns, "connect_ns": connect_ns}
    return ColdStart(runtime_ns=round(runtime_ms * MS), create_ns=2 * MS, first_ns=1 * MS, **stages)


def starts_record(name: str, *starts: ColdStart, number: int = 1, **changes: Any) -> StartsRecord:  # noqa: ANN401 - a record's fields
    """Return a round of a client's cold starts."""
    trial = make_trial(Scenario.COLD_START, number=number, client=make_client(name))
    fields = make_record(trial).model_dump(include=set(StartsRecord.model_fields))
    return StartsRecord(**{**fields, "starts": list(starts), **changes})


def rounds(name: str, *of_rounds: float) -> list[StartsRecord]:
    """Return rounds of two starts, of which the runtime takes about so many ms."""
    return [
        starts_record(name, start(ms), start(ms + 1), number=number) for number, ms in enumerate(of_rounds, start=1)
    ]
