"""What SIGKILL leaves, which nobody can catch: nothing, of any command that starts something."""

import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.integration.test_endings import Start
from tests.processes import gone

LIMIT_S = 60.0


def started_by(pid: int) -> list[int]:
    """Return the process's children, and theirs."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:  # it may end while we look
            continue
    found, last = [pid], 0
    while len(found) > last:
        last = len(found)
        found += [child for child, parent in parents.items() if parent in found and child not in found]
    return found[1:]


def holds(temporary: Path, words: tuple[str, ...]) -> bool:
    """Tell whether the command has come so far that each of its folders is there."""
    there = [str(path.relative_to(temporary)) for path in temporary.rglob("*")]
    return all(any(word in name for name in there) for word in words)


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until it is so; the test's own limit ends what never comes."""
    while not condition():
        time.sleep(0.01)


@pytest.fixture
def temporary(environment: dict[str, str]) -> Iterator[Path]:
    """Return the command's temporary folder, in which the path of a socket is not too long."""
    with tempfile.TemporaryDirectory(prefix="t-") as folder:
        environment["TMPDIR"] = folder
        yield Path(folder)


@pytest.mark.parametrize(
    ("words", "folders"),
    [
        (("run", "tiny", "--rounds", "500", "--client", "double"), ("share/tiny.workload", "server.log")),
        (("conform", "double", "--jobs", "2"), ("respmark-conform-", "proxy-", "server.log")),
        (("trace", "double", "sync", "--target", "spawned-unix"), ("respmark-conform-", "proxy-", "redis.sock")),
        (("doctor",), ("server.log",)),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else None,
)
def test_a_killed_command_leaves_neither_processes_nor_folders(
    start: Start, tmp_path: Path, temporary: Path, words: tuple[str, ...], folders: tuple[str, ...]
) -> None:
    """As soon as its folders are there it is killed; its guardian ends and removes everything, and itself."""
    process = start(*words, *(("--out", tmp_path / "out") if words[0] == "run" else ()))
    wait_for(lambda: process.poll() is not None or holds(temporary, folders))
    assert process.poll() is None, process.communicate()
    left = started_by(process.pid)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=LIMIT_S)
    assert left
    wait_for(lambda: all(gone(pid) for pid in left))
    wait_for(lambda: not list(temporary.iterdir()))
