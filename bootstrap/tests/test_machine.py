"""The real machine, with commands that every machine has."""

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bootstrap.cli import ROOT
from bootstrap.machine import NOT_STARTED, Site

LIMIT_S = 60
SAY_AND_SLEEP = "import time; print('1 passed', flush=True); time.sleep(600)"
LEAVE = "import subprocess, sys; print(subprocess.Popen(['sleep', '600']).pid, flush=True); sys.exit(3)"


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """Give an empty checkout on this machine."""
    return Site(tmp_path)


def python(code: str) -> tuple[str, ...]:
    """Form a command that runs a line of Python."""
    return (sys.executable, "-c", code)


def test_a_log_holds_all_commands_and_each_gets_its_own_part(site: Site) -> None:
    """Both streams are one text; a step of several commands has one log."""
    site.run(python("print(1)"), "step")
    code = "import sys; print('a', flush=True); print('b', file=sys.stderr); sys.exit(3)"
    assert site.run(python(code), "step") == (3, "a\nb\n")
    assert site.log("step").read_text() == "1\na\nb\n"


def test_shown_output_is_seen_and_kept(site: Site, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """The user sees it as it comes, and the log keeps it."""
    assert site.run(python("print('12 passed')"), "x", shown=True).output == "12 passed\n"
    assert capfdbinary.readouterr().out == b"12 passed\n"


def test_a_silent_command_is_ended(site: Site, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """It fails with a sentence; what it said before is kept."""
    told = f"1 passed\n{sys.executable} said nothing for 1 s: it hung, and was ended\n"
    assert site.run(python(SAY_AND_SLEEP), "x", silence_limit_s=1.0, shown=True) == (-signal.SIGTERM, told)
    assert capfdbinary.readouterr().out.decode() == told


def test_what_a_command_leaves_behind_is_not_waited_for(site: Site) -> None:
    """A process that holds its output open must not hold us up."""
    finished = site.run(python(LEAVE), "x")
    os.kill(int(finished.output), signal.SIGKILL)
    assert finished.code == 3


def test_a_command_that_is_not_there(site: Site) -> None:
    """It ends like in a shell, and says which."""
    assert site.run(("/no/such/command",), "x") == (NOT_STARTED, "/no/such/command: No such file or directory")


def test_another_projects_settings_are_left_out(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """An activated environment does not lead ours astray; what we set is there."""
    monkeypatch.setenv("VIRTUAL_ENV", "/other")
    code = "import os; print(os.environ.get('VIRTUAL_ENV'), os.environ['OURS'])"
    assert site.run(python(code), "x", variables={"OURS": "yes"}).output == "None yes\n"


def test_our_own_tools_come_first_and_are_not_taken_for_the_machines(tmp_path: Path) -> None:
    """A command finds what set-up brought; whoever looks for the machine's own does not."""
    site = Site(tmp_path, variables={"PATH": f"{tmp_path}/.build/bin"})
    site.bin.mkdir(parents=True)
    (site.bin / "some-tool").write_text("#!/bin/sh\necho ours\n")
    (site.bin / "some-tool").chmod(0o755)
    assert site.which("some-tool") is None
    assert site.ask("some-tool") == "ours\n"


# Set up with one long command, and tell its process once it is being waited for.
INTERRUPTIBLE = """
import subprocess, sys
from pathlib import Path
from bootstrap import cli
from bootstrap.machine import Site

def told(process, *arguments, wait=subprocess.Popen.wait):
    print(process.pid, flush=True)
    return wait(process, *arguments)

subprocess.Popen.wait = told
def prepare(_):
    site = Site(Path(sys.argv[1]))
    if sys.argv[2] == "alone":
        site.run(("sleep", "60"), "x")
    with site.at_once(2) as threads:
        threads.submit(site.run, ("sleep", "60"), "x").result()

cli.prepare = prepare
sys.exit(cli.main(["setup"]))
"""


@pytest.mark.parametrize("where", ["alone", "beside others"])
def test_an_interrupted_command_ends_with_us(tmp_path: Path, where: str) -> None:
    """Whoever stops a set-up leaves nothing running that goes on writing."""
    argv = [*python(INTERRUPTIBLE), str(tmp_path), where]
    with subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        child = int(process.stdout.readline())
        process.terminate()
        assert "Interrupted" in process.communicate()[1]
        assert process.returncode == 130
    assert not Path(f"/proc/{child}").exists()


ASK = (
    "from pathlib import Path; from bootstrap.machine import Site; site = Site(Path('/none')); "
    "print('answered', [site.agrees('Install? [y/N] '), site.agrees('Install? [y/N] ')])"
)


def at_a_terminal(command: tuple[str, ...], typed: bytes, variables: dict[str, str]) -> str:
    """Run a command at a terminal of its own, where somebody types; give what was shown."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=variables, cwd=ROOT, start_new_session=True
    ) as process:
        os.close(theirs)
        os.write(ours, typed)
        shown = b"".join(_read(ours))
        process.wait(LIMIT_S)
    return shown.decode(errors="replace").replace("\r\n", "\n")


def _read(terminal: int) -> Iterator[bytes]:
    while True:
        try:
            data = os.read(terminal, 4096)
        except OSError:  # the other side has closed it
            os.close(terminal)
            return
        yield data


@pytest.mark.parametrize(
    ("typed", "agrees"), [(b"y\n", True), (b"Yes\n", True), (b"n\n", False), (b"\n", False), (b"\x04", False)]
)
def test_a_user_is_asked_once(typed: bytes, *, agrees: bool) -> None:
    """The question is shown, and the answer remembered; silence and Ctrl-D are no yes."""
    shown = at_a_terminal(python(ASK), typed, dict(os.environ))
    assert shown.count("Install? [y/N]") == 1
    assert f"answered [{agrees}, {agrees}]" in shown


def test_nobody_is_asked_without_a_terminal(site: Site) -> None:
    """A script would wait for ever."""
    told = site.run(python(ASK), "x", variables={"PYTHONPATH": str(ROOT)})
    assert told == (0, "answered [False, False]\n")
