"""Client specs: options, versions, and what a library cannot express."""

from typing import Any

import pytest
from pydantic import ValidationError

from respmark.contract.trial import Form, Scenario, Shape, Window
from respmark.specs.client import unsupported_reason, what_is_measured
from respmark.specs.naming import make_client as named_client
from tests.builders.plan import SHIPPED, client_spec


def test_every_scenario_needs_a_word() -> None:
    """A scenario is supported or has a reason why not: it cannot be forgotten."""
    scenarios: dict[str, object] = {scenario: {} for scenario in Scenario if scenario is not Scenario.POOL}
    with pytest.raises(ValidationError, match=r"`pool` must stand in either \[scenarios\] or \[unsupported\]"):
        client_spec(scenarios=scenarios)


def test_no_scenario_may_be_both() -> None:
    """A scenario that is supported has no reason why not."""
    with pytest.raises(ValidationError, match="`pool` must stand in either"):
        client_spec(unsupported={"pool": "because"})


def test_a_version_has_its_own_values() -> None:
    """Where a version takes other values, its first one is the default; other options stay."""
    spec = client_spec()
    assert spec.option_values(None)["protocol"] == (3, 2)
    values = spec.option_values("1.0.0")
    assert values.pop("tls") == ("as-target", "off")
    assert values == {"parser": ("fast", "slow"), "protocol": (2,), "timeout": (False, True)}


def test_the_runner_is_told_every_option() -> None:
    """Defaults are written out, so that a runner never has to know them."""
    client = named_client(client_spec(), None, {"parser": "slow"})
    assert client.options == {"parser": "slow", "protocol": 3, "timeout": False, "tls": "as-target"}
    assert (client.library, client.version) == ("lib", None)


def test_every_client_can_leave_tls_out() -> None:
    """How a client reaches the target is told apart in its name."""
    client = named_client(client_spec(), None, {"tls": "off"})
    assert (client.name, client.avoids_tls) == ("lib[tls=off]", True)
    assert not named_client(client_spec(), None, {}).avoids_tls


def test_a_pinned_version_is_an_installation_of_its_own() -> None:
    """Two versions of a library do not share what is installed."""
    assert named_client(client_spec(), None, {}).installation == "lib"
    assert named_client(client_spec(), "1.0", {}).installation == "lib-1.0"


def test_what_is_supported_has_no_reason() -> None:
    """A scenario with a window and form that the library has is measured."""
    spec = client_spec()
    client = named_client(spec, None, {})
    assert unsupported_reason(spec, client, Scenario.SYNC, Shape()) is None
    assert unsupported_reason(spec, client, Scenario.PIPELINING, Shape(depth=1, window=Window.BURST)) is None
    assert unsupported_reason(spec, client, Scenario.TRANSACTION, Shape(depth=1, form=Form.BATCHED)) is None


def test_a_scenario_is_unsupported_with_the_specs_own_reason() -> None:
    """The words in the spec are those in the table."""
    spec = SHIPPED.clients["node-redis"]
    client = named_client(spec, None, {})
    reason = unsupported_reason(spec, client, Scenario.THREADS, Shape(threads=1, connections=1))
    assert reason == spec.unsupported[Scenario.THREADS]


@pytest.mark.parametrize(
    ("scenario", "shape", "reason"),
    [
        (Scenario.PIPELINING, Shape(depth=1, window=Window.SLIDING), "lib has only the window `burst`"),
        (Scenario.TRANSACTION, Shape(depth=1, form=Form.QUEUED), "lib's transaction API has only the form `batched`"),
    ],
)
def test_a_window_or_form_that_is_not_there_is_named(scenario: Scenario, shape: Shape, reason: str) -> None:
    """The reason says what the library has instead."""
    spec = client_spec()
    assert unsupported_reason(spec, named_client(spec, None, {}), scenario, shape) == reason


def test_a_version_can_lack_a_form() -> None:
    """The version is named with the forms that it has; the library keeps its own."""
    spec = SHIPPED.clients["jedis"]
    shape = Shape(depth=1, form=Form.QUEUED)
    reason = unsupported_reason(spec, named_client(spec, "3.6.0", {}), Scenario.TRANSACTION, shape)
    assert reason == "jedis@3.6.0's transaction API has only the form `batched`"
    assert unsupported_reason(spec, named_client(spec, None, {}), Scenario.TRANSACTION, shape) is None


def test_a_version_can_lack_a_scenario() -> None:
    """Only the version that lacks it is unsupported."""
    spec = client_spec()
    shape = Shape(threads=1, max_total=1)
    assert unsupported_reason(spec, named_client(spec, "1.0.0", {}), Scenario.POOL, shape) == "1.0.0 has none"
    assert unsupported_reason(spec, named_client(spec, None, {}), Scenario.POOL, shape) is None


def test_without_a_shape_only_the_scenario_is_asked_for() -> None:
    """`respmark list` asks before there is a shape."""
    spec = client_spec()
    assert unsupported_reason(spec, named_client(spec, None, {}), Scenario.TRANSACTION) is None


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"variants": [{"options": {"parsre": "slow"}}]}, "parsre"),
        ({"variants": [{"options": {"parser": "sloow"}}]}, "sloow"),
        ({"variants": [{"version": "9.9"}]}, r"9\.9"),
        ({"versions": {"1.0": {"summary": "old", "options": {"protocal": [2]}}}}, "protocal"),
        ({"options": {"parser": {"values": ["slow"], "help": "h", "without": {"sloow": ["turbo"]}}}}, "sloow"),
    ],
)
def test_what_does_not_exist_is_refused(changes: dict[str, Any], named: str) -> None:
    """A misspelt option, value or version would silently measure, or check, something else."""
    with pytest.raises(ValidationError, match=named):
        client_spec(**changes)


API = {
    "values": ["sync", "async"],
    "help": "which API",
    "differs": {"async": ["sync", "batching"]},
    "unsupported": {"async": {"threads": "tasks are no threads"}},
}


def test_a_value_of_an_option_can_lack_a_scenario() -> None:
    """Only the clients with that value are unsupported, with the spec's own reason."""
    spec = client_spec(options={"api": API}, variants=[{}], versions={})
    shape = Shape(threads=1, connections=1)
    is_async = named_client(spec, None, {"api": "async"})
    assert unsupported_reason(spec, is_async, Scenario.THREADS, shape) == "tasks are no threads"
    assert unsupported_reason(spec, is_async, Scenario.SYNC, Shape()) is None
    assert unsupported_reason(spec, named_client(spec, None, {}), Scenario.THREADS, shape) is None


def test_a_value_is_another_client_only_where_it_differs() -> None:
    """Where a value changes nothing it is the default; where it lacks the scenario, its row says so."""
    spec = client_spec(options={"api": API}, variants=[{}], versions={})
    default, is_async = named_client(spec, None, {}), named_client(spec, None, {"api": "async"})
    differs = {
        scenario
        for scenario in Scenario
        if what_is_measured(spec, default, scenario) != what_is_measured(spec, is_async, scenario)
    }
    assert differs == {Scenario.SYNC, Scenario.BATCHING, Scenario.THREADS}


@pytest.mark.parametrize("field", ["differs", "unsupported"])
def test_an_option_tells_nothing_of_values_that_it_has_not(field: str) -> None:
    """A misspelt value would silently be measured everywhere."""
    api = {**API, field: {"asinc": {"sync": "none"} if field == "unsupported" else ["sync"]}}
    with pytest.raises(ValidationError, match="the option has no value asinc"):
        client_spec(options={"api": api}, variants=[{}], versions={})


def test_what_a_value_goes_without() -> None:
    """Only that value."""
    spec = client_spec(
        options={"parser": {"values": ["fast", "slow"], "help": "h", "without": {"slow": ["turbo"]}}}, versions={}
    )
    assert spec.must_not_load({"parser": "slow"}) == {"turbo"}
    assert spec.must_not_load({"parser": "fast"}) == set()
