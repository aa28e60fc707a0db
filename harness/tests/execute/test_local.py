"""Runners as processes: programs of a few lines that behave as a test wants."""

import gc
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from respmark.contract.events import Progress, Ready, Result
from respmark.execute import local
from respmark.execute.local import LocalExecutor, LocalProcess, runner_environment
from respmark.execute.protocol import RunnerFailedError, RunnerMissingError
from respmark.paths import CONTRACT
from respmark.specs.runner import RunnerSpec
from respmark.target.guardian import Guardian
from respmark.target.url import PASSWORD_VARIABLE
from tests.builders import HIDDEN, make_client, make_request

GOLDEN = CONTRACT / "golden"
PREFIX = f"""
import json, os, signal, sys, time
def say(name, **change):
    with open({str(GOLDEN)!r} + "/" + name + ".json") as file:
        print(json.dumps(json.load(file) | change), flush=True)
"""
SOON_S = 0.2
"""A limit for what never comes."""
SURELY_S = 60.0
"""A limit for what comes."""
LONG_S = 2.0
"""How long what should have been ended would stay; then it leaves a mark."""


class Notes(Guardian):
    """A guardian that only takes notes."""

    def __init__(self) -> None:
        self.protected: list[int] = []
        self.released: list[int] = []

    def protect_process(self, pid: int) -> None:
        """Note it."""
        self.protected.append(pid)

    def release_process(self, pid: int) -> None:
        """Note it."""
        self.released.append(pid)


class Workbench:
    """An executor whose one runner is a script."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notes = Notes()
        self.executor = LocalExecutor({"python": self.spec(sys.executable, "-IS")}, self.notes, folder)

    def spec(self, *program: str) -> RunnerSpec:
        """Return the runner's spec."""
        command = (*program, str(self.folder / "runner.py"))
        return RunnerSpec(name="python", language="Python", command=command, bare=command, advice="run `make setup`")

    def write(self, script: str) -> None:
        """Make the runner do this."""
        (self.folder / "runner.py").write_text(PREFIX + script)

    def start(self, script: str) -> LocalProcess:
        """Start the runner on a trial."""
        self.write(script)
        return self.executor.start(make_client(), make_request())

    def problem(self, script: str, limit_s: float = SURELY_S) -> RunnerFailedError:
        """Return what is said of a runner that does this instead of its first event."""
        process = self.start(script)
        with pytest.raises(RunnerFailedError) as caught:
            process.next_event(limit_s)
        return caught.value

    def missing(self, script: str) -> str:
        """Return what is said of a runner that answers `describe` by this."""
        self.write(script)
        with pytest.raises(RunnerMissingError) as caught:
            self.executor.describe(make_client())
        return str(caught.value)

    def status(self, name: str, **content: str) -> None:
        """Write what set-up found."""
        (self.folder / "status").mkdir(exist_ok=True)
        (self.folder / "status" / f"{name}.json").write_text(json.dumps(content))


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    """Return a workbench; what it started is ended with the test."""
    made = Workbench(tmp_path)
    with made.executor:
        yield made


# --- describe --------------------------------------------------------------------------------------------------------


def test_a_runner_describes_itself(bench: Workbench) -> None:
    """What it prints is what is returned, and it is asked once."""
    asked = bench.folder / "asked"
    bench.write(f"open({str(asked)!r}, 'a').write(sys.argv[1] + ' '); say('description')")
    for _ in range(3):
        description = bench.executor.describe(make_client())
        assert [client.library for client in description.clients] == ["a-library"]
    assert asked.read_text() == "describe "


def test_each_environment_is_asked_for_itself(bench: Workbench) -> None:
    """Two versions of a library live in two environments, which may be there or not."""
    bench.write("say('description', runtime=sys.argv[1])")
    spec = RunnerSpec(
        name="python",
        language="Python",
        command=(sys.executable, "-IS", str(bench.folder / "runner.py"), "{environment}"),
        bare=("x",),
        advice="",
    )
    bench.executor._runners = {"python": spec}
    runtimes = [bench.executor.describe(make_client(version=version)).runtime for version in (None, "1.0", None)]
    assert runtimes == ["default", "lib-1.0", "default"]


def test_a_runner_that_fails_to_describe_is_missing(bench: Workbench) -> None:
    """Its last line on standard error is the reason, and the spec's advice stands beside it."""
    said = bench.missing("print('loading', file=sys.stderr); sys.exit('No module named redis')")
    assert said == "`describe` ended with exit code 1: No module named redis; run `make setup`"


def test_a_runner_that_says_nothing_is_missing(bench: Workbench) -> None:
    """Without a last line there is none to quote."""
    assert "ended with exit code 3: no word" in bench.missing("sys.exit(3)")


@pytest.mark.parametrize(
    "script",
    [
        "print('hello')",
        "pass",
        "say('ready')",
        "say('description', surprise=1)",
        "say('description', schema_version=2)",
        "say('description'); say('description')",
        "sys.stdout.buffer.write(bytes([255, 254]))",
    ],
)
def test_a_runner_that_describes_something_else_is_missing(bench: Workbench, script: str) -> None:
    """What is not a description is not taken for one."""
    assert "`describe` does not answer as the contract asks" in bench.missing(script)


def test_a_runner_that_never_describes_itself_is_missing(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is ended, nothing of it is left open, and the reason says how long it was waited for."""
    monkeypatch.setattr(local, "DESCRIBE_LIMIT_S", SOON_S)
    mark = bench.folder / "mark"
    said = bench.missing(f"time.sleep({LONG_S}); open({str(mark)!r}, 'w')")
    gc.collect()  # what was left open would be told here, as a warning, which is an error
    assert "`describe` gave no answer" in said
    assert not mark.exists()


@pytest.mark.parametrize("program", ["no-such-program-at-all", "/no/such/program", "/etc/passwd"])
def test_a_program_that_is_not_there_is_missing(bench: Workbench, program: str) -> None:
    """The program is named, in `describe` as in `run`, with what to do."""
    bench.executor._runners = {"python": bench.spec(program)}
    with pytest.raises(RunnerMissingError, match=rf"{program}: .+; run `make setup`"):
        bench.executor.describe(make_client())
    with pytest.raises(RunnerMissingError, match=program):
        bench.executor.start(make_client(), make_request())


def test_what_set_up_found_goes_before_what_happened_now(bench: Workbench) -> None:
    """The package manager's own sentence tells more than that a file is not there."""
    bench.status("python", state="missing", sentence="pip: no matching distribution", advice="check the network")
    assert bench.missing("sys.exit(1)") == "pip: no matching distribution; check the network"


def test_what_set_up_found_for_a_version_goes_first(bench: Workbench) -> None:
    """An environment of its own has a status of its own."""
    bench.status("python", state="missing", sentence="of the language", advice="a")
    bench.status("python@lib-1.0", state="missing", sentence="of the version", advice="b")
    bench.write("sys.exit(1)")
    with pytest.raises(RunnerMissingError, match="of the version; b"):
        bench.executor.describe(make_client(version="1.0"))


LACKS_A_LIBRARY = """
lacks = [{"library": name, "reason": "no folder", "advice": "run it"} for name in ("lib", "other")]
say("description", missing=lacks)
"""


def missing_libraries(bench: Workbench, version: str | None = None) -> list[tuple[str, str]]:
    """Return what is said of the libraries that a runner lacks."""
    bench.write(LACKS_A_LIBRARY)
    return [(one.reason, one.advice) for one in bench.executor.describe(make_client(version=version)).missing]


def test_what_set_up_found_of_a_library_goes_before_what_the_runner_says(bench: Workbench) -> None:
    """A language goes on without one of its libraries, whose status is told in the package manager's words."""
    bench.status("python@lib", state="missing", sentence="no such package", advice="check the network")
    assert missing_libraries(bench) == [("no such package", "check the network"), ("no folder", "run it")]


def test_a_version_of_a_library_has_its_own_status(bench: Workbench) -> None:
    """What set-up found of the default version says nothing of another."""
    bench.status("python@lib", state="missing", sentence="no such package", advice="check the network")
    bench.status("python@lib-1.0", state="ready")
    assert missing_libraries(bench, "1.0") == [("no folder", "run it"), ("no folder", "run it")]


def test_set_ups_advice_may_be_missing(bench: Workbench) -> None:
    """The spec's advice is there for that."""
    bench.status("python", state="missing", sentence="no compiler")
    assert bench.missing("sys.exit(1)") == "no compiler; run `make setup`"


@pytest.mark.parametrize("content", ['{"state": "ready"}', "{", "[]", ""])
def test_a_status_that_says_nothing_of_use_is_passed_over(bench: Workbench, content: str) -> None:
    """Set-up thought all was well, or its file is broken: what happened now is told."""
    bench.status("python")
    (bench.folder / "status" / "python.json").write_text(content)
    assert "ended with exit code 1" in bench.missing("sys.exit(1)")


# --- run -------------------------------------------------------------------------------------------------------------

GOOD = """
trial = json.loads(sys.stdin.readline())
say("ready", trial_id=trial["trial_id"])
assert json.loads(sys.stdin.readline()) == {"event": "go"}
say("progress")
say("result")
sys.stdin.read()
"""


def test_a_trial_from_start_to_end(bench: Workbench) -> None:
    """The trial goes in, events come out in order, and the runner ends when it may."""
    process = bench.start(GOOD)
    ready = process.next_event(SURELY_S)
    assert isinstance(ready, Ready)
    assert ready.trial_id == make_request().trial_id
    process.go()
    assert isinstance(process.next_event(SURELY_S), Progress)
    assert isinstance(process.next_event(SURELY_S), Result)
    process.wait(SURELY_S)
    assert bench.notes.protected == bench.notes.released == [process._process.pid]


def test_the_runner_is_told_to_run_and_gets_the_password_on_standard_input(bench: Workbench) -> None:
    """The command is `run`; what is secret is neither among the words nor in the environment."""
    script = """
trial = json.loads(sys.stdin.readline())
seen = " ".join(sys.argv[1:]) + " " + trial["target"]["password"] + str(sorted(os.environ.items()))
say("ready", trial_id=seen)
"""
    event = bench.start(script).next_event(SURELY_S)
    assert event.trial_id.startswith(f"run {HIDDEN}")
    assert event.trial_id.count(HIDDEN) == 1


def test_runners_do_not_get_the_targets_variables(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Endpoint and password come from the trial alone, as the contract says; other variables are kept."""
    monkeypatch.setenv(PASSWORD_VARIABLE, HIDDEN)
    monkeypatch.setenv("RESPMARK_TARGET_ANYTHING", HIDDEN)
    monkeypatch.setenv("RESPMARK_DEBUG", "1")
    event = bench.start("say('ready', trial_id=str(dict(os.environ)))").next_event(SURELY_S)
    assert HIDDEN not in event.trial_id
    assert "RESPMARK_DEBUG" in event.trial_id
    assert PASSWORD_VARIABLE not in runner_environment()


@pytest.mark.parametrize(
    ("script", "shown"),
    [
        ("print('hello there')", "hello there"),
        ("print('{}')", "{}"),
        ('print(\'{"event":"go"}\')', '{"event":"go"}'),
        ("say('ready', surprise=1)", "surprise"),
        ("say('ready', schema_version=2)", '"schema_version": 2'),
        ("print()", "contract"),
        ("sys.stdout.buffer.write(bytes([255, 10]))", "\N{REPLACEMENT CHARACTER}"),
        ("print('x' * 100000)", "x" * 200),
    ],
)
def test_garbage_is_told_with_its_line(bench: Workbench, script: str, shown: str) -> None:
    """What is not in the contract is quoted, shortened."""
    said = str(bench.problem(script + "; sys.stdout.flush(); time.sleep(60)"))
    assert "printed something that is not in the contract" in said
    assert shown in said
    assert len(said) < 500


def test_an_early_end_is_told_with_its_exit_code_and_last_words(bench: Workbench) -> None:
    """The last line on standard error says what was wrong; the lines before are kept."""
    error = bench.problem("print('first', file=sys.stderr); print('the server is away', file=sys.stderr); sys.exit(4)")
    assert str(error) == "the runner ended with exit code 4 before its result: the server is away"
    assert error.runner_exit_code == 4
    assert error.stderr == ("first", "the server is away")


def test_an_early_end_without_a_word_says_so(bench: Workbench) -> None:
    """Exit code 0 without a result is a failure too."""
    error = bench.problem("pass")
    assert str(error) == "the runner ended with exit code 0 before its result: it left no word on standard error"


def test_an_end_by_a_signal_is_told(bench: Workbench) -> None:
    """A crash, or the kernel short of memory, is named by its signal."""
    error = bench.problem("os.kill(os.getpid(), signal.SIGKILL)")
    assert "was ended by signal 9 before its result" in str(error)


def test_only_the_last_lines_of_standard_error_are_kept(bench: Workbench) -> None:
    """A runner that logs a lot neither fills memory nor stands still."""
    error = bench.problem("[print(f'line {i} ' + 'x' * 2000, file=sys.stderr) for i in range(2000)]; sys.exit(1)")
    assert len(error.stderr) == local.STDERR_LINES
    assert error.stderr[-1].startswith("line 1999 ")
    assert all(len(line) <= 1000 for line in error.stderr)


def test_events_before_an_early_end_are_still_read(bench: Workbench) -> None:
    """What it said while it lived counts."""
    process = bench.start("say('ready'); sys.exit(1)")
    assert isinstance(process.next_event(SURELY_S), Ready)
    with pytest.raises(RunnerFailedError, match="exit code 1"):
        process.next_event(SURELY_S)


def test_a_runner_that_hangs_is_ended(bench: Workbench) -> None:
    """When its time is up it is ended, and its last words are kept."""
    mark = bench.folder / "mark"
    process = bench.start(
        f"print('busy', file=sys.stderr); say('ready'); time.sleep({LONG_S}); open({str(mark)!r}, 'w')"
    )
    process.next_event(SURELY_S)
    with pytest.raises(RunnerFailedError, match="the runner hung: it said nothing for") as caught:
        process.next_event(SOON_S)
    assert caught.value.stderr == ("busy",)
    assert process._process.returncode == -signal.SIGTERM
    assert not mark.exists()


def test_a_runner_that_closes_its_output_is_ended(bench: Workbench) -> None:
    """Whoever can say nothing any more is not waited for."""
    mark = bench.folder / "mark"
    process = bench.start(f"say('ready'); os.close(1); time.sleep({LONG_S}); open({str(mark)!r}, 'w')")
    process.next_event(SURELY_S)
    with pytest.raises(RunnerFailedError):
        process.next_event(SOON_S)
    assert not mark.exists()


CHILD = "import sys, time; time.sleep({seconds}); open(sys.argv[1], 'w')"


def leaving_a_child(mark: Path, rest: str) -> str:
    """Return a script that starts a child, which holds its output open and would leave a mark later."""
    child = CHILD.format(seconds=LONG_S)
    return (
        "import subprocess\n"
        f"child = subprocess.Popen([sys.executable, '-IS', '-c', {child!r}, {str(mark)!r}])\n"
        f"say('ready', startup_ns=child.pid)\n{rest}"
    )


def gone(pid: int) -> bool:
    """Tell whether a process has ended, reaped or not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


@pytest.mark.parametrize("rest", ["time.sleep(60)", "sys.exit(1)"], ids=["hangs", "ends"])
def test_what_a_runner_started_is_ended_with_it(bench: Workbench, rest: str) -> None:
    """Its children do not go on using CPU, nor does the harness wait for them, whether it hangs or ends."""
    mark = bench.folder / "mark"
    process = bench.start(leaving_a_child(mark, rest))
    ready = process.next_event(SURELY_S)
    assert isinstance(ready, Ready)
    with pytest.raises(RunnerFailedError):
        process.next_event(SOON_S)
    process.kill()
    assert not mark.exists()
    wait_until(lambda: gone(ready.startup_ns) or mark.exists())
    assert not mark.exists()


def wait_until(done: Callable[[], bool]) -> None:
    """Wait for something that will be."""
    while not done():
        time.sleep(0.01)


def test_an_exit_code_after_the_result_counts(bench: Workbench) -> None:
    """A runner that fails in closing may have failed before."""
    process = bench.start("say('result'); print('cannot close', file=sys.stderr); sys.exit(7)")
    process.next_event(SURELY_S)
    with pytest.raises(RunnerFailedError, match="ended with exit code 7 after its result") as caught:
        process.wait(SURELY_S)
    assert caught.value.runner_exit_code == 7
    assert caught.value.stderr == ("cannot close",)


def test_a_runner_that_does_not_end_after_its_result_is_ended(bench: Workbench) -> None:
    """The next trial does not begin beside it."""
    process = bench.start("say('result'); sys.stdin.read(); time.sleep(60)")
    process.next_event(SURELY_S)
    with pytest.raises(RunnerFailedError, match="did not end within 0 s of its result and was ended"):
        process.wait(SOON_S)
    assert process._process.returncode == -signal.SIGTERM


def test_a_runner_that_does_not_listen_is_noticed_when_it_is_read_from(bench: Workbench) -> None:
    """Writing to a runner that is gone is no error of its own."""
    process = bench.start("say('ready'); sys.exit(5)")
    process.next_event(SURELY_S)
    process._process.wait()
    process.go()
    with pytest.raises(RunnerFailedError, match="exit code 5"):
        process.next_event(SURELY_S)


def test_killing_twice_is_killing_once(bench: Workbench) -> None:
    """Whoever cleans up need not know what has ended."""
    process = bench.start("time.sleep(60)")
    process.kill()
    process.kill()
    assert process._process.returncode == -signal.SIGTERM


def test_leaving_the_executor_ends_everything(tmp_path: Path) -> None:
    """No runner is left behind, whatever ends the run."""
    bench = Workbench(tmp_path)
    with bench.executor:
        processes = [bench.start("time.sleep(60)") for _ in range(3)]
    assert all(process._process.returncode is not None for process in processes)


def test_a_runner_is_in_a_group_of_its_own(bench: Workbench) -> None:
    """Ctrl-C in the terminal reaches the harness, which ends runners in order."""
    event = bench.start("say('ready', startup_ns=os.getpgid(0))").next_event(SURELY_S)
    assert isinstance(event, Ready)
    assert event.startup_ns == bench.notes.protected[0] != os.getpgid(0)
