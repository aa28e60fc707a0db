"""The suite `options`: every value of every option, where it is most telling."""

from typing import Any

from respmark.specs.each_option import trials_of_options
from tests.builders.plan import SHIPPED, client_spec


def blocks_of(**changes: Any) -> dict[str, tuple[str, ...]]:  # noqa: ANN401 - a spec's fields
    """Return the clients in each block of a library."""
    trials = trials_of_options([client_spec(versions={}, variants=[{}], **changes)], SHIPPED.scenarios)
    return {str(one.block): one.clients for one in trials}


def test_each_value_is_measured_beside_the_library_as_installed() -> None:
    assert blocks_of() == {
        "{library}-batching": ("lib", "lib[parser=slow]", "lib[protocol=2]", "lib[timeout=true]"),
    }


def test_a_value_is_measured_where_it_matters_and_both_can_do_it() -> None:
    """With the values of other options that it needs."""
    matters_in = {"async": ["pipelining", "threads"], "slow": ["caching"]}
    api = {"values": ["sync", "async", "slow"], "help": "h", "matters_in": matters_in}
    runtime = {"values": ["one", "many"], "help": "h", "needs": {"api": "async"}}
    cannot = [
        {"what": "pipelining", "option": "api=sync", "why": "it waits"},
        {"what": "batching", "option": "api=async", "why": "it has none"},
    ]
    assert blocks_of(options={"api": api, "runtime": runtime}, cannot=cannot) == {
        "{library}-threads": ("lib", "lib[api=async]"),
        "{library}-caching": ("lib", "lib[api=slow]"),
        "{library}-sync": ("lib", "lib[api=async,runtime=many]"),
    }
