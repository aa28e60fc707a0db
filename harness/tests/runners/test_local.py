"""Runners as processes, from the first line to the end of the last child."""

import os

import pytest

from respmark.errors import RunnerFailedError, RunnerHungError
from respmark.machine.process import STDERR_LINES, runner_environment
from respmark.servers.password import PASSWORD_VARIABLE
from tests.builders.plan import HIDDEN, make_request
from tests.processes import gone
from tests.runners.scripted import LONG_S, SOON_S, SURELY_S, ScriptedRunners, pid_of


def test_lines_go_in_and_come_out_as_they_are(scripted: ScriptedRunners) -> None:
    """Until the end of its input, which ends the runner; it is in a group of its own, out of Ctrl-C's way."""
    process = scripted.start("print(os.getpgid(0), flush=True)\nfor line in sys.stdin: print(line, end='', flush=True)")
    assert int(process.next_line(SURELY_S)) == pid_of(process) != os.getpgid(0)
    for line in ("one", "two"):
        process.send(line)
        assert process.next_line(SURELY_S) == line.encode() + b"\n"
    process.end(SURELY_S)
    assert scripted.notes.protected == scripted.notes.released == [pid_of(process)]


def test_the_password_goes_in_on_standard_input_alone(
    scripted: ScriptedRunners, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is neither among the arguments nor in the environment, which anybody can list; other variables are kept."""
    monkeypatch.setenv(PASSWORD_VARIABLE, HIDDEN)
    monkeypatch.setenv("RESPMARK_SERVER_ANYTHING", HIDDEN)
    monkeypatch.setenv("RESPMARK_DEBUG", "1")
    seen = scripted.folder / "seen"
    scripted.write(
        f"""
line = sys.stdin.readline()
open({str(seen)!r}, "w").write(json.loads(line)["server"]["password"] + str(sys.argv) + str(dict(os.environ)))
sys.exit(1)
"""
    )
    process = scripted.executor.start(make_request())
    with pytest.raises(RunnerFailedError, match="exited with code 1"):
        process.load(SURELY_S)
    assert seen.read_text().startswith(HIDDEN)
    assert seen.read_text().count(HIDDEN) == 1
    assert "RESPMARK_DEBUG" in runner_environment()


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (
            "print('first', file=sys.stderr); print('the server is away', file=sys.stderr); sys.exit(4)",
            "the runner exited with code 4 before its result: the server is away",
        ),
        ("pass", "the runner exited with code 0 before its result: it printed nothing to standard error"),
        (
            "os.kill(os.getpid(), signal.SIGKILL)",
            "the runner was killed by signal 9 before its result: it printed nothing",
        ),
    ],
)
def test_an_early_end_is_reported(scripted: ScriptedRunners, script: str, said: str) -> None:
    """With its exit code, or the signal, and its last words."""
    assert str(scripted.problem(script)).startswith(said)


def test_only_the_last_lines_of_standard_error_are_kept(scripted: ScriptedRunners) -> None:
    """A runner that logs a lot neither fills memory nor stands still; what it printed before its end is read."""
    process = scripted.start(
        "print('ready'); [print(f'line {i} ' + 'x' * 2000, file=sys.stderr) for i in range(2000)]; sys.exit(1)"
    )
    assert process.next_line(SURELY_S) == b"ready\n"
    with pytest.raises(RunnerFailedError) as caught:
        process.next_line(SURELY_S)
    assert len(caught.value.stderr) == STDERR_LINES
    assert caught.value.stderr[-1].startswith("line 1999 ")
    assert all(len(line) <= 1000 for line in caught.value.stderr)


@pytest.mark.parametrize("rest", ["", "os.close(1);"], ids=["hangs", "says-nothing-more"])
def test_a_runner_that_does_not_answer_is_ended(scripted: ScriptedRunners, rest: str) -> None:
    """When its time is up, or it has closed its output; its last words are kept."""
    mark = scripted.folder / "mark"
    process = scripted.start(
        f"print('busy', file=sys.stderr); say(ready=1); {rest} time.sleep({LONG_S}); open({str(mark)!r}, 'w')"
    )
    process.next_line(SURELY_S)
    with pytest.raises(RunnerFailedError) as caught:
        process.next_line(SOON_S)
    assert ("hung" in str(caught.value)) is not bool(rest)
    assert isinstance(caught.value, RunnerHungError) is not bool(rest)
    assert caught.value.stderr == ("busy",)
    assert gone(pid_of(process))
    assert not mark.exists()
