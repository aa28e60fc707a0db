"""What a user types, and how the command ends where nobody reads: sentences, never a stack trace, never a password."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from respmark.cli import report
from respmark.errors import ExitCode
from respmark.servers.node import Node
from tests.integration.conftest import Finished, Respmark, url_of

SECRET = "hush-hush-7"
PROGRAM = f"{sys.executable} -m respmark"
IMPATIENT = """
import sys
class Impatient:
    def find_spec(self, name, path=None, server=None):
        if name == 'respmark.cli.app':
            raise KeyboardInterrupt
sys.meta_path.insert(0, Impatient())
from respmark.cli import main
main()
"""


def refuses(finished: Finished, words: str) -> None:
    assert finished.code is ExitCode.INVALID_REQUEST, finished.said
    assert words in finished.said
    assert not [word for word in ("Traceback", SECRET, "\x1b") if word in finished.said]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["report", os.fsdecode(b"na\xefve")], "argument 2 is not UTF-8"),
        (["report", "nowhere"], "nowhere is not a run folder"),
        (["run", f"redis://u:{SECRET}@h"], "there is no suite `redis://u:***@h`"),
        (["run", "tiny", f"redis://u:{SECRET}@h"], "redis://u:***@h"),
        (["run", "tiny", "--server", f"redis://h?password={SECRET}"], "the password into RESPMARK_SERVER_PASSWORD"),
        (
            ["run", "tiny", "--password-file", "password"],
            "a password applies only to a server that --server names by its URL",
        ),
        (["run", "tiny", "--server", "redis://127.0.0.1:1", "--ask-password"], "--ask-password needs a terminal"),
    ],
)
def test_a_request_that_makes_no_sense(
    respmark: Respmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    """What was typed is repeated, but for a password."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "password").write_text(SECRET)
    refuses(respmark(*words), said)


@pytest.mark.parametrize(
    ("content", "words"),
    [(None, "No such file"), (b"", "empty first line"), (b"\xff\n", "not UTF-8"), (b"x" * 70_000, "more than")],
)
def test_a_password_file_that_is_none(respmark: Respmark, tmp_path: Path, content: bytes | None, words: str) -> None:
    """What it holds is not shown."""
    if content is not None:
        (tmp_path / "password").write_bytes(content)
    finished = respmark("run", "tiny", "--server", "redis://127.0.0.1:1", "--password-file", tmp_path / "password")
    refuses(finished, words)
    assert "xxx" not in finished.said


def test_the_last_resort(respmark: Respmark, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sentence; the stack trace is for those who ask for it."""

    def surprise(*_: object) -> None:
        raise KeyError("surprise")

    monkeypatch.setattr(report, "_read", surprise)
    finished = respmark("report", "x")
    assert finished.code is ExitCode.UNEXPECTED
    assert (
        "an unexpected error in respmark: KeyError: 'surprise'; please open an issue in the project" in finished.errors
    )
    monkeypatch.setenv("RESPMARK_DEBUG", "1")
    assert "Traceback" in respmark("report", "x").errors


def test_a_password_in_the_process_list_is_warned_of(respmark: Respmark, server: Node) -> None:
    """It is accepted, and the user is shown better ways."""
    finished = respmark("doctor", "--server", url_of(server, f":{SECRET}@"))
    assert (
        "warning: everyone on this machine can read the password in the server's URL while this runs" in finished.errors
    )
    assert SECRET not in finished.said


@pytest.mark.parametrize(
    ("script", "code"),
    [
        (f"set -o pipefail; {PROGRAM} plan full | head -1", ExitCode.OK),
        (f"{PROGRAM} plan tiny >&-", ExitCode.OK),
        (f"set -o pipefail; {PROGRAM} run tiny --out run | true", ExitCode.OK),
        ("mkdir gone && cd gone && rmdir ../gone && " + PROGRAM.replace("-m", "-P -m") + " report x", 2),
        (f'{sys.executable} -c "$IMPATIENT"', ExitCode.INTERRUPTED),
    ],
    ids=["a reader that has gone", "no output", "a run whose reader has gone", "no folder", "Ctrl-C while loading"],
)
def test_how_a_command_ends_where_nobody_reads(tmp_path: Path, script: str, code: int) -> None:
    """It does its work, and its exit code says what became of that."""
    environment = os.environ | {"IMPATIENT": IMPATIENT}
    words = ["bash", "-c", script]
    ended = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, timeout=100, check=False)
    assert ended.returncode == code, ended.stderr.decode()
    assert b"Traceback" not in ended.stderr
    assert "run tiny" not in script or '"complete"' in (tmp_path / "run" / "manifest.json").read_text()
