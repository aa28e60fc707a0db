"""How a runner's command is made from its spec."""

import sys
from pathlib import Path

from respmark.paths import CHECKOUT
from respmark.specs.client import Client
from respmark.specs.client_tables import Capabilities, OptionValue
from respmark.specs.naming import one_client
from respmark.specs.runner import RunnerSpec
from tests.builders.plan import SHIPPED

SPEC = RunnerSpec(
    name="python",
    language="Python",
    command=(".build/python/{client}/bin/python", "-m", "a_runner"),
    advice="run `make setup`",
)


def client(**options: OptionValue) -> Client:
    return Client(name="lib", library="lib", runner="python", version=None, options=dict(options))


def test_paths_are_those_of_the_checkout_or_of_an_image() -> None:
    """The command works from any folder; other words, absolute paths and programs on PATH stay."""
    assert SPEC.command_for(client()) == [str(CHECKOUT / ".build/python/lib/bin/python"), "-m", "a_runner"]
    assert SPEC.command_for(client(), Path("/image")) == ["/image/.build/python/lib/bin/python", "-m", "a_runner"]
    spec = SPEC.model_copy(update={"command": (sys.executable, "node")})
    assert spec.command_for(client()) == [sys.executable, "node"]


def test_an_option_can_settle_how_the_process_is_started() -> None:
    """What a runtime settles before it can read a trial comes before the command; other values leave it as it is."""
    spec = SPEC.model_copy(update={"started_with": {"server-gc": {"true": ("env", "GC=1")}}})
    plain = SPEC.command_for(client())
    assert spec.command_for(client(**{"server-gc": True})) == ["env", "GC=1", *plain]
    assert spec.command_for(client(**{"server-gc": False})) == plain


def test_a_runner_says_what_its_clients_can_do() -> None:
    """Load generators are references; what is not said is as in a library."""
    driver = one_client("redis-benchmark", SHIPPED.clients).capabilities
    assert (driver.is_library, driver.replies, driver.latencies, driver.own_keys) == (False, False, False, True)
    library = one_client("redis-py", SHIPPED.clients)
    assert library.capabilities == Capabilities()
    assert "capabilities" not in library.model_dump(mode="json")
    assert "drivers" not in SHIPPED.languages
