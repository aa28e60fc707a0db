"""Fixtures: a server, with the golden workload's keys in it."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from paths import GOLDEN_WORKLOAD
from respmark_python.workload.file import read_workload
from respmark_python.workload.workload import Workload
from runner import STARTED
from server import Server
from workloads import preload


@pytest.fixture(autouse=True)
def no_runner_outlives_its_test() -> Iterator[None]:
    """End what a test that failed has left behind: it would count as a connection of the next."""
    yield
    while STARTED:
        STARTED.pop().kill()


@pytest.fixture(scope="session")
def workload() -> Workload:
    """Return the golden workload."""
    return read_workload(GOLDEN_WORKLOAD)


@pytest.fixture(scope="session")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Start one server for all tests that leave it as they found it."""
    with closing(Server(tmp_path_factory.mktemp("server"))) as server:
        yield server


@pytest.fixture
def server(shared_server: Server, workload: Workload) -> Server:
    """Return the shared server with the golden workload's keys in it."""
    preload(shared_server.control, workload)
    return shared_server


@pytest.fixture
def own_server(tmp_path: Path, workload: Workload) -> Iterator[Server]:
    """Start a server for one test that spoils it."""
    with closing(Server(tmp_path)) as server:
        preload(server.control, workload)
        yield server


@pytest.fixture
def target(server: Server) -> dict[str, Any]:
    """Return the shared server as a trial's target."""
    return {"host": "127.0.0.1", "port": server.port}
