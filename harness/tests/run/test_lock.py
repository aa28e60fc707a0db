"""One run at a time on a machine."""

import json
import os
import stat
from pathlib import Path

import pytest

from respmark.errors import ExitCode, NothingRanError
from respmark.run.lock import LOCK_VARIABLE, lock_path, only_run


def test_a_second_run_is_refused_with_who_holds_the_lock(tmp_path: Path) -> None:
    """The message names the process, what it does, and what to do."""
    path = tmp_path / "lock"
    with (
        only_run(path, "respmark, results in results/a"),
        pytest.raises(NothingRanError) as caught,
        only_run(path, "b"),
    ):
        pass
    assert f"process {os.getpid()}: respmark, results in results/a" in str(caught.value)
    assert "Wait until it ends, or stop it" in str(caught.value)
    assert caught.value.exit_code is ExitCode.NOTHING_RAN


def test_the_lock_is_free_afterwards(tmp_path: Path) -> None:
    """Another run may begin as soon as this one has ended, and nothing says that it still goes on."""
    path = tmp_path / "lock"
    for what in ("first", "second"):
        with only_run(path, what):
            assert json.loads(path.read_text())["what"] == what
        assert path.read_text() == ""


def test_the_lock_is_free_after_an_error(tmp_path: Path) -> None:
    """A run that fails does not keep others out."""
    path = tmp_path / "lock"
    with pytest.raises(KeyboardInterrupt), only_run(path, "interrupted"):
        raise KeyboardInterrupt
    with only_run(path, "next"):
        assert json.loads(path.read_text()) == {"pid": os.getpid(), "what": "next"}


def test_what_a_longer_name_left_is_gone(tmp_path: Path) -> None:
    """A file that a killed run left behind does not confuse the next."""
    path = tmp_path / "lock"
    path.write_text("x" * 1000)
    with only_run(path, "short"):
        assert json.loads(path.read_text())["what"] == "short"


@pytest.mark.parametrize("left", ["", "not JSON", "{}"])
def test_a_holder_that_left_no_word_is_refused_all_the_same(tmp_path: Path, left: str) -> None:
    """Whatever stands in the file, the refusal is a sentence."""
    path = tmp_path / "lock"
    with only_run(path, "first"):
        path.write_text(left)
        with pytest.raises(NothingRanError, match="another run is measuring"), only_run(path, "second"):
            pass


def test_a_lock_file_that_cannot_be_opened_is_told(tmp_path: Path) -> None:
    """The message names the file and the variable that names another."""
    with (
        pytest.raises(NothingRanError, match=rf"cannot open the lock file .*; set {LOCK_VARIABLE}"),
        only_run(tmp_path, "x"),
    ):
        pass


def test_the_lock_is_the_machines(tmp_path: Path) -> None:
    """Every user may write to it, whatever the umask of who came first."""
    umask = os.umask(0o022)
    try:
        with only_run(tmp_path / "lock", "x"):
            assert stat.S_IMODE((tmp_path / "lock").stat().st_mode) == 0o666
    finally:
        os.umask(umask)


def test_another_lock_can_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests, and runs that cannot disturb each other, have locks of their own."""
    monkeypatch.setenv(LOCK_VARIABLE, "/somewhere/else")
    assert lock_path() == Path("/somewhere/else")
    monkeypatch.delenv(LOCK_VARIABLE)
    assert lock_path().name == "respmark.lock"
