"""Signals, a terminal that disappears, and a guardian that somebody ends."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from respmark.errors import ExitCode
from tests.faults.fault import Fault, proves
from tests.integration.conftest import Finished

Start = Callable[..., "subprocess.Popen[str]"]
LONG = ("--rounds", "500", "--slice-s", "0.1")
fault = partial(proves, exit_code=ExitCode.INTERRUPTED)


def wait_for_trials(out: Path) -> None:
    """Wait until something was measured."""
    deadline = time.monotonic() + 60
    while not list((out / "trials").glob("[!.]*.json.gz")) and time.monotonic() < deadline:
        time.sleep(0.02)


def status_of(out: Path) -> str:
    """Return how a run ended, as its manifest says."""
    status: str = json.loads((out / "manifest.json").read_text())["status"]
    return status


def ended(process: "subprocess.Popen[str]", out: Path) -> Finished:
    """Wait for the command's end."""
    output, errors = process.communicate(timeout=60)
    return Finished(process.returncode, output or "", " ".join((errors or "").split()), out)


def guardian_of(process: int) -> int:
    """Return the process that is to end what the run started."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        parent = int(path.read_text().rpartition(")")[2].split()[1])
        if parent == process and b"guardian" in path.with_name("cmdline").read_bytes():
            return int(path.parent.name)
    raise LookupError


@fault(
    "is gone: nothing would end what the run starts if the run itself were killed, so it stops here",
    exit_code=ExitCode.SOME_FAILED,
)
def test_a_guardian_that_is_gone(start: Start, tmp_path: Path, fault: Fault) -> None:
    """What has ended is kept, and the manifest says stopped."""
    out = tmp_path / "out"
    process = start("run", "tiny", *LONG, "--out", out)
    wait_for_trials(out)
    os.kill(guardian_of(process.pid), signal.SIGKILL)
    fault.check(ended(process, out))
    assert status_of(out) == "stopped"


@fault("THIS RUN IS INCOMPLETE")
def test_a_run_that_is_asked_to_end(start: Start, tmp_path: Path, fault: Fault) -> None:
    """It ends as with Ctrl-C."""
    out = tmp_path / "out"
    process = start("run", "tiny", *LONG, "--out", out)
    wait_for_trials(out)
    process.terminate()
    fault.check(ended(process, out))
    assert status_of(out) == "interrupted"


@fault("")
def test_a_terminal_that_disappears(environment: dict[str, str], tmp_path: Path, fault: Fault) -> None:
    """Nobody sees anything; what has ended is kept, and the manifest says so."""
    out = tmp_path / "out"
    words = [sys.executable, "-m", "respmark", "run", "tiny", *LONG, "--out", str(out)]
    process, terminal = pty.fork()
    if process == 0:
        os.execve(words[0], words, environment)  # noqa: S606 - a shell would be one more process
    wait_for_trials(out)
    os.close(terminal)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    fault.check(Finished(code, "", "", out))
    assert status_of(out) == "interrupted"


@fault("results in", exit_code=ExitCode.OK)
def test_a_run_that_outlives_its_terminal(environment: dict[str, str], tmp_path: Path, fault: Fault) -> None:
    """What is ignored stays ignored; slices are long, so that no busy machine disturbs all of a trial's."""
    out = tmp_path / "out"
    words = ["nohup", sys.executable, "-m", "respmark", "run", "tiny", "--slice-s", "1", "--out", str(out)]
    pipe = subprocess.PIPE
    process = subprocess.Popen(words, env=environment, text=True, stdout=pipe, stderr=pipe, stdin=subprocess.DEVNULL)
    wait_for_trials(out)
    process.send_signal(signal.SIGHUP)
    fault.check(ended(process, out))
    assert status_of(out) == "complete"
