"""What set-up makes where nothing is named."""

import pytest

from respmark.cli import setup
from respmark.cli.setup import Purpose, set_up_everything
from respmark.setup.host import SetupHost
from respmark.setup.prepare import REQUIRE, Prepared
from respmark.specs.client import Client
from tests.builders.plan import SHIPPED


@pytest.mark.parametrize(
    ("purpose", "required", "references"),
    [("bench", "", set()), ("bench", "python,c", {"c"}), ("test", "", {"c"}), ("lint", "c", {"c"})],
)
def test_references_are_set_up_for_tests_and_where_they_are_required(
    purpose: Purpose, required: str, references: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The runner in C is tested like any other; who measures libraries alone need not have a C compiler."""
    asked = list[Client]()

    def prepare(clients: list[Client], *_: object) -> Prepared:
        asked.extend(clients)
        return Prepared()

    monkeypatch.setattr(setup, "prepare", prepare)
    monkeypatch.setattr(setup, "prepare_server", lambda *_: True)
    monkeypatch.setenv(REQUIRE, required)
    set_up_everything(SHIPPED, SetupHost(), purpose)
    assert {client.runner for client in asked} == {*SHIPPED.languages, *references}
