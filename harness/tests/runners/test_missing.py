"""Clients that cannot be measured here: what set-up says of them, and runners that do not load one."""

import json
from pathlib import Path

import pytest

from respmark.errors import RunnerFailedError, RunnerMissingError
from respmark.runners.missing import not_set_up
from respmark.specs.client import Client
from respmark.specs.runner import EnvironmentSpec, RunnerSpec, SetupSpec
from tests.builders.plan import make_client, make_request
from tests.runners.scripted import SURELY_S, ScriptedRunners

SETUP = SetupSpec(client=EnvironmentSpec())
PYTHON = RunnerSpec(name="python", language="Python", command=("python",), advice="run `make setup`", setup=SETUP)
OLD = make_client("lib@1.0", version="1.0")


def made(build: Path, client: Client) -> Path:
    folder = build / client.runner / client.installation
    folder.mkdir(parents=True)
    return folder


def status(build: Path, name: str, content: object) -> None:
    (build / "status").mkdir(exist_ok=True)
    (build / "status" / f"{name}.json").write_text(json.dumps(content))


def test_what_set_up_made_is_not_missing(tmp_path: Path) -> None:
    made(tmp_path, make_client())
    status(tmp_path, "python", {"state": "done"})
    assert not_set_up(make_client(), PYTHON, tmp_path) is None


def test_each_version_is_set_up_on_its_own(tmp_path: Path) -> None:
    """What is missing names the command that makes it."""
    made(tmp_path, make_client())
    said = "not installed yet; `respmark run` installs it, and so does: respmark setup lib@1.0"
    assert not_set_up(OLD, PYTHON, tmp_path) == said


def test_a_runner_without_set_up_needs_nothing(tmp_path: Path) -> None:
    assert not_set_up(make_client(), PYTHON.model_copy(update={"setup": None}), tmp_path) is None


def test_the_reason_that_set_up_found_comes_first(tmp_path: Path) -> None:
    """The version's before the language's, with its advice or else the runner's."""
    status(tmp_path, "python", {"sentence": "pip: no matching distribution", "advice": "check the network"})
    assert not_set_up(OLD, PYTHON, tmp_path) == "pip: no matching distribution; check the network"
    status(tmp_path, "python@lib-1.0", {"sentence": "no compiler"})
    assert not_set_up(OLD, PYTHON, tmp_path) == "no compiler; run `make setup`"


@pytest.mark.parametrize("content", ["", "[]", "{"])
def test_a_damaged_status_file_says_nothing(tmp_path: Path, content: str) -> None:
    made(tmp_path, make_client())
    status(tmp_path, "python", {})
    (tmp_path / "status" / "python.json").write_text(content)
    assert not_set_up(make_client(), PYTHON, tmp_path) is None


def test_a_runner_whose_program_is_gone_is_missing(scripted: ScriptedRunners) -> None:
    with pytest.raises(RunnerMissingError, match=r"^/no/such/program: No such file or directory; run `make setup`$"):
        scripted.executor_of("/no/such/program").start(make_request())


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (
            "print('loading', file=sys.stderr); sys.exit('No module named redis')",
            "the runner exited with code 1 before its result: No module named redis",
        ),
        ("sys.exit(3)", "the runner exited with code 3 before its result: it printed nothing to standard error"),
        (
            'say(loaded={"contract": 2, "versions": {}}); sys.stdin.read()',
            "the runner implements contract 2, and respmark contract 4",
        ),
        ("say(connected={}); sys.stdin.read()", "the runner printed `connected` where `loaded` was expected"),
    ],
)
def test_a_runner_that_does_not_load_the_client_fails(scripted: ScriptedRunners, script: str, said: str) -> None:
    """With its last line on standard error."""
    assert str(scripted.not_loaded(script)) == said


def test_what_ended_before_it_had_its_trial_says_why(scripted: ScriptedRunners) -> None:
    """On a busy machine, a program can be gone before the harness gives it anything."""
    process = scripted.start("sys.exit('No module named redis')")
    while not process.failed("").stderr:
        pass
    process.give(make_request())
    with pytest.raises(RunnerFailedError, match="exited with code 1 before its result: No module named redis"):
        process.load(SURELY_S)


@pytest.mark.parametrize(
    ("script", "shown"),
    [
        ("print('hello there')", "hello there"),
        ("sys.stdout.buffer.write(bytes([255, 10]))", "\N{REPLACEMENT CHARACTER}"),
        ("print('x' * 100000)", "x" * 200),
    ],
)
def test_garbage_is_quoted(scripted: ScriptedRunners, script: str, shown: str) -> None:
    """What is not in the contract is quoted, shortened."""
    said = str(scripted.not_loaded(script + "; sys.stdout.flush(); time.sleep(60)"))
    assert "printed a line that the contract does not allow" in said
    assert shown in said
    assert len(said) < 500
