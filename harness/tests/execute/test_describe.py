"""What a runner loads for a client, and what is said of one that does not."""

import pytest

from respmark.errors import RunnerMissingError
from respmark.execute import inquiry
from tests.builders.plan import make_client, make_request
from tests.execute.scripted import LOADED, LONG_S, SOON_S, ScriptedRunners


def test_each_client_is_asked_for_once(scripted: ScriptedRunners) -> None:
    """Two versions of a library are two installations, which may be there or not."""
    asked = scripted.folder / "asked"
    scripted.write(f"open({str(asked)!r}, 'a').write(sys.argv[1] + ' ')" + LOADED)
    for version in (None, "1.0", None):
        client = make_client(version=version, name="lib@1.0" if version else "lib")
        (described,) = scripted.executor.describe(client).clients
        assert (described.library, described.version) == ("lib", "2")
    assert asked.read_text() == "lib lib-1.0 "


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("print('loading', file=sys.stderr); sys.exit('No module named redis')", "No module named redis"),
        (
            "sys.exit(3)",
            "the runner ended with exit code 3 before its result: it left no word on standard error",
        ),
        (
            'say(loaded={"contract": 2, "versions": {}}); sys.stdin.read()',
            "the runner keeps contract 2, this harness 3",
        ),
        ("say(connected={}); sys.stdin.read()", "the runner's first line is neither `loaded` nor `unsupported`"),
    ],
)
def test_a_runner_that_does_not_load_the_client_is_missing(scripted: ScriptedRunners, script: str, said: str) -> None:
    """Its last line on standard error is the reason, and the spec's advice stands beside it."""
    assert scripted.missing(script) == f"{said}; run `make setup`"


@pytest.mark.parametrize(
    ("script", "shown"),
    [
        ("print('hello there')", "hello there"),
        ("say(surprise=1)", "surprise"),
        ("print()", "contract"),
        ("sys.stdout.buffer.write(bytes([255, 10]))", "\N{REPLACEMENT CHARACTER}"),
        ("print('x' * 100000)", "x" * 200),
    ],
)
def test_garbage_is_told_with_its_line(scripted: ScriptedRunners, script: str, shown: str) -> None:
    """What is not in the contract is quoted, shortened."""
    said = scripted.missing(script + "; sys.stdout.flush(); time.sleep(60)")
    assert "printed something that is not in the contract" in said
    assert shown in said
    assert len(said) < 500


def test_a_runner_that_never_answers_is_missing(scripted: ScriptedRunners, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is ended, and the reason says so."""
    monkeypatch.setattr(inquiry, "LIMIT_S", SOON_S)
    mark = scripted.folder / "mark"
    said = scripted.missing(f"time.sleep({LONG_S}); open({str(mark)!r}, 'w')")
    assert "the runner hung" in said
    assert not mark.exists()


@pytest.mark.parametrize("program", ["no-such-program-at-all", "/no/such/program", "/etc/passwd"])
def test_a_program_that_is_not_there_is_missing(scripted: ScriptedRunners, program: str) -> None:
    """The program is named, before a run as in it, with what to do."""
    with scripted.executor_of(program) as executor:
        with pytest.raises(RunnerMissingError, match=rf"{program}: .+; run `make setup`"):
            executor.describe(make_client())
        with pytest.raises(RunnerMissingError, match=program):
            executor.start(make_client(), make_request())


def test_what_set_up_found_goes_before_what_happened_now(scripted: ScriptedRunners) -> None:
    """The package manager's own sentence tells more than that a file is not there."""
    scripted.status("python", state="missing", sentence="pip: no matching distribution", advice="check the network")
    assert scripted.missing("sys.exit(1)") == "pip: no matching distribution; check the network"


def test_what_set_up_found_for_a_version_goes_first(scripted: ScriptedRunners) -> None:
    """An installation of its own has a status of its own."""
    scripted.status("python", state="missing", sentence="of the language", advice="a")
    scripted.status("python@lib-1.0", state="missing", sentence="of the version", advice="b")
    scripted.write("sys.exit(1)")
    with pytest.raises(RunnerMissingError, match="of the version; b"):
        scripted.executor.describe(make_client(version="1.0"))


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
