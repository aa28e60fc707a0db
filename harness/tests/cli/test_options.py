"""The options that `run` and `plan` share."""

from dataclasses import fields, replace

import pytest

from respmark.cli.options import PlanOptions, ShapeOptions, milliseconds
from respmark.contract.trial import Form, Scenario
from respmark.errors import InvalidRequestError
from respmark.plan.request import Request
from respmark.specs.guidance import UNLIMITED
from respmark.specs.suite import ShapeAxes
from tests.builders.plan import SHIPPED


def test_every_option_reaches_the_request() -> None:
    options = PlanOptions(
        client=("jedis",),
        scenario=(Scenario.SYNC,),
        shape=ShapeOptions(
            depth=(1,), form=(Form.QUEUED,), max_idle=(0,), rtt=("0", "0.2ms"), rate=("9",), find_rate=("p99=1ms",)
        ),
        claim=("e",),
        rounds=2,
        laps=3,
        slice_s=4.0,
        lead_in_s=5.0,
        warmup_limit_s=6.0,
        server=("b",),
        workload=("c",),
        seed=7,
    )
    request = options.request(SHIPPED, "d")
    shape = ShapeAxes(depth=(1,), form=(Form.QUEUED,), max_idle=(0,), rtt_ms=(0, 0.2), rate=("9", "find p99=1ms"))
    jedis = tuple(SHIPPED.named(["jedis"]))
    asked = Request("d", jedis, (Scenario.SYNC,), shape, 2, 3, 4.0, 5.0, 6.0, ("b",), ("c",), 7, None, ("e",))
    assert request.capacity.chosen == {"server", "workload", "rtt"}
    assert replace(request, memory_bytes=None, capacity=UNLIMITED) == asked
    assert {field.name for field in fields(ShapeOptions)} - {"rtt", "find_rate"} == set(ShapeAxes.model_fields) - {
        "rtt_ms"
    }
    assert all(
        getattr(request, field.name) != field.default
        for field in fields(Request)
        if field.name not in {"suite", "control"}
    )


@pytest.mark.parametrize(
    ("text", "ms"), [("0", 0.0), ("0.2ms", 0.2), ("500us", 0.5), ("1 ms", 1.0), (".5ms", 0.5), ("2s", 2000.0)]
)
def test_times_are_written_with_their_unit(text: str, ms: float) -> None:
    """As people write them; 0 has none."""
    assert milliseconds(text) == pytest.approx(ms)


@pytest.mark.parametrize("text", ["1", "-1ms", "fast", "1.2.3ms", "ms", ""])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequestError, match="write a time with its unit"):
        milliseconds(text)
