"""What a test needs that not every machine has, and what RESPMARK_REQUIRE says must be here."""

import os
from typing import Final

import pytest

from respmark.runners.missing import not_set_up
from respmark.specs.client import Client
from tests.builders.plan import SHIPPED
from tools.browser import NO_BROWSER, program

REQUIRED: Final = frozenset(filter(None, os.environ.get("RESPMARK_REQUIRE", "").split(",")))
"""Languages or clients (`dotnet@stackexchange-redis`) whose absence is a failure, not a skip."""


def need(language: str, client: str) -> None:
    """Skip the test if a client is not set up, or cannot run any more, or let it fail if it has to be."""
    named = Client(name=client, library=client, runner=language, version=None, options={})
    if not_set_up(named, SHIPPED.runners[language]) is None:
        return
    if REQUIRED & {language, f"{language}@{client}"}:
        pytest.fail(f"{client} is missing, and RESPMARK_REQUIRE asks for it: respmark setup {client}")
    pytest.skip(f"respmark setup {client}")


def need_browser() -> None:
    """Skip the test if there is no browser, or let it fail if anything is required."""
    if program() is None:
        (pytest.fail if REQUIRED else pytest.skip)(NO_BROWSER)
