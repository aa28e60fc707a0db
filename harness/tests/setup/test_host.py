"""Commands on this machine, those of several languages side by side."""

import time
from pathlib import Path

import pytest

from respmark.setup.host import Missing, SetupHost


@pytest.fixture
def host(tmp_path: Path) -> SetupHost:
    return SetupHost(tmp_path, tmp_path, tmp_path / ".build", say=lambda _text: None)


def test_tasks_are_done_side_by_side_and_answered_in_their_order(host: SetupHost) -> None:
    """Each waits for a file that the other makes; a log has the output of its own command alone."""
    waits = "touch {0}; until [ -e {1} ]; do sleep 0.01; done; echo {0}"
    tasks = [
        lambda name=name, other=other: host.run(("sh", "-c", waits.format(name, other)), name).output
        for name, other in (("a", "b"), ("b", "a"))
    ]
    assert host.side_by_side(tasks) == ["a\n", "b\n"]


def test_a_command_that_takes_long_is_told_of(host: SetupHost, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends once that has been said."""

    def told(text: str) -> None:
        (host.root / "told").write_text(text)

    monkeypatch.setattr("respmark.setup.host.TELL_S", 0.01)
    host.say = told
    assert host.run(("sh", "-c", "until [ -e told ]; do sleep 0.01; done"), "compiles").code == 0
    assert "compiles is at work" in (host.root / "told").read_text()


def test_a_task_that_fails_ends_the_commands_of_the_others(host: SetupHost) -> None:
    """Nothing is begun afterwards."""
    pid, later = host.root / "pid", host.root / "later"

    def fails() -> None:
        while not pid.exists():
            time.sleep(0.01)
        raise Missing("there is none")

    def lasts() -> None:
        host.run(("sh", "-c", "echo $$ >new; mv new pid; exec sleep 600"), "lasts")
        later.touch()

    with pytest.raises(Missing, match="there is none"):
        host.side_by_side([fails, lasts])
    assert not Path("/proc", pid.read_text().strip()).exists()
    assert not later.exists()
