"""The command: requests that are not valid, help, and exit codes."""

import os
import re
import subprocess
import sys
from importlib import import_module
from inspect import getdoc

import pytest

from respmark import __version__
from respmark.cli.app import COMMANDS
from respmark.errors import ExitCode
from respmark.version import described
from tests.builders.plan import SHIPPED
from tests.cli.conftest import Command


@pytest.mark.usefixtures("starts_nothing")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["plan", "nope"], "there is no suite `nope`; there are: "),
        (["plan", "--depth", "1.5"], "--depth 1.5: write a whole number"),
        (["plan", "--rounds", "1.5"], "--rounds 1.5: write a whole number"),
        (["plan", "--rounds", "99999999999"], "--rounds must be from 1 to 100,000"),
        (["plan", "--slice-s", "1e300"], "--slice-s must be more than 0, and at most 86,400"),
        (["plan", "--cpus", ":100000"], "CPU 100000 does not exist"),
        (["doctor", "--server", "nope"], "there is no server `nope`"),
    ],
)
def test_a_request_that_is_not_valid_ends_with_2_and_a_sentence(
    respmark: Command, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    """What depends on the machine, or on what is shipped; all others are one page, in test_messages.py."""
    monkeypatch.setattr("respmark.cli.check.set_up", lambda *_: None)
    finished = respmark(*words)
    assert finished.code is ExitCode.INVALID_REQUEST
    assert said.lower() in finished.errors.lower()
    assert finished.output == ""
    assert "Traceback" not in finished.errors


@pytest.mark.usefixtures("starts_nothing")
@pytest.mark.parametrize("place", COMMANDS)
def test_help_has_examples(respmark: Command, place: str) -> None:
    """Each command's help shows how it is used; its line in the help of all, which imports no command, is its own."""
    module, function = place.split(":")
    command = function.removesuffix("_clients").replace("_", "-")
    finished = respmark(command, "--help")
    assert finished.code is ExitCode.OK
    assert re.search(rf"^\W*respmark {command}\b", finished.output, re.MULTILINE)
    assert f"respmark {command} --help-all" in " ".join(finished.output.split())
    documented = getdoc(getattr(import_module(f"respmark.cli.{module}"), function)) or ""
    assert " ".join(documented.partition("\n\n")[0].split()) == COMMANDS[place]


@pytest.mark.usefixtures("starts_nothing")
def test_help_fits_a_screen(respmark: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """The options that most users need; every other one is in the help of all."""
    monkeypatch.setenv("COLUMNS", "80")
    output = respmark("run", "--help").output
    assert len(output.splitlines()) <= 24
    assert output.startswith("Usage: respmark run [SUITE] [OPTIONS]")
    usual = ["client", "scenario", "server", "workload", "depth", "threads", "minutes", "until", "out", "resume"]
    assert re.findall(r"^--([a-z-]+)", output, re.MULTILINE) == usual
    shown = set(re.findall(r"--[a-z-]+", respmark("run", "--help-all").output))
    assert {"--slice-s", "--lead-in-s", "--seed", "--via", "--window", "--json-lines", "--server"} <= shown


@pytest.mark.usefixtures("starts_nothing")
def test_the_commands_help_lists_commands_and_exit_codes(respmark: Command) -> None:
    finished = respmark("--help")
    assert finished.code is ExitCode.OK
    names = [place.split(":")[1].removesuffix("_clients").replace("_", "-") for place in COMMANDS]
    assert all(name in finished.output for name in names)
    assert "130 interrupted" in " ".join(finished.output.split())


@pytest.mark.usefixtures("starts_nothing")
def test_without_a_command_it_says_what_to_try_and_what_this_machine_has(respmark: Command) -> None:
    """In one screen, with a line for each language; what is lacking has its advice."""
    finished = respmark()
    assert finished.code is ExitCode.OK
    assert "respmark run --client redis-py --client valkey --scenario sync" in finished.output
    languages = [SHIPPED.runners[name].language for name in SHIPPED.languages]
    assert all(f"\n  {language} " in finished.output for language in languages)
    assert len(finished.output.splitlines()) <= 40


def test_a_terminal_of_another_encoding_lacks_characters_and_nothing_else() -> None:
    program = "from respmark.cli import app\napp.run_command = lambda _: print('0.81 \u258a') or 0\napp.main()"
    variables = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, env=variables)
    assert finished.stdout == b"0.81 ?\n"


def test_the_version_names_a_commit_unless_it_is_a_release(monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"v" + __version__: __version__, "47adc0f8": f"{__version__} (commit 47adc0f8)", "": __version__}
    for commit, version in said.items():
        finished = subprocess.CompletedProcess([], 0, f"{commit}\n")
        monkeypatch.setattr("subprocess.run", lambda *_, finished=finished, **__: finished)
        assert described() == version


@pytest.mark.parametrize(
    "words", [["--help"], ["--version"], ["list", "--help"], ["plan", "--help"], ["run", "--help"]]
)
def test_help_imports_nothing_heavy(words: list[str]) -> None:
    """What takes a tenth of a second to import is for commands that need it."""
    program = f"import sys\nfrom respmark.cli.app import run_command\nrun_command({words})\nprint(*sys.modules)"
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    heavy = {"numpy", "scipy", "redis", "python_on_whales", "jinja2"} | (
        {"pydantic"} if words[0].startswith("-") else set()
    )
    assert not heavy & set(finished.stdout.split())
