"""Client specs: options, versions, and what a library cannot express."""

from typing import Any

import pytest
from pydantic import ValidationError

from respmark.contract.trial import Form, Scenario, Shape, Window
from respmark.specs.client import unsupported_reason, what_is_measured
from respmark.specs.naming import make_client as named_client
from tests.builders.plan import client_spec

API = {
    "values": ["sync", "async"],
    "help": "which API",
    "differs": {"async": ["sync", "batching"]},
    "unsupported": {"async": {"threads": "tasks are no threads"}},
}


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"scenarios": {one: {} for one in Scenario if one is not Scenario.POOL}}, "`pool` must be listed in either"),
        ({"variants": [{"options": {"parsre": "slow"}}]}, "parsre"),
        ({"variants": [{"options": {"parser": "sloow"}}]}, "sloow"),
        ({"versions": {"1.0": {"summary": "old", "options": {"protocal": [2]}}}}, "protocal"),
        ({"spans": [{"until": "1", "lacks": {"protocal=3": "old"}}]}, "protocal"),
        ({"options": {"parser": {"values": ["slow"], "help": "h", "without": {"sloow": ["turbo"]}}}}, "sloow"),
        ({"options": {"parser": {"values": ["slow"], "help": "h", "sends": {"sloow": ["ping"]}}}}, "sloow"),
        ({"options": {"api": {**API, "differs": {"asinc": ["sync"]}}}}, "the option has no value asinc"),
        ({"options": {"api": {**API, "unsupported": {"asinc": {}}}}}, "the option has no value asinc"),
        ({"options": {"api": {**API, "lacks": {"asinc": {}}}}}, "the option has no value asinc"),
    ],
)
def test_a_spec_that_names_what_is_not_there_is_refused(changes: dict[str, Any], named: str) -> None:
    """A misspelt option, value or version would silently measure something else; a scenario cannot be forgotten."""
    with pytest.raises(ValidationError, match=named):
        client_spec(**changes)


@pytest.mark.parametrize(
    ("version", "scenario", "shape", "reason"),
    [
        (None, Scenario.PIPELINING, Shape(depth=1, window=Window.BURST), None),
        (None, Scenario.PIPELINING, Shape(depth=1, window=Window.SLIDING), "lib supports only the window `burst`"),
        (None, Scenario.TRANSACTION, None, None),
        (
            "1.0.0",
            Scenario.TRANSACTION,
            Shape(depth=1, form=Form.QUEUED),
            "lib@1.0.0's transaction API supports only the form `batched`",
        ),
        ("1.0.0", Scenario.POOL, Shape(threads=1, max_total=1), "1.0.0 has none"),
        (None, Scenario.POOL, Shape(threads=1, max_total=1), None),
    ],
)
def test_what_a_library_cannot_express_has_a_reason(
    version: str | None, scenario: Scenario, shape: Shape | None, reason: str | None
) -> None:
    """It names the version, and what there is instead; without a shape only the scenario is asked for."""
    spec = client_spec()
    assert unsupported_reason(spec, named_client(spec, version, {}), scenario, shape) == reason


@pytest.mark.parametrize(
    ("version", "values", "adapter"),
    [
        (None, (3, 2), "new"),
        ("2.0.0", (3, 2), "new"),
        ("1.9", (2, 3), "new"),
        ("1.0.0", (2,), "old"),
        ("0.9", (2, 3), "old"),
    ],
)
def test_spans_of_versions_lie_one_over_the_other(version: str | None, values: tuple[int, ...], adapter: str) -> None:
    """A later span goes before an earlier one, and what a pinned version says of itself before both."""
    spans = [{"until": "2", "options": {"protocol": [2, 3]}}, {"since": "0.5", "until": "1.5", "adapter": "old"}]
    here = client_spec(spans=spans, adapter="new").of_version(version)
    assert (here.options["protocol"], here.adapter) == (values, adapter)


def test_a_value_of_an_option_can_lack_a_scenario() -> None:
    """Only the clients with that value are unsupported; where a value changes nothing, it is the default."""
    spec = client_spec(options={"api": API}, variants=[{}], versions={})
    default, is_async = named_client(spec, None, {}), named_client(spec, None, {"api": "async"})
    shape = Shape(threads=1, connections=1)
    assert unsupported_reason(spec, is_async, Scenario.THREADS, shape) == "tasks are no threads"
    assert unsupported_reason(spec, is_async, Scenario.SYNC, Shape()) is None
    assert unsupported_reason(spec, default, Scenario.THREADS, shape) is None
    differs = {
        scenario
        for scenario in Scenario
        if what_is_measured(spec, default, scenario) != what_is_measured(spec, is_async, scenario)
    }
    assert differs == {Scenario.SYNC, Scenario.BATCHING, Scenario.THREADS}


def test_a_value_of_an_option_can_lack_a_shape() -> None:
    """A field that it cannot have, or one of the field's values; other shapes of the scenario are supported."""
    lacks = {"async": {"window=sliding": "no single one completes", "threads": "one event loop"}}
    both = {"pipelining": {"windows": ["burst", "sliding"]}, "transaction": {"forms": ["batched"]}}
    scenarios = {scenario: both.get(scenario, {}) for scenario in Scenario}
    spec = client_spec(options={"api": {**API, "lacks": lacks}}, variants=[{}], versions={}, scenarios=scenarios)
    default, is_async = named_client(spec, None, {}), named_client(spec, None, {"api": "async"})
    sliding, burst = Shape(depth=9, window=Window.SLIDING), Shape(depth=9, window=Window.BURST)
    shapes = (sliding, burst, burst.model_copy(update={"threads": 2}))
    reasons = [unsupported_reason(spec, is_async, Scenario.PIPELINING, shape) for shape in shapes]
    assert reasons == ["no single one completes", None, "one event loop"]
    assert unsupported_reason(spec, default, Scenario.PIPELINING, sliding) is None


def test_an_option_says_what_the_library_sends_with_each_unit() -> None:
    borrowed = {"values": [False, True], "help": "test on borrow", "sends": {"true": ["ping"]}}
    spec = client_spec(options={"borrow": borrowed, "give-back": borrowed}, variants=[{}], versions={})
    assert not spec.sent_with_units({"borrow": False, "give-back": False})
    assert spec.sent_with_units({"borrow": True, "give-back": True}) == {"ping": 2}
