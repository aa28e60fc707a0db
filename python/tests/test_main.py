"""The commands and their exit codes."""

import io
import json
import sys
from typing import Any

import jsonschema
import pytest

from paths import CONTRACT, GOLDEN
from respmark_python.main import program
from respmark_python.main.program import main


class Input:
    """Standard input with one line of bytes."""

    def __init__(self, line: bytes) -> None:
        self.buffer = io.BytesIO(line)


def described(capsys: pytest.CaptureFixture[str]) -> Any:
    """Return what `describe` printed, which must follow its schema."""
    assert main(0, ["describe"]) == 0
    description = json.loads(capsys.readouterr().out)
    schema = json.loads((CONTRACT / "schemas" / "description.schema.json").read_text())
    jsonschema.validate(description, schema)
    return description


def test_describe_follows_its_schema(capsys: pytest.CaptureFixture[str]) -> None:
    """`describe` prints the runner's clients."""
    description = described(capsys)
    assert (description["runner"], description["runtime"]) == ("python", "CPython")
    assert [client["library"] for client in description["clients"]] == ["redis-py"]
    assert description["missing"] == []


def test_a_missing_library_is_described(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that is not installed is named with the import's own words and what to do."""
    monkeypatch.setitem(sys.modules, "redis", None)
    (missing,) = described(capsys)["missing"]
    assert (missing["library"], missing["advice"]) == ("redis-py", "run `make setup`")
    assert "redis" in missing["reason"]


@pytest.mark.parametrize("arguments", [[], ["measure"], ["run", "fast"]])
def test_other_commands_are_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """What is not a command ends with 2 and the usage."""
    assert main(0, arguments) == 2
    assert capsys.readouterr().err == "usage: python -m respmark_python describe|run\n"


@pytest.mark.parametrize("name", ["unknown-field", "newer-schema", "no-depth"])
def test_golden_invalid_trials_end_with_2(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An invalid trial on standard input ends with 2 and one line that names the field."""
    trial = json.loads((GOLDEN / "trials" / "invalid" / f"{name}.json").read_text())
    monkeypatch.setattr(sys, "stdin", Input(json.dumps(trial).encode() + b"\n"))
    assert main(0, ["run"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("trial.")


@pytest.mark.parametrize("debug", ["0", "1"])
def test_a_fault_of_the_runner_is_one_line(
    debug: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error that nobody foresaw ends with 1 and one line; its stack trace appears only when asked for."""

    def fail() -> None:
        raise ZeroDivisionError("two\nlines")

    monkeypatch.setenv("RESPMARK_DEBUG", debug)
    monkeypatch.setattr(program, "describe", fail)
    assert main(0, ["describe"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1] == "ZeroDivisionError: two lines (RESPMARK_DEBUG=1 shows where)"
    assert (len(lines) > 1) == (debug == "1")
