"""What a user types: passwords and files that cannot be read, output that nobody reads."""

import os
import sys
from functools import partial
from pathlib import Path

import pytest

from respmark.errors import ExitCode
from respmark.target.spawn import Server
from tests.faults.conftest import Begin
from tests.faults.fault import Fault, proves
from tests.integration.conftest import Respmark

INVALID = ExitCode.INVALID_REQUEST
SECRET = "hush-hush-7"
TARGET = ("--target", "redis://127.0.0.1:1")
fault = partial(proves, exit_code=INVALID)


@fault("argument 2 is not UTF-8")
def test_an_argument_that_is_not_utf8(command: Begin, fault: Fault) -> None:
    """It is counted, and shown without its bytes."""
    fault.check(command("report", os.fsdecode(b"na\xefve")))


@fault("there is no suite `redis://***@h`")
def test_a_url_in_place_of_a_suite(respmark: Respmark, fault: Fault) -> None:
    """The message repeats what was typed, but for the password."""
    finished = respmark("run", f"redis://u:{SECRET}@h")
    fault.check(finished)
    assert SECRET not in finished.errors + finished.output


@fault("redis://***@h")
def test_a_url_too_many(respmark: Respmark, fault: Fault) -> None:
    """The command line's own messages repeat words, too."""
    finished = respmark("run", "tiny", f"redis://u:{SECRET}@h")
    fault.check(finished)
    assert SECRET not in finished.errors + finished.output


@fault("the password into RESPMARK_TARGET_PASSWORD, --password-file or --ask-password")
def test_a_password_among_the_parameters(respmark: Respmark, fault: Fault) -> None:
    """Other programs have it there; it is not repeated, neither for TCP nor for a socket."""
    for url in (f"redis://h?password={SECRET}", f"unix:///run/s?password={SECRET}"):
        finished = respmark("run", "tiny", "--target", url)
        fault.check(finished)
        assert SECRET not in finished.errors + finished.output


@pytest.mark.parametrize(
    ("content", "words"),
    [(None, "No such file"), (b"", "empty first line"), (b"\xff\n", "not UTF-8"), (b"x" * 70_000, "more than")],
)
@fault("the password file")
def test_a_password_file_that_is_none(
    command: Begin, tmp_path: Path, content: bytes | None, words: str, fault: Fault
) -> None:
    """What it holds is not shown."""
    path = tmp_path / "password"
    if content is not None:
        path.write_bytes(content)
    finished = command("run", "tiny", *TARGET, "--password-file", path)
    fault.check(finished)
    assert words in finished.errors
    assert "xxx" not in finished.errors


@fault("--ask-password needs a terminal")
def test_no_terminal_to_ask_on(command: Begin, fault: Fault) -> None:
    """In a script there is nobody who could type."""
    fault.check(command("run", "tiny", *TARGET, "--ask-password", start_new_session=True))


@fault("a password is for a server that --server names by its URL")
def test_a_password_that_has_no_use(command: Begin, tmp_path: Path, fault: Fault) -> None:
    """A server that respmark starts needs none of the user."""
    (tmp_path / "password").write_text(SECRET)
    fault.check(command("run", "tiny", "--password-file", tmp_path / "password"))


@fault("round 1", exit_code=ExitCode.OK)
def test_a_reader_that_has_gone(command: Begin, fault: Fault) -> None:
    """The command does its work, and its exit code says what became of that."""
    script = f"set -o pipefail; {sys.executable} -m respmark plan full | head -1"
    finished = command("-c", script, prefix=("bash",))
    fault.check(finished)
    assert finished.errors == ""


@fault("", exit_code=ExitCode.OK)
def test_no_standard_output(command: Begin, fault: Fault) -> None:
    """A closed descriptor is nobody, too."""
    finished = command("-c", f"{sys.executable} -m respmark plan tiny >&-", prefix=("bash",))
    fault.check(finished)
    assert finished.errors == ""


@fault("", exit_code=ExitCode.OK)
def test_a_run_whose_reader_has_gone(command: Begin, tmp_path: Path, fault: Fault) -> None:
    """It measures to its end."""
    script = f"set -o pipefail; {sys.executable} -m respmark run tiny --out {tmp_path / 'run'} | true"
    finished = command("-c", script, prefix=("bash",))
    fault.check(finished)
    assert '"complete"' in (tmp_path / "run" / "manifest.json").read_text()


@fault("x is not the folder of a run")
def test_a_working_directory_that_is_gone(command: Begin, tmp_path: Path, fault: Fault) -> None:
    """Only what the command was asked for is missing."""
    (tmp_path / "gone").mkdir()
    script = f"cd {tmp_path / 'gone'} && rmdir {tmp_path / 'gone'} && {sys.executable} -P -m respmark report x"
    fault.check(command("-c", script, prefix=("bash",)))


@fault(
    "an unexpected error in respmark: KeyError: 'surprise'; please report it as an issue of the project",
    exit_code=ExitCode.FAULT,
)
def test_the_last_resort(command: Begin, environment: dict[str, str], fault: Fault) -> None:
    """A sentence; the stack trace is for those who ask for it."""
    script = (
        "import respmark.cli.report as r\n"
        "def surprise(folder, read):\n    raise KeyError('surprise')\n"
        "r.read_folder = surprise\n"
        "from respmark.cli.app import main\nmain(['report', 'x'])\n"
    )
    fault.check(command("-c", script, prefix=(sys.executable,)))
    environment["RESPMARK_DEBUG"] = "1"
    assert "Traceback" in command("-c", script, prefix=(sys.executable,)).errors


@fault("", exit_code=ExitCode.INTERRUPTED)
def test_an_interrupt_while_loading(command: Begin, fault: Fault) -> None:
    """Loading takes a while; the impatient get no stack trace."""
    script = (
        "import sys\n"
        "class Impatient:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'respmark.cli.app':\n            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Impatient())\n"
        "from respmark.cli import main\nmain()\n"
    )
    fault.check(command("-c", script, prefix=(sys.executable,)))


@fault(
    "warning: everyone on this machine can read the password in --server while this runs",
    exit_code=ExitCode.TARGET_UNREACHABLE,
)
def test_a_password_in_the_process_list(respmark: Respmark, server: Server, fault: Fault) -> None:
    """It is accepted, and the user told of better ways."""
    finished = respmark("doctor", "--target", f"redis://:{SECRET}@127.0.0.1:{server.endpoint.port}")
    fault.check(finished)
    assert SECRET not in finished.errors + finished.output
