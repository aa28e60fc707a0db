"""Runners as processes, from the trial that goes in to the end of the last child."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from respmark.errors import RunnerFailedError
from respmark.execute.process import STDERR_LINES, runner_environment
from respmark.target.password import PASSWORD_VARIABLE
from tests.builders.plan import HIDDEN, make_client, make_request
from tests.execute.scripted import LONG_S, SOON_S, SURELY_S, ScriptedRunners


def test_lines_go_in_and_come_out_as_they_are(scripted: ScriptedRunners) -> None:
    """Until the end of its input, which ends the runner."""
    process = scripted.start("for line in sys.stdin: print('heard', line, end='', flush=True)")
    process.send("one")
    assert process.next_line(SURELY_S) == b"heard one\n"
    process.send("two")
    assert process.next_line(SURELY_S) == b"heard two\n"
    process.wait(SURELY_S)
    assert scripted.notes.protected == scripted.notes.released == [process._process.pid]


def test_the_password_goes_in_on_standard_input_alone(scripted: ScriptedRunners) -> None:
    """What is secret is neither among the words nor in the environment, which anybody can list."""
    seen = scripted.folder / "seen"
    scripted.write(
        f"""
line = sys.stdin.readline()
open({str(seen)!r}, "w").write(json.loads(line)["target"]["password"] + str(sys.argv) + str(dict(os.environ)))
sys.exit(1)
"""
    )
    process = scripted.executor.start(make_client(), make_request())
    with pytest.raises(RunnerFailedError, match="exit code 1"):
        process.next_event(SURELY_S)
    assert seen.read_text().startswith(HIDDEN)
    assert seen.read_text().count(HIDDEN) == 1


def test_runners_do_not_get_the_targets_variables(scripted: ScriptedRunners, monkeypatch: pytest.MonkeyPatch) -> None:
    """Endpoint and password come from the trial alone, as the contract says; other variables are kept."""
    monkeypatch.setenv(PASSWORD_VARIABLE, HIDDEN)
    monkeypatch.setenv("RESPMARK_TARGET_ANYTHING", HIDDEN)
    monkeypatch.setenv("RESPMARK_DEBUG", "1")
    line = scripted.start("say(variables=dict(os.environ))").next_line(SURELY_S).decode()
    assert HIDDEN not in line
    assert "RESPMARK_DEBUG" in line
    assert PASSWORD_VARIABLE not in runner_environment()


def test_an_early_end_is_told_with_its_exit_code_and_last_words(scripted: ScriptedRunners) -> None:
    """The last line on standard error says what was wrong; the lines before are kept."""
    error = scripted.problem(
        "print('first', file=sys.stderr); print('the server is away', file=sys.stderr); sys.exit(4)"
    )
    assert str(error) == "the runner ended with exit code 4 before its result: the server is away"
    assert error.runner_exit_code == 4
    assert error.stderr == ("first", "the server is away")


def test_an_early_end_without_a_word_says_so(scripted: ScriptedRunners) -> None:
    """Exit code 0 without a result is a failure too."""
    error = scripted.problem("pass")
    assert str(error) == "the runner ended with exit code 0 before its result: it left no word on standard error"


def test_an_end_by_a_signal_is_told(scripted: ScriptedRunners) -> None:
    """A crash, or the kernel short of memory, is named by its signal."""
    error = scripted.problem("os.kill(os.getpid(), signal.SIGKILL)")
    assert "was ended by signal 9 before its result" in str(error)


def test_only_the_last_lines_of_standard_error_are_kept(scripted: ScriptedRunners) -> None:
    """A runner that logs a lot neither fills memory nor stands still."""
    error = scripted.problem("[print(f'line {i} ' + 'x' * 2000, file=sys.stderr) for i in range(2000)]; sys.exit(1)")
    assert len(error.stderr) == STDERR_LINES
    assert error.stderr[-1].startswith("line 1999 ")
    assert all(len(line) <= 1000 for line in error.stderr)


def test_lines_before_an_early_end_are_still_read(scripted: ScriptedRunners) -> None:
    """What it said while it lived counts."""
    process = scripted.start("print('ready'); sys.exit(1)")
    assert process.next_line(SURELY_S) == b"ready\n"
    with pytest.raises(RunnerFailedError, match="exit code 1"):
        process.next_line(SURELY_S)


def test_a_runner_that_hangs_is_ended(scripted: ScriptedRunners) -> None:
    """When its time is up it is ended, and its last words are kept."""
    mark = scripted.folder / "mark"
    process = scripted.start(
        f"print('busy', file=sys.stderr); say(ready=1); time.sleep({LONG_S}); open({str(mark)!r}, 'w')"
    )
    process.next_line(SURELY_S)
    with pytest.raises(RunnerFailedError, match="the runner hung: it said nothing for") as caught:
        process.next_line(SOON_S)
    assert caught.value.stderr == ("busy",)
    assert process._process.returncode == -signal.SIGTERM
    assert not mark.exists()


def test_a_runner_that_closes_its_output_is_ended(scripted: ScriptedRunners) -> None:
    """Whoever can say nothing any more is not waited for."""
    mark = scripted.folder / "mark"
    process = scripted.start(f"say(ready=1); os.close(1); time.sleep({LONG_S}); open({str(mark)!r}, 'w')")
    process.next_line(SURELY_S)
    with pytest.raises(RunnerFailedError):
        process.next_line(SOON_S)
    assert not mark.exists()


CHILD = "import sys, time; time.sleep({seconds}); open(sys.argv[1], 'w')"


def leaving_a_child(mark: Path, rest: str) -> str:
    """Return a script that starts a child, which holds its output open and would leave a mark later."""
    child = CHILD.format(seconds=LONG_S)
    return (
        "import subprocess\n"
        f"child = subprocess.Popen([sys.executable, '-IS', '-c', {child!r}, {str(mark)!r}])\n"
        f"print(child.pid, flush=True)\n{rest}"
    )


def gone(pid: int) -> bool:
    """Tell whether a process has ended, reaped or not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


@pytest.mark.parametrize("rest", ["time.sleep(60)", "sys.exit(1)"], ids=["hangs", "ends"])
def test_what_a_runner_started_is_ended_with_it(scripted: ScriptedRunners, rest: str) -> None:
    """Its children do not go on using CPU, nor does the harness wait for them, whether it hangs or ends."""
    mark = scripted.folder / "mark"
    process = scripted.start(leaving_a_child(mark, rest))
    child = int(process.next_line(SURELY_S))
    with pytest.raises(RunnerFailedError):
        process.next_line(SOON_S)
    process.kill()
    assert not mark.exists()
    wait_until(lambda: gone(child) or mark.exists())
    assert not mark.exists()


def wait_until(done: Callable[[], bool]) -> None:
    """Wait for something that will be."""
    while not done():
        time.sleep(0.01)


def test_an_exit_code_after_the_result_counts(scripted: ScriptedRunners) -> None:
    """A runner that fails in closing may have failed before."""
    process = scripted.start("say(result=1); print('cannot close', file=sys.stderr); sys.exit(7)")
    process.next_line(SURELY_S)
    with pytest.raises(RunnerFailedError, match="ended with exit code 7 after its result") as caught:
        process.wait(SURELY_S)
    assert caught.value.runner_exit_code == 7
    assert caught.value.stderr == ("cannot close",)


def test_a_runner_that_does_not_end_after_its_result_is_ended(scripted: ScriptedRunners) -> None:
    """The next trial does not begin beside it."""
    process = scripted.start("say(result=1); sys.stdin.read(); time.sleep(60)")
    process.next_line(SURELY_S)
    with pytest.raises(RunnerFailedError, match="did not end within 0 s of its result and was ended"):
        process.wait(SOON_S)
    assert process._process.returncode == -signal.SIGTERM


def test_a_runner_that_does_not_listen_is_noticed_when_it_is_read_from(scripted: ScriptedRunners) -> None:
    """Writing to a runner that is gone is no error of its own."""
    process = scripted.start("say(ready=1); sys.exit(5)")
    process.next_line(SURELY_S)
    process._process.wait()
    process.send("connect")
    with pytest.raises(RunnerFailedError, match="exit code 5"):
        process.next_line(SURELY_S)


def test_killing_twice_is_killing_once(scripted: ScriptedRunners) -> None:
    """Whoever cleans up need not know what has ended."""
    process = scripted.start("time.sleep(60)")
    process.kill()
    process.kill()
    assert process._process.returncode == -signal.SIGTERM


def test_leaving_the_executor_ends_everything(scripted: ScriptedRunners) -> None:
    """No runner is left behind, whatever ends the run."""
    scripted.write("time.sleep(60)")
    with scripted.executor as executor:
        for _ in range(3):
            executor.start(make_client(), make_request())
    assert len(scripted.notes.protected) == 3
    assert all(gone(pid) for pid in scripted.notes.protected)


def test_a_runner_is_in_a_group_of_its_own(scripted: ScriptedRunners) -> None:
    """Ctrl-C in the terminal reaches the harness, which ends runners in order."""
    group = int(scripted.start("print(os.getpgid(0))").next_line(SURELY_S))
    assert group == scripted.notes.protected[0] != os.getpgid(0)


def test_the_kernel_counts_the_cpu_of_a_runner_that_runs(scripted: ScriptedRunners) -> None:
    """More after work than before; nothing is told of one that has ended."""
    script = """
say(loaded=1)
sys.stdin.readline()
for _ in range(10**6): pass
say(worked=1)
sys.stdin.read()
"""
    process = scripted.start(script)
    process.next_line(SURELY_S)
    before = process.cpu_ns()
    process.send("work")
    process.next_line(SURELY_S)
    after = process.cpu_ns()
    assert before is not None
    assert after is not None
    assert 0 < before < after
    process.wait(SURELY_S)
    assert process.cpu_ns() is None
