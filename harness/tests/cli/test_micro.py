"""`respmark micro`: what it prints, and with which code it ends."""

from collections.abc import Callable
from pathlib import Path

import pytest

from respmark.cli import micro as module
from respmark.errors import ExitCode
from respmark.specs.catalogue import Catalogue
from tests.builders.plan import write_specs
from tests.cli.conftest import Command, Finished
from tests.micro.conftest import runner

Micro = Callable[..., Finished]


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[object, ...]]:
    """Set nothing up: note what was to be set up, for the language `toy` of the tests' own."""
    specs, asked = write_specs(tmp_path / "specs", toy__runner=runner()), list[tuple[object, ...]]()
    monkeypatch.setattr(module, "Catalogue", lambda: Catalogue(specs))
    monkeypatch.setattr(module, "prepare", lambda _clients, _catalogue, _host, *what: asked.append(what))
    return asked


@pytest.fixture
def micro(respmark: Command, prepared: list[tuple[object, ...]], tmp_path: Path) -> Micro:
    assert prepared == []
    return lambda *words: respmark("micro", "toy", "--no-awake", "--out", str(tmp_path / "out"), *words)


def test_tables_are_printed_and_the_folder_of_results_is_named(
    micro: Micro, respmark: Command, prepared: list[tuple[object, ...]], tmp_path: Path
) -> None:
    """Only the micro-benchmarks of the language are set up; the job and where the tool's output goes come first.

    `report` makes the same tables again.
    """
    finished = micro("--job", "medium", "--forks", "3")
    assert finished.code is ExitCode.OK
    first, *_, last = finished.output.splitlines()
    assert first == f"jmh runs job medium; its output is in {tmp_path / 'out' / 'raw' / 'tool.log'}"
    assert "micro-benchmarks of JMH 1.37, job medium" in finished.output
    assert "3 processes" in finished.output
    assert "40.0 µs" in finished.output
    assert last == f"results in {tmp_path / 'out'}"
    assert prepared == [(("micro",), ("toy",))]
    assert respmark("report", str(tmp_path / "out")).output.strip() in finished.output


@pytest.mark.parametrize("mode", ["some-fail", "all-fail"])
def test_a_benchmark_that_failed_is_listed_and_makes_the_code(micro: Micro, mode: str) -> None:
    finished = micro("--filter", mode)
    assert finished.code is ExitCode.SOME_FAILED
    assert "jedis (SET): failed: GET of key 7: a wrong value" in finished.output


@pytest.mark.parametrize(
    ("mode", "code"),
    [
        ("fails", ExitCode.NOTHING_RAN),
        ("refuses", ExitCode.INVALID_REQUEST),
        ("no-server", ExitCode.SERVER_UNREACHABLE),
    ],
)
def test_a_tool_without_results_has_its_last_line_on_standard_error(micro: Micro, mode: str, code: ExitCode) -> None:
    """The code is that of the tool's reason; no table is printed."""
    finished = micro("--filter", mode)
    assert finished.code is code
    assert "error: jmh exited with code" in finished.errors
    assert "wrote no results: something broke here" in finished.errors
    assert "results in" not in finished.output


def test_a_language_without_micro_benchmarks_is_refused_before_anything_is_set_up(
    respmark: Command, prepared: list[tuple[object, ...]]
) -> None:
    finished = respmark("micro", "cobol")
    assert finished.code is ExitCode.INVALID_REQUEST
    assert "`cobol` has no micro-benchmarks; these have: dotnet, java, python, toy" in finished.errors
    assert prepared == []
