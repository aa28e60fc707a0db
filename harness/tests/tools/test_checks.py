"""What `make test` and `make lint` do about a language that is not here."""

from typing import Final

import pytest

from respmark.setup.host import Missing
from respmark.setup.prepare import Prepared
from tests.builders.plan import SHIPPED
from tools import checks

WITHOUT_PHP: Final = Prepared({"php": Missing("php not found on PATH"), "python": None})


def lint(libraries: object, prepared: Prepared) -> list[str]:
    """Print which languages would be linted."""
    del libraries
    print("linted:", *checks._specs(SHIPPED, prepared))
    return []


@pytest.mark.parametrize(("required", "code", "last"), [("", 0, "all is well"), ("php", 1, "failed: php is required")])
def test_a_missing_language_is_told_and_all_others_are_checked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], required: str, code: int, last: str
) -> None:
    """It is a failure only where it is required."""
    monkeypatch.setenv("RESPMARK_REQUIRE", required)
    monkeypatch.setattr(checks, "set_up_everything", lambda *_: WITHOUT_PHP)
    monkeypatch.setattr(checks, "lint", lint)
    assert checks.main("lint") == code
    said = capsys.readouterr().out
    assert "--- php is not checked: php not found on PATH" in said
    (linted,) = (line.split()[1:] for line in said.splitlines() if line.startswith("linted:"))
    with_checks = [name for name, runner in SHIPPED.runners.items() if runner.checks]
    assert linted == [name for name in with_checks if name != "php"]
    assert f"lint: {last}" in said
