"""The real machine, with commands that every machine has."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bootstrap import machine
from bootstrap.cli import ROOT
from bootstrap.machine import ENDED, NOT_STARTED, Command, Host


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """Give this machine."""
    return Host(tmp_path / "ours")


def python(code: str, folder: Path, **variables: str) -> Command:
    """Form a command that runs a line of Python."""
    return Command((sys.executable, "-c", code), folder, variables)


def test_output_and_code_are_captured(host: Host, tmp_path: Path) -> None:
    """Both streams are one text."""
    finished = host.run(
        python("import sys; print('a', flush=True); print('b', file=sys.stderr); sys.exit(3)", tmp_path)
    )
    assert (finished.code, finished.output) == (3, "a\nb\n")


def test_a_log_holds_all_commands_and_each_gets_its_own_part(host: Host, tmp_path: Path) -> None:
    """A step of several commands has one log."""
    log = tmp_path / "log" / "step.log"
    host.run(python("print(1)", tmp_path), log)
    assert host.run(python("print(2)", tmp_path), log).output == "2\n"
    assert log.read_text() == "1\n2\n"


def test_shown_output_is_seen_and_kept(host: Host, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """The user sees it as it comes, and the log keeps it."""
    finished = host.show(python("print('12 passed')", tmp_path), tmp_path / "x.log")
    assert finished.output == "12 passed\n"
    assert capfdbinary.readouterr().out == b"12 passed\n"


def test_a_shown_command_that_hangs_is_ended(tmp_path: Path) -> None:
    """It fails with a sentence; what it said before is kept."""
    hanging = python("import time; print('1 passed', flush=True); time.sleep(600)", tmp_path)
    finished = Host(tmp_path / "ours", silence_limit_s=1.0).show(hanging, tmp_path / "x.log")
    assert finished.code == ENDED
    assert finished.output == f"1 passed\n{sys.executable} said nothing for 1 s: it hung, and was ended\n"


def test_what_a_shown_command_leaves_behind_is_not_waited_for(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that holds its output open must not hold us up."""
    monkeypatch.setattr(machine, "ENDING_LIMIT_S", 0.2)
    leaving = "import subprocess, sys; print(subprocess.Popen(['sleep', '600']).pid, flush=True); sys.exit(3)"
    finished = host.show(python(leaving, tmp_path), tmp_path / "x.log")
    os.kill(int(finished.output), signal.SIGKILL)
    assert finished.code == 3


@pytest.mark.parametrize("log", [None, "x.log"])
def test_a_command_that_is_not_there(host: Host, tmp_path: Path, log: str | None) -> None:
    """It ends like in a shell, and says which."""
    finished = host.run(Command(("/no/such/command",), tmp_path), tmp_path / log if log else None)
    assert finished.code == NOT_STARTED
    assert "/no/such/command" in finished.output


def test_another_projects_settings_are_left_out(host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An activated environment does not lead ours astray; what we set is there."""
    monkeypatch.setenv("VIRTUAL_ENV", "/other")
    code = "import os; print(os.environ.get('VIRTUAL_ENV'), os.environ['OURS'])"
    assert host.run(python(code, tmp_path, OURS="yes")).output == "None yes\n"


def test_our_own_tools_are_not_found_on_path(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tool that set-up brought must not be taken for the machine's own."""
    host.ours.mkdir()
    tool = host.ours / "some-tool"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(host.ours))
    assert host.which("some-tool") is None


def test_the_interpreter_is_this_one(host: Host) -> None:
    """Virtual environments are made from the Python that runs set-up."""
    assert host.interpreter.path == sys.executable


# Set up with one long command, and tell its process once it is being waited for.
INTERRUPTIBLE = """
import subprocess, sys
from pathlib import Path
from bootstrap import cli
from bootstrap.machine import Command

def told(process, *arguments, wait=subprocess.Popen.wait):
    print(process.pid, flush=True)
    return wait(process, *arguments)

subprocess.Popen.wait = told
cli.prepare = lambda site: site.machine.run(Command(("sleep", "60"), Path(".")), Path(sys.argv[1]))
sys.exit(cli.main(["setup"]))
"""


def test_an_interrupted_command_ends_with_us(tmp_path: Path) -> None:
    """Whoever stops a set-up leaves nothing running that goes on writing."""
    argv = [sys.executable, "-c", INTERRUPTIBLE, str(tmp_path / "x.log")]
    with subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        child = int(process.stdout.readline())
        process.terminate()
        assert "Interrupted" in process.communicate()[1]
        assert process.returncode == 130
    assert not Path(f"/proc/{child}").exists()
