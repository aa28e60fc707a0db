"""What a runner says of itself, and what is said of one that does not."""

import gc
import sys

import pytest

from respmark.errors import RunnerMissingError
from respmark.execute import local
from respmark.specs.runner import RunnerSpec
from tests.builders.plan import make_client, make_request
from tests.execute.scripted import LONG_S, SOON_S, ScriptedRunners


def test_a_runner_describes_itself(scripted: ScriptedRunners) -> None:
    """What it prints is what is returned, and it is asked once."""
    asked = scripted.folder / "asked"
    scripted.write(f"open({str(asked)!r}, 'a').write(sys.argv[1] + ' '); say('description')")
    for _ in range(3):
        description = scripted.executor.describe(make_client())
        assert [client.library for client in description.clients] == ["a-library"]
    assert asked.read_text() == "describe "


def test_each_environment_is_asked_for_itself(scripted: ScriptedRunners) -> None:
    """Two versions of a library live in two environments, which may be there or not."""
    scripted.write("say('description', runtime=sys.argv[1])")
    spec = RunnerSpec(
        name="python",
        language="Python",
        command=(sys.executable, "-IS", str(scripted.folder / "runner.py"), "{environment}"),
        advice="",
    )
    scripted.executor._runners = {"python": spec}
    runtimes = [scripted.executor.describe(make_client(version=version)).runtime for version in (None, "1.0", None)]
    assert runtimes == ["default", "lib-1.0", "default"]


def test_a_runner_that_fails_to_describe_is_missing(scripted: ScriptedRunners) -> None:
    """Its last line on standard error is the reason, and the spec's advice stands beside it."""
    said = scripted.missing("print('loading', file=sys.stderr); sys.exit('No module named redis')")
    assert said == "`describe` ended with exit code 1: No module named redis; run `make setup`"


def test_a_runner_that_says_nothing_is_missing(scripted: ScriptedRunners) -> None:
    """Without a last line there is none to quote."""
    assert "ended with exit code 3: no word" in scripted.missing("sys.exit(3)")


@pytest.mark.parametrize(
    "script",
    [
        "print('hello')",
        "pass",
        "say('ready')",
        "say('description', surprise=1)",
        "say('description', schema_version=0)",
        "say('description'); say('description')",
        "sys.stdout.buffer.write(bytes([255, 254]))",
    ],
)
def test_a_runner_that_describes_something_else_is_missing(scripted: ScriptedRunners, script: str) -> None:
    """What is not a description is not taken for one."""
    assert "`describe` does not answer as the contract asks" in scripted.missing(script)


def test_a_runner_of_another_version_of_the_contract_is_missing(scripted: ScriptedRunners) -> None:
    """Its description can still be read, so both versions are named."""
    said = scripted.missing("say('description', schema_version=1)")
    assert said == "the runner keeps version 1 of the contract, this harness 2; run `make setup`"


def test_a_runner_that_never_describes_itself_is_missing(
    scripted: ScriptedRunners, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is ended, nothing of it is left open, and the reason says how long it was waited for."""
    monkeypatch.setattr(local, "DESCRIBE_LIMIT_S", SOON_S)
    mark = scripted.folder / "mark"
    said = scripted.missing(f"time.sleep({LONG_S}); open({str(mark)!r}, 'w')")
    gc.collect()  # what was left open would be told here, as a warning, which is an error
    assert "`describe` gave no answer" in said
    assert not mark.exists()


@pytest.mark.parametrize("program", ["no-such-program-at-all", "/no/such/program", "/etc/passwd"])
def test_a_program_that_is_not_there_is_missing(scripted: ScriptedRunners, program: str) -> None:
    """The program is named, in `describe` as in `run`, with what to do."""
    scripted.executor._runners = {"python": scripted.spec(program)}
    with pytest.raises(RunnerMissingError, match=rf"{program}: .+; run `make setup`"):
        scripted.executor.describe(make_client())
    with pytest.raises(RunnerMissingError, match=program):
        scripted.executor.start(make_client(), make_request())


def test_what_set_up_found_goes_before_what_happened_now(scripted: ScriptedRunners) -> None:
    """The package manager's own sentence tells more than that a file is not there."""
    scripted.status("python", state="missing", sentence="pip: no matching distribution", advice="check the network")
    assert scripted.missing("sys.exit(1)") == "pip: no matching distribution; check the network"


def test_what_set_up_found_for_a_version_goes_first(scripted: ScriptedRunners) -> None:
    """An environment of its own has a status of its own."""
    scripted.status("python", state="missing", sentence="of the language", advice="a")
    scripted.status("python@lib-1.0", state="missing", sentence="of the version", advice="b")
    scripted.write("sys.exit(1)")
    with pytest.raises(RunnerMissingError, match="of the version; b"):
        scripted.executor.describe(make_client(version="1.0"))


LACKS_A_LIBRARY = """
lacks = [{"library": name, "reason": "no folder", "advice": "run it"} for name in ("lib", "other")]
say("description", missing=lacks)
"""


def missing_libraries(scripted: ScriptedRunners, version: str | None = None) -> list[tuple[str, str]]:
    """Return what is said of the libraries that a runner lacks."""
    scripted.write(LACKS_A_LIBRARY)
    return [(one.reason, one.advice) for one in scripted.executor.describe(make_client(version=version)).missing]


def test_what_set_up_found_of_a_library_goes_before_what_the_runner_says(scripted: ScriptedRunners) -> None:
    """A language goes on without one of its libraries, whose status is told in the package manager's words."""
    scripted.status("python@lib", state="missing", sentence="no such package", advice="check the network")
    assert missing_libraries(scripted) == [("no such package", "check the network"), ("no folder", "run it")]


def test_a_version_of_a_library_has_its_own_status(scripted: ScriptedRunners) -> None:
    """What set-up found of the default version says nothing of another."""
    scripted.status("python@lib", state="missing", sentence="no such package", advice="check the network")
    scripted.status("python@lib-1.0", state="ready")
    assert missing_libraries(scripted, "1.0") == [("no folder", "run it"), ("no folder", "run it")]


def test_set_ups_advice_may_be_missing(scripted: ScriptedRunners) -> None:
    """The spec's advice is there for that."""
    scripted.status("python", state="missing", sentence="no compiler")
    assert scripted.missing("sys.exit(1)") == "no compiler; run `make setup`"


@pytest.mark.parametrize("content", ['{"state": "ready"}', "{", "[]", ""])
def test_a_status_that_says_nothing_of_use_is_passed_over(scripted: ScriptedRunners, content: str) -> None:
    """Set-up thought all was well, or its file is broken: what happened now is told."""
    scripted.status("python")
    (scripted.folder / "status" / "python.json").write_text(content)
    assert "ended with exit code 1" in scripted.missing("sys.exit(1)")
