"""Specs that are damaged or hostile."""

import json
from functools import partial
from pathlib import Path

import pytest

from respmark.errors import ExitCode
from tests.faults.fault import Fault, proves
from tests.integration.conftest import Respmark

INVALID = ExitCode.INVALID_REQUEST
fault = partial(proves, exit_code=INVALID)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff\xfe", "cannot be read"),
        (b"a = " + b"[" * 50_000, "cannot be read"),
        (b"name = ", "is not TOML"),
        (b"name = 1979-05-27T07:32:00Z", "`name`"),
    ],
)
@fault("mine.toml:")
def test_a_suite_that_does_not_read(
    respmark: Respmark, tmp_path: Path, content: bytes, words: str, fault: Fault
) -> None:
    """The message names the file, and the key where there is one."""
    (tmp_path / "mine.toml").write_bytes(content)
    finished = respmark("plan", tmp_path / "mine.toml")
    fault.check(finished)
    assert words in finished.errors


@fault("cannot be read: [Errno 21] Is a directory")
def test_a_suite_that_is_a_folder(respmark: Respmark, tmp_path: Path, fault: Fault) -> None:
    """The system's refusal is passed on."""
    (tmp_path / "mine.toml").mkdir()
    fault.check(respmark("plan", tmp_path / "mine.toml"))


@fault("cannot be read: embedded null byte")
def test_a_path_with_a_null_character(respmark: Respmark, specs: Path, tmp_path: Path, fault: Fault) -> None:
    """No file can have that name."""
    suite = (specs / "suites" / "tiny.toml").read_text()
    (tmp_path / "mine.toml").write_text(suite.replace('workload = "tiny"', 'workload = "a\\u0000.toml"'))
    fault.check(respmark("plan", tmp_path / "mine.toml"))


@pytest.mark.parametrize("name", ["../../x", "\x1b[2J", "=1+1", "a b", "[red]"])
@fault("`name`: String should match pattern")
def test_a_name_that_gives_orders(respmark: Respmark, specs: Path, name: str, fault: Fault) -> None:
    """Names become parts of files' names, and of tables."""
    path = specs / "workloads" / "tiny.toml"
    path.write_text(path.read_text().replace('name = "tiny"', f"name = {json.dumps(name)}"))
    finished = respmark("plan", "tiny")
    fault.check(finished)
    assert "\x1b" not in finished.errors


@fault("redis://***@h")
def test_a_password_under_a_wrong_key(respmark: Respmark, tmp_path: Path, fault: Fault) -> None:
    """The message shows what was written, but for the password."""
    (tmp_path / "mine.toml").write_text('name = "m"\nsummary = "s"\nurl = ["redis://:hush-hush-7@h"]\n')
    finished = respmark("doctor", "--target", tmp_path / "mine.toml")
    fault.check(finished)
    assert "hush-hush-7" not in finished.errors + finished.output
