"""Runners as they are installed on this machine."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from respmark.machine.guardian import Guardian
from respmark.runners.local import LocalExecutor
from respmark.specs.client import Client
from respmark.workload import columns
from respmark.workload.workload import generate
from tests.builders.plan import SHIPPED
from tests.required import REQUIRED


@pytest.fixture(scope="module")
def local_executor() -> Iterator[LocalExecutor]:
    with closing(Guardian()) as guardian, LocalExecutor(SHIPPED.runners, SHIPPED.every_client, guardian) as made:
        yield made


@pytest.fixture(scope="module")
def workload(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the file of columns of the workload `conform`."""
    made: Path = tmp_path_factory.mktemp("installed") / "columns"
    columns.write(generate(SHIPPED.workload("conform"), 1), made)
    return made


def need(client: Client, executor: LocalExecutor) -> None:
    """Skip the test if the client is not installed, or let it fail if it has to be."""
    if reason := executor.missing(client):
        if client.runner in REQUIRED:
            pytest.fail(f"{client.runner} is missing, and RESPMARK_REQUIRE asks for it: {reason}")
        pytest.skip(reason)
