"""The options that `run` and `plan` share."""

from dataclasses import fields

from respmark.cli.options import DEFAULTS, PlanOptions
from respmark.contract.trial import Scenario
from respmark.plan.expand import Request


def test_what_is_not_given_is_left_to_the_suite() -> None:
    """No option is a request for the suite as it is."""
    assert DEFAULTS.request("quick") == Request(suite="quick")


def test_every_option_reaches_the_request() -> None:
    """None is taken and then forgotten."""
    options = PlanOptions(
        client=("a",),
        scenario=(Scenario.SYNC,),
        depth=(1,),
        rounds=2,
        measure_s=3.0,
        warmup_s=4.0,
        target="b",
        workload="c",
        seed=5,
    )
    request = options.request("d")
    assert request == Request("d", ("a",), (Scenario.SYNC,), (1,), 2, 4.0, 3.0, "b", "c", 5)
    assert all(getattr(request, field.name) != field.default for field in fields(Request) if field.name != "suite")
