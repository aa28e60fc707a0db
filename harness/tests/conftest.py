"""What every test may need."""

import os
import signal
from collections import defaultdict
from collections.abc import Generator, Iterator
from contextlib import closing, nullcontext
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from respmark.machine.guardian import Guardian
from respmark.redaction import forget
from respmark.servers.node import Node
from tests import levels
from tests.user_server import start_user_server

# A shell's background job ignores the first, whoever is started by nohup the second; so would every command that a test
# interrupts, or hangs up on.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Enough examples for arithmetic. None fails for being slow on a busy machine. In CI they are the same each time. None
# is kept for later runs, which would try for minutes what a limit of time cut off; a failure says how to repeat it.
settings.register_profile(
    "respmark",
    deadline=None,
    max_examples=60,
    derandomize=bool(os.environ.get("CI")),
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("respmark")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the modules first that took longest the last time, or else may take longest."""
    took, longest = levels.recorded(), defaultdict[Path, float](float)
    for item in items:
        known_s = took.get(f"tests/{item.path.relative_to(levels.TESTS).as_posix()}")
        mark = item.get_closest_marker("timeout")
        allowed_s = float(mark.args[0]) if mark else 0.0
        longest[item.path] = max(longest[item.path], allowed_s if known_s is None else known_s)
        if levels.is_unit(item.path):
            item.add_marker("unit")
    items.sort(key=lambda item: longest[item.path], reverse=True)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [one for kind in terminalreporter.stats.values() for one in kind if isinstance(one, pytest.TestReport)]
    if reports:
        terminalreporter.section("seconds by level")
        for line in levels.record(reports):
            terminalreporter.write_line(line)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Fail a unit test that starts something."""
    with levels.nothing_starts() if item.get_closest_marker("unit") else nullcontext():
        return (yield)


@pytest.fixture(autouse=True)
def _own_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep runs in tests apart from runs on the machine, and from what the user's environment says."""
    monkeypatch.setenv("RESPMARK_LOCK", str(tmp_path / "respmark.lock"))
    for name in [name for name in os.environ if name.startswith("RESPMARK_SERVER")]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("COLUMNS", raising=False)  # pytest's own workers have that of their terminal


@pytest.fixture(autouse=True)
def _no_passwords_of_others() -> Iterator[None]:
    """Take no passwords of a test out of what the next one reads: they may be words, and are known to the process."""
    yield
    forget()


@pytest.fixture(scope="module")
def java_starts_soon() -> Iterator[None]:
    """Keep Java's optimising compiler out: such short trials end before it has earned what it costs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")
        yield


@pytest.fixture
def guardian() -> Iterator[Guardian]:
    with closing(Guardian()) as made:
        yield made


@pytest.fixture
def server(guardian: Guardian) -> Iterator[Node]:
    started = start_user_server(guardian)
    yield started
    started.close()
