"""What every test may need."""

import os
import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from respmark.machine.guardian import Guardian
from respmark.servers.node import Node
from tests.user_server import start_user_server

# A shell's background job ignores the first, whoever is started by nohup the second; so would every command that a test
# interrupts, or hangs up on.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=allowed_s, reverse=True)


def allowed_s(item: pytest.Item) -> float:
    mark = item.get_closest_marker("timeout")
    return float(mark.args[0]) if mark else 0.0


@pytest.fixture(autouse=True)
def _own_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep runs in tests apart from runs on the machine, and from what the user's environment says."""
    monkeypatch.setenv("RESPMARK_LOCK", str(tmp_path / "respmark.lock"))
    for name in [name for name in os.environ if name.startswith("RESPMARK_TARGET")]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("COLUMNS", raising=False)  # pytest's own workers have that of their terminal


@pytest.fixture
def java_starts_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep Java's optimising compiler out: such short trials end before it has earned what it costs."""
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")


@pytest.fixture
def guardian() -> Iterator[Guardian]:
    with closing(Guardian()) as made:
        yield made


@pytest.fixture
def server(guardian: Guardian) -> Iterator[Node]:
    started = start_user_server(guardian)
    yield started
    started.close()
