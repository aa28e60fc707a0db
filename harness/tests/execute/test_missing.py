"""What a client needs to be run here."""

from respmark.execute.missing import missing_reason
from tests.builders.plan import make_client
from tests.fake_executor import FakeExecutor
from tests.fakes import Lacking


def test_a_client_that_is_there_misses_nothing() -> None:
    """No reason is None."""
    assert missing_reason(make_client(), FakeExecutor(lambda _request, _orders: [])) is None


def test_a_library_may_be_missing_in_a_runner_that_is_there() -> None:
    """In the words of the runner, with what to do."""
    reason = missing_reason(make_client(library="redis-py"), Lacking(lambda _request, _orders: []))
    assert reason == "No module named 'redis'; run `make setup`"


def test_a_runner_may_be_missing() -> None:
    """In the words of whoever looked for it."""
    client = make_client()
    executor = FakeExecutor(lambda _request, _orders: [], missing={client.runner: "not found; install it"})
    assert missing_reason(client, executor) == "not found; install it"
